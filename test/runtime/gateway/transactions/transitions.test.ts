import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { lockTransaction } from '#runtime/gateway/actions/transaction/step/lock.js';
import { expireApprovals } from '#runtime/gateway/approvals/expiry.js';
import { queryAudit } from '#runtime/gateway/records/audit/query.js';
import { readChain } from '#runtime/gateway/records/receipts/read-chains.js';
import { requestTransaction } from '#runtime/gateway/transactions/request.js';
import { newEnvelope } from '#runtime/protocol/envelope.js';
import { AipError, type ErrorOptions, TimeoutExceeded } from '#runtime/protocol/errors.js';
import { newId } from '#runtime/protocol/ids.js';
import { verifyReceiptChain } from '#runtime/protocol/receipts.js';
import type { Action, ActionResult, ApprovalRequest, Body, TransactionPlan } from '#runtime/protocol/types.js';
import { check } from '#runtime/protocol/validate.js';
import { openLogger } from '#runtime/transport/process/logger.js';
import { freshDatabase } from '../../../support/database.ts';
import { until } from '../../../support/until.ts';
import { caller, startActions, type TestGateway } from '../support/actions.ts';
import { approver, decide, decideDeps, policyOf } from '../support/approvals.ts';
import { inStatus, MODES, providedBy, stored, type TestProvider, take, transactional } from './support.ts';

// Each row of the table in docs/protocol/records.md#states-of-a-transaction that test/runtime/gateway/transactions/modes.test.ts leaves open.

const provider: TestProvider = { asked: [], answer: () => ({ paid: true }) };
const undo = { mode: 'supported', compensation_capability_id: 'cap:pay:undo', requires_approval: false } as const;
const simulating = (requires_plan_before_commit: boolean) =>
  transactional({
    transaction: { supported_modes: [...MODES], requires_plan_before_commit, dry_run_fidelity: 'full_simulation' },
  });
const capabilities = [
  providedBy(provider, 'cap:pay:charge', transactional({ compensation: undo })),
  providedBy(provider, 'cap:pay:undo'),
  providedBy(provider, 'cap:pay:simulated', simulating(true)),
  providedBy(
    provider,
    'cap:pay:governed',
    transactional({ approval: policyOf(), compensation: { ...undo, requires_approval: true } }),
  ),
];
const lee = approver('human:lee');
const authority = [
  { principal_id: 'human:lee', tenant_id: 'acme', roles: ['finance-lead'], tenant_policies: ['any'], revision: 1 },
];
const SYSTEM = { id: 'service:gateway', kind: 'service' } as const;

let gateway: TestGateway;
let other: TestGateway;
let drop: () => Promise<void>;
beforeAll(async () => {
  const database = await freshDatabase();
  drop = database.drop;
  gateway = await startActions(database.url, capabilities);
  other = await startActions(database.url, capabilities);
});
afterAll(async () => {
  await Promise.all([gateway?.stop(), other?.stop()]);
  await drop?.();
});
beforeEach(() => {
  provider.asked.length = 0;
  provider.answer = () => ({ paid: true });
});

const fails = (init: ErrorOptions) => () => {
  throw new AipError('runtime.handler_failed', 'no', init);
};
const uncertain = () => {
  throw new TimeoutExceeded();
};
const plan = async (capability = 'cap:pay:charge', input: object = {}, more: object = {}): Promise<TransactionPlan> => {
  const { output } = await take(gateway, capability, { mode: 'plan', ...more }, { input });
  return (output as { plan: TransactionPlan }).plan;
};
const commit = (made: TransactionPlan, action: Partial<Action> = {}, at = gateway): Promise<ActionResult> =>
  take(at, made.capability_id, { mode: 'commit', plan_id: made.plan_id }, action);
const execute = async (transaction_id = newId('transaction'), more: Partial<Action> = {}) => ({
  transaction_id,
  ...(await take(gateway, 'cap:pay:charge', { mode: 'execute', transaction_id }, more)),
});
const compensate = (target: string, capability = 'cap:pay:charge', at = gateway): Promise<ActionResult> =>
  take(at, capability, { mode: 'compensate', compensation_for: target });
const codeOf = async (result: Promise<ActionResult>): Promise<string | undefined> => (await result).error?.code;
const receiptsOf = async (transactionId: string): Promise<string[]> => {
  const id = `transaction:${transactionId}`;
  const chain = await readChain(gateway.pool, { chainId: id, tenantId: 'acme' });
  expect(chain && verifyReceiptChain(chain)).toEqual({ ok: true });
  return (chain?.receipts ?? []).map((receipt) => receipt.id.slice(`rcpt_${transactionId}_`.length));
};
const eventsOf = async (actionId: string): Promise<string[]> => {
  const { rows } = await gateway.pool.query<{ kind: string }>(
    `SELECT kind FROM runtime.events WHERE action_id = $1 AND kind LIKE 'aip.transaction.%' ORDER BY xid, seq`,
    [actionId],
  );
  return rows.map(({ kind }) => kind.slice('aip.transaction.'.length));
};
/** The provider is held until `release`. */
function held(answer: () => unknown = () => ({ paid: true })): { release: () => void } {
  const gate = Promise.withResolvers<void>();
  provider.answer = () => gate.promise.then(answer);
  return { release: () => gate.resolve() };
}
const approve = async (waiting: ActionResult): Promise<void> => {
  const { approval_request: request } = waiting.output as { approval_request: ApprovalRequest };
  await decide(decideDeps(gateway, authority), lee, request);
};

test('a commit that fails for certain ends the plan: it is failed with its receipts, and is committed no more', async () => {
  const made = await plan();
  provider.answer = fails({ retryable: true });
  expect((await commit(made)).status).toBe('failed');
  provider.answer = () => ({ paid: true });
  expect(await stored(gateway, made.transaction_id)).toMatchObject({
    status: 'failed',
    effect: false,
    reconcile_after: null,
  });
  expect(await receiptsOf(made.transaction_id)).toEqual(['planned', 'commit_started', 'failed']);
  expect(await codeOf(commit(made))).toBe('transaction.plan_not_committable');
  expect(provider.asked).toHaveLength(1);
});

test('a commit without a plan is refused where the contract requires one, and finds none elsewhere', async () => {
  expect(await codeOf(take(gateway, 'cap:pay:simulated', { mode: 'commit' }))).toBe('transaction.plan_required');
  expect(await codeOf(take(gateway, 'cap:pay:charge', { mode: 'commit' }))).toBe('transaction.plan_not_found');
  expect(provider.asked).toEqual([]);
});

test('a plan that the connector validates holds what it said; one that it refuses is failed and may be planned again', async () => {
  const transaction_id = newId('transaction');
  provider.answer = fails({ retryable: false });
  const refused = await take(gateway, 'cap:pay:simulated', { mode: 'plan', transaction_id });
  expect(refused).toMatchObject({ status: 'failed', error: { code: 'runtime.handler_failed' } });
  expect(await stored(gateway, transaction_id)).toMatchObject({ status: 'failed', plan: null, plan_id: null });
  expect(await receiptsOf(transaction_id)).toEqual(['failed']);
  provider.answer = () => ({ fee: 2 });
  const made = await plan('cap:pay:simulated', {}, { transaction_id });
  expect(made.metadata).toMatchObject({ connector_validation: { status: 'completed', output: { fee: 2 } } });
  expect(provider.asked.map(({ transaction }) => transaction?.mode)).toEqual(['plan', 'plan']);
  expect(await stored(gateway, transaction_id)).toMatchObject({ status: 'planned' });
  expect(await receiptsOf(transaction_id)).toEqual(['failed', 'planned']);
});

test('looking ahead repeats: dry run to plan and plan to plan; not plan to dry run, nor once a step has begun', async () => {
  const transaction_id = newId('transaction');
  const look = (mode: 'dry_run' | 'plan', as = caller()) =>
    take(gateway, 'cap:pay:charge', { mode, transaction_id }, {}, as);
  for (const mode of ['dry_run', 'dry_run', 'plan', 'plan'] as const)
    expect((await look(mode)).status).toBe('completed');
  expect(await codeOf(look('dry_run'))).toBe('transaction.execute_state_invalid');
  expect(await codeOf(look('plan', caller('agent:other')))).toBe('transaction.execute_state_invalid');
  const { plan_id } = await stored(gateway, transaction_id);
  const elsewhere = take(gateway, 'cap:pay:charge', { mode: 'plan', plan_id: plan_id as string });
  expect(await codeOf(elsewhere)).toBe('transaction.execute_state_invalid');
  await take(gateway, 'cap:pay:charge', { mode: 'commit', plan_id: plan_id as string });
  for (const mode of ['dry_run', 'plan'] as const)
    expect(await codeOf(look(mode))).toBe('transaction.execute_state_invalid');
  expect(await stored(gateway, transaction_id)).toMatchObject({ status: 'committed' });
});

test('a plan and its commit have the verified identity: another account that a client claims counts for neither', async () => {
  const made = await plan();
  const identity = { external_account: { id: 'of-others', system: 'bank' } };
  expect(made.identity).toEqual({ tenant: { id: 'acme' } });
  expect((await commit(made, { identity })).status).toBe('completed');
  expect(provider.asked[0]?.identity).toEqual({ tenant: { id: 'acme' } });
});

test('the same execution again is answered with its stored result; it has one effect', async () => {
  const transaction_id = newId('transaction');
  const id = newId('action');
  const first = await execute(transaction_id, { id });
  expect(await execute(transaction_id, { id })).toEqual(first);
  expect(provider.asked).toHaveLength(1);
});

test('while a commit is under way its plan is taken and its transaction is neither executed, planned nor reconciled', async () => {
  const made = await plan();
  const { transaction_id } = made;
  const { release } = held();
  const running = commit(made);
  await inStatus(gateway, transaction_id, 'committing');
  expect(await receiptsOf(transaction_id)).toEqual(['planned', 'commit_started']);
  expect(await codeOf(commit(made, {}, other))).toBe('transaction.plan_already_claimed');
  for (const mode of ['execute', 'plan', 'dry_run', 'reconcile'] as const)
    expect([mode, await codeOf(take(other, 'cap:pay:charge', { mode, transaction_id }))]).toEqual([
      mode,
      'transaction.execute_state_invalid',
    ]);
  release();
  expect((await running).status).toBe('completed');
  expect(provider.asked).toHaveLength(1);
});

test('an execution that is under way, unknown or being reconciled is refused to other executions', async () => {
  const transaction_id = newId('transaction');
  const { release } = held(uncertain);
  const running = execute(transaction_id);
  await inStatus(gateway, transaction_id, 'committing');
  const again = () => codeOf(take(other, 'cap:pay:charge', { mode: 'execute', transaction_id }));
  expect(await again()).toBe('transaction.reconciliation_required');
  release();
  await running;
  expect(await again()).toBe('transaction.reconciliation_required');
  const question = held(() => ({ reconciliation: { terminal: true, committed: false } }));
  const asking = take(gateway, 'cap:pay:charge', { mode: 'reconcile', transaction_id });
  await inStatus(gateway, transaction_id, 'reconciling');
  expect(await again()).toBe('transaction.reconciliation_required');
  question.release();
  await asking;
  expect(await again()).toBe('transaction.execute_state_invalid');
});

test('a failure that names a provider operation or a cursor is not tried again, since the provider knows of it', async () => {
  const operation = { provider: 'payhub', operation_id: 'op-1' };
  for (const details of [{ provider_operation: operation }, { reconciliation_cursor: 'c1' }]) {
    provider.answer = fails({ retryable: true, details });
    const { transaction_id } = await execute(undefined, { idempotency_key: newId('message') });
    const record = await stored(gateway, transaction_id);
    expect(record).toMatchObject({ status: 'failed', effect: false });
    provider.answer = () => ({ paid: true });
    const again = execute(transaction_id, { idempotency_key: record.request.idempotency_key as string });
    expect(await codeOf(again)).toBe('transaction.retry_denied');
    expect(await stored(gateway, transaction_id)).toMatchObject({ status: 'failed' });
  }
});

test('a provider that does not have the effect leaves a reconciled transaction without one, which is not compensated', async () => {
  provider.answer = uncertain;
  const lost = await execute();
  provider.answer = () => ({ reconciliation: { terminal: true, committed: false } });
  const asked = await take(gateway, 'cap:pay:charge', { mode: 'reconcile', transaction_id: lost.transaction_id });
  expect(await eventsOf(asked.action_id)).toEqual(['reconciliation_started', 'result']);
  expect(await stored(gateway, lost.transaction_id)).toMatchObject({ status: 'reconciled', effect: false });
  expect(await codeOf(compensate(lost.action_id))).toBe('transaction.compensation_target_not_completed');
});

test('a reconciled effect is compensated like a committed one', async () => {
  provider.answer = uncertain;
  const lost = await execute();
  provider.answer = () => ({ reconciliation: { terminal: true, committed: true } });
  await take(gateway, 'cap:pay:charge', { mode: 'reconcile', transaction_id: lost.transaction_id });
  provider.answer = () => ({ undone: true });
  expect((await compensate(lost.action_id)).status).toBe('completed');
});

test('only an unknown outcome is reconciled, by who may change it, and about the provider operation that it has', async () => {
  const reconcile = (transaction_id: string, as = caller()) =>
    codeOf(take(gateway, 'cap:pay:charge', { mode: 'reconcile', transaction_id }, {}, as));
  const made = await plan();
  const dry = newId('transaction');
  await take(gateway, 'cap:pay:charge', { mode: 'dry_run', transaction_id: dry });
  const committed = await execute();
  provider.answer = fails({ retryable: false });
  const failed = await execute();
  provider.answer = fails({
    retryable: false,
    details: { uncertain_outcome: true, provider_operation: { provider: 'payhub', operation_id: 'op-1' } },
  });
  const unknown = await execute();
  for (const id of [made.transaction_id, dry, committed.transaction_id, failed.transaction_id])
    expect(await reconcile(id)).toBe('transaction.execute_state_invalid');
  for (const as of [caller('agent:other', 'acme', ['action:write']), caller('agent:desk', 'globex')])
    expect(await reconcile(unknown.transaction_id, as)).toBe('transaction.not_found');
  const id = newId('action');
  const action = {
    id,
    capability_id: 'cap:pay:charge',
    input: {},
    transaction: { mode: 'reconcile', transaction_id: unknown.transaction_id },
  } as const;
  const { error } = await requested(action, { provider_operation: { provider: 'payhub', operation_id: 'op-2' } });
  expect(error?.code).toBe('transaction.execute_state_invalid');
  expect(await stored(gateway, unknown.transaction_id)).toMatchObject({
    status: 'outcome_unknown',
    provider_operation: { operation_id: 'op-1' },
  });
});

test('a compensation that fails leaves the effect, and another one may follow; one whose outcome is unknown holds it', async () => {
  const original = await execute();
  provider.answer = fails({ retryable: false });
  const failed = await compensate(original.action_id);
  const { transaction_id } = await gateway.record(failed.action_id);
  expect(await stored(gateway, transaction_id as string)).toMatchObject({ status: 'failed', mode: 'compensate' });
  expect(await receiptsOf(transaction_id as string)).toEqual(['commit_started', 'failed']);
  expect(await eventsOf(failed.action_id)).toEqual(['compensation_started', 'result']);
  provider.answer = uncertain;
  const lost = await compensate(original.action_id);
  const record = await gateway.record(lost.action_id);
  expect(await stored(gateway, record.transaction_id as string)).toMatchObject({ status: 'outcome_unknown' });
  expect(await codeOf(compensate(original.action_id))).toBe('transaction.commit_already_claimed');
  expect(await stored(gateway, original.transaction_id)).toMatchObject({ status: 'committed' });
});

test('of many compensations of one action on two gateways one runs; a transaction that exists is never replaced by one', async () => {
  const original = await execute();
  provider.asked.length = 0;
  const results = await Promise.all(
    Array.from({ length: 8 }, (_, n) => compensate(original.action_id, 'cap:pay:charge', n % 2 ? gateway : other)),
  );
  expect(results.filter(({ status }) => status === 'completed')).toHaveLength(1);
  expect(new Set(results.map(({ error }) => error?.code))).toEqual(
    new Set([undefined, 'transaction.commit_already_claimed']),
  );
  expect(provider.asked).toHaveLength(1);
  const next = await execute();
  const { transaction_id } = original;
  const named = { mode: 'compensate', compensation_for: next.action_id, transaction_id } as const;
  expect(await codeOf(take(gateway, 'cap:pay:charge', named))).toBe('transaction.execute_state_invalid');
  expect(await stored(gateway, transaction_id)).toMatchObject({ status: 'committed', action_id: original.action_id });
});

test('a failure that left a part of its effect is compensated; a plan or dry run has nothing to compensate', async () => {
  provider.answer = fails({
    retryable: false,
    details: { side_effects_committed: true, compensation_required: true },
  });
  const partial = await execute();
  expect(partial.status).toBe('failed');
  provider.answer = () => ({ undone: true });
  expect((await compensate(partial.action_id)).status).toBe('completed');
  const made = await plan();
  const dry = await take(gateway, 'cap:pay:charge', { mode: 'dry_run' });
  for (const id of [made.action_id, dry.action_id])
    expect(await codeOf(compensate(id))).toBe('transaction.compensation_target_not_committed');
});

test('a compensation that was approved runs', async () => {
  const original = await take(gateway, 'cap:pay:governed', { mode: 'execute' });
  expect(original.status).toBe('pending_approval');
  await approve(original);
  expect((await gateway.ended(original.action_id)).state).toBe('completed');
  const waiting = await compensate(original.action_id, 'cap:pay:governed');
  expect(waiting.status).toBe('pending_approval');
  await approve(waiting);
  const record = await gateway.ended(waiting.action_id);
  expect(await stored(gateway, record.transaction_id as string)).toMatchObject({ status: 'compensated' });
  expect(provider.asked.map(({ capability_id }) => capability_id)).toEqual(['cap:pay:governed', 'cap:pay:undo']);
});

test('a commit whose approval is cancelled or expires leaves its plan to the next commit', async () => {
  const made = await plan('cap:pay:governed');
  const [cancelled, expired, last] = [await commit(made), await commit(made), await commit(made)];
  await gateway.actions.cancel(caller(), { actionId: cancelled.action_id });
  expect((await gateway.ended(cancelled.action_id)).state).toBe('cancelled');
  await gateway.pool.query('UPDATE runtime.approvals SET expires_at = 1 WHERE action_id = $1', [expired.action_id]);
  const log = openLogger({ component: 'test', level: 'silent' });
  await expireApprovals({ pool: gateway.pool, clock: Date.now, log, gateway: SYSTEM });
  expect((await gateway.ended(expired.action_id)).state).toBe('expired');
  expect(await stored(gateway, made.transaction_id)).toMatchObject({ status: 'planned' });
  expect(provider.asked).toEqual([]);
  await approve(last);
  await inStatus(gateway, made.transaction_id, 'committed');
});

test('each step leaves an audit event that names its transaction; the transaction finds them, with the chains of their actions', async () => {
  const made = await plan();
  const committed = await commit(made);
  const query = { transactionId: made.transaction_id, includeReceipts: true };
  const { events, receipt_chains } = await queryAudit(gateway.pool, caller(), query, Date.now());
  const ids = [made.action_id, committed.action_id];
  expect(events.map(({ id }) => id)).toEqual(ids.map((id) => `audit:action:${id}:result`));
  for (const [index, { data }] of events.entries())
    expect(data).toMatchObject({ action_id: ids[index], transaction_id: made.transaction_id, status: 'completed' });
  expect(receipt_chains?.map(({ chain_id }) => chain_id)).toEqual(ids.map((id) => `action:${id}`));
});

test('a commit that is cancelled while it waits in the queue has not begun: its plan is committed by the next one', async () => {
  const database = await freshDatabase();
  const accepting = await startActions(database.url, capabilities);
  onTestFinished(async () => {
    await accepting.stop();
    await database.drop();
  });
  const { output } = await take(accepting, 'cap:pay:charge', { mode: 'plan' });
  const { plan_id, transaction_id } = (output as { plan: TransactionPlan }).plan;
  const step = { mode: 'commit', plan_id } as const;
  await accepting.actions.worker.stop(0);
  const id = newId('action');
  const reply = await accepting.submit({ id, capability_id: 'cap:pay:charge', mode: 'async', transaction: step });
  expect(reply).toMatchObject({ ack: { status: 'queued' } });
  expect(await accepting.actions.cancel(caller(), { actionId: id })).toMatchObject({
    status: 'cancelled',
  });
  expect(await accepting.record(id)).toMatchObject({ state: 'cancelled', attempts: 0 });
  expect(await stored(accepting, transaction_id)).toMatchObject({ status: 'planned', effect: null });
  expect(provider.asked).toEqual([]);
  const next = await take(accepting, 'cap:pay:charge', step);
  expect(next.status).toBe('completed');
  expect(await stored(accepting, transaction_id)).toMatchObject({ status: 'committed', action_id: next.action_id });
  expect(provider.asked.map((action) => action.id)).toEqual([next.action_id]);
});

test('a commit that is cancelled while it begins is cancelled, and its transaction never says that it committed', async () => {
  const made = await plan();
  const locked = Promise.withResolvers<void>();
  const held = Promise.withResolvers<void>();
  const holding = gateway.pool.tx(async (client) => {
    await lockTransaction(client, 'acme', made.transaction_id);
    locked.resolve();
    await held.promise;
  });
  await locked.promise;
  const id = newId('action');
  const running = commit(made, { id });
  await until('it runs', async () => (await gateway.record(id)).state === 'running');
  expect(await stored(gateway, made.transaction_id)).toMatchObject({ status: 'planned' });
  await gateway.actions.cancel(caller(), { actionId: id });
  held.resolve();
  await holding;
  expect((await running).status).toBe('cancelled');
  expect(await gateway.record(id)).toMatchObject({ state: 'cancelled' });
  expect(await stored(gateway, made.transaction_id)).toMatchObject({ status: 'outcome_unknown', action_id: id });
  expect(await receiptsOf(made.transaction_id)).toEqual(['planned', 'commit_started', 'outcome_pending']);
  expect(await codeOf(commit(made))).toBe('transaction.plan_not_committable');
});

test.each(['commit', 'compensate'] as const)(
  'a %s that had begun on a gateway that is gone is continued by another one, under its one receipt',
  async (mode) => {
    const original = await execute();
    const made = await plan();
    provider.asked.length = 0;
    provider.answer = () => new Promise(() => undefined);
    const id = newId('action');
    const transaction =
      mode === 'commit'
        ? { mode, plan_id: made.plan_id }
        : { mode, compensation_for: original.action_id, transaction_id: newId('transaction') };
    await gateway.submit({ id, capability_id: 'cap:pay:charge', mode: 'async', transaction } as never);
    const transactionId = transaction.transaction_id ?? made.transaction_id;
    await until('the provider is asked', () => provider.asked.length === 1);
    provider.answer = () => ({ paid: true });
    // The lease of a process that is gone lapses.
    await gateway.pool.query(
      `UPDATE runtime.actions SET lease_expires_at = 0, lease_id = 'gone' WHERE action_id = $1`,
      [id],
    );
    const record = await inStatus(gateway, transactionId, mode === 'commit' ? 'committed' : 'compensated');
    expect(record.action_id).toBe(id);
    expect(provider.asked.map((action) => action.id)).toEqual([id, id]);
    const receipts = await receiptsOf(transactionId);
    expect(receipts.filter((receipt) => receipt === 'commit_started')).toHaveLength(1);
  },
);

/** Sends a step as a transaction_request and checks its answer against the schema. */
async function requested(action: Action, more: object = {}) {
  const transaction_id = action.transaction?.transaction_id ?? newId('transaction');
  const body = { transaction_id, action, requested_by: { id: 'agent:desk', kind: 'agent' as const }, ...more };
  const envelope = newEnvelope({ transaction_request: body } as Body, {}, { clock: Date.now });
  const context = { requestId: 'test' };
  const result = await requestTransaction(
    { ...gateway.actions, pool: gateway.pool, clock: Date.now },
    caller(),
    envelope,
    body,
    context,
  );
  expect(check('TransactionResult', result)).toEqual([]);
  return result;
}

test('a transaction_request is answered with where its step stands', async () => {
  const step = (capability_id: string, transaction: Action['transaction']): Action =>
    ({ id: newId('action'), capability_id, input: {}, ...(transaction && { transaction }) }) as Action;
  const planned = await requested(step('cap:pay:charge', { mode: 'plan' }));
  expect(planned).toMatchObject({ status: 'planned', plan: { transaction_id: planned.transaction_id } });
  const { plan_id, transaction_id } = planned.plan as TransactionPlan;
  const committed = await requested(step('cap:pay:charge', { mode: 'commit', plan_id, transaction_id }));
  expect(committed).toMatchObject({ status: 'committed', result: { status: 'completed' } });
  expect(committed.receipt_chain?.receipts.map(({ receipt_type }) => receipt_type)).toEqual([
    'transaction_planned',
    'transaction_commit_started',
    'transaction_committed',
  ]);
  const statusOf = async (capability: string, transaction: Action['transaction']) =>
    (await requested(step(capability, transaction))).status;
  expect(await statusOf('cap:pay:charge', { mode: 'dry_run' })).toBe('dry_run_completed');
  expect(await statusOf('cap:pay:charge', { mode: 'rollback_not_supported' })).toBe('rollback_not_supported');
  expect(await statusOf('cap:pay:governed', { mode: 'execute' })).toBe('requires_human');
  const undone = await requested(step('cap:pay:charge', { mode: 'compensate', compensation_for: committed.action_id }));
  expect(undone.status).toBe('compensated');
  provider.answer = fails({ retryable: false });
  expect(await statusOf('cap:pay:charge', { mode: 'execute' })).toBe('failed');
  provider.answer = uncertain;
  const lost = await requested(step('cap:pay:charge', { mode: 'execute' }));
  expect(lost).toMatchObject({ status: 'outcome_unknown', reconcile_after: expect.stringMatching(/Z$/) });
  provider.answer = () => ({ reconciliation: { terminal: true, committed: true } });
  const { transaction_id: unknown } = lost;
  expect(await statusOf('cap:pay:charge', { mode: 'reconcile', transaction_id: unknown })).toBe('reconciled');
  const { release } = held();
  const action = step('cap:pay:charge', { mode: 'execute' });
  const running = requested(action);
  await until('the provider is asked', () => provider.asked.some(({ id }) => id === action.id));
  await gateway.actions.cancel(caller(), { actionId: action.id });
  expect((await running).status).toBe('cancelled');
  release();
});
