import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { openLane } from '#runtime/postgres/lane.js';

/** Work that notes its runs, each of which ends when it is let go. */
function held(name: string, runs: string[]) {
  const open: PromiseWithResolvers<void>[] = [];
  return {
    options: {
      name,
      maxBatch: 3,
      run: async (items: readonly number[]): Promise<number[]> => {
        runs.push(`${name} ${items.join()}`);
        const until = Promise.withResolvers<void>();
        open.push(until);
        await until.promise;
        return items.map((n) => n * 2);
      },
    },
    letGo: async (failure?: Error): Promise<void> => {
      for (const until of open.splice(0)) failure ? until.reject(failure) : until.resolve();
      await nextTurn();
      await nextTurn();
    },
  };
}

test('the runs of a lane begin together, answer each when it is done, and the next ones wait for all of them', async () => {
  const runs: string[] = [];
  const lane = openLane();
  const [first, second] = [held('first', runs), held('second', runs)];
  const [ofFirst, ofSecond] = [lane.add(first.options), lane.add(second.options)];
  const answered: number[] = [];
  const written = [ofFirst(1), ofSecond(2), ofFirst(3)].map((answer) => answer.then((n) => answered.push(n)));
  await nextTurn();
  await nextTurn();
  expect(runs).toEqual(['first 1,3', 'second 2']);
  const later = [ofFirst(4), ofSecond(5)];
  await second.letGo();
  expect(answered).toEqual([4]);
  expect(runs).toHaveLength(2);
  await first.letGo();
  expect(answered).toEqual([4, 2, 6]);
  expect(runs.slice(2)).toEqual(['first 4', 'second 5']);
  await first.letGo();
  await second.letGo();
  expect(await Promise.all(later)).toEqual([8, 10]);
  await Promise.all(written);
});

test('a run that fails rejects its own items alone, and the lane continues', async () => {
  const runs: string[] = [];
  const lane = openLane();
  const [first, second] = [held('first', runs), held('second', runs)];
  const [ofFirst, ofSecond] = [lane.add(first.options), lane.add(second.options)];
  const answers = Promise.allSettled([ofFirst(1), ofSecond(2)]);
  await nextTurn();
  await first.letGo(new Error('the statement failed'));
  await second.letGo();
  expect(await answers).toMatchObject([{ reason: { message: 'the statement failed' } }, { value: 4 }]);
  const next = ofFirst(3);
  await nextTurn();
  await first.letGo();
  expect(await next).toBe(6);
});

test('each kind of work has its own bound, and there are enough for the next run when one of them is met', async () => {
  const runs: string[] = [];
  const enough: boolean[] = [];
  const lane = openLane(async ({ full }) => {
    enough.push(full());
  });
  const note = (name: string) => ({
    name,
    maxBatch: 3,
    run: async (items: readonly number[]) => {
      runs.push(`${name} ${items.join()}`);
      return items;
    },
  });
  const [first, second] = [lane.add(note('first')), lane.add(note('second'))];
  await Promise.all([first(0), second(0)]);
  expect(enough).toEqual([]);
  await Promise.all([...[1, 2, 3, 4, 5, 6, 7].map(first), ...[1, 2].map(second)]);
  expect(runs.slice(2)).toEqual(['first 1,2,3', 'second 1,2', 'first 4,5,6', 'first 7']);
  expect(enough).toEqual([true, false]);
});

test('a wait for more ends as soon as as many items wait as the last run held, whatever their kinds, or one kind is full', async () => {
  const waits: AbortSignal[] = [];
  let ended = Promise.withResolvers<void>();
  const lane = openLane(async ({ enough }) => {
    waits.push(enough);
    await ended.promise;
  });
  const kind = (name: string) => lane.add({ name, maxBatch: 3, run: async (items: readonly number[]) => items });
  const [first, second] = [kind('first'), kind('second')];
  const reached: boolean[] = [];
  const put = (write: (n: number) => Promise<number>): Promise<number> => {
    const answer = write(0);
    reached.push(waits.at(-1)?.aborted === true);
    return answer;
  };
  const next = async (waiting: Promise<number>[]): Promise<void> => {
    ended.resolve();
    ended = Promise.withResolvers();
    await Promise.all(waiting);
    await nextTurn();
  };

  await next([put(first), put(first), put(second), put(second)]);
  reached.length = 0;
  const asMany = [put(second), put(first), put(second), put(first)];
  expect(reached).toEqual([false, false, false, true]);
  await next(asMany);
  reached.length = 0;
  const full = [put(first), put(first), put(first)];
  expect(reached).toEqual([false, false, true]);
  await next(full);
  ended.resolve();
});

test('what came during a run is enough before the wait begins', async () => {
  const enough: boolean[] = [];
  const lane = openLane(async (arrivals) => {
    enough.push(arrivals.enough.aborted);
  });
  const work = held('work', []);
  const write = lane.add(work.options);
  const before = [write(1), write(2)];
  await nextTurn();
  const during = [write(3), write(4)];
  await work.letGo();
  await Promise.all(before);
  expect(enough).toEqual([true]);
  await work.letGo();
  await Promise.all(during);
  expect(enough).toEqual([true, false]);
});
