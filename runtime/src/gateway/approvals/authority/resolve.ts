import type { ApprovalAuthority } from '../../../protocol/approvals/record.js';
import type { Clock } from '../../../protocol/clock.js';
import { parseTime } from '../../../protocol/time.js';
import type { Identity } from '../../edge/identity.js';
import type { PrincipalsFile } from '../../edge/principals-file.js';
import { type AuthorityTable, authorityKey } from './file.js';

/** Revision of an authority that comes from the credential itself. */
const CREDENTIAL_REVISION = 1;

/** Says with which authority an authenticated caller decides approvals; undefined: with none. */
export type AuthorityResolver = (identity: Identity) => Promise<ApprovalAuthority | undefined>;

/** Where authority comes from. */
export interface AuthoritySources {
  /** The approval authority file, when there is one: then nothing else counts. */
  readonly table?: (() => AuthorityTable) | undefined;
  /** Gives a caller that signs the roles of its entries. */
  readonly principals?: Pick<PrincipalsFile, 'rolesOf'> | undefined;
  readonly clock: Clock;
}

/**
 * With an approval authority file a caller has what its entry for the caller's own tenant gives, and nothing without a live entry.
 * Without a file a caller is itself and has the roles of its credential, or of its entries in the principals file when it signs: such a
 * one satisfies no tenant policy.
 */
export function authorityResolver({ table, principals, clock }: AuthoritySources): AuthorityResolver {
  return async (identity) => {
    const { principal, tenantId = null, scheme } = identity;
    if (!table) {
      const signed = scheme === 'did_proof' ? await principals?.rolesOf(principal.id, tenantId) : undefined;
      return ofCredential(principal.id, tenantId, signed ?? identity.roles);
    }
    const entry = table().get(authorityKey(principal.id, tenantId));
    const nowMs = clock();
    if (!entry || entry.revoked || hasExpired(entry.expires_at, nowMs)) return undefined;
    const live = entry.delegated_scopes?.filter((scope) => !scope.revoked && !hasExpired(scope.expires_at, nowMs));
    return { ...entry, delegated_scopes: live ?? [] };
  };
}

function ofCredential(principalId: string, tenantId: string | null, roles: readonly string[]): ApprovalAuthority {
  return {
    principal_id: principalId,
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
