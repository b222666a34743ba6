import { expect, test } from 'vitest';
import { openTurns, type Turn } from '#runtime/transport/http/turns.js';
import { until } from '../../support/until.ts';

const SMALL = 8192;
/** No two of these are checked at the same time. */
const LARGE = 128 * 1024 + 1;
/** Lets everything run that waits for nothing but the event loop. */
const settled = async (): Promise<void> => {
  for (let turn = 0; turn < 5; turn += 1) await new Promise((done) => setImmediate(done));
};
/** Keeps the event loop for so many milliseconds; returns how many it was. */
const busy = (ms: number): number => {
  const began = performance.now();
  while (performance.now() - began < ms);
  return performance.now() - began;
};

test('bodies that are not verified yet are checked 256 KiB at a time, of each source in turn, while small ones pass', async () => {
  const turns = openTurns();
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const enter = async (name: string, source: string, bytes = LARGE): Promise<void> => {
    const { end } = await turns.enter(bytes, source);
    ends.push(end);
    begun.push(name);
  };
  for (const name of ['a1', 'a2', 'a3']) void enter(name, 'a');
  for (const name of ['b1', 'b2']) void enter(name, 'b');
  await enter('small', 'a', SMALL);
  await settled();
  expect(begun.toSorted()).toEqual(['a1', 'small']);
  const order: string[] = [];
  for (let turn = 0; turn < 4; turn += 1) {
    const known = begun.length;
    for (const end of ends) end();
    await until('the next one begins', () => begun.length > known);
    await settled();
    expect(begun).toHaveLength(known + 1);
    order.push(begun.at(-1) as string);
  }
  expect(order).toEqual(['a2', 'b1', 'a3', 'b2']);
});

test('as many as have 256 KiB together are checked at the same time', async () => {
  const turns = openTurns();
  const begun: Turn[] = [];
  for (let n = 0; n < 18; n += 1) void turns.enter(16 * 1024, 'a').then((turn) => begun.push(turn));
  const alone = turns.enter(4 * 1024 * 1024, 'b');
  await settled();
  expect(begun).toHaveLength(16);
  for (const turn of begun) turn.end();
  await until('the next one begins', () => begun.length === 17);
  await settled();
  expect(begun).toHaveLength(17);
  // The larger one has its turn when nothing else has.
  begun.at(-1)?.end();
  const { end } = await alone;
  await settled();
  expect(begun).toHaveLength(17);
  end();
  await until('the last one begins', () => begun.length === 18);
});

test('the loop serves others after a body that took long to parse, several times as long', async () => {
  const turns = openTurns();
  const first = await turns.enter(LARGE, 'a');
  const second = turns.enter(LARGE, 'a');
  const began = performance.now();
  const took = first.parse(() => busy(30));
  first.end();
  (await second).end();
  expect(performance.now() - began).toBeGreaterThan(8 * took);
});

test('what others do while a body is checked causes no pause', async () => {
  const turns = openTurns();
  const first = await turns.enter(LARGE, 'a');
  let isBegun = false;
  const second = turns.enter(LARGE, 'a').then(({ end }) => {
    isBegun = true;
    end();
  });
  first.parse(() => undefined);
  busy(100);
  first.end();
  await settled();
  expect(isBegun).toBe(true);
  await second;
});

test('a source has 64 bodies waiting, or 16 MiB, and another one still its own', async () => {
  const turns = openTurns();
  const first = await turns.enter(256 * 1024, 'a');
  const enter = async (bytes: number, source: string): Promise<void> => (await turns.enter(bytes, source)).end();
  const large = Array.from({ length: 64 }, () => enter(256 * 1024, 'a'));
  await expect(turns.enter(SMALL + 1, 'a')).rejects.toMatchObject({ code: 'http.overloaded', retryable: true });
  const other = Array.from({ length: 65 }, () => enter(SMALL + 1, 'b'));
  first.end();
  await Promise.all([...large, ...other]);
  await enter(LARGE, 'a');
});
