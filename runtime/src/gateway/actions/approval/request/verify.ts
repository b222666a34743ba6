import type { Queryable } from '../../../../postgres/pool.js';
import { canonicalJson } from '../../../../protocol/canonical.js';
import { AipError } from '../../../../protocol/errors.js';
import { actionInputHash, approvalPolicyHash } from '../../../../protocol/hashes.js';
import type { Action, ApprovalPolicy, Capability } from '../../../../protocol/types.js';
import type { Identity } from '../../../edge/identity.js';
import { policyAskedFirst, policyOf } from '../authority/policy.js';
import { policyRefusal } from '../decision/checks.js';
import { constraintRefusal } from '../decision/constraints.js';
import { approvalOutcome } from '../decision/status.js';
import { type ApprovalRow, approvalRef, readApproval, readVotes, type Vote } from '../record.js';
import { governedValue } from './compose.js';

/** Why the approval that an action brings along does not authorize it, or undefined when it does. */
export type ApprovalVerifier = (
  identity: Identity,
  action: Action,
  capability: Capability,
) => Promise<AipError | undefined>;

/**
 * Holds the approval of an action against the stored one: it must be the recorded decision, granted to this principal for this
 * action, capability, input and policy, and the input must keep the constraints of every vote.
 */
export function approvalVerifier(db: Queryable): ApprovalVerifier {
  return async (identity, action, capability) => {
    const given = action.approval;
    const tenantId = identity.tenantId ?? null;
    const stored = given && (await readApproval(db, { approvalId: given.approval_id, tenantId }));
    if (!stored) return new AipError('policy.approval_unverified');
    if (stored.status === 'pending') return new AipError('policy.approval_not_granted');
    if (stored.status !== 'approved' || canonicalJson(stored.decision) !== canonicalJson(given))
      return new AipError('policy.approval_unverified');
    const votes = await readVotes(db, approvalRef(stored));
    const mismatch = mismatchOf(stored, votes, identity, action, capability);
    if (mismatch !== undefined)
      return new AipError('policy.approval_unverified', `the approval was given for ${mismatch}`);
    return constraintRefusal(
      votes.flatMap(({ decision }) => decision.constraints ?? []),
      action.input,
    );
  };
}

/** What the approval was given for instead. */
function mismatchOf(
  stored: ApprovalRow,
  votes: readonly Vote[],
  identity: Identity,
  action: Action,
  capability: Capability,
): string | undefined {
  const { request } = stored;
  if (stored.action_id !== action.id) return 'another action';
  if (stored.capability_id !== action.capability_id) return 'another capability';
  if (stored.requester_id !== identity.principal.id) return 'another principal';
  const demanded = policyOf(capability, action);
  const policy = request.policy_snapshot ?? demanded;
  if (!isSame(policy, demanded)) {
    const current = [policyOf(capability), policyAskedFirst(capability)];
    if (!current.some((each) => isSame(each, policy))) return 'a policy that the capability no longer has';
    // A request made before its action did not say whether the action is a compensation.
    if (!votesMeet(stored, votes, demanded)) return 'a policy that demands less than the policy of this action';
  }
  const hash = approvalPolicyHash({
    policy,
    action_id: action.id,
    capability_id: action.capability_id,
    requester_id: stored.requester_id,
    subject_id: null,
    input_hash: actionInputHash(action),
  });
  if (hash !== stored.policy_hash) return 'another input';
  return governedValue(action.input) === request.governed_value ? undefined : 'another amount';
}

/** Whether the votes of an approved request would have been admitted, and have approved it, under another policy. */
function votesMeet(approval: ApprovalRow, votes: readonly Vote[], policy: ApprovalPolicy): boolean {
  const { approver_selector } = policy;
  const under = { ...approval, request: { ...approval.request, approver_selector, policy_snapshot: policy } };
  return (
    votes.every(({ decision, authority }) => !policyRefusal({ decision, authority, approval: under })) &&
    approvalOutcome(under.request, votes).status === 'approved'
  );
}

function isSame(a: ApprovalPolicy, b: ApprovalPolicy): boolean {
  return canonicalJson(a) === canonicalJson(b);
}
