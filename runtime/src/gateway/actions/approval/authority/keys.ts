import type { ApprovalAuthority } from '../../../../protocol/approvals/record.js';
import { leavesOf } from '../../../../protocol/approvals/rule.js';
import type { ApprovalRequest, ApprovalRule } from '../../../../protocol/types.js';

/** The key of a selector that any tenant policy satisfies. */
const ANY_TENANT_POLICY = 'tenant_policy';

/** What a request accepts as authority, as keys such as `role:finance`; an approver with one of them may contribute. */
export function keysOfRequest({ approver_selector: selector, policy_snapshot }: ApprovalRequest): string[] {
  const rule = policy_snapshot?.rule;
  const keys = rule === undefined ? [] : leavesOf(rule).flatMap(keyOfLeaf);
  switch (selector.type) {
    case 'principal':
      keys.push(`principal:${selector.id}`);
      break;
    case 'role':
    case 'group':
      keys.push(`${selector.type}:${selector.name}`);
      break;
    case 'external_system':
      keys.push(`external_system:${selector.system}`);
      break;
    case 'tenant_policy':
      keys.push(ANY_TENANT_POLICY);
  }
  return [...new Set(keys)];
}

/** The keys that an authority has. A delegated scope counts whatever its limits: they are checked when its holder decides. */
export function keysOfAuthority(authority: ApprovalAuthority): string[] {
  const policies = authority.tenant_policies ?? [];
  return [
    `principal:${authority.principal_id}`,
    ...(authority.roles ?? []).map((name) => `role:${name}`),
    ...(authority.groups ?? []).map((name) => `group:${name}`),
    ...policies.map((id) => `tenant_policy:${id}`),
    ...(policies.length > 0 ? [ANY_TENANT_POLICY] : []),
    ...(authority.external_systems ?? []).map((system) => `external_system:${system}`),
    ...(authority.delegated_scopes ?? []).map(({ scope }) => `delegated_authority:${scope}`),
  ];
}

function keyOfLeaf(leaf: ApprovalRule): string[] {
  switch (leaf.operator) {
    case 'principal':
      return [`principal:${leaf.id}`];
    case 'role':
    case 'group':
      return [`${leaf.operator}:${leaf.name}`];
    case 'tenant_policy':
      return [`tenant_policy:${leaf.policy_id}`];
    case 'external_system':
      return [`external_system:${leaf.system}`];
    case 'delegated_authority':
      return [`delegated_authority:${leaf.scope}`];
    default:
      return [];
  }
}
