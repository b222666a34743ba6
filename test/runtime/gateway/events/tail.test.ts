import { afterAll, beforeAll, expect, test } from 'vitest';
import type { LogRow } from '#runtime/gateway/events/log/row.js';
import type { Subscription } from '#runtime/gateway/events/log/subscription.js';
import type { ActionRef } from '#runtime/protocol/content/action-ref.js';
import { until } from '../../../support/until.ts';
import { type Events, newEvent, startEvents, store, storeAction, TENANT } from './fixture.ts';

let events: Events;
beforeAll(async () => {
  events = await startEvents();
});
afterAll(() => events?.close());

/** Takes rows until it has those of `wanted` kinds, in order, each as often as it comes. */
async function kindsOf(subscription: Subscription, last: string, onFirst: () => void = () => {}): Promise<string[]> {
  const kinds: string[] = [];
  for (;;) {
    const { rows } = await subscription.next();
    if (kinds.length === 0) onFirst();
    kinds.push(...rows.map(({ kind }: LogRow) => kind));
    if (kinds.at(-1) === last) {
      subscription.close();
      return kinds;
    }
  }
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
  const join = (action?: ActionRef, onFirst?: () => void): void => {
    const subscription = tail.join(start, action);
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
