import { afterAll, beforeAll, expect, test } from 'vitest';
import { settlementOf } from '#runtime/gateway/actions/finish/compose.js';
import { settleBatch } from '#runtime/gateway/actions/finish/write.js';
import { TERMINAL_STATES } from '#runtime/gateway/actions/record/states.js';
import { readChain } from '#runtime/gateway/records/receipts/read-chains.js';
import { RemoteError } from '#runtime/protocol/errors.js';
import { newId } from '#runtime/protocol/ids.js';
import { verifyReceiptChain } from '#runtime/protocol/receipts.js';
import type { Action } from '#runtime/protocol/types.js';
import { until } from '../../../support/until.ts';
import { actionsOverFreshDatabase, caller, capability, type TestGateway } from '../support/actions.ts';

// Each row of the table in docs/protocol/actions.md#states that actions-lifecycle.test.ts and reports.test.ts leave open.

/** The longest pause between two attempts; nothing here waits for its end. */
const LONG_MS = 30_000;
const runs = new Map<string, number>();
const gate = Promise.withResolvers<unknown>();
const counted = (action: Action): number => {
  const count = (runs.get(action.id) ?? 0) + 1;
  runs.set(action.id, count);
  return count;
};
const busy = (): RemoteError => {
  const init = { code: 'provider.busy', message: 'busy', category: 'connector', retryable: true } as const;
  return new RemoteError({ ...init, retry_after_ms: LONG_MS });
};
const capabilities = [
  capability('cap:test:echo', async (action) => {
    counted(action);
    return {};
  }),
  capability('cap:test:busy', async (action) => {
    counted(action);
    throw busy();
  }),
  capability('cap:test:then-busy', async (action) => {
    if (counted(action) === 1) return gate.promise;
    throw busy();
  }),
  capability('cap:test:once', async (action) => (counted(action) === 1 ? gate.promise : { again: true })),
];

let gateway: TestGateway;
let end: () => Promise<void>;
beforeAll(async () => {
  ({ gateway, end } = await actionsOverFreshDatabase(capabilities));
});
afterAll(async () => {
  gate.resolve({});
  await end?.();
});

const kindsOf = async (actionId: string): Promise<string[]> => {
  const { rows } = await gateway.pool.query<{ kind: string }>(
    'SELECT kind FROM runtime.events WHERE action_id = $1 ORDER BY xid, seq',
    [actionId],
  );
  return rows.map(({ kind }) => kind);
};
const receiptsOf = async (actionId: string): Promise<string[]> => {
  const chain = await readChain(gateway.pool, { chainId: `action:${actionId}`, tenantId: 'acme' });
  expect(chain && verifyReceiptChain(chain)).toEqual({ ok: true });
  return (chain?.receipts ?? []).map(({ receipt_type }) => receipt_type);
};
const cancel = (actionId: string, reason?: string) => gateway.actions.cancel(caller(), { actionId, reason });
/** Submits an action whose first run does not end, and waits for that run. */
async function running(): Promise<string> {
  const id = newId('action');
  await gateway.submit({ id, capability_id: 'cap:test:once', mode: 'async' });
  await until('it runs', () => runs.has(id));
  return id;
}

test('an action that waits for its next attempt is queued with its time and no lease; a cancellation ends it at once', async () => {
  const id = newId('action');
  await gateway.submit({ id, capability_id: 'cap:test:busy', mode: 'async' });
  const waiting = await until('it waits', async () => {
    const record = await gateway.record(id);
    return record.state === 'queued' && record.attempts === 1 && record;
  });
  expect(waiting).toMatchObject({ lease_id: null, completed_at: null, last_error: { code: 'provider.busy' } });
  expect(waiting.next_attempt_at).toBeGreaterThanOrEqual(waiting.accepted_at + LONG_MS);
  const cancelled = { action_id: id, status: 'cancelled', output: { cancelled: true, reason: 'too slow' } };
  expect(await cancel(id, 'too slow')).toEqual(cancelled);
  const record = await gateway.record(id);
  expect(record).toMatchObject({ state: 'cancelled', cancel_reason: 'too slow', result: cancelled });
  expect(await cancel(id, 'again')).toEqual(cancelled);
  expect(await gateway.record(id)).toEqual(record);
  expect(await kindsOf(id)).toEqual(['aip.action.retry_scheduled', 'aip.action.cancelled', 'aip.action.result']);
  expect(await receiptsOf(id)).toEqual(['action_accepted', 'result_returned']);
  expect(runs.get(id)).toBe(1);
});

test('an action that was to be cancelled when its gateway went is ended as cancelled by another one, and not run again', async () => {
  const id = await running();
  await gateway.pool.query(
    `UPDATE runtime.actions SET state = 'cancelling', cancel_requested = true, cancel_reason = 'enough', lease_id = 'gone',
       lease_expires_at = 0 WHERE action_id = $1`,
    [id],
  );
  expect(await gateway.ended(id)).toMatchObject({
    state: 'cancelled',
    attempts: 1,
    result: { status: 'cancelled', output: { cancelled: true, reason: 'enough' } },
  });
  expect(runs.get(id)).toBe(1);
  expect(await receiptsOf(id)).toEqual(['action_accepted', 'result_returned']);
});

test('an action that was taken over after its caller was lost waits for a further attempt, as one that nobody waited for', async () => {
  const id = newId('action');
  const lost = gateway.submit({ id, capability_id: 'cap:test:then-busy' });
  lost.catch(() => undefined);
  await until('it runs', () => runs.has(id));
  await gateway.pool.query(`UPDATE runtime.actions SET lease_id = 'gone', lease_expires_at = 0 WHERE action_id = $1`, [
    id,
  ]);
  gateway.actions.worker.wake();
  const waiting = await until('its second attempt is over', async () => {
    const record = await gateway.record(id);
    return record.attempts === 2 && record.lease_id === null && record;
  });
  expect(waiting).toMatchObject({ state: 'queued', mode: 'sync', last_error: { code: 'provider.busy' } });
  expect(await kindsOf(id)).toEqual(['aip.action.retry_scheduled']);
  await cancel(id);
});

test('a streaming action whose lease lapsed is taken over, runs again and ends once', async () => {
  const id = await running();
  await gateway.pool.query(
    `UPDATE runtime.actions SET state = 'streaming', lease_id = 'gone', lease_expires_at = 0 WHERE action_id = $1`,
    [id],
  );
  expect(await gateway.ended(id)).toMatchObject({
    state: 'completed',
    attempts: 2,
    result: { output: { again: true } },
  });
  expect(runs.get(id)).toBe(2);
  expect((await kindsOf(id)).filter((kind) => kind === 'aip.action.result')).toHaveLength(1);
  expect(await receiptsOf(id)).toEqual(['action_accepted', 'result_returned']);
});

test.each(TERMINAL_STATES)(
  'an action that is %s is not changed by a cancellation, a late end or a worker',
  async (state) => {
    const id = newId('action');
    await gateway.submit({ id, capability_id: 'cap:test:echo' });
    await gateway.pool.query('UPDATE runtime.actions SET state = $2 WHERE action_id = $1', [id, state]);
    const before = await gateway.record(id);
    expect(await cancel(id, 'too late')).toEqual(before.result);
    const how = { state: 'failed', result: { action_id: id, status: 'failed' } } as const;
    const late = settlementOf(before, how, { id: 'service:late', kind: 'service' }, Date.now());
    expect(await gateway.pool.tx((client) => settleBatch(client, [late]))).toEqual([{ written: false }]);
    await gateway.pool.query('UPDATE runtime.actions SET next_attempt_at = 0 WHERE action_id = $1', [id]);
    // The worker takes the oldest first: when a later one has ended, it passed this one over.
    const next = newId('action');
    await gateway.submit({ id: next, capability_id: 'cap:test:echo', mode: 'async' });
    await gateway.ended(next);
    expect(await gateway.record(id)).toEqual({ ...before, next_attempt_at: 0 });
    expect(runs.get(id)).toBe(1);
  },
);
