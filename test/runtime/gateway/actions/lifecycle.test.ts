import { afterAll, beforeAll, expect, test } from 'vitest';
import { settlementOf } from '#runtime/gateway/actions/finish/compose.js';
import { settleBatch } from '#runtime/gateway/actions/finish/write.js';
import { readChain } from '#runtime/gateway/records/receipts/read-chains.js';
import { RemoteError } from '#runtime/protocol/errors.js';
import { newId } from '#runtime/protocol/ids.js';
import { parseJson } from '#runtime/protocol/json.js';
import { verifyReceiptChain } from '#runtime/protocol/receipts.js';
import type { Action } from '#runtime/protocol/types.js';
import { until } from '../../../support/until.ts';
import {
  actionsOverFreshDatabase,
  caller,
  capability,
  contractOf,
  resultOf,
  startActions,
  type TestGateway,
} from '../support/actions.ts';

const runs = new Map<string, number>();
const gates = new Map<string, PromiseWithResolvers<unknown>>();
const gate = (id: string): PromiseWithResolvers<unknown> => {
  const found = gates.get(id) ?? Promise.withResolvers<unknown>();
  gates.set(id, found);
  return found;
};
const counted = (action: Action): number => {
  const count = (runs.get(action.id) ?? 0) + 1;
  runs.set(action.id, count);
  return count;
};

const capabilities = [
  capability('cap:test:echo', async (action) => {
    counted(action);
    return { echoed: action.input };
  }),
  capability('cap:test:gated', async (action) => {
    counted(action);
    return gate(action.id).promise;
  }),
  capability('cap:test:flaky', async (action) => {
    const { failures, retryable } = action.input as { failures: number; retryable: boolean };
    if (counted(action) <= failures)
      throw new RemoteError({
        code: 'provider.busy',
        message: 'busy',
        category: 'connector',
        retryable,
        retry_after_ms: 5,
      });
    return { attempts: runs.get(action.id) };
  }),
  capability('cap:test:strict', async () => 'not an object', {
    output_schema: { type: 'object' },
    input_schema: { type: 'object', required: ['n'] },
  }),
  capability('cap:test:hurried', (action) => gate(action.id).promise, {
    contract: contractOf({ sla: { timeout_ms: 60 } }),
  }),
];

let gateway: TestGateway;
let url: string;
let end: () => Promise<void>;
beforeAll(async () => {
  ({ gateway, url, end } = await actionsOverFreshDatabase(capabilities));
});
afterAll(async () => {
  for (const waiting of gates.values()) waiting.resolve({});
  await end?.();
});

async function chainOf(actionId: string) {
  const chain = await readChain(gateway.pool, { chainId: `action:${actionId}`, tenantId: 'acme' });
  if (!chain) throw new Error('there is no chain');
  expect(verifyReceiptChain(chain)).toEqual({ ok: true });
  return chain.receipts.map((receipt) => receipt.receipt_type);
}

async function eventsOf(actionId: string): Promise<string[]> {
  const found = await gateway.pool.query<{ kind: string }>(
    'SELECT kind FROM runtime.events WHERE action_id = $1 ORDER BY xid, seq',
    [actionId],
  );
  return found.rows.map((row) => row.kind);
}

test('a sync action is answered with its result and leaves one record, event, audit event and a chain that verifies', async () => {
  const id = newId('action');
  const input = { text: 'hi', big: parseJson('12345678901234567890') };
  const reply = await gateway.submit({ id, capability_id: 'cap:test:echo', input });
  expect(resultOf(reply)).toEqual({ action_id: id, status: 'completed', output: { echoed: input } });
  const record = await gateway.record(id);
  expect(record).toMatchObject({
    state: 'completed',
    attempts: 1,
    lease_id: null,
    tenant_id: 'acme',
    principal_id: 'agent:desk',
  });
  expect(JSON.stringify(record.result)).toContain('12345678901234567890');
  expect(await chainOf(id)).toEqual(['action_accepted', 'result_returned']);
  expect(await eventsOf(id)).toEqual(['aip.action.result']);
  const audit = await gateway.pool.query(`SELECT audit ->> 'id' AS audit_id FROM runtime.events WHERE action_id = $1`, [
    id,
  ]);
  expect(audit.rows).toEqual([{ audit_id: `audit:action:${id}:result` }]);
});

test('an action has a running record with a lease from its start', async () => {
  const id = newId('action');
  const reply = gateway.submit({ id, capability_id: 'cap:test:gated' });
  await until('it runs', () => runs.has(id));
  expect(await gateway.record(id)).toMatchObject({ state: 'running', attempts: 1, completed_at: null });
  expect((await gateway.record(id)).lease_id).not.toBeNull();
  gate(id).resolve({ done: true });
  expect(resultOf(await reply).output).toEqual({ done: true });
});

test('an async action is acknowledged once it is durable and then executed', async () => {
  const id = newId('action');
  const reply = await gateway.submit({ id, capability_id: 'cap:test:echo', mode: 'async', input: { n: 1 } });
  expect(reply).toEqual({
    ack: {
      action_id: id,
      status: 'queued',
      reason: 'accepted for asynchronous execution',
      queue: { scheduler: 'aip-runtime' },
    },
  });
  const record = await gateway.ended(id);
  expect(record).toMatchObject({ state: 'completed', result: { output: { echoed: { n: 1 } } } });
  expect(await chainOf(id)).toEqual(['action_accepted', 'result_returned']);
});

test('a result names the worker that took the action from the queue, once and before the result itself', async () => {
  const ids = { completed: newId('action'), failed: newId('action') };
  await gateway.submit({ id: ids.completed, capability_id: 'cap:test:echo', mode: 'async' });
  await gateway.submit({
    id: ids.failed,
    capability_id: 'cap:test:flaky',
    mode: 'async',
    input: { failures: 1, retryable: false },
  });
  for (const [status, id] of Object.entries(ids)) {
    const { worker_id } = await gateway.ended(id);
    expect(worker_id).toMatch(/^aip-gateway:/);
    expect(await eventsOf(id)).toEqual(['aip.action.worker_result', 'aip.action.result']);
    const { rows } = await gateway.pool.query<{ data: unknown }>(
      `SELECT record->'data' AS data FROM runtime.events WHERE action_id = $1 AND kind = 'aip.action.worker_result'`,
      [id],
    );
    expect(rows).toEqual([{ data: { action_id: id, status, worker_id } }]);
  }
});

test('a queued action is tried again after a retryable failure, and the record keeps what went wrong', async () => {
  const id = newId('action');
  await gateway.submit({ id, capability_id: 'cap:test:flaky', mode: 'async', input: { failures: 2, retryable: true } });
  const record = await gateway.ended(id);
  expect(record).toMatchObject({ state: 'completed', attempts: 3, result: { output: { attempts: 3 } } });
  expect(record.last_error?.code).toBe('provider.busy');
  expect(await eventsOf(id)).toEqual([
    'aip.action.retry_scheduled',
    'aip.action.retry_scheduled',
    'aip.action.worker_result',
    'aip.action.result',
  ]);
});

test('a queued action that fails permanently is dead-lettered with its result; an inline one is failed', async () => {
  const queued = newId('action');
  await gateway.submit({
    id: queued,
    capability_id: 'cap:test:flaky',
    mode: 'async',
    input: { failures: 9, retryable: true },
  });
  expect(await gateway.ended(queued)).toMatchObject({
    state: 'dead_lettered',
    attempts: 3,
    dead_letter_reason: 'provider.busy',
    result: { status: 'failed', error: { code: 'provider.busy' } },
  });
  const inline = newId('action');
  const reply = await gateway.submit({
    id: inline,
    capability_id: 'cap:test:flaky',
    input: { failures: 1, retryable: true },
  });
  expect(resultOf(reply)).toMatchObject({ status: 'failed', error: { code: 'provider.busy', retryable: true } });
  expect(await gateway.record(inline)).toMatchObject({ state: 'failed', attempts: 1 });
});

test('an input against the schema is a failed result that is not stored; an output against it fails the action', async () => {
  const refused = newId('action');
  const reply = await gateway.submit({ id: refused, capability_id: 'cap:test:strict', input: {} });
  expect(resultOf(reply)).toMatchObject({ status: 'failed', error: { code: 'action.input_schema_invalid' } });
  await expect(gateway.record(refused)).rejects.toThrow();
  const accepted = await gateway.submit({ capability_id: 'cap:test:strict', input: { n: 1 } });
  expect(resultOf(accepted)).toMatchObject({ status: 'failed', error: { code: 'action.output_schema_invalid' } });
});

test('an unknown capability is refused, and its message id stays claimed', async () => {
  const envelope = { message_id: newId('message') };
  const send = () => gateway.submit({ capability_id: 'cap:test:none' }, { envelope });
  await expect(send()).rejects.toMatchObject({ code: 'resource.not_found' });
  await expect(send()).rejects.toMatchObject({ code: 'replay.message_id' });
});

test('an action that requests more time than a timer can wait has the most that it can, not none', async () => {
  const id = newId('action');
  const reply = gateway.submit({ id, capability_id: 'cap:test:gated', timeout_ms: 4_000_000_000 });
  await until('it runs', () => runs.get(id) === 1);
  expect((await gateway.record(id)).plan.timeout_ms).toBe(2_147_483_647);
  gate(id).resolve({ late: true });
  expect(resultOf(await reply)).toMatchObject({ status: 'completed', output: { late: true } });
});

test('an action ends with sla.timeout_exceeded when its time is over', async () => {
  const reply = await gateway.submit({ capability_id: 'cap:test:hurried', timeout_ms: 50_000 });
  expect(resultOf(reply)).toMatchObject({
    status: 'failed',
    error: { code: 'sla.timeout_exceeded', category: 'temporary', retryable: true, details: { timeout_ms: 60 } },
  });
});

test('the same action id with the same work is answered with where it stands, with other work it is a conflict', async () => {
  const id = newId('action');
  await gateway.submit({ id, capability_id: 'cap:test:echo', input: { n: 1 } });
  const again = await gateway.submit({ id, capability_id: 'cap:test:echo', input: { n: 1 } });
  expect(resultOf(again).output).toEqual({ echoed: { n: 1 } });
  expect(runs.get(id)).toBe(1);
  const conflict = { code: 'action.id_conflict', status: 400 };
  await expect(gateway.submit({ id, capability_id: 'cap:test:echo', input: { n: 2 } })).rejects.toMatchObject(conflict);
  const other = caller('agent:other');
  await expect(
    gateway.submit({ id, capability_id: 'cap:test:echo', input: { n: 1 } }, { as: other }),
  ).rejects.toMatchObject(conflict);
  expect((await gateway.record(id)).result?.output).toEqual({ echoed: { n: 1 } });

  const running = newId('action');
  const first = gateway.submit({ id: running, capability_id: 'cap:test:gated' });
  await until('it runs', () => runs.has(running));
  expect(await gateway.submit({ id: running, capability_id: 'cap:test:gated' })).toMatchObject({
    ack: { status: 'accepted' },
  });
  gate(running).resolve({});
  await first;
  expect(runs.get(running)).toBe(1);
});

test('one batch may hold the same message, action and key twice: one of each wins', async () => {
  const envelope = { message_id: newId('message') };
  const results = await Promise.allSettled(
    Array.from({ length: 4 }, () => gateway.submit({ capability_id: 'cap:test:echo' }, { envelope })),
  );
  expect(results.filter((each) => each.status === 'fulfilled')).toHaveLength(1);
  const id = newId('action');
  const same = await Promise.allSettled(
    Array.from({ length: 4 }, (_, n) => gateway.submit({ id, capability_id: 'cap:test:echo', input: { n } })),
  );
  expect(same.filter((each) => each.status === 'fulfilled')).toHaveLength(1);
  expect(runs.get(id)).toBe(1);
});

test('two processes that get the same messages and actions at one time take each once, also beside new ones', async () => {
  const second = await startActions(url, capabilities);
  try {
    const messages = Array.from({ length: 20 }, () => newId('message'));
    const ids = messages.map(() => newId('action'));
    const taken = await Promise.all(
      messages.map((message_id, n) => {
        const twice = [gateway, second].map((at) =>
          at.submit({ id: ids[n] as string, capability_id: 'cap:test:echo' }, { envelope: { message_id } }),
        );
        return Promise.allSettled([...twice, (n % 2 ? gateway : second).submit({ capability_id: 'cap:test:echo' })]);
      }),
    );
    for (const outcomes of taken) {
      expect(outcomes[2]?.status).toBe('fulfilled');
      const [refused, ...further] = outcomes.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []));
      expect(refused).toMatchObject({ code: 'replay.message_id' });
      expect(further).toEqual([]);
    }
    expect(ids.map((id) => runs.get(id))).toEqual(ids.map(() => 1));
    for (const id of ids) expect(await chainOf(id)).toEqual(['action_accepted', 'result_returned']);
  } finally {
    await second.stop();
  }
});

test('two workers of one queue execute every action once', async () => {
  const second = await startActions(url, capabilities);
  try {
    const ids = Array.from({ length: 60 }, () => newId('action'));
    await Promise.all(
      ids.map((id, n) => (n % 2 ? gateway : second).submit({ id, capability_id: 'cap:test:echo', mode: 'async' })),
    );
    for (const id of ids) await gateway.ended(id);
    expect(ids.map((id) => runs.get(id))).toEqual(ids.map(() => 1));
    for (const id of ids) expect(await chainOf(id)).toEqual(['action_accepted', 'result_returned']);
  } finally {
    await second.stop();
  }
});

test('an execution whose lease lapsed is taken over, and the settlement of its old owner changes nothing', async () => {
  const id = newId('action');
  const stale = gateway.submit({ id, capability_id: 'cap:test:gated' });
  stale.catch(() => undefined);
  await until('it runs', () => runs.has(id));
  const before = await gateway.record(id);
  await gateway.pool.query('UPDATE runtime.actions SET lease_expires_at = 0 WHERE action_id = $1', [id]);
  gateway.actions.worker.wake();
  const taken = await until('another lease holds it', async () => {
    const now = await gateway.record(id);
    return now.lease_id !== before.lease_id && now;
  });
  expect(taken).toMatchObject({ state: 'running', attempts: 2 });
  const late = settlementOf(
    before,
    { state: 'failed', result: { action_id: id, status: 'failed' } },
    { id: 'service:old', kind: 'service' },
    Date.now(),
  );
  expect(await gateway.pool.tx((client) => settleBatch(client, [late]))).toEqual([{ written: false }]);
  gate(id).resolve({ by: 'the new owner' });
  expect(await gateway.ended(id)).toMatchObject({ state: 'completed', result: { output: { by: 'the new owner' } } });
  expect(await chainOf(id)).toEqual(['action_accepted', 'result_returned']);
  expect(await eventsOf(id)).toEqual(['aip.action.worker_result', 'aip.action.result']);
});

test('a terminal record refuses every further settlement, also in one batch', async () => {
  const id = newId('action');
  await gateway.submit({ id, capability_id: 'cap:test:echo', mode: 'async' });
  const record = await gateway.ended(id);
  const again = settlementOf(
    record,
    { state: 'failed', result: { action_id: id, status: 'failed' } },
    { id: 's', kind: 'service' },
    1,
  );
  expect(await gateway.pool.tx((client) => settleBatch(client, [again, again]))).toEqual([
    { written: false },
    { written: false },
  ]);
  expect(await gateway.record(id)).toEqual(record);
});

test('N-061 N-089 N-092 cancelling a running action stops it, keeps the reason, and claims nothing about effects already made', async () => {
  const id = newId('action');
  const running = gateway.submit({ id, capability_id: 'cap:test:gated' });
  await until('it runs', () => runs.has(id));
  const answer = await gateway.actions.cancel(caller(), { actionId: id, reason: 'changed my mind' });
  const cancelled = { action_id: id, status: 'cancelled', output: { cancelled: true, reason: 'changed my mind' } };
  expect(answer).toEqual(cancelled);
  expect(resultOf(await running)).toEqual(cancelled);
  expect(await gateway.record(id)).toMatchObject({
    state: 'cancelled',
    cancel_reason: 'changed my mind',
    result: cancelled,
  });
  expect(runs.get(id)).toBe(1);
  expect(await eventsOf(id)).toEqual(['aip.action.cancelled', 'aip.action.result']);
  expect(await chainOf(id)).toEqual(['action_accepted', 'result_returned']);
});

test('of cancellations that arrive together one counts: all are answered with its reason, which stays', async () => {
  for (let round = 0; round < 5; round += 1) {
    const id = newId('action');
    const running = gateway.submit({ id, capability_id: 'cap:test:gated' });
    await until('it runs', () => runs.has(id));
    const answers = await Promise.all(
      ['one', 'two', 'three', 'four'].map((reason) => gateway.actions.cancel(caller(), { actionId: id, reason })),
    );
    const { cancel_reason: reason } = await gateway.record(id);
    expect(['one', 'two', 'three', 'four']).toContain(reason);
    for (const answer of [...answers, resultOf(await running)])
      expect(answer).toMatchObject({ status: 'cancelled', output: { reason } });
  }
});

test('an action of another process is cancelled there', async () => {
  const second = await startActions(url, capabilities);
  try {
    const id = newId('action');
    const running = gateway.submit({ id, capability_id: 'cap:test:gated' });
    await until('it runs', () => runs.has(id));
    await second.actions.cancel(caller(), { actionId: id });
    expect(resultOf(await running)).toEqual({ action_id: id, status: 'cancelled', output: { cancelled: true } });
  } finally {
    await second.stop();
  }
});

test('a completion that comes after the cancellation was requested does not count', async () => {
  const id = newId('action');
  const running = gateway.submit({ id, capability_id: 'cap:test:gated' });
  await until('it runs', () => runs.has(id));
  await gateway.pool.query(
    `UPDATE runtime.actions SET cancel_requested = true, state = 'cancelling', cancel_reason = 'late' WHERE action_id = $1`,
    [id],
  );
  gate(id).resolve({ done: true });
  expect(resultOf(await running)).toMatchObject({ status: 'cancelled', output: { cancelled: true, reason: 'late' } });
  expect((await gateway.record(id)).state).toBe('cancelled');
});

test('a terminal action is not changed by a cancellation, and its own result is the answer', async () => {
  const id = newId('action');
  const result = resultOf(await gateway.submit({ id, capability_id: 'cap:test:echo' }));
  const record = await gateway.record(id);
  expect(await gateway.actions.cancel(caller(), { actionId: id, reason: 'too late' })).toEqual(result);
  expect(await gateway.record(id)).toEqual(record);
  expect(await eventsOf(id)).toEqual(['aip.action.result']);
});

test('cancelling needs action:write and an action that the caller may see', async () => {
  const id = newId('action');
  await gateway.submit({ id, capability_id: 'cap:test:echo' });
  const cancel = (identity: ReturnType<typeof caller>) => gateway.actions.cancel(identity, { actionId: id });
  await expect(cancel(caller('agent:desk', 'acme', ['action:read']))).rejects.toMatchObject({
    code: 'auth.not_authorized',
  });
  for (const stranger of [caller('agent:other', 'acme', ['action:write']), caller('agent:desk', 'globex')])
    await expect(cancel(stranger)).rejects.toMatchObject({ code: 'resource.not_found' });
});

test('a claim with another tenant than the caller’s is refused', async () => {
  const foreign = { capability_id: 'cap:test:echo', identity: { tenant: { id: 'globex' } } };
  await expect(gateway.submit(foreign)).rejects.toMatchObject({ code: 'auth.tenant_mismatch' });
  await expect(gateway.submit(foreign, { as: caller('agent:x', '') })).rejects.toBeDefined();
  const id = newId('action');
  await gateway.submit({ id, capability_id: 'cap:test:echo', identity: { tenant: { id: 'acme' } } });
  expect((await gateway.record(id)).request.identity).toEqual({ tenant: { id: 'acme' } });
});

test('a process that stops gives up what it cannot finish, and another one takes it over at once', async () => {
  const leaving = await startActions(url, capabilities);
  const id = newId('action');
  const running = leaving.submit({ id, capability_id: 'cap:test:gated' });
  running.catch(() => undefined);
  await until('it runs', () => runs.has(id));
  await leaving.stop(50);
  await until('the other process has it', () => runs.get(id) === 2);
  gate(id).resolve({ done: true });
  expect((await gateway.ended(id)).result?.output).toEqual({ done: true });
});
