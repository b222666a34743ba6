import { isDeepStrictEqual } from 'node:util';
import { type ApprovalRecord, asApprovalRecord, type VerifiedDecision } from '../../protocol/approvals/record.js';
import { votesSatisfy } from '../../protocol/approvals/rule.js';
import type { Action } from '../../protocol/types.js';

/**
 * Why an approval record does not authorize the action for the tenant, or undefined: it must be approved, be the record of the action's own
 * decision, govern this action, capability and tenant, hold one policy hash, and follow from its own votes (docs/protocol/host.md#approval-authorization).
 */
export function approvalProblem(value: unknown, action: Action, tenantId: string): string | undefined {
  const record = asApprovalRecord(value);
  if (!record) return 'it is incomplete';
  const { request, decision } = record;
  if (action.approval?.decision !== 'approved' || record.status !== 'approved') return 'it is not approved';
  if (!decision || !isDeepStrictEqual(decision, action.approval)) return "its decision differs from the action's";
  if (request.id !== decision.approval_id) return 'it belongs to another approval';
  if (request.action_id !== action.id) return 'it belongs to another action';
  if (request.capability_id !== action.capability_id) return 'it belongs to another capability';
  if (request.identity?.tenant?.id !== tenantId) return 'it belongs to another tenant';
  if (request.policy_hash !== decision.policy_hash) return 'its policy hashes differ';
  return voteProblem(record);
}

/** Why the votes do not lead to the record's status and decision. */
function voteProblem({ request, decision, decisions: votes = [] }: ApprovalRecord): string | undefined {
  if (votes.length === 0) return 'it holds no vote';
  for (const vote of votes) {
    if (vote.decision.approval_id !== request.id) return 'a vote belongs to another approval';
    if (vote.decision.policy_hash !== request.policy_hash) return 'a vote was cast on another policy';
    if (vote.authority.principal_id !== vote.decision.approver?.id)
      return "a vote's approver differs from its verified authority";
    if (vote.authority.revoked) return 'a vote was cast without authority';
  }
  const approving = votes.filter((vote) => vote.decision.decision === 'approved');
  if (approving.length !== votes.length) return 'a vote is against it';
  if (!isDeepStrictEqual(approving.at(-1)?.decision, decision)) return 'its decision is not the last vote';
  const minimum = Math.max(1, request.policy_snapshot?.minimum_distinct_principals ?? 1);
  if (principals(approving) < minimum) return `it needs ${minimum} different approvers`;
  return votesSatisfy(request, approving) ? undefined : 'its votes do not satisfy its policy';
}

function principals(votes: readonly VerifiedDecision[]): number {
  return new Set(votes.map(({ authority }) => authority.principal_id)).size;
}
