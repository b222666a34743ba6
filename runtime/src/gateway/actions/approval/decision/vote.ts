import type { ApprovalAuthority } from '../../../../protocol/approvals/record.js';
import { canonicalJson } from '../../../../protocol/canonical.js';
import { sha256Hex } from '../../../../protocol/digest.js';
import type { ApprovalDecision, Principal } from '../../../../protocol/types.js';
import type { Vote } from '../record.js';

/** Who lets an approval end without a vote. */
export const SYSTEM: Principal = { id: 'system:aip-runtime', kind: 'system' };

const NO_AUTHORITY = { tenant_id: null, roles: [], groups: [], tenant_policies: [], external_systems: [] };

/** The vote of an authenticated approver: approver and authority path are what the server established. */
export function voteOf(
  decision: ApprovalDecision,
  actor: Principal,
  authority: ApprovalAuthority,
  nowMs: number,
): Vote {
  const approver = { id: actor.id, kind: actor.kind };
  return admitted({ ...decision, approver, authority_path: authorityPath(authority) }, authority, nowMs);
}

/** The vote by which an approval ends when no vote decided it in time, or its action no longer waits. */
export function systemVote(
  approval: { readonly approval_id: string; readonly policy_hash: string },
  decidedAt: string,
  nowMs: number,
  reason?: string,
): Vote {
  const decision: ApprovalDecision = {
    approval_id: approval.approval_id,
    decision: 'expired',
    approver: SYSTEM,
    decided_at: decidedAt,
    ...(reason === undefined ? {} : { reason }),
    decision_id: `decision:${approval.approval_id}:expired`,
    policy_hash: approval.policy_hash,
    authority_path: ['system:approval-expiry'],
  };
  const authority = { ...NO_AUTHORITY, principal_id: SYSTEM.id, delegated_scopes: [], revision: 0, revoked: false };
  return admitted(decision, authority, nowMs);
}

/** Whether two decisions are the same vote: what the server writes into one does not count. */
export function sameVote(a: ApprovalDecision, b: ApprovalDecision): boolean {
  return canonicalJson(comparable(a)) === canonicalJson(comparable(b));
}

function comparable({ authority_path: _path, approver, ...decision }: ApprovalDecision): unknown {
  return { ...decision, approver: { id: approver.id, kind: approver.kind } };
}

function admitted(decision: ApprovalDecision, authority: ApprovalAuthority, nowMs: number): Vote {
  const evidence = { decision, authority, authority_revision: authority.revision ?? 0 };
  return { decision, authority, evidence_hash: sha256Hex(canonicalJson(evidence)), recorded_at: nowMs };
}

function authorityPath(authority: ApprovalAuthority): string[] {
  const named = (kind: string, values: readonly string[] | undefined): string[] =>
    (values ?? []).map((value) => `${kind}:${value}`);
  return [
    `principal:${authority.principal_id}`,
    ...(authority.tenant_id ? [`tenant:${authority.tenant_id}`] : []),
    ...named('role', authority.roles),
    ...named('group', authority.groups),
    ...named('tenant_policy', authority.tenant_policies),
    ...named('external_system', authority.external_systems),
    `authority_revision:${authority.revision ?? 0}`,
  ];
}
