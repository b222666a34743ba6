import { afterAll, beforeAll, expect, test } from 'vitest';
import type { CapabilityLookup } from '#runtime/gateway/actions/capabilities/capabilities.js';
import { requestApproval } from '#runtime/gateway/approvals/request/request.js';
import { DEFAULT_STOCK_LIMITS } from '#runtime/gateway/records/stock/limits.js';
import { actionInputHash } from '#runtime/protocol/hashes.js';
import { newId } from '#runtime/protocol/ids.js';
import type {
  Action,
  ActionResult,
  ApprovalDecision,
  ApprovalPolicy,
  ApprovalRequest,
} from '#runtime/protocol/types.js';
import { actionsOverFreshDatabase, caller, capability, type TestGateway } from '../support/actions.ts';
import { approver, decide, decideDeps, policyOf, stored as storedApproval } from '../support/approvals.ts';
import { providedBy, type TestProvider, take, transactional } from './support.ts';

// Approvals of compensations: docs/protocol/records.md#approvals.

const POLICY: ApprovalPolicy = {
  required: true,
  approver_selector: { type: 'tenant_policy' },
  evidence_requirements: ['reason', 'policy_decision', 'input_snapshot'],
  minimum_distinct_principals: 1,
  separation_of_duties: { requester_must_differ: false, operator_must_differ: false, allow_self_approval: false },
  policy_version: 'aip.approval/v1',
};

const provider: TestProvider = { asked: [], answer: () => ({ done: true }) };
const undoneBy = (compensation_capability_id: string) => ({
  compensation: { mode: 'supported', compensation_capability_id, requires_approval: true } as const,
});
const undo = undoneBy('cap:pay:undo');
const FREE = 'cap:pay:free';
const FLAGGED = 'cap:pay:flagged';
const GOVERNED = 'cap:pay:governed';
const run = async (action: Action) => {
  provider.asked.push(action);
  return {};
};

let gateway: TestGateway;
let end: () => Promise<void>;
beforeAll(async () => {
  ({ gateway, end } = await actionsOverFreshDatabase([
    providedBy(provider, FREE, transactional(undo)),
    capability(FLAGGED, run, { contract: transactional(undo), requires_human_approval: true }),
    providedBy(provider, GOVERNED, transactional({ ...undo, approval: policyOf() })),
    providedBy(provider, 'cap:pay:undo'),
  ]));
});
afterAll(() => end?.());

const lee = approver('human:lee');
const AUTHORITY = [
  { principal_id: 'human:lee', tenant_id: 'acme', roles: ['finance-lead'], tenant_policies: ['payments'], revision: 1 },
];
const approve = (request: ApprovalRequest, changes: Partial<ApprovalDecision> = {}) =>
  decide(decideDeps(gateway, AUTHORITY), lee, request, changes);
const requestIn = (result: ActionResult): ApprovalRequest =>
  (result.output as { approval_request: ApprovalRequest }).approval_request;
const asked = (actionId: string): string[] =>
  provider.asked.filter(({ id }) => id === actionId).map(({ capability_id }) => capability_id);

/** Something of a capability to undo; what needs an approval itself gets one. */
async function effect(capability_id: string): Promise<string> {
  const result = await take(gateway, capability_id, { mode: 'execute' });
  if (result.status === 'pending_approval') await approve(requestIn(result));
  expect((await gateway.ended(result.action_id)).state).toBe('completed');
  return result.action_id;
}

async function waiting(capability_id: string): Promise<{ actionId: string; request: ApprovalRequest }> {
  const compensation_for = await effect(capability_id);
  const result = await take(gateway, capability_id, { mode: 'compensate', compensation_for });
  expect(result.status).toBe('pending_approval');
  return { actionId: result.action_id, request: requestIn(result) };
}

test.each([FREE, FLAGGED])(
  'a compensation of %s is approved under any tenant policy, with reason, policy decision and input snapshot as evidence',
  async (capability_id) => {
    const { actionId, request } = await waiting(capability_id);
    expect(request).toMatchObject({ approver_selector: { type: 'tenant_policy' }, policy_snapshot: POLICY });
    expect(request.evidence).toMatchObject([
      { id: `evidence:input:${actionId}`, kind: 'input_snapshot', redacted: true },
      { id: `evidence:policy:${actionId}`, kind: 'policy_decision', redacted: false },
    ]);
    const refused = approve(request);
    await expect(refused).rejects.toMatchObject({
      code: 'policy.approval_evidence_missing',
      message: expect.stringContaining('reason'),
      details: { missing: ['reason'] },
    });
    expect((await storedApproval(gateway, request.id)).status).toBe('pending');
    await approve(request, { reason: 'charged twice' });
    expect((await gateway.ended(actionId)).state).toBe('completed');
    expect(asked(actionId)).toEqual(['cap:pay:undo']);
  },
);

test('a compensation of a capability whose contract requires an approval is approved under the policy of the contract', async () => {
  const { actionId, request } = await waiting(GOVERNED);
  expect(request.policy_snapshot).toEqual(policyOf());
  await approve(request);
  expect((await gateway.ended(actionId)).state).toBe('completed');
});

test('what is not a compensation keeps the policy of its capability', async () => {
  const result = await take(gateway, FLAGGED, { mode: 'execute' });
  expect(requestIn(result).policy_snapshot?.evidence_requirements).toBeUndefined();
});

test('a compensation that waits under the policy of an earlier gateway is decided under that policy', async () => {
  const { actionId, request } = await waiting(FREE);
  const { evidence_requirements: _none, policy_version: _unversioned, ...before } = POLICY;
  await gateway.pool.query(
    `UPDATE runtime.approvals SET request = jsonb_set(request::jsonb, '{policy_snapshot}', $2::jsonb)::json WHERE approval_id = $1`,
    [request.id, JSON.stringify(before)],
  );
  await approve(request);
  expect((await gateway.ended(actionId)).state).toBe('completed');
});

/** Asks for the approval of an action before it is submitted. */
async function askFirst(action: Action): Promise<ApprovalRequest> {
  const { id, kind } = caller().principal;
  const capabilities: CapabilityLookup = gateway.actions.capabilities;
  const submitted: ApprovalRequest = {
    id: newId('approval'),
    action_id: action.id,
    capability_id: action.capability_id,
    requester: { id, kind },
    subject: { id, kind },
    approver_selector: { type: 'tenant_policy' },
    reason: 'charged twice',
    evidence: [{ id: 'input', kind: 'input_snapshot', hash: actionInputHash(action), redacted: true }],
  };
  const deps = { pool: gateway.pool, clock: Date.now, capabilities, stock: DEFAULT_STOCK_LIMITS };
  await requestApproval(deps, caller(), submitted);
  return (await storedApproval(gateway, submitted.id)).request;
}

async function withApproval(action: Action, { id }: ApprovalRequest): Promise<ActionResult> {
  const { decision } = await storedApproval(gateway, id);
  return take(gateway, action.capability_id, action.transaction, { ...action, approval: decision as ApprovalDecision });
}

const compensationOf = (capability_id: string, compensation_for: string): Action => ({
  id: newId('action'),
  capability_id,
  input: {},
  transaction: { mode: 'compensate', compensation_for },
});

test('who asks first for a compensation that alone needs an approval is approved under its policy', async () => {
  const action = compensationOf(FREE, await effect(FREE));
  const request = await askFirst(action);
  expect(request.policy_snapshot).toEqual(POLICY);
  await expect(approve(request)).rejects.toMatchObject({ code: 'policy.approval_evidence_missing' });
  await approve(request, { reason: 'charged twice' });
  expect(await withApproval(action, request)).toMatchObject({ status: 'completed' });
  expect(asked(action.id)).toEqual(['cap:pay:undo']);
});

test('an approval that was requested first authorizes a compensation only when its votes have the evidence that compensations need', async () => {
  const compensation_for = await effect(FLAGGED);
  const bare = compensationOf(FLAGGED, compensation_for);
  const unreasoned = await askFirst(bare);
  await approve(unreasoned);
  expect(await withApproval(bare, unreasoned)).toMatchObject({
    status: 'failed',
    error: { code: 'policy.approval_unverified', message: expect.stringContaining('demands less') },
  });
  expect(asked(bare.id)).toEqual([]);
  const action = compensationOf(FLAGGED, compensation_for);
  const reasoned = await askFirst(action);
  await approve(reasoned, { reason: 'charged twice' });
  expect(await withApproval(action, reasoned)).toMatchObject({ status: 'completed' });
});

test('an approval under the policy of compensations authorizes another action of the capability too', async () => {
  const action: Action = { id: newId('action'), capability_id: FREE, input: {} };
  const request = await askFirst(action);
  await approve(request, { reason: 'charged twice' });
  expect(await withApproval(action, request)).toMatchObject({ status: 'completed' });
});
