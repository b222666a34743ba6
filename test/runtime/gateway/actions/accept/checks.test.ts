import { afterAll, beforeAll, expect, test } from 'vitest';
import { authorizeCapability } from '#runtime/gateway/actions/accept/authorize-capability.js';
import { contractRefusal } from '#runtime/gateway/actions/accept/contract-checks.js';
import { sameWork } from '#runtime/gateway/actions/accept/prepare.js';
import { approvalNeeded } from '#runtime/gateway/actions/approval/authority/needed.js';
import { executionPlan } from '#runtime/gateway/actions/record/plan.js';
import { newId } from '#runtime/protocol/ids.js';
import type { Action, Capability, Principal } from '#runtime/protocol/types.js';
import { freshDatabase } from '../../../../support/database.ts';
import { capability, contractOf, startActions } from '../../support/actions.ts';

const agent: Principal = { id: 'agent:desk', kind: 'agent' };
const action = (more: Partial<Action> = {}): Action => ({ id: 'act_1', capability_id: 'cap:x', input: {}, ...more });
const capabilityOf = (more: Partial<Capability>): Capability => capability('cap:x', async () => ({}), more).capability;

let database: Awaited<ReturnType<typeof freshDatabase>>;
beforeAll(async () => {
  database = await freshDatabase();
});
afterAll(() => database?.drop());

test('only humans, agents, services and systems invoke capabilities', () => {
  for (const kind of ['human', 'agent', 'service', 'system'] as const) authorizeCapability({ id: 'x', kind }, action());
  for (const kind of ['tenant', 'customer', 'contact'] as const)
    expect(() => authorizeCapability({ id: 'x', kind }, action())).toThrow(
      expect.objectContaining({ code: 'auth.not_authorized', details: { reason: 'principal_kind_denied' } }),
    );
});

test('a delegation chain has scopes, at most ten hops, and ends at the caller', () => {
  const hop = (to: string, scope = 'work') => ({
    from: { id: 'human:boss', kind: 'human' as const },
    to: { id: to, kind: 'agent' as const },
    scope,
    delegated_at: '2026-07-09T00:00:00Z',
  });
  const reasonOf = (delegation_chain: Action['delegation_chain']): unknown => {
    try {
      authorizeCapability(agent, action({ delegation_chain }));
    } catch (error) {
      return (error as { details: { reason: string } }).details.reason;
    }
    return undefined;
  };
  expect(reasonOf([hop('agent:mid'), hop('agent:desk')])).toBeUndefined();
  expect(reasonOf([hop('agent:other')])).toBe('delegation_terminal_principal_mismatch');
  expect(reasonOf([hop('agent:desk', ' ')])).toBe('delegation_empty_scope:human:boss:agent:desk');
  expect(reasonOf(Array.from({ length: 11 }, () => hop('agent:desk')))).toBe('delegation_depth_exceeded');
});

test('the contract decides about keys, modes and transactions', () => {
  const code = (more: Partial<Action>, contract: ReturnType<typeof contractOf>, mode = 'sync' as const) =>
    contractRefusal(action(more), mode, capabilityOf({ contract }))?.code;
  expect(code({}, contractOf())).toBeUndefined();
  expect(code({}, contractOf({ idempotency: { requirement: 'required' } }))).toBe('idempotency.required');
  expect(code({}, contractOf({ execution: { supports_sync: false } }))).toBe('execution.mode_unsupported');
  expect(code({ transaction: { mode: 'execute' } }, contractOf())).toBe('transaction.unsupported');
  const transaction = {
    supported_modes: ['execute', 'commit'],
    requires_plan_before_commit: true,
    dry_run_fidelity: 'schema_only',
  };
  expect(code({ transaction: { mode: 'execute' } }, contractOf({ transaction }))).toBeUndefined();
  expect(code({ transaction: { mode: 'plan' } }, contractOf({ transaction }))).toBe('transaction.mode_unsupported');
  expect(code({ transaction: { mode: 'commit' } }, contractOf({ transaction }))).toBe('transaction.plan_required');
});

test('an approval is needed by contract, by flag, or above medium risk', () => {
  expect(approvalNeeded(capabilityOf({ risk: 'medium' }))).toBe(false);
  for (const risk of ['high', 'critical'] as const) expect(approvalNeeded(capabilityOf({ risk }))).toBe(true);
  expect(approvalNeeded(capabilityOf({ requires_human_approval: true }))).toBe(true);
});

test('the time is the smaller of action and contract, 60 s without either; attempts go by retry safety', () => {
  const plan = (more: Partial<Action>, changes: Parameters<typeof contractOf>[0]) =>
    executionPlan(action(more), capabilityOf({ contract: contractOf(changes) }), 'remote');
  expect(plan({}, {}).timeout_ms).toBe(60_000);
  expect(plan({ timeout_ms: 700 }, { sla: { timeout_ms: 500 } }).timeout_ms).toBe(500);
  expect(plan({ timeout_ms: 300 }, { sla: { timeout_ms: 500 } }).timeout_ms).toBe(300);
  expect(plan({}, {}).max_attempts).toBe(3);
  expect(plan({}, { execution: { supports_retry: false } }).max_attempts).toBe(1);
  expect(plan({}, { execution: { retry_safety: 'unsafe' } }).max_attempts).toBe(1);
  const keyed = { execution: { retry_safety: 'safe_with_idempotency_key' } };
  expect(plan({}, keyed).max_attempts).toBe(1);
  expect(plan({ idempotency_key: 'k' }, keyed).max_attempts).toBe(3);
});

test('two submissions are the same work whatever was added on the way', () => {
  const work = action({ input: { a: 1, b: [2] } });
  expect(sameWork(work, { ...action({ input: { b: [2], a: 1 } }), observability: { trace_id: 't' } })).toBe(true);
  expect(sameWork(work, action({ input: { a: 1, b: [3] } }))).toBe(false);
  expect(sameWork(work, action({ input: { a: 1, b: [2] }, mode: 'async' }))).toBe(false);
  const transaction = { mode: 'execute' as const };
  expect(sameWork(action({ transaction }), action({ transaction: { ...transaction, transaction_id: 'txn_1' } }))).toBe(
    true,
  );
});

test('work that waited longer than its contract allows is given up when its turn comes', async () => {
  const slow = capability('cap:x:slow', async () => ({}), {
    contract: contractOf({ sla: { max_queue_delay_ms: 1000 } }),
  });
  const first = await startActions(database.url, [slow]);
  await first.actions.worker.stop(0);
  const id = newId('action');
  await first.submit({ id, capability_id: 'cap:x:slow', mode: 'async' });
  const later = await startActions(database.url, [slow], () => Date.now() + 3000);
  try {
    expect(await later.ended(id)).toMatchObject({
      state: 'dead_lettered',
      result: { status: 'failed', error: { code: 'sla.queue_delay_exceeded', category: 'policy' } },
    });
  } finally {
    await later.stop();
    await first.stop();
  }
});
