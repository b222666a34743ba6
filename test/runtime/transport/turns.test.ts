import { expect, test } from 'vitest';
import { openTurns } from '#runtime/transport/http/turns.js';
import { until } from '../../support/until.ts';

const LARGE = 8193;
/** Lets everything run that waits for nothing but the event loop. */
const settled = async (): Promise<void> => {
  for (let turn = 0; turn < 5; turn += 1) await new Promise((done) => setImmediate(done));
};

test('bodies that are not verified yet are checked one at a time, of each source in turn, while small ones pass', async () => {
  const turns = openTurns();
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const enter = async (name: string, source: string, bytes = LARGE): Promise<void> => {
    ends.push(await turns.enter(bytes, source));
    begun.push(name);
  };
  for (const name of ['a1', 'a2', 'a3']) void enter(name, 'a');
  for (const name of ['b1', 'b2']) void enter(name, 'b');
  await enter('small', 'a', LARGE - 1);
  await settled();
  expect(begun.toSorted()).toEqual(['a1', 'small']);
  const order: string[] = [];
  for (let turn = 0; turn < 4; turn += 1) {
    const known = begun.length;
    const end = ends[known - 1] as () => void;
    end();
    end();
    await until('the next one begins', () => begun.length > known);
    await settled();
    expect(begun).toHaveLength(known + 1);
    order.push(begun.at(-1) as string);
  }
  expect(order).toEqual(['a2', 'b1', 'a3', 'b2']);
});

test('the loop serves others between two bodies, several times as long as a long one took', async () => {
  const turns = openTurns();
  const first = await turns.enter(LARGE, 'a');
  const second = turns.enter(LARGE, 'a');
  const began = performance.now();
  while (performance.now() - began < 30);
  const took = performance.now() - began;
  first();
  (await second)();
  expect(performance.now() - began).toBeGreaterThan(4 * took);
});

test('a source has 64 bodies waiting at most, and another one still its own', async () => {
  const turns = openTurns();
  const end = await turns.enter(LARGE, 'a');
  const waiting = Array.from({ length: 64 }, () => turns.enter(LARGE, 'a'));
  await expect(turns.enter(LARGE, 'a')).rejects.toMatchObject({ code: 'http.overloaded', retryable: true });
  const other = turns.enter(LARGE, 'b');
  end();
  (await waiting[0])?.();
  (await other)();
  for (const each of waiting) (await each)();
  (await turns.enter(LARGE, 'a'))();
});
