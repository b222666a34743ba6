import { expect, test } from 'vitest';
import { batched } from '#runtime/postgres/lane.js';

const outcomes = (promises: Promise<unknown>[]): Promise<unknown[]> =>
  Promise.all(promises.map((each) => each.catch((error: Error) => error.message)));

test('what arrives while a run is under way goes into the next one, at most maxBatch at a time', async () => {
  const runs: number[][] = [];
  const held = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  const double = batched<number, number>({
    name: 'double',
    maxBatch: 2,
    run: async (items) => {
      runs.push([...items]);
      begun.resolve();
      await held.promise;
      return items.map((n) => n * 2);
    },
  });
  const first = double(1);
  await begun.promise;
  const rest = [2, 3, 4].map(double);
  held.resolve();
  expect(await Promise.all([first, ...rest])).toEqual([2, 4, 6, 8]);
  expect(runs).toEqual([[1], [2, 3], [4]]);
});

test('an Error among the answers rejects that item alone; a run that fails rejects all of its items, and the next one works', async () => {
  let away = false;
  const check = batched<number, number>({
    name: 'check',
    maxBatch: 10,
    run: async (items) => {
      if (away) throw new Error('away');
      return items.map((n) => (n < 0 ? new Error(`${n}`) : n));
    },
  });
  expect(await outcomes([1, -2, 3].map(check))).toEqual([1, '-2', 3]);
  away = true;
  expect(await outcomes([1, 2].map(check))).toEqual(['away', 'away']);
  away = false;
  expect(await check(4)).toBe(4);
});

test('where its failure allows it, a run that failed as a whole is repeated item by item', async () => {
  const runs: number[][] = [];
  const write = batched<number, number>({
    name: 'write',
    maxBatch: 10,
    alone: (error) => (error as Error).message === 'bad item',
    run: async (items) => {
      runs.push([...items]);
      if (items.includes(0)) throw new Error('away');
      if (items.includes(2)) throw new Error('bad item');
      return items;
    },
  });
  expect(await outcomes([1, 2, 3].map(write))).toEqual([1, 'bad item', 3]);
  expect(await outcomes([0, 1].map(write))).toEqual(['away', 'away']);
  expect(runs).toEqual([[1, 2, 3], [1], [2], [3], [0, 1]]);
});

test('a run that answers another number of items rejects them with its name', async () => {
  const short = batched<number, number>({ name: 'short', maxBatch: 10, run: async () => [] });
  expect(await outcomes([1, 2].map(short))).toEqual(['short answered 0 of 2 items', 'short answered 0 of 2 items']);
});
