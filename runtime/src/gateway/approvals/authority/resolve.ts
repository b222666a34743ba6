import type { ApprovalAuthority } from '../../../protocol/approvals/record.js';
import type { Clock } from '../../../protocol/clock.js';
import { parseTime } from '../../../protocol/time.js';
import type { Identity } from '../../edge/identity.js';
import { type AuthorityTable, authorityKey } from './file.js';

/** Revision of an authority that comes from the credential itself. */
const CREDENTIAL_REVISION = 1;

/** Says with which authority an authenticated caller decides approvals; undefined: with none. */
export type AuthorityResolver = (identity: Identity) => ApprovalAuthority | undefined;

/**
 * With an approval authority file a caller has what its entry for the caller's own tenant gives, and nothing without a live entry.
 * Without a file a caller is itself and has the roles of its credential: such a one satisfies no tenant policy.
 */
export function authorityResolver(table: (() => AuthorityTable) | undefined, clock: Clock): AuthorityResolver {
  return (identity) => {
    const tenantId = identity.tenantId ?? null;
    if (!table) return ofCredential(identity, tenantId);
    const entry = table().get(authorityKey(identity.principal.id, tenantId));
    const nowMs = clock();
    if (!entry || entry.revoked || hasExpired(entry.expires_at, nowMs)) return undefined;
    const live = entry.delegated_scopes?.filter((scope) => !scope.revoked && !hasExpired(scope.expires_at, nowMs));
    return { ...entry, delegated_scopes: live ?? [] };
  };
}

function ofCredential({ principal, roles }: Identity, tenantId: string | null): ApprovalAuthority {
  return {
    principal_id: principal.id,
    tenant_id: tenantId,
    roles: [...roles].sort(),
    groups: [],
    tenant_policies: [],
    external_systems: [],
    delegated_scopes: [],
    revision: CREDENTIAL_REVISION,
    revoked: false,
  };
}

function hasExpired(expiresAt: unknown, nowMs: number): boolean {
  return typeof expiresAt === 'string' && parseTime(expiresAt) <= nowMs;
}
