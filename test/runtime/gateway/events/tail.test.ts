import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { Channel } from '#runtime/gateway/events/log/channel.js';
import type { LogRow } from '#runtime/gateway/events/log/row.js';
import type { Subscription } from '#runtime/gateway/events/log/subscription.js';
import { openTail } from '#runtime/gateway/events/log/tail.js';
import type { Pool } from '#runtime/postgres/pool.js';
import type { ActionRef } from '#runtime/protocol/content/action-ref.js';
import { openLogger } from '#runtime/transport/process/logger.js';
import { until } from '../../../support/until.ts';
import { type Events, newEvent, startEvents, store, storeAction, TENANT } from './fixture.ts';

const EVERYTHING: Channel = { name: 'everything', selects: () => true };

let events: Events;
beforeAll(async () => {
  events = await startEvents();
});
afterAll(() => events?.close());

/** Takes rows until it has those of `wanted` kinds, in order, each as often as it comes. */
async function kindsOf(subscription: Subscription, last: string, onFirst: () => void = () => {}): Promise<string[]> {
  const kinds: string[] = [];
  await subscription.each(({ rows }) => {
    if (kinds.length === 0) onFirst();
    kinds.push(...rows.map(({ kind }: LogRow) => kind));
    return kinds.at(-1) !== last;
  });
  subscription.close();
  return kinds;
}

test('a thousand followers, and those who join while they are woken, get each event once', async () => {
  const { tail } = events.server;
  const actionId = await storeAction(events.pool);
  await store(events.pool, newEvent({ kind: 'before' }));
  const rows = await events.pool.query<{ xid: number; seq: number }>(
    'SELECT xid::text::float8 AS xid, seq::float8 AS seq FROM runtime.events',
  );
  const start = rows.rows[0] as { xid: number; seq: number };
  const joined: Promise<string[]>[] = [];
  const join = (followed: ActionRef | Channel = EVERYTHING, onFirst?: () => void): void => {
    const subscription = tail.join(start, followed);
    if (!subscription) throw new Error('what is kept does not reach back to the start');
    joined.push(kindsOf(subscription, 'last', onFirst));
  };
  // The first to be woken lets others join: those of the whole log and one of an action.
  join(undefined, () => {
    for (let n = 0; n < 10; n += 1) join();
    join({ actionId, tenantId: TENANT });
  });
  for (let n = 1; n < 1000; n += 1) join();
  await store(events.pool, newEvent({ kind: 'first', action_id: actionId }));
  await until('the others have joined', () => joined.length === 1011);
  await store(events.pool, newEvent({ kind: 'last', action_id: actionId }));
  const seen = await Promise.all(joined);
  expect(new Set(seen.map((kinds) => kinds.join()))).toEqual(new Set(['first,last']));
  expect(tail.followers()).toBe(0);
});

test('N-360 part: while nothing happens the log is read every 500 ms, and not before', async () => {
  const { pool: real } = events;
  let begun = 0;
  let reading: Promise<unknown> = Promise.resolve();
  const pool = {
    ...real,
    query: (statement: Parameters<Pool['query']>[0], values?: readonly unknown[]) => {
      const answer = real.query(statement, values);
      if (typeof statement === 'object' && statement.name === 'runtime.events.tail') {
        begun += 1;
        reading = answer;
      }
      return answer;
    },
  } as Pool;
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    const tail = await openTail({ pool, log: openLogger({ component: 'test', level: 'silent' }) });
    tail.join({ xid: 0, seq: 0 }, EVERYTHING);
    /** How many readings begin in so many milliseconds; what they bring is taken before it returns. */
    const readIn = async (ms: number): Promise<number> => {
      const before = begun;
      await vi.advanceTimersByTimeAsync(ms);
      await reading;
      await new Promise(setImmediate);
      return begun - before;
    };
    // The pauses double after what was stored before.
    for (let n = 0; n < 12; n += 1) await readIn(500);
    while ((await readIn(1)) === 0);
    for (let n = 0; n < 3; n += 1) expect([await readIn(499), await readIn(1)]).toEqual([0, 1]);
    await tail.close();
  } finally {
    vi.useRealTimers();
  }
});
