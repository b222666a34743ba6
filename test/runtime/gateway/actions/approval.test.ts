import { afterAll, beforeAll, expect, test } from 'vitest';
import { expireApprovals } from '#runtime/gateway/approvals/expiry.js';
import { readChain } from '#runtime/gateway/records/receipts/read-chains.js';
import { newId } from '#runtime/protocol/ids.js';
import { verifyReceiptChain } from '#runtime/protocol/receipts.js';
import type { ReceiptChain } from '#runtime/protocol/types.js';
import { check } from '#runtime/protocol/validate.js';
import { openLogger } from '#runtime/transport/process/logger.js';
import {
  actionsOverFreshDatabase,
  caller,
  capability,
  contractOf,
  resultOf,
  type TestGateway,
} from '../support/actions.ts';

const policy = {
  required: true,
  approver_selector: { type: 'role', name: 'finance-lead' },
  ttl_ms: 3_600_000,
  minimum_distinct_principals: 1,
  separation_of_duties: { requester_must_differ: true, operator_must_differ: false, allow_self_approval: false },
};
let ran = 0;
const run = async (): Promise<unknown> => {
  ran += 1;
  return {};
};
const capabilities = [
  capability('cap:pay:refund', run, { contract: contractOf({ approval: policy }) }),
  capability('cap:pay:flagged', run, { requires_human_approval: true }),
  capability('cap:pay:risky', run, { risk: 'high' }),
  capability('cap:pay:medium', run, { risk: 'medium' }),
];

let gateway: TestGateway;
let end: () => Promise<void>;
beforeAll(async () => {
  ({ gateway, end } = await actionsOverFreshDatabase(capabilities));
});
afterAll(() => end?.());

async function chainOf(chainId: string): Promise<ReceiptChain> {
  const chain = await readChain(gateway.pool, { chainId, tenantId: 'acme' });
  if (!chain) throw new Error('there is no chain');
  expect(verifyReceiptChain(chain)).toEqual({ ok: true });
  return chain;
}

test('an action that needs an approval waits for it with a stored request, event and receipts, and does not run', async () => {
  const id = newId('action');
  const result = resultOf(
    await gateway.submit({ id, capability_id: 'cap:pay:refund', input: { amount_minor: 1250, order: 'A-17' } }),
  );
  expect(result).toMatchObject({
    action_id: id,
    status: 'pending_approval',
    output: { requires_human_approval: true, capability_id: 'cap:pay:refund' },
    error: { code: 'policy.human_approval_required', category: 'policy', retryable: false },
  });
  const request = (result.output as { approval_request: { id: string } }).approval_request;
  expect(check('ApprovalRequest', request)).toEqual([]);
  expect(request).toMatchObject({
    action_id: id,
    requester: { id: 'agent:desk', kind: 'agent' },
    approver_selector: policy.approver_selector,
    policy_decision_id: `policy:${id}`,
    governed_value: 1250,
  });
  const record = await gateway.record(id);
  expect(record).toMatchObject({ state: 'pending_approval', approval_id: request.id, attempts: 0, completed_at: null });
  const stored = await gateway.pool.query(
    'SELECT status, requester_id, tenant_id FROM runtime.approvals WHERE approval_id = $1',
    [request.id],
  );
  expect(stored.rows).toEqual([{ status: 'pending', requester_id: 'agent:desk', tenant_id: 'acme' }]);
  const events = await gateway.pool.query<{ kind: string }>('SELECT kind FROM runtime.events WHERE action_id = $1', [
    id,
  ]);
  expect(events.rows.map((row) => row.kind)).toEqual(['aip.approval.requested']);
  const types = async (chainId: string) => (await chainOf(chainId)).receipts.map((receipt) => receipt.receipt_type);
  expect(await types(`action:${id}`)).toEqual(['action_accepted', 'policy_decision', 'approval_requested']);
  expect(await types(`approval:${request.id}`)).toEqual(['policy_decision', 'approval_requested']);
  expect(ran).toBe(0);
});

test('an approval is needed by contract, by flag or above medium risk, in every mode', async () => {
  for (const capability_id of ['cap:pay:flagged', 'cap:pay:risky'])
    for (const mode of ['sync', 'async', 'streaming'] as const)
      expect(resultOf(await gateway.submit({ capability_id, mode })).status).toBe('pending_approval');
  expect(ran).toBe(0);
  expect(resultOf(await gateway.submit({ capability_id: 'cap:pay:medium' })).status).toBe('completed');
});

test('an approval that the caller brings along is not taken for granted', async () => {
  const approval = {
    approval_id: 'appr_1',
    decision: 'approved' as const,
    approver: { id: 'human:me', kind: 'human' as const },
    decided_at: '2026-07-09T00:00:00Z',
  };
  const result = resultOf(await gateway.submit({ capability_id: 'cap:pay:refund', approval: approval as never }));
  expect(result).toMatchObject({ status: 'failed', error: { code: 'policy.approval_unverified' } });
});

test('a key that waits for an approval is answered with the pending result', async () => {
  const submit = () =>
    gateway.submit({ capability_id: 'cap:pay:refund', idempotency_key: 'refund A-17' }).then(resultOf);
  const first = await submit();
  const again = await submit();
  expect(again).toMatchObject({
    action_id: first.action_id,
    status: 'pending_approval',
    output: { idempotent_replay: true },
  });
});

test('a waiting action is cancelled at once, and its approval with it', async () => {
  const id = newId('action');
  await gateway.submit({ id, capability_id: 'cap:pay:refund' });
  const answer = await gateway.actions.cancel(caller(), { actionId: id, reason: 'not needed' });
  expect(answer.output).toEqual({ cancelled: true, reason: 'not needed' });
  const record = await gateway.record(id);
  expect(record).toMatchObject({ state: 'cancelled', result: answer, cancel_reason: 'not needed' });
  const stored = await gateway.pool.query('SELECT status FROM runtime.approvals WHERE action_id = $1', [id]);
  expect(stored.rows).toEqual([{ status: 'expired' }]);
  const approvalChain = `approval:${record.approval_id}`;
  const withdrawn = await chainOf(approvalChain);
  expect(withdrawn.receipts.at(-1)).toMatchObject({
    receipt_type: 'approval_expired',
    data: { reason: 'the action was cancelled' },
  });
  const chain = await chainOf(`action:${id}`);
  expect(chain.receipts.at(-1)?.receipt_type).toBe('result_returned');
});

test('an action whose approval was not decided in time expires with it', async () => {
  const id = newId('action');
  const pending = resultOf(await gateway.submit({ id, capability_id: 'cap:pay:refund' }));
  const { approval_id } = pending.output as { approval_id: string };
  await gateway.pool.query('UPDATE runtime.approvals SET expires_at = 1 WHERE approval_id = $1', [approval_id]);
  const { pool } = gateway;
  const log = openLogger({ component: 'test', level: 'silent' });
  const deps = { pool, log, clock: Date.now, gateway: { id: 'service:gateway', kind: 'service' as const } };
  const passes = await Promise.all([expireApprovals(deps), expireApprovals(deps)]);
  expect(passes.toSorted()).toEqual([0, 1]);
  expect(await gateway.record(id)).toMatchObject({
    state: 'expired',
    result: { status: 'failed', error: { code: 'policy.approval_expired', category: 'policy' } },
  });
  await chainOf(`action:${id}`);
  expect((await chainOf(`approval:${approval_id}`)).receipts.at(-1)?.receipt_type).toBe('approval_expired');
  const events = await gateway.pool.query<{ kind: string }>(
    'SELECT kind FROM runtime.events WHERE action_id = $1 ORDER BY xid, seq',
    [id],
  );
  expect(events.rows.map((row) => row.kind)).toEqual([
    'aip.approval.requested',
    'aip.approval.expired',
    'aip.action.approval_terminal',
    'aip.action.result',
  ]);
});
