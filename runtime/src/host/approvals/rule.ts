import type { ApprovalRequest, ApprovalRule } from '../../protocol/types.js';
import type { ApprovalAuthority, VerifiedDecision } from './record.js';

/** Approving votes as the rule sees them; `used` holds the votes that an `all` rule may not count again. */
type Votes = readonly VerifiedDecision[];

const RISK_RANK = { low: 1, medium: 2, high: 3, critical: 4 } as const;

/** Whether the approving votes satisfy the rule of the request, or its selector when it has no rule (docs/protocol/records.md#approvals). */
export function votesSatisfy(request: ApprovalRequest, votes: Votes): boolean {
  const rule = request.policy_snapshot?.rule;
  if (rule) return matchOf(rule, votes, request) !== undefined;
  return votes.some(({ authority }) => selects(request.approver_selector, authority, request));
}

/** The votes that satisfy a rule; undefined when it is not satisfied. */
function matchOf(rule: ApprovalRule, votes: Votes, request: ApprovalRequest): Votes | undefined {
  switch (rule.operator) {
    case 'any': {
      for (const child of rule.rules) {
        const match = matchOf(child, votes, request);
        if (match) return match;
      }
      return undefined;
    }
    case 'all': {
      const matched: VerifiedDecision[] = [];
      for (const child of rule.rules) {
        const free = rule.allow_decision_reuse ? votes : votes.filter((vote) => !sharesWith(vote, matched));
        const match = matchOf(child, free, request);
        if (!match) return undefined;
        matched.push(...match);
      }
      return matched;
    }
    case 'quorum': {
      const matching = votes.filter((vote) => rule.rules.some((leaf) => isLeaf(leaf, vote.authority, request)));
      const counted = rule.distinct_principals ? distinct(matching) : matching;
      return counted.length >= rule.required ? counted.slice(0, rule.required) : undefined;
    }
    default: {
      const vote = votes.find(({ authority }) => isLeaf(rule, authority, request));
      return vote && [vote];
    }
  }
}

function isLeaf(rule: ApprovalRule, authority: ApprovalAuthority, request: ApprovalRequest): boolean {
  switch (rule.operator) {
    case 'principal':
      return authority.principal_id === rule.id;
    case 'role':
      return authority.roles?.includes(rule.name) ?? false;
    case 'group':
      return authority.groups?.includes(rule.name) ?? false;
    case 'tenant_policy':
      return authority.tenant_policies?.includes(rule.policy_id) ?? false;
    case 'external_system':
      return authority.external_systems?.includes(rule.system) ?? false;
    case 'delegated_authority':
      return (authority.delegated_scopes ?? []).some((grant) => {
        const rank = request.risk === undefined ? 0 : RISK_RANK[request.risk];
        const maxRank = Math.min(grant.max_risk_rank ?? 4, rule.max_risk === undefined ? 4 : RISK_RANK[rule.max_risk]);
        const maxValue = Math.min(grant.max_value ?? Infinity, rule.max_value ?? Infinity);
        return (
          grant.scope === rule.scope && !grant.revoked && rank <= maxRank && (request.governed_value ?? 0) <= maxValue
        );
      });
    default:
      return false;
  }
}

function selects(
  selector: ApprovalRequest['approver_selector'],
  authority: ApprovalAuthority,
  request: ApprovalRequest,
): boolean {
  switch (selector.type) {
    case 'principal':
      return authority.principal_id === selector.id;
    case 'role':
      return authority.roles?.includes(selector.name) ?? false;
    case 'group':
      return authority.groups?.includes(selector.name) ?? false;
    case 'external_system':
      return authority.external_systems?.includes(selector.system) ?? false;
    case 'tenant_policy':
      return (
        (authority.tenant_policies ?? []).length > 0 ||
        (typeof authority.tenant_id === 'string' && authority.tenant_id === request.identity?.tenant?.id)
      );
  }
}

function sharesWith(vote: VerifiedDecision, others: Votes): boolean {
  return others.some((other) => other === vote || other.authority.principal_id === vote.authority.principal_id);
}

/** One vote a principal. */
function distinct(votes: Votes): Votes {
  return [...new Map(votes.map((vote) => [vote.authority.principal_id, vote])).values()];
}
