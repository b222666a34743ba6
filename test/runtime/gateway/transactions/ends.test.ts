import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import {
  outcomeOf,
  outcomeOfReconciliation,
  RECONCILE_AFTER_MS,
} from '#runtime/gateway/actions/transaction/step/outcome.js';
import { queryAudit } from '#runtime/gateway/records/audit/query.js';
import { findTransaction } from '#runtime/gateway/transactions/find.js';
import { AipError, RemoteError, TimeoutExceeded } from '#runtime/protocol/errors.js';
import { newId } from '#runtime/protocol/ids.js';
import type { ActionResult, ProtocolError } from '#runtime/protocol/types.js';
import { actionsOverFreshDatabase, caller, resultOf, type TestGateway } from '../support/actions.ts';
import { MODES, providedBy, stored, type TestProvider, take, transactional } from './support.ts';

// Ends of steps, docs/protocol/records.md#states-of-a-transaction: what each result leaves a transaction in.

const FIDELITIES = ['schema_only', 'policy_and_schema', 'downstream_validation', 'full_simulation'] as const;
const undo = { mode: 'supported', compensation_capability_id: 'cap:pay:undo', requires_approval: false } as const;
const provider: TestProvider = { asked: [], answer: () => ({ paid: true }) };
const capabilities = [
  ...FIDELITIES.map((dry_run_fidelity) =>
    providedBy(
      provider,
      `cap:pay:${dry_run_fidelity}`,
      transactional({
        transaction: { supported_modes: [...MODES], requires_plan_before_commit: false, dry_run_fidelity },
      }),
    ),
  ),
  providedBy(provider, 'cap:pay:charge', transactional({ compensation: undo })),
  providedBy(provider, 'cap:pay:undo'),
];

let gateway: TestGateway;
let end: () => Promise<void>;
beforeAll(async () => {
  ({ gateway, end } = await actionsOverFreshDatabase(capabilities));
});
afterAll(() => end?.());
beforeEach(() => {
  provider.asked.length = 0;
  provider.answer = () => ({ paid: true });
});

const NOW = 1_000_000;
const failed = (error: Partial<ProtocolError>): ActionResult => ({
  action_id: 'act_1',
  status: 'failed',
  error: { code: 'runtime.handler_failed', message: 'no', category: 'temporary', ...error },
});
const done = (output: unknown = {}): ActionResult => ({ action_id: 'act_1', status: 'completed', output });
const cancelled: ActionResult = { action_id: 'act_1', status: 'cancelled' };

test.each<[string, ActionResult, string, number | null]>([
  ['a completed action', done(), 'committed', null],
  ['a failure', failed({ retryable: false }), 'failed', null],
  ['a failure that may be repeated', failed({ retryable: true, retry_after_ms: 1 }), 'failed', null],
  ['a timeout', failed({ code: 'sla.timeout_exceeded' }), 'outcome_unknown', RECONCILE_AFTER_MS],
  ['a lost answer', failed({ code: 'connector.outcome_unknown' }), 'outcome_unknown', RECONCILE_AFTER_MS],
  [
    'an output of another form',
    failed({ code: 'action.output_schema_invalid' }),
    'outcome_unknown',
    RECONCILE_AFTER_MS,
  ],
  ['an uncertain failure', failed({ details: { uncertain_outcome: true } }), 'outcome_unknown', RECONCILE_AFTER_MS],
  ['one that says when', failed({ details: { uncertain_outcome: true }, retry_after_ms: 70 }), 'outcome_unknown', 70],
  ['a failure that denies it', failed({ details: { uncertain_outcome: false } }), 'failed', null],
  ['a failure that says so in text', failed({ details: { uncertain_outcome: 'true' } }), 'failed', null],
  ['a cancellation of what had begun', cancelled, 'outcome_unknown', RECONCILE_AFTER_MS],
])('a commit, an execution and a compensation end by %s', (_what, result, status, after) => {
  expect(RECONCILE_AFTER_MS).toBe(5000);
  for (const mode of ['commit', 'execute', 'compensate'] as const) {
    const outcome = outcomeOf(mode, result, NOW);
    const named = status === 'committed' && mode === 'compensate' ? 'compensated' : status;
    expect([mode, outcome.status, outcome.reconcile_after]).toEqual([mode, named, after === null ? null : NOW + after]);
    expect(outcome.effect).toBe({ committed: true, failed: false, outcome_unknown: null }[status]);
  }
});

const asked = { reconcile_attempts: 0 } as Parameters<typeof outcomeOfReconciliation>[0];

test.each<[string, ActionResult, string, boolean | null]>([
  ['the provider has the effect', done({ reconciliation: { terminal: true, committed: true } }), 'reconciled', true],
  ['the provider has no effect', done({ reconciliation: { terminal: true, committed: false } }), 'reconciled', false],
  [
    'the provider does not know yet',
    done({ reconciliation: { terminal: false, cursor: 'c1' } }),
    'outcome_unknown',
    null,
  ],
  ['the question fails', failed({ retryable: true }), 'outcome_unknown', null],
  ['the question is cancelled', cancelled, 'outcome_unknown', null],
])('a reconciliation where %s', (_what, result, status, effect) => {
  const outcome = outcomeOfReconciliation(asked, result, NOW);
  expect([outcome.status, outcome.effect]).toEqual([status, effect]);
  expect(outcome.reconcile_after).toBe(status === 'reconciled' ? null : NOW + 2 * RECONCILE_AFTER_MS);
  expect(outcome.reconcile_attempts).toBe(1);
});

test('an answer that is not the last one keeps its cursor for the next question, and a connector that cannot be asked is asked no more', () => {
  const pending = done({ reconciliation: { terminal: false, cursor: 'c1' } });
  expect(outcomeOfReconciliation(asked, pending, NOW)).toMatchObject({ reconciliation_cursor: 'c1' });
  const unsupported = failed({ code: 'connector.operation_unsupported', category: 'connector' });
  expect(outcomeOfReconciliation(asked, unsupported, NOW)).toMatchObject({
    status: 'outcome_unknown',
    reconcile_after: null,
  });
});

test('a cursor with a zero character, which the storage cannot keep, is none', () => {
  const details = { uncertain_outcome: true, reconciliation_cursor: 'a\u0000b' };
  for (const outcome of [
    outcomeOf('execute', failed({ details }), NOW),
    outcomeOfReconciliation(asked, done({ reconciliation: { terminal: false, cursor: 'a\u0000b' } }), NOW),
  ]) {
    expect(outcome.status).toBe('outcome_unknown');
    expect(outcome).not.toHaveProperty('reconciliation_cursor');
  }
});

test('a step whose provider names such a cursor runs once and ends', async () => {
  provider.answer = () => {
    const details = { uncertain_outcome: true, reconciliation_cursor: 'a\u0000b' };
    throw new RemoteError({ code: 'connector.outcome_unknown', message: 'lost', category: 'connector', details });
  };
  const id = newId('action');
  const action = { id, capability_id: 'cap:pay:charge', transaction: { mode: 'execute' } } as const;
  expect(resultOf(await gateway.submit(action))).toMatchObject({ error: { code: 'connector.outcome_unknown' } });
  expect(await gateway.record(id)).toMatchObject({ attempts: 1, completed_at: expect.any(Number) });
});

test('a failed action leaves one audit event with its session, its transaction and the code of its error', async () => {
  provider.answer = () => {
    throw new AipError('runtime.handler_failed', 'no', { retryable: false });
  };
  const [id, session_id, transaction_id] = [newId('action'), newId('session'), newId('transaction')];
  const action = { id, capability_id: 'cap:pay:charge', transaction: { mode: 'execute', transaction_id } } as const;
  await gateway.submit(action, { envelope: { session_id, correlation_id: 'corr_1' } });
  const { events } = await queryAudit(gateway.pool, caller(), { sessionId: session_id }, Date.now());
  expect(events).toMatchObject([
    {
      id: `audit:action:${id}:result`,
      action: 'aip.action.result',
      actor: { id: 'agent:desk', kind: 'agent' },
      data: {
        action_id: id,
        status: 'failed',
        session_id,
        correlation_id: 'corr_1',
        transaction_id,
        error_code: 'runtime.handler_failed',
      },
    },
  ]);
});

test('N-201 part: the audit events of the results of a transaction are found by it, whatever they ended with', async () => {
  const transaction_id = newId('transaction');
  const other = newId('transaction');
  const [planned, committed, elsewhere] = [newId('action'), newId('action'), newId('action')];
  const { output } = await take(gateway, 'cap:pay:charge', { mode: 'plan', transaction_id }, { id: planned });
  const { plan_id } = (output as { plan: { plan_id: string } }).plan;
  await take(gateway, 'cap:pay:charge', { mode: 'commit', plan_id }, { id: committed });
  await take(gateway, 'cap:pay:charge', { mode: 'execute', transaction_id: other }, { id: elsewhere });
  const found = async (transactionId: string) =>
    (await queryAudit(gateway.pool, caller(), { transactionId }, Date.now())).events.map((event) => event.id);
  expect(await found(transaction_id)).toEqual([planned, committed].map((id) => `audit:action:${id}:result`));
  expect(await found(other)).toEqual([`audit:action:${elsewhere}:result`]);
  expect(await found(newId('transaction'))).toEqual([]);
});

test('N-174 part: a transaction is found by each action that took a step of it', async () => {
  const transaction_id = newId('transaction');
  const [planned, committed, elsewhere] = [newId('action'), newId('action'), newId('action')];
  const { output } = await take(gateway, 'cap:pay:charge', { mode: 'plan', transaction_id }, { id: planned });
  const { plan_id } = (output as { plan: { plan_id: string } }).plan;
  await take(gateway, 'cap:pay:charge', { mode: 'commit', plan_id }, { id: committed });
  await take(gateway, 'cap:pay:charge', { mode: 'execute' }, { id: elsewhere });
  const of = (actionId: string) => findTransaction(gateway.pool, caller(), { actionId }, Date.now());
  for (const action of [planned, committed])
    expect(await of(action)).toMatchObject({ transaction_id, action_id: committed, status: 'committed' });
  expect((await of(elsewhere)).transaction_id).not.toBe(transaction_id);
});

test.each(FIDELITIES)(
  'looking ahead with fidelity %s asks the connector only where that validates downstream',
  async (fidelity) => {
    const asks = fidelity === 'downstream_validation' || fidelity === 'full_simulation';
    for (const mode of ['dry_run', 'plan'] as const)
      expect((await take(gateway, `cap:pay:${fidelity}`, { mode })).status).toBe('completed');
    expect(provider.asked.map(({ transaction }) => transaction?.mode)).toEqual(asks ? ['dry_run', 'plan'] : []);
  },
);

test('a failed look-ahead is followed by any other: dry run after plan, plan after dry run, each alike', async () => {
  const fail = () => {
    throw new AipError('runtime.handler_failed', 'no', { retryable: false });
  };
  for (const [first, second] of [
    ['dry_run', 'dry_run'],
    ['dry_run', 'plan'],
    ['plan', 'dry_run'],
  ] as const) {
    const transaction_id = newId('transaction');
    provider.answer = fail;
    await take(gateway, 'cap:pay:full_simulation', { mode: first, transaction_id });
    expect(await stored(gateway, transaction_id)).toMatchObject({ status: 'failed', mode: first });
    provider.answer = () => ({});
    await take(gateway, 'cap:pay:full_simulation', { mode: second, transaction_id });
    const status = second === 'plan' ? 'planned' : 'dry_run_completed';
    expect(await stored(gateway, transaction_id)).toMatchObject({ status, mode: second });
  }
});

test('a provider operation that is stored is never replaced by another one that an answer names', async () => {
  const operation = (operation_id: string) => ({ provider_operation: { provider: 'payhub', operation_id } });
  const transaction_id = newId('transaction');
  const lost = (details: object) => () => {
    throw new AipError('runtime.handler_failed', 'lost', {
      retryable: false,
      details: { uncertain_outcome: true, ...details },
    });
  };
  provider.answer = lost(operation('op-1'));
  await take(gateway, 'cap:pay:charge', { mode: 'execute', transaction_id });
  provider.answer = lost(operation('op-2'));
  await take(gateway, 'cap:pay:charge', { mode: 'reconcile', transaction_id });
  expect(await stored(gateway, transaction_id)).toMatchObject({ status: 'outcome_unknown', ...operation('op-1') });
});

test.each([true, false])(
  'a compensation whose outcome was unknown is reconciled, effect %s: only without one another compensation follows',
  async (committed) => {
    const original = await take(gateway, 'cap:pay:charge', { mode: 'execute' });
    const step = { mode: 'compensate', compensation_for: original.action_id } as const;
    provider.answer = () => {
      throw new TimeoutExceeded();
    };
    const lost = await take(gateway, 'cap:pay:charge', step);
    const { transaction_id } = await gateway.record(lost.action_id);
    provider.answer = () => ({ reconciliation: { terminal: true, committed } });
    await take(gateway, 'cap:pay:charge', { mode: 'reconcile', transaction_id: transaction_id as string });
    expect(await stored(gateway, transaction_id as string)).toMatchObject({ status: 'reconciled', effect: committed });
    provider.answer = () => ({ undone: true });
    const next = await take(gateway, 'cap:pay:charge', step);
    expect(next.error?.code ?? next.status).toBe(committed ? 'transaction.commit_already_claimed' : 'completed');
  },
);
