import type { ApprovalAuthority } from '../../../protocol/approvals/record.js';
import { parseTime } from '../../../protocol/time.js';
import { textSet } from '../../edge/configured-lists.js';
import { isTenantId } from '../../edge/principals-file.js';

/** Entries by principal and tenant. */
export type AuthorityTable = ReadonlyMap<string, ApprovalAuthority>;

const MAX_RISK_RANK = 4;

/** Where the authority of a principal in a tenant, or outside every tenant, is in the table. */
export function authorityKey(principalId: string, tenantId: string | null): string {
  return JSON.stringify([principalId, tenantId]);
}

/**
 * Reads the text of an approval authority file: a JSON array of {principal_id, tenant_id?, roles?, groups?, tenant_policies?,
 * external_systems?, delegated_scopes?, revision, expires_at?, revoked?}. Throws an Error that names the entry which is wrong.
 */
export function parseAuthorityFile(text: string): AuthorityTable {
  const value: unknown = JSON.parse(text);
  if (!Array.isArray(value)) throw new Error('The approval authority file must hold an array.');
  const table = new Map<string, ApprovalAuthority>();
  for (const [index, entry] of value.entries()) {
    const fail = (what: string): Error => new Error(`Entry ${index} of the approval authority file: ${what}.`);
    const authority = parseEntry(entry, fail);
    const key = authorityKey(authority.principal_id, authority.tenant_id ?? null);
    if (table.has(key)) throw fail('the principal is given twice for the same tenant');
    table.set(key, authority);
  }
  return table;
}

function parseEntry(entry: unknown, fail: (what: string) => Error): ApprovalAuthority {
  if (typeof entry !== 'object' || entry === null || Array.isArray(entry)) throw fail('must be an object');
  const { principal_id, tenant_id, revision, expires_at, revoked, delegated_scopes, ...rest } = entry as Record<
    string,
    unknown
  >;
  const { roles, groups, tenant_policies, external_systems, ...others } = rest;
  const unknown = Object.keys(others)[0];
  if (unknown !== undefined) throw fail(`the member ${unknown} is not known`);
  if (typeof principal_id !== 'string' || principal_id.trim() === '') throw fail('principal_id must be text');
  if (tenant_id !== undefined && tenant_id !== null && !isTenantId(tenant_id))
    throw fail('tenant_id must be 1 to 512 bytes of text');
  if (!Number.isSafeInteger(revision) || (revision as number) < 1)
    throw fail('revision must be a whole number above 0');
  const names = (list: unknown, name: string): string[] =>
    [...textSet(list, () => fail(`${name} must be a list of texts`))].sort();
  return {
    principal_id,
    tenant_id: (tenant_id as string | undefined) ?? null,
    roles: names(roles, 'roles'),
    groups: names(groups, 'groups'),
    tenant_policies: names(tenant_policies, 'tenant_policies'),
    external_systems: names(external_systems, 'external_systems'),
    delegated_scopes: parseScopes(delegated_scopes, fail),
    revision: revision as number,
    ...(expires_at === undefined ? {} : { expires_at: time(expires_at, fail, 'expires_at') }),
    revoked: flag(revoked, fail, 'revoked'),
  };
}

function parseScopes(value: unknown, fail: (what: string) => Error): ApprovalAuthority['delegated_scopes'] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) throw fail('delegated_scopes must be a list');
  return value.map((item) => {
    if (typeof item !== 'object' || item === null) throw fail('delegated_scopes must hold objects');
    const { scope, expires_at, max_risk_rank, max_value, revoked, ...others } = item as Record<string, unknown>;
    const unknown = Object.keys(others)[0];
    if (unknown !== undefined) throw fail(`the member ${unknown} of delegated_scopes is not known`);
    if (typeof scope !== 'string' || scope.trim() === '') throw fail('scope of delegated_scopes must be text');
    return {
      scope,
      expires_at: time(expires_at, fail, 'expires_at of delegated_scopes'),
      max_risk_rank: limit(max_risk_rank, 1, MAX_RISK_RANK, fail, 'max_risk_rank'),
      max_value: limit(max_value, 0, Number.MAX_SAFE_INTEGER, fail, 'max_value'),
      revoked: flag(revoked, fail, 'revoked of delegated_scopes'),
    };
  });
}

function limit(value: unknown, min: number, max: number, fail: (what: string) => Error, name: string): number | null {
  if (value === undefined || value === null) return null;
  if (!Number.isSafeInteger(value) || (value as number) < min || (value as number) > max)
    throw fail(`${name} must be a whole number from ${min} to ${max}`);
  return value as number;
}

function flag(value: unknown, fail: (what: string) => Error, name: string): boolean {
  if (value !== undefined && typeof value !== 'boolean') throw fail(`${name} must be true or false`);
  return value ?? false;
}

function time(value: unknown, fail: (what: string) => Error, name: string): string {
  try {
    parseTime(value as string);
    return value as string;
  } catch {
    throw fail(`${name} must be an RFC 3339 time`);
  }
}
