import { canonicalJson } from '../../../../protocol/canonical.js';
import { finiteLife } from '../../../../protocol/content/finite-life.js';
import { sha256Hex } from '../../../../protocol/digest.js';
import { AipError } from '../../../../protocol/errors.js';
import { actionInputHash, approvalPolicyHash } from '../../../../protocol/hashes.js';
import { newId } from '../../../../protocol/ids.js';
import { plainJson } from '../../../../protocol/json.js';
import { formatTime } from '../../../../protocol/time.js';
import type {
  Action,
  ActionResult,
  ApprovalPolicy,
  ApprovalRequest,
  Capability,
  Principal,
} from '../../../../protocol/types.js';
import { approvalChainId, type ReceiptFact } from '../../../records/receipts/action-chain.js';
import { policyOf } from '../authority/policy.js';

const DEFAULT_REASON = 'the capability needs a decision by a human before it runs';
/** The members of an input that an approval governs by value, in order of preference. */
const GOVERNED_MEMBERS = ['amount_minor', 'amount', 'value', 'total_minor'];

/** A decision that an action has to wait for, ready to be stored with it. */
export interface PendingApproval {
  readonly request: ApprovalRequest & { id: string };
  readonly policyHash: string;
  /** ms since the epoch; null: no expiry */
  readonly expiresAt: number | null;
  /** What the caller is answered: status pending_approval with policy.human_approval_required. */
  readonly result: ActionResult;
  /** The first receipts of the approval's own chain, in order. */
  readonly receipts: readonly ReceiptFact[];
}

/** Makes the request for the approval that a capability demands of an action. */
export function pendingApproval(
  action: Action,
  capability: Capability,
  requester: Principal,
  nowMs: number,
): PendingApproval {
  const policy = policyOf(capability, action);
  const inputHash = actionInputHash(action);
  const life = finiteLife(policy.ttl_ms);
  const expiresAt = life === undefined ? null : nowMs + Math.max(1, life);
  const policyHash = approvalPolicyHash({
    policy,
    action_id: action.id,
    capability_id: action.capability_id,
    requester_id: requester.id,
    subject_id: null,
    input_hash: inputHash,
  });
  const governed = governedValue(action.input);
  const request: ApprovalRequest = {
    id: newId('approval'),
    action_id: action.id,
    capability_id: action.capability_id,
    requester,
    subject: requester,
    approver_selector: policy.approver_selector,
    reason: policy.reason ?? DEFAULT_REASON,
    evidence: [
      { id: `evidence:input:${action.id}`, kind: 'input_snapshot', hash: inputHash, redacted: true },
      {
        id: `evidence:policy:${action.id}`,
        kind: 'policy_decision',
        hash: policyEvidenceHash(action, policy),
        redacted: false,
      },
    ],
    ...(expiresAt === null ? {} : { expires_at: formatTime(expiresAt) }),
    policy_decision_id: `policy:${action.id}`,
    ...(action.identity === undefined ? {} : { identity: action.identity }),
    policy_snapshot: policy,
    policy_hash: policyHash,
    operator: requester,
    ...(capability.risk === undefined ? {} : { risk: capability.risk }),
    ...(governed === undefined ? {} : { governed_value: governed }),
  };
  return {
    request,
    policyHash,
    expiresAt,
    result: pendingResult(action, capability, policy, request),
    receipts: requestReceipts(request, nowMs),
  };
}

function pendingResult(
  action: Action,
  capability: Capability,
  policy: ApprovalPolicy,
  request: ApprovalRequest,
): ActionResult {
  const shared = { capability_id: action.capability_id, requires_human_approval: true, approval_id: request.id };
  const details = {
    ...shared,
    ...(capability.risk === undefined ? {} : { risk: capability.risk }),
    approval_policy: policy,
  };
  return {
    action_id: action.id,
    status: 'pending_approval',
    output: { ...shared, reason: request.reason, approval_request: request },
    error: new AipError('policy.human_approval_required', undefined, { details }).toProtocolError('aip-runtime'),
  };
}

/** The first receipts of an approval's own chain. */
export function requestReceipts(request: ApprovalRequest, nowMs: number): ReceiptFact[] {
  const chain = { chainId: approvalChainId(request.id), subject: request.id, actor: request.requester, atMs: nowMs };
  return [
    {
      ...chain,
      type: 'policy_decision',
      data: {
        policy_decision_id: request.policy_decision_id,
        requires_human_approval: true,
        capability_id: request.capability_id,
      },
    },
    {
      ...chain,
      type: 'approval_requested',
      data: { approval_id: request.id, action_id: request.action_id, capability_id: request.capability_id },
    },
  ];
}

function policyEvidenceHash(action: Action, policy: ApprovalPolicy): string {
  const { id: action_id, capability_id } = action;
  return sha256Hex(canonicalJson({ action_id, capability_id, approval_policy: policy }));
}

/** The amount that an approval governs: the first unsigned integer among the known members of the input. */
export function governedValue(input: unknown): number | undefined {
  const plain = plainJson(input);
  if (typeof plain !== 'object' || plain === null) return undefined;
  for (const name of GOVERNED_MEMBERS) {
    const value = (plain as Record<string, unknown>)[name];
    if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value;
  }
  return undefined;
}
