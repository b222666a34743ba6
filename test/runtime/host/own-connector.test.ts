import { resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newId } from '#runtime/protocol/ids.js';
import { until } from '../../support/until.ts';
import { end } from './support/host-process.ts';
import { startTestbed, type Testbed } from './support/testbed.ts';

let testbed: Testbed;
beforeAll(async () => {
  testbed = await startTestbed({
    ttlMs: 60_000,
    env: { AIP_CONNECTOR_HOST_CONNECTOR_MODULE: resolve(import.meta.dirname, 'support', 'ledger-connector.ts') },
  });
});
afterAll(async () => {
  await testbed?.stop();
});

const booking = (input: object) => ({ id: newId('action'), capability_id: 'cap:ledger:book', input });

async function runs(actionId: string): Promise<number> {
  const { rows } = await testbed.pool.query<{ value: number }>(
    "SELECT (value #>> '{}')::bigint AS value FROM aip_host.connector_state WHERE key = $1",
    [`runs:${actionId}`],
  );
  return rows[0]?.value ?? 0;
}

/** Sends an action that hangs, kills the host once the condition holds, and starts it again. */
async function killedDuring(action: ReturnType<typeof booking>, reached: () => Promise<unknown>): Promise<void> {
  const lost = testbed.central.send(action).catch(() => undefined);
  await until('it got that far', reached);
  await end(testbed.host, 'SIGKILL');
  await lost;
  await testbed.start();
  await testbed.ready();
}

const effectOf = async (actionId: string): Promise<boolean> => {
  const { rows } = await testbed.pool.query<{ effect_at: number | null }>(
    'SELECT effect_at FROM aip_host.executions WHERE action_id = $1',
    [actionId],
  );
  return typeof rows[0]?.effect_at === 'number';
};

test('a connector module is loaded by its path; capabilities of kind resource are callable', async () => {
  const action = booking({});
  expect((await testbed.central.send(action)).result).toMatchObject({ status: 'completed', output: { booked: true } });
});

test('killed after the effect: the provider is asked, and nothing is booked twice', async () => {
  const action = booking({ silent: true });
  await killedDuring(action, () => effectOf(action.id));
  const answer = await testbed.central.send(action);
  expect(answer.result).toMatchObject({ status: 'completed', output: { booked: true, evidence: { line: 7 } } });
  expect(await runs(action.id)).toBe(1);
  expect((await testbed.central.send(action)).result).toEqual(answer.result);
});

test('killed before the effect: the provider says that nothing was booked, so the action runs', async () => {
  const action = booking({ lost: true });
  await killedDuring(action, async () => (await runs(action.id)) === 1);
  expect((await testbed.central.send(action)).result).toMatchObject({ status: 'completed', output: { runs: 2 } });
});

test('a provider that has not settled yet is asked again by the next delivery', async () => {
  const action = booking({ silent: true, pending: true });
  await killedDuring(action, () => effectOf(action.id));
  const pending = {
    status: 'failed',
    error: { code: 'transaction.reconciliation_pending', retryable: true, retry_after_ms: 5000 },
  };
  expect((await testbed.central.send(action)).result).toMatchObject(pending);
  expect((await testbed.central.send(action)).result).toMatchObject(pending);
  expect(await runs(action.id)).toBe(1);
});

test('an output that does not pass the schema fails the action and leaves its outcome uncertain', async () => {
  expect((await testbed.central.send(booking({ wrong: true }))).result).toMatchObject({
    status: 'failed',
    error: { code: 'action.output_schema_invalid', category: 'connector', details: { uncertain_outcome: true } },
  });
});

test('a typed failure without effect is certain', async () => {
  expect((await testbed.central.send(booking({ unbooked: true }))).result).toMatchObject({
    error: { code: 'connector.ledger.closed', details: { uncertain_outcome: false } },
  });
});

test('an untyped error fails the action; neither answer nor log repeats its text', async () => {
  const action = booking({ broken: true });
  const answer = await testbed.central.send(action);
  expect(answer.result).toMatchObject({
    status: 'failed',
    error: { code: 'connector.operation_failed', details: { uncertain_outcome: true } },
  });
  const logged = testbed.host.lines().find((line) => line.action_id === action.id && line.level === 'error');
  expect(logged).toMatchObject({
    error: 'TypeError',
    frames: expect.arrayContaining([expect.stringContaining('ledger-connector')]),
  });
  expect(answer.text + JSON.stringify(testbed.host.lines())).not.toContain('hunter2');
});

test('a transaction mode that the connector does not implement fails explicitly', async () => {
  const answer = await testbed.central.send({ ...booking({}), transaction: { mode: 'plan', transaction_id: 'txn_1' } });
  expect(answer.result).toMatchObject({
    status: 'failed',
    error: { code: 'connector.operation_unsupported', details: { operation: 'transaction_plan' } },
  });
});

test('transaction mode reconcile answers what the provider says', async () => {
  const answer = await testbed.central.send({
    ...booking({}),
    transaction: { mode: 'reconcile', transaction_id: 'txn_1' },
  });
  expect(answer.result).toMatchObject({
    status: 'completed',
    output: { reconciliation: { terminal: true, committed: false, cursor: null, evidence: null } },
  });
});

test('a cancellation that the connector refuses is an error, and the action ends all the same', async () => {
  const action = booking({ lost: true, stubborn: true });
  const waiting = testbed.central.send(action);
  await until('it was called', async () => (await runs(action.id)) === 1);
  const answer = await testbed.central.post(await testbed.central.cancel(action.id, action.capability_id));
  expect(answer).toMatchObject({ status: 502, signer: testbed.key.did, error: { code: 'connector_host.execution' } });
  expect((await waiting).result).toMatchObject({ status: 'cancelled' });
});

test('a host whose places are all held by calls that do not end is not ready, so that work goes elsewhere', async () => {
  const afresh = async (): Promise<void> => {
    await testbed.crash();
    await testbed.ready();
  };
  await afresh();
  const hangs = () => testbed.central.send({ ...booking({ lost: true }), timeout_ms: 100 });
  const overdue = { status: 'failed', error: { code: 'sla.timeout_exceeded' } };
  for (let n = 0; n < 3; n += 1) expect((await hangs()).result).toMatchObject(overdue);
  // One place is left.
  expect((await testbed.central.send(booking({}))).result).toMatchObject({ status: 'completed' });
  expect((await hangs()).result).toMatchObject(overdue);
  await until('it is not ready', async () => (await testbed.readiness()).status === 503);
  expect((await testbed.readiness()).body.connector).toEqual({
    ready: false,
    detail: 'calls of actions that are over hold every place of the host',
  });
  expect((await testbed.central.send(booking({}))).error).toMatchObject({ code: 'connector_host.not_ready' });
  await afresh();
});
