import { votesSatisfy } from '../../../../protocol/approvals/rule.js';
import type { ApprovalDecision, ApprovalRequest } from '../../../../protocol/types.js';
import type { ApprovalState, Vote } from '../record.js';

/** Kinds of votes that end an approval on their own, the strongest first. */
const DECISIVE = ['revoked', 'expired', 'denied'] as const;

/** What the votes make of an approval, and the vote that decided it. */
export interface ApprovalOutcome {
  readonly status: ApprovalState;
  readonly decision?: ApprovalDecision;
}

/**
 * Evaluates all admitted votes: one revocation, expiry or veto decides; otherwise it is approved when enough different principals
 * approved and the rule, or without one the selector, is satisfied.
 */
export function approvalOutcome(request: ApprovalRequest, votes: readonly Vote[]): ApprovalOutcome {
  for (const status of DECISIVE) {
    const vote = votes.findLast(({ decision }) => decision.decision === status);
    if (vote) return { status, decision: vote.decision };
  }
  const minimum = Math.max(1, request.policy_snapshot?.minimum_distinct_principals ?? 1);
  const approvers = new Set(votes.map(({ authority }) => authority.principal_id));
  const last = votes.at(-1);
  if (!last || approvers.size < minimum || !votesSatisfy(request, votes)) return { status: 'pending' };
  return { status: 'approved', decision: last.decision };
}
