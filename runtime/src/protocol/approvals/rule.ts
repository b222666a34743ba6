import { toNumber } from '../json.js';
import type { ApprovalRequest, ApprovalRule } from '../types.js';
import type { ApprovalAuthority, VerifiedDecision } from './record.js';

/** Approving votes as the rule sees them. */
type Votes = readonly VerifiedDecision[];

/** What is left of the work that one evaluation may take; a rule that needs more counts as not satisfied. */
interface Steps {
  left: number;
}
const MAX_STEPS = 20_000;

const RISK_RANK = { low: 1, medium: 2, high: 3, critical: 4 } as const;

/** Whether the approving votes satisfy the rule of the request, or its selector when it has no rule (docs/protocol/records.md#approvals). */
export function votesSatisfy(request: ApprovalRequest, votes: Votes): boolean {
  const rule = request.policy_snapshot?.rule;
  if (rule) return matchesOf(rule, votes, request, { left: MAX_STEPS }).next().done === false;
  return votes.some(({ authority }) => selects(request.approver_selector, authority, request));
}

/** Whether an approver could contribute: the selector of the request or any leaf of its rule names this authority. */
export function mayContribute(request: ApprovalRequest, authority: ApprovalAuthority): boolean {
  const rule = request.policy_snapshot?.rule;
  const named = rule !== undefined && leavesOf(rule).some((leaf) => isLeaf(leaf, authority, request));
  return named || selects(request.approver_selector, authority, request);
}

/** The parts of a rule that name approvers, at any depth. */
export function leavesOf(rule: ApprovalRule): ApprovalRule[] {
  return 'rules' in rule ? rule.rules.flatMap(leavesOf) : [rule];
}

/** Every choice of votes that satisfies a rule, found one at a time; ends early when the steps are used up. */
function* matchesOf(rule: ApprovalRule, votes: Votes, request: ApprovalRequest, steps: Steps): Generator<Votes> {
  switch (rule.operator) {
    case 'any':
      for (const child of rule.rules) yield* matchesOf(child, votes, request, steps);
      return;
    case 'all':
      yield* matchesOfAll(rule.rules, rule.allow_decision_reuse, votes, request, steps);
      return;
    case 'quorum': {
      const matching = votes.filter((vote) => rule.rules.some((leaf) => isLeaf(leaf, vote.authority, request)));
      const counted = rule.distinct_principals ? distinct(matching) : matching;
      yield* choicesOf(counted, rule.required, steps);
      return;
    }
    default:
      for (const vote of votes) if (isLeaf(rule, vote.authority, request) && step(steps)) yield [vote];
  }
}

/** Votes that satisfy every rule: without reuse no two rules share a vote or a principal. */
function* matchesOfAll(
  [first, ...rest]: readonly ApprovalRule[],
  reuse: boolean,
  votes: Votes,
  request: ApprovalRequest,
  steps: Steps,
): Generator<Votes> {
  if (!first) {
    yield [];
    return;
  }
  for (const match of matchesOf(first, votes, request, steps)) {
    const free = reuse ? votes : votes.filter((vote) => !sharesWith(vote, match));
    for (const others of matchesOfAll(rest, reuse, free, request, steps)) yield [...match, ...others];
  }
}

/** Every choice of `size` votes, in order. */
function* choicesOf(votes: Votes, size: number, steps: Steps): Generator<Votes> {
  if (size === 0) {
    yield [];
    return;
  }
  for (let at = 0; at + size <= votes.length; at += 1) {
    if (!step(steps)) return;
    for (const others of choicesOf(votes.slice(at + 1), size - 1, steps))
      yield [votes[at] as VerifiedDecision, ...others];
  }
}

function step(steps: Steps): boolean {
  steps.left -= 1;
  return steps.left >= 0;
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
        const maxValue = Math.min(grant.max_value ?? Infinity, toNumber(rule.max_value ?? Infinity));
        return (
          grant.scope === rule.scope &&
          !grant.revoked &&
          rank <= maxRank &&
          toNumber(request.governed_value ?? 0) <= maxValue
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
