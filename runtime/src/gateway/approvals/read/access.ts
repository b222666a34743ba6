import { keysOfAuthority } from '../../actions/approval/authority/keys.js';
import type { Identity } from '../../edge/identity.js';
import { type Bind, ofTenant } from '../../edge/lists/conditions.js';
import { type Access, authorizeQuery } from '../../edge/query-authorization.js';
import type { AuthorityResolver } from '../authority/resolve.js';

/** Which approvals a caller may see: those of the owners it reaches, those it decided on, and those it may decide. */
export interface ApprovalAccess {
  readonly access: Access;
  readonly principalId: string;
  /** What the caller may decide by; empty without authority. */
  readonly keys: readonly string[];
}

/** Authorizes reading approvals (scope approval:read). Throws NotAuthorized, `auth.tenant_required`, `auth.tenant_mismatch`. */
export async function approvalAccess(
  authorityOf: AuthorityResolver,
  identity: Identity,
  tenantId: string | undefined,
  nowMs: number,
): Promise<ApprovalAccess> {
  const access = authorizeQuery(identity, { object: 'approval', operation: 'read', tenantId }, nowMs);
  const authority = await authorityOf(identity);
  const principalId = identity.principal.id;
  return { access, principalId, keys: authority ? keysOfAuthority(authority) : [`principal:${principalId}`] };
}

/** The WHERE conditions of what an access reaches in runtime.approvals `p`; `bind` gives a value its place. */
export function visibleApprovals({ access, principalId, keys }: ApprovalAccess, bind: Bind): string[] {
  const clauses = ofTenant('p', access, bind);
  if (access.principals === 'any') return clauses;
  const owners = bind(access.principals);
  const owned = `p.requester_id = ANY(${owners}) OR p.subject_id = ANY(${owners})`;
  // Whoever reads by a grant alone sees what the other principal requested, and nothing for itself.
  if (!access.principals.includes(principalId)) return [...clauses, `(${owned})`];
  clauses.push(`(${owned} OR p.approver_keys && ${bind(keys)}::text[]
    OR EXISTS (SELECT FROM runtime.approval_votes v WHERE v.approval_id = p.approval_id
      AND v.tenant_key = COALESCE(p.tenant_id, '') AND v.approver_id = ${bind(principalId)}))`);
  return clauses;
}
