import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { readChain } from '#runtime/gateway/records/receipts/read-chains.js';
import { AipError, TimeoutExceeded } from '#runtime/protocol/errors.js';
import { planInputHash } from '#runtime/protocol/hashes.js';
import { newId } from '#runtime/protocol/ids.js';
import { verifyReceiptChain } from '#runtime/protocol/receipts.js';
import type { TransactionPlan } from '#runtime/protocol/types.js';
import { check } from '#runtime/protocol/validate.js';
import { actionsOverFreshDatabase, caller, type TestGateway } from '../support/actions.ts';
import { inStatus, providedBy, stored, type TestProvider, take, transactional } from './support.ts';

const provider: TestProvider = { asked: [], answer: () => ({ paid: true }) };
const undo = { mode: 'supported', compensation_capability_id: 'cap:pay:undo', requires_approval: false } as const;
const capabilities = [
  providedBy(provider, 'cap:pay:charge', transactional({ compensation: undo })),
  providedBy(provider, 'cap:pay:undo'),
  providedBy(provider, 'cap:pay:late', transactional({ compensation: { ...undo, compensation_window_ms: 1000 } })),
  providedBy(
    provider,
    'cap:pay:simulated',
    transactional({
      transaction: {
        supported_modes: ['plan', 'dry_run'],
        requires_plan_before_commit: true,
        dry_run_fidelity: 'full_simulation',
      },
    }),
  ),
  providedBy(
    provider,
    'cap:pay:planned',
    transactional({
      transaction: {
        supported_modes: ['plan', 'commit'],
        requires_plan_before_commit: true,
        dry_run_fidelity: 'schema_only',
      },
      data: { sensitivity: 'confidential', contains_pii: true, redaction_required: true },
    }),
  ),
];

let now = Date.now();
let gateway: TestGateway;
let end: () => Promise<void>;
beforeAll(async () => {
  ({ gateway, end } = await actionsOverFreshDatabase(capabilities, () => now));
});
afterAll(() => end?.());
beforeEach(() => {
  now = Math.max(now, Date.now());
  provider.asked.length = 0;
  provider.answer = () => ({ paid: true });
});

const chainOf = async (transactionId: string) => {
  const id = `transaction:${transactionId}`;
  const chain = await readChain(gateway.pool, { chainId: id, tenantId: 'acme' });
  if (!chain) throw new Error('there is no chain');
  expect(verifyReceiptChain(chain)).toEqual({ ok: true });
  return chain.receipts;
};
const idsOf = async (transactionId: string) => (await chainOf(transactionId)).map(({ id }) => id);
const plan = async (input: object, more: object = {}): Promise<TransactionPlan> => {
  const result = await take(gateway, 'cap:pay:charge', { mode: 'plan', ...more }, { input });
  return (result.output as { plan: TransactionPlan }).plan;
};

test('dry_run reports what would happen, asks the handler only where the contract says so, and leaves a record', async () => {
  const transaction_id = newId('transaction');
  const result = await take(gateway, 'cap:pay:charge', { mode: 'dry_run', transaction_id }, { input: { amount: 3 } });
  expect(result).toMatchObject({
    status: 'completed',
    output: {
      transaction: 'dry_run',
      transaction_id,
      capability_id: 'cap:pay:charge',
      input_hash: planInputHash({ capability_id: 'cap:pay:charge', input: { amount: 3 } }),
      requires_human_approval: false,
      side_effects: ['write'],
      dry_run_fidelity: 'schema_only',
      compensation: undo,
    },
  });
  expect(provider.asked).toEqual([]);
  expect(await stored(gateway, transaction_id)).toMatchObject({ status: 'dry_run_completed', mode: 'dry_run' });
  expect(await idsOf(transaction_id)).toEqual([`rcpt_${transaction_id}_dry_run_completed`]);

  provider.answer = () => ({ would: 'pay' });
  const simulated = await take(gateway, 'cap:pay:simulated', { mode: 'dry_run' });
  expect(simulated.output).toMatchObject({ handler_result: { status: 'completed', output: { would: 'pay' } } });
  expect(provider.asked.map(({ transaction }) => transaction?.mode)).toEqual(['dry_run']);
});

test('a dry run whose handler fails leaves a failed transaction and the failure as its result', async () => {
  const transaction_id = newId('transaction');
  provider.answer = () => {
    throw new AipError('runtime.handler_failed', 'no', { retryable: false });
  };
  const result = await take(gateway, 'cap:pay:simulated', { mode: 'dry_run', transaction_id });
  expect(result).toMatchObject({ status: 'failed', error: { code: 'runtime.handler_failed' } });
  expect(await stored(gateway, transaction_id)).toMatchObject({ status: 'failed' });
});

test('plan stores a plan of 15 minutes with the hash of its input and makes no effect', async () => {
  const transaction_id = newId('transaction');
  const result = await take(gateway, 'cap:pay:charge', { mode: 'plan', transaction_id }, { input: { amount: 5 } });
  const made = (result.output as { plan: TransactionPlan }).plan;
  expect(check('TransactionPlan', made)).toEqual([]);
  expect(made).toMatchObject({
    plan_id: `plan:${transaction_id}`,
    transaction_id,
    action_id: result.action_id,
    transaction: { mode: 'plan', transaction_id, plan_id: `plan:${transaction_id}` },
    planned_by: { id: 'agent:desk', kind: 'agent' },
    input_snapshot: { redacted: false, value: { amount: 5 } },
    approval_required: false,
    metadata: {
      commit_requirements: { matching_input_hash: true, matching_capability: true, planned_status: 'planned' },
    },
  });
  expect(Date.parse(made.expires_at as string) - Date.parse(made.created_at)).toBe(900_000);
  expect(provider.asked).toEqual([]);
  expect(await stored(gateway, transaction_id)).toMatchObject({ status: 'planned', plan_id: made.plan_id });
  expect(await idsOf(transaction_id)).toEqual([`rcpt_${transaction_id}_planned`]);
});

test('a plan keeps of an input that must be redacted the hash alone', async () => {
  const result = await take(gateway, 'cap:pay:planned', { mode: 'plan' }, { input: { iban: 'DE00' } });
  const { plan: made } = result.output as { plan: TransactionPlan };
  expect(made.input_snapshot).toEqual({ redacted: true, hash: made.input_hash });
});

test('commit carries a plan out once: its own transaction, one effect, events and a chain that verifies', async () => {
  const made = await plan({ amount: 7 });
  const committed = await take(
    gateway,
    'cap:pay:charge',
    { mode: 'commit', plan_id: made.plan_id },
    { input: { amount: 7 } },
  );
  expect(committed).toMatchObject({ status: 'completed', output: { paid: true } });
  expect(provider.asked).toHaveLength(1);
  const record = await stored(gateway, made.transaction_id);
  expect(record).toMatchObject({ status: 'committed', action_id: committed.action_id, mode: 'commit', effect: true });
  expect(await idsOf(made.transaction_id)).toEqual(
    ['planned', 'commit_started', 'committed'].map((end) => `rcpt_${made.transaction_id}_${end}`),
  );
  const events = await gateway.pool.query<{ kind: string }>(
    `SELECT kind FROM runtime.events WHERE action_id = ANY($1) AND kind LIKE 'aip.transaction.%' ORDER BY xid, seq`,
    [[made.action_id, committed.action_id]],
  );
  expect(events.rows.map(({ kind }) => kind)).toEqual([
    'aip.transaction.planned',
    'aip.transaction.result',
    'aip.transaction.commit_started',
    'aip.transaction.result',
  ]);
  // Whoever follows the action up to its result has seen what became of its transaction.
  const last = await gateway.pool.query<{ kind: string }>(
    'SELECT kind FROM runtime.events WHERE action_id = $1 ORDER BY xid DESC, seq DESC LIMIT 1',
    [committed.action_id],
  );
  expect(last.rows).toEqual([{ kind: 'aip.action.result' }]);
  const again = await take(
    gateway,
    'cap:pay:charge',
    { mode: 'commit', plan_id: made.plan_id },
    { input: { amount: 7 } },
  );
  expect(again.error?.code).toBe('transaction.plan_already_claimed');
  expect(provider.asked).toHaveLength(1);
});

test('the same commit again is answered with its stored result', async () => {
  const made = await plan({ amount: 8 });
  const action = { id: newId('action'), input: { amount: 8 } };
  const step = { mode: 'commit', plan_id: made.plan_id } as const;
  const first = await take(gateway, 'cap:pay:charge', step, action);
  expect(await take(gateway, 'cap:pay:charge', step, action)).toEqual(first);
  expect(provider.asked).toHaveLength(1);
});

test('of many commits of one plan at once exactly one has the effect', async () => {
  const made = await plan({ amount: 9 });
  const results = await Promise.all(
    Array.from({ length: 8 }, () =>
      take(gateway, 'cap:pay:charge', { mode: 'commit', plan_id: made.plan_id }, { input: { amount: 9 } }),
    ),
  );
  expect(results.filter(({ status }) => status === 'completed')).toHaveLength(1);
  expect(new Set(results.map(({ error }) => error?.code))).toEqual(
    new Set([undefined, 'transaction.plan_already_claimed']),
  );
  expect(provider.asked).toHaveLength(1);
});

test('a commit that does not fit its plan is refused with the reason, and the plan stays', async () => {
  const made = await plan({ amount: 10 });
  const commit = (more: object, action: object = {}, as = caller()) =>
    take(
      gateway,
      'cap:pay:charge',
      { mode: 'commit', plan_id: made.plan_id, ...more },
      { input: { amount: 10 }, ...action },
      as,
    );
  const codes = [
    await commit({ plan_id: 'plan:none' }),
    await commit({}, { input: { amount: 11 } }),
    await commit({ transaction_id: newId('transaction') }),
    await commit({}, { capability_id: 'cap:pay:undo' }),
    await commit({}, {}, caller('agent:other')),
    await commit({}, {}, caller('agent:desk', 'globex')),
  ].map(({ error }) => error?.code);
  expect(codes).toEqual([
    'transaction.plan_not_found',
    'transaction.plan_input_hash_mismatch',
    'transaction.plan_transaction_mismatch',
    'transaction.plan_capability_mismatch',
    'transaction.plan_principal_mismatch',
    'transaction.plan_not_found',
  ]);
  now += 900_001;
  expect((await commit({})).error?.code).toBe('transaction.plan_expired');
  expect(provider.asked).toEqual([]);
  expect(await stored(gateway, made.transaction_id)).toMatchObject({ status: 'planned' });
});

test('what the contract does not offer is refused: modes, no compensation, rollback, a reconciliation of nothing', async () => {
  const codes = [
    await take(gateway, 'cap:pay:planned', { mode: 'execute' }),
    await take(gateway, 'cap:pay:undo', { mode: 'compensate', compensation_for: newId('action') }),
    await take(gateway, 'cap:pay:charge', { mode: 'rollback_not_supported' }),
    await take(gateway, 'cap:pay:charge', { mode: 'reconcile' }),
    await take(gateway, 'cap:pay:charge', { mode: 'reconcile', transaction_id: newId('transaction') }),
  ].map(({ error }) => error?.code);
  expect(codes).toEqual([
    'transaction.mode_unsupported',
    'transaction.compensation_unsupported',
    'transaction.rollback_not_supported',
    'transaction.reconciliation_id_required',
    'transaction.not_found',
  ]);
});

test('execute commits in one step; another action may not use its transaction', async () => {
  const transaction_id = newId('transaction');
  const done = await take(gateway, 'cap:pay:charge', { mode: 'execute', transaction_id });
  expect(done.status).toBe('completed');
  expect(await stored(gateway, transaction_id)).toMatchObject({ status: 'committed', action_id: done.action_id });
  expect(await idsOf(transaction_id)).toEqual(
    ['commit_started', 'committed'].map((end) => `rcpt_${transaction_id}_${end}`),
  );
  const codes = [
    await take(gateway, 'cap:pay:charge', { mode: 'execute', transaction_id }),
    await take(gateway, 'cap:pay:undo', { mode: 'execute', transaction_id }),
    await take(gateway, 'cap:pay:charge', { mode: 'plan', transaction_id }),
  ].map(({ error }) => error?.code);
  expect(new Set(codes)).toEqual(new Set(['transaction.execute_state_invalid']));
});

test('tenants may use one transaction id: each has its own transaction and chain', async () => {
  const transaction_id = newId('transaction');
  for (const tenant of ['acme', 'globex']) {
    const as = caller('agent:desk', tenant);
    expect((await take(gateway, 'cap:pay:charge', { mode: 'execute', transaction_id }, {}, as)).status).toBe(
      'completed',
    );
    expect(await stored(gateway, transaction_id, tenant)).toMatchObject({ status: 'committed', tenant_id: tenant });
    const id = `transaction:${transaction_id}`;
    const chain = await readChain(gateway.pool, { chainId: id, tenantId: tenant });
    expect(chain?.receipts).toHaveLength(2);
  }
});

test('a failed execution is tried again only with its key, for a retryable failure', async () => {
  const fail = (retryable: boolean, details?: object) => () => {
    throw new AipError('runtime.handler_failed', 'no', { retryable, ...(details && { details }) });
  };
  const failedOnce = async (answer: () => never, key?: string): Promise<string> => {
    const transaction_id = newId('transaction');
    provider.answer = answer;
    await take(gateway, 'cap:pay:charge', { mode: 'execute', transaction_id }, key ? { idempotency_key: key } : {});
    expect(await stored(gateway, transaction_id)).toMatchObject({ status: 'failed' });
    provider.answer = () => ({ paid: true });
    return transaction_id;
  };
  const again = async (transaction_id: string, key?: string) =>
    take(gateway, 'cap:pay:charge', { mode: 'execute', transaction_id }, key ? { idempotency_key: key } : {});
  expect((await again(await failedOnce(fail(true)))).error?.code).toBe('transaction.retry_denied');
  expect((await again(await failedOnce(fail(false), 'k1'), 'k1')).status).not.toBe('completed');
  expect((await again(await failedOnce(fail(true), 'k2'), 'other')).error?.code).toBe('transaction.retry_denied');
  const retried = await failedOnce(fail(true), 'k3');
  expect((await again(retried, 'k3')).status).toBe('completed');
  expect(await stored(gateway, retried)).toMatchObject({ status: 'committed' });
});

test('an uncertain end leaves the outcome unknown: with its evidence, due for reconciliation, and closed to repeats', async () => {
  const transaction_id = newId('transaction');
  const operation = { provider: 'payhub', operation_id: 'op-551' };
  provider.answer = () => {
    throw new AipError('runtime.handler_failed', 'lost', {
      retryable: false,
      retryAfterMs: 7000,
      details: { uncertain_outcome: true, provider_operation: operation, reconciliation_cursor: 'c1' },
    });
  };
  const result = await take(gateway, 'cap:pay:charge', { mode: 'execute', transaction_id });
  expect(result.status).toBe('failed');
  const record = await stored(gateway, transaction_id);
  expect(record).toMatchObject({
    status: 'outcome_unknown',
    provider_operation: operation,
    reconciliation_cursor: 'c1',
    effect: null,
  });
  expect((record.reconcile_after as number) - record.updated_at).toBe(7000);
  expect(await idsOf(transaction_id)).toEqual(
    ['commit_started', 'outcome_pending'].map((end) => `rcpt_${transaction_id}_${end}`),
  );
  const again = await take(gateway, 'cap:pay:charge', { mode: 'execute', transaction_id });
  expect(again.error?.code).toBe('transaction.reconciliation_required');

  provider.asked.length = 0;
  provider.answer = () => ({
    reconciliation: { terminal: true, committed: true, cursor: null, evidence: { found: 1 } },
  });
  const asked = await take(gateway, 'cap:pay:charge', { mode: 'reconcile', transaction_id });
  expect(asked).toMatchObject({ status: 'completed' });
  expect(provider.asked[0]).toMatchObject({
    id: asked.action_id,
    transaction: { mode: 'reconcile', transaction_id },
    memory_context: {
      _aip: { reconciliation: { action_id: result.action_id, provider_operation: operation, cursor: 'c1' } },
    },
  });
  expect(await stored(gateway, transaction_id)).toMatchObject({
    status: 'reconciled',
    effect: true,
    reconcile_after: null,
  });
  expect((await idsOf(transaction_id)).at(-1)).toBe(`rcpt_${transaction_id}_reconciled`);
  const over = await take(gateway, 'cap:pay:charge', { mode: 'reconcile', transaction_id });
  expect(over.error?.code).toBe('transaction.execute_state_invalid');
});

test('a timeout of a commit is not tried again and leaves its outcome unknown', async () => {
  const made = await plan({ amount: 1 });
  provider.answer = () => {
    throw new TimeoutExceeded();
  };
  const step = { mode: 'commit', plan_id: made.plan_id } as const;
  await take(gateway, 'cap:pay:charge', step, { input: { amount: 1 } });
  expect(await stored(gateway, made.transaction_id)).toMatchObject({ status: 'outcome_unknown' });
  expect(provider.asked).toHaveLength(1);
});

test('N-061 a cancelled commit that had begun is an unknown outcome: its effect stays, and nothing of a compensation is claimed or recorded', async () => {
  const made = await plan({ amount: 2 });
  const held = Promise.withResolvers<void>();
  const payments: string[] = [];
  provider.answer = ({ id: payment, capability_id }) => {
    if (capability_id === 'cap:pay:undo') payments.pop();
    else payments.push(payment);
    return held.promise;
  };
  const id = newId('action');
  const step = { mode: 'commit', plan_id: made.plan_id } as const;
  const running = take(gateway, 'cap:pay:charge', step, { id, input: { amount: 2 } });
  await inStatus(gateway, made.transaction_id, 'committing');
  const cancelled = { action_id: id, status: 'cancelled', output: { cancelled: true } };
  expect(await gateway.actions.cancel(caller(), { actionId: id })).toEqual(cancelled);
  expect(await running).toEqual(cancelled);
  held.resolve();
  expect(await stored(gateway, made.transaction_id)).toMatchObject({ status: 'outcome_unknown' });
  expect([payments, provider.asked.map(({ capability_id }) => capability_id)]).toEqual([[id], ['cap:pay:charge']]);
  expect(await idsOf(made.transaction_id)).toEqual(
    ['planned', 'commit_started', 'outcome_pending'].map((end) => `rcpt_${made.transaction_id}_${end}`),
  );
});

test('compensate runs the compensation capability with the original result, once', async () => {
  provider.answer = () => ({ payment: 'p1' });
  const original = await take(gateway, 'cap:pay:charge', { mode: 'execute' }, { input: { amount: 4 } });
  provider.asked.length = 0;
  const step = { mode: 'compensate', compensation_for: original.action_id } as const;
  const undone = await take(gateway, 'cap:pay:charge', step, { input: { amount: 4 } });
  expect(undone.status).toBe('completed');
  expect(provider.asked).toMatchObject([
    {
      id: undone.action_id,
      capability_id: 'cap:pay:undo',
      memory_context: {
        _aip: {
          compensation: {
            original_capability_id: 'cap:pay:charge',
            compensation_capability_id: 'cap:pay:undo',
            compensation_for: original.action_id,
            original_result: { output: { payment: 'p1' } },
          },
        },
      },
    },
  ]);
  const { transaction_id } = await gateway.record(undone.action_id);
  expect(await stored(gateway, transaction_id as string)).toMatchObject({
    status: 'compensated',
    compensation_for: original.action_id,
  });
  expect(await idsOf(transaction_id as string)).toEqual(
    ['commit_started', 'compensated'].map((end) => `rcpt_${transaction_id}_${end}`),
  );
  const again = await take(gateway, 'cap:pay:charge', step, { input: { amount: 4 } });
  expect(again.error?.code).toBe('transaction.commit_already_claimed');
  expect(provider.asked).toHaveLength(1);
});

test('what did not complete, is of others, or is past its window is not compensated', async () => {
  const original = await take(gateway, 'cap:pay:charge', { mode: 'execute' });
  const late = await take(gateway, 'cap:pay:late', { mode: 'execute' });
  provider.answer = () => {
    throw new AipError('runtime.handler_failed', 'no', { retryable: false });
  };
  const failed = await take(gateway, 'cap:pay:charge', { mode: 'execute' });
  const compensate = (capability_id: string, compensation_for: string, as = caller()) =>
    take(gateway, capability_id, { mode: 'compensate', compensation_for }, {}, as);
  now += 2000;
  const codes = [
    await compensate('cap:pay:charge', newId('action')),
    await compensate('cap:pay:charge', failed.action_id),
    await compensate('cap:pay:charge', original.action_id, caller('agent:other', 'acme', ['action:read'])),
    await compensate('cap:pay:charge', original.action_id, caller('agent:desk', 'globex')),
    await compensate('cap:pay:late', late.action_id),
  ].map(({ error }) => error?.code);
  expect(codes).toEqual([
    'transaction.compensation_target_not_completed',
    'transaction.compensation_target_not_completed',
    'transaction.compensation_target_not_completed',
    'transaction.compensation_target_not_completed',
    'transaction.compensation_window_expired',
  ]);
});
