import type { ApprovalAuthority } from '../../../../protocol/approvals/record.js';
import { mayContribute } from '../../../../protocol/approvals/rule.js';
import { AipError } from '../../../../protocol/errors.js';
import { isPlainId } from '../../../../protocol/ids.js';
import type { ApprovalDecision, EvidenceRequirement } from '../../../../protocol/types.js';
import type { ActionRecord } from '../../record/record.js';
import type { ApprovalRow, Vote } from '../record.js';
import { constraintRefusal } from './constraints.js';

/** Votes that one approval takes, and bytes of one vote. */
export const MAX_VOTES = 256;
export const MAX_DECISION_BYTES = 65_536;
/** How JSON writes the character that the storage takes in no text. */
export const ZERO = '\\u0000';

/** Everything that decides whether a vote is admitted. */
export interface VoteFacts {
  readonly decision: ApprovalDecision;
  readonly authority: ApprovalAuthority;
  readonly approval: ApprovalRow;
  readonly votes: readonly Vote[];
  /** The action that waits; absent when the approval was requested before its action. */
  readonly action: ActionRecord | undefined;
  readonly nowMs: number;
}

type VoteCheck = (facts: VoteFacts) => AipError | undefined;
/** What the policy of an approval demands of one vote. */
type PolicyCheck = (facts: Pick<VoteFacts, 'decision' | 'authority' | 'approval'>) => AipError | undefined;

const wellFormed: VoteCheck = ({ decision, votes }) => {
  const { decision_id } = decision;
  if (decision.decision === 'expired')
    return new AipError(
      'policy.approver_unauthorized',
      'only the gateway lets an approval expire; send denied to refuse the action',
    );
  if (decision_id === undefined) return new AipError('policy.approval_decision_id_required');
  if (!isPlainId(decision_id))
    return new AipError('action.invalid_input', 'decision_id must be 1 to 256 bytes without control characters');
  const text = JSON.stringify(decision);
  if (text.includes(ZERO)) return new AipError('action.invalid_input', 'a decision must not hold a zero character');
  if (Buffer.byteLength(text) > MAX_DECISION_BYTES)
    return new AipError('action.invalid_input', `a decision must have at most ${MAX_DECISION_BYTES} bytes`);
  return votes.length < MAX_VOTES
    ? undefined
    : new AipError('action.invalid_input', `an approval takes at most ${MAX_VOTES} votes`);
};

const pending: VoteCheck = ({ approval }) =>
  approval.status === 'pending'
    ? undefined
    : new AipError('policy.approval_not_pending', undefined, { details: { status: approval.status } });

const inTime: VoteCheck = ({ approval, nowMs }) =>
  approval.expires_at !== null && approval.expires_at <= nowMs ? new AipError('policy.approval_expired') : undefined;

const boundToPolicy: VoteCheck = ({ decision, approval }) =>
  decision.policy_hash === approval.policy_hash
    ? undefined
    : new AipError('policy.approval_hash_mismatch', undefined, { details: { policy_hash: approval.policy_hash } });

/** A requester does not decide its own request, unless the policy allows it in both members. */
const requesterDiffers: PolicyCheck = ({ approval, authority }) => {
  const duties = approval.request.policy_snapshot?.separation_of_duties;
  const selfApproval = duties?.allow_self_approval === true && !duties.requester_must_differ;
  return authority.principal_id === approval.requester_id && !selfApproval
    ? new AipError('policy.separation_of_duties.requester')
    : undefined;
};

const operatorDiffers: PolicyCheck = ({ approval, authority }) => {
  const { operator, policy_snapshot } = approval.request;
  const mustDiffer = policy_snapshot?.separation_of_duties.operator_must_differ === true;
  return mustDiffer && operator?.id === authority.principal_id
    ? new AipError('policy.separation_of_duties.operator')
    : undefined;
};

/** A tenant policy is satisfied only by an authority that names one: belonging to the tenant is not enough. */
const mayDecide: PolicyCheck = ({ approval, authority }) =>
  mayContribute(approval.request, { ...authority, tenant_id: null })
    ? undefined
    : new AipError('policy.approver_unauthorized');

const evidenceGiven: PolicyCheck = ({ decision, approval }) => {
  const required = approval.request.policy_snapshot?.evidence_requirements ?? [];
  const missing = required.filter((requirement) => !isMet(requirement, decision, approval));
  if (missing.length === 0) return undefined;
  return new AipError(
    'policy.approval_evidence_missing',
    `the decision lacks required evidence: ${missing.join(', ')}`,
    {
      details: { missing },
    },
  );
};

const revocationTargeted: VoteCheck = ({ decision, votes }) => {
  if (decision.decision !== 'revoked') return undefined;
  const { target_decision_id: target } = decision;
  if (target === undefined) return new AipError('policy.approval_revocation_target_required');
  const found = votes.some((vote) => vote.decision.decision_id === target && vote.decision.decision === 'approved');
  return found ? undefined : new AipError('policy.approval_revocation_target_missing');
};

const actionLinked: VoteCheck = ({ action, approval }) => {
  if (!action) return undefined;
  const waits = action.state === 'pending_approval' && action.approval_id === approval.approval_id;
  return waits
    ? undefined
    : new AipError('policy.approval_action_mismatch', 'the action does not wait for this approval');
};

const constraintsKept: VoteCheck = ({ decision, action }) =>
  action && decision.decision === 'approved'
    ? constraintRefusal(decision.constraints, action.request.input)
    : undefined;

const POLICY_CHECKS: readonly PolicyCheck[] = [requesterDiffers, operatorDiffers, mayDecide, evidenceGiven];
/** In the order in which refusals are reported. */
const CHECKS: readonly VoteCheck[] = [
  pending,
  inTime,
  wellFormed,
  boundToPolicy,
  ...POLICY_CHECKS,
  revocationTargeted,
  actionLinked,
  constraintsKept,
];

/** Why a vote of an authenticated approver is not admitted, or undefined when it is. */
export function voteRefusal(facts: VoteFacts): AipError | undefined {
  return firstRefusal(CHECKS, facts);
}

/** Why the policy of an approval does not admit a vote, or undefined when it does: duties, authority and evidence. */
export function policyRefusal(facts: Parameters<PolicyCheck>[0]): AipError | undefined {
  return firstRefusal(POLICY_CHECKS, facts);
}

function firstRefusal<Facts>(
  checks: readonly ((facts: Facts) => AipError | undefined)[],
  facts: Facts,
): AipError | undefined {
  for (const check of checks) {
    const refusal = check(facts);
    if (refusal) return refusal;
  }
  return undefined;
}

function isMet(requirement: EvidenceRequirement, decision: ApprovalDecision, { request }: ApprovalRow): boolean {
  if (requirement === 'reason') return (decision.reason ?? '').trim() !== '';
  if (requirement === 'policy_decision' && request.policy_decision_id !== undefined) return true;
  return [...(request.evidence ?? []), ...(decision.evidence ?? [])].some(({ kind }) => kind === requirement);
}
