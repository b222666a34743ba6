import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { EVENTS_CHANNEL } from '#runtime/gateway/events/log/append.js';
import { DUE_RULE, type DueRule, duePauseMs, startDueLoop } from '#runtime/gateway/maintenance/due-loop.js';
import { openPool, type Pool } from '#runtime/postgres/pool.js';
import { freshDatabase } from '../../../support/database.ts';
import { until } from '../../../support/until.ts';

let pool: Pool;
let drop: () => Promise<void>;
beforeAll(async () => {
  const database = await freshDatabase();
  drop = database.drop;
  pool = openPool({ url: database.url, max: 2 });
});
afterAll(async () => {
  await pool.close();
  await drop();
});

const HOUR_MS = 3_600_000;
const NEVER: DueRule = { minMs: 1, idleMs: HOUR_MS, firstBackoffMs: 1, maxBackoffMs: 1 };

/** A loop over items that are due at these times; `checks` counts how often it asked for the next. */
function looped(rule: DueRule, items: number[]) {
  const seen = { checks: 0, passes: 0, failures: [] as number[], broken: false };
  const next = async (): Promise<number | null> => {
    seen.checks += 1;
    if (seen.broken) throw new Error('away');
    return items.length === 0 ? null : Math.min(...items);
  };
  const pass = async (): Promise<void> => {
    seen.passes += 1;
    items.splice(items.indexOf(Math.min(...items)), 1);
  };
  const loop = startDueLoop({ pool, clock: Date.now, work: { next, pass } }, rule, (_error, inARow) =>
    seen.failures.push(inARow),
  );
  onTestFinished(() => loop.stop());
  return { seen, items, loop };
}

/** An event of this process is committed. */
const store = (): Promise<void> => pool.tx(async (client) => client.announce?.(EVENTS_CHANNEL));

test('the pause lasts until the next item is due, at least the shortest and at most the longest, which varies by a fifth', () => {
  const { minMs, idleMs } = DUE_RULE;
  expect(duePauseMs(3000, 1000, DUE_RULE)).toBe(2000);
  expect(duePauseMs(1001, 1000, DUE_RULE)).toBe(minMs);
  expect(duePauseMs(0, 1000, DUE_RULE)).toBe(minMs);
  for (const at of [null, HOUR_MS]) {
    const pauses = Array.from({ length: 200 }, () => duePauseMs(at, 0, DUE_RULE));
    expect(Math.min(...pauses)).toBeGreaterThanOrEqual(idleMs * 0.8);
    expect(Math.max(...pauses)).toBeLessThanOrEqual(idleMs * 1.2);
  }
});

test('what is due is done one pass after the other, then nothing is checked until an event is stored', async () => {
  const { seen, items } = looped(NEVER, [0, 0, 0]);
  await until('all was done', () => seen.passes === 3);
  await until('it found nothing more', () => seen.checks === 4);
  items.push(0);
  await store();
  await until('the new item was done', () => seen.passes === 4);
  expect(seen.failures).toEqual([]);
});

test('an item is done when its time has come, without any wake', async () => {
  const at = Date.now() + 300;
  const { seen } = looped(NEVER, [at]);
  await until('it was done', () => seen.passes === 1);
  expect(Date.now()).toBeGreaterThanOrEqual(at);
});

test('an item that no event reported, as of a gateway that ended, is found after the longest pause', async () => {
  const { seen, items } = looped({ ...NEVER, idleMs: 50 }, []);
  await until('it is idle', () => seen.checks > 0);
  items.push(0);
  expect(await until('it was done', () => seen.passes)).toBe(1);
});

test('after a failure it tries again, and a stop ends the longest pause', async () => {
  const { seen, loop } = looped(NEVER, []);
  await until('it is idle', () => seen.checks === 1);
  seen.broken = true;
  await store();
  await until('it failed twice', () => seen.failures.length >= 2);
  expect(seen.failures.slice(0, 2)).toEqual([1, 2]);
  seen.broken = false;
  const failed = seen.checks;
  await until('it is idle again', () => seen.checks > failed);
  await loop.stop();
  await store();
  expect(seen.passes).toBe(0);
});
