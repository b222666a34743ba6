import { AipError, NotAuthorized, QueryInvalid } from '../../protocol/errors.js';
import { parseTime } from '../../protocol/time.js';
import type { Identity } from './identity.js';

/** What a query reads or changes; the first part of a scope's name (docs/protocol/client-api.md#authorization). */
export type QueryObject =
  | 'action'
  | 'session'
  | 'approval'
  | 'transaction'
  | 'receipt'
  | 'audit'
  | 'callback'
  | 'resource'
  | 'events';

/** What it does with it; the second part of a scope's name. */
export type QueryOperation = 'read' | 'write' | 'export';

/**
 * A query before any record is known: `principalId` and `tenantId` are what the caller requested. What only concerns the caller itself
 * names the caller, so that no grant of others counts for it.
 */
export interface QueryRequest {
  readonly object: QueryObject;
  readonly operation: QueryOperation;
  readonly principalId?: string | undefined;
  readonly tenantId?: string | undefined;
  /** Further scopes the query needs, such as approval:sensitive. */
  readonly extraScopes?: readonly string[];
}

/**
 * What an authorized query may touch. `tenant` null means records outside every tenant; 'any' means no bound.
 * `principals` are the owners whose records show; 'any' means every owner.
 */
export interface Access {
  readonly tenant: string | null | 'any';
  readonly principals: readonly string[] | 'any';
}

/** A stored record's owner, as far as authorization cares. */
export interface OwnedRecord {
  readonly tenantId: string | null;
  readonly principalId: string | null;
}

/**
 * Authorizes a query by scope, principal and tenant (docs/protocol/client-api.md#authorization) and says which records it may touch.
 * The caller's own tenant narrows every query that names none; a foreign one needs tenant:read:any.
 * `*` and `<object>:<operation>:any` widen principals inside the caller's tenant; for a caller outside every tenant
 * they widen tenants too. A live grant counts as the scope for the records of the principal that it names. Throws NotAuthorized,
 * `audit.not_authorized`, `auth.tenant_required` or `auth.tenant_mismatch`.
 */
export function authorizeQuery(identity: Identity, request: QueryRequest, nowMs: number): Access {
  const own = `${request.object}:${request.operation}`;
  const wide = has(identity, `${own}:any`) || has(identity, '*');
  const grants = liveGrants(identity, own, nowMs);
  const refuse = (message: string): Error => {
    const details = { object: request.object, operation: capitalized(request.operation) };
    return request.object === 'audit'
      ? new AipError('audit.not_authorized', message, { details })
      : new NotAuthorized(message, { details });
  };
  const selected = request.principalId;
  const foreign = selected !== undefined && selected !== identity.principal.id;
  const granted = selected === undefined ? grants.size > 0 : grants.has(selected);
  const holds = wide || has(identity, own);
  if (!holds && !granted) throw refuse(`the scope ${own} is needed`);
  if (request.object === 'events' && identity.tenantId === undefined && !wide)
    throw refuse('outside every tenant the scope events:read:any is needed');
  const anyOwner = wide || (holds && has(identity, 'principal:read:any'));
  if (foreign && !anyOwner && !granted) throw refuse('another principal may not be selected');
  for (const scope of request.extraScopes ?? [])
    if (!has(identity, scope) && !has(identity, '*')) throw refuse(`the scope ${scope} is needed`);
  const tenant = tenantOf(identity, request.tenantId, wide);
  if (selected !== undefined) return { tenant, principals: [selected] };
  return { tenant, principals: anyOwner ? 'any' : [...(holds ? [identity.principal.id] : []), ...grants] };
}

/** Whether an access reaches a record; one that has a tenant but no owner belongs to all of the tenant. A record it does not reach is answered as one that does not exist. */
export function reaches(access: Access, record: OwnedRecord): boolean {
  if (access.tenant !== 'any' && record.tenantId !== access.tenant) return false;
  if (access.principals === 'any') return true;
  if (record.principalId === null) return record.tenantId !== null;
  return access.principals.includes(record.principalId);
}

/**
 * Of the records of one id that a caller reaches, those of one tenant: outside every tenant where there are some, since only a caller from
 * there reaches several tenants and no `tenant_id` names them. Throws QueryInvalid for those of several tenants.
 */
export function ofOneTenant<R extends { readonly tenant_id: string | null }>(
  records: readonly R[],
  id: string,
): readonly R[] {
  const outside = records.filter(({ tenant_id }) => tenant_id === null);
  if (outside.length > 0) return outside;
  if (new Set(records.map(({ tenant_id }) => tenant_id)).size <= 1) return records;
  const message = 'more than one tenant has a record of this id: add tenant_id';
  throw new QueryInvalid(message, { details: { id, parameter: 'tenant_id' } });
}

/** Whether sensitive members of an object may be shown (docs/protocol/client-api.md#authorization). */
export function seesSensitive(identity: Identity, object: QueryObject): boolean {
  return has(identity, `${object}:sensitive`) || has(identity, 'data:sensitive:read') || has(identity, '*');
}

function tenantOf(identity: Identity, asked: string | undefined, wide: boolean): string | null | 'any' {
  const own = identity.tenantId;
  const everyTenant = has(identity, 'tenant:read:any') || (own === undefined && wide);
  if (asked === undefined) return own ?? (everyTenant ? 'any' : null);
  if (asked === own || everyTenant) return asked;
  if (own === undefined)
    throw new AipError('auth.tenant_required', 'a tenant may be named only by an identity that has one');
  throw new AipError('auth.tenant_mismatch', 'the named tenant is not the tenant of the authenticated identity');
}

function liveGrants(identity: Identity, scope: string, nowMs: number): Set<string> {
  const owners = new Set<string>();
  for (const grant of identity.grants ?? []) {
    if (grant.expires_at !== undefined && parseTime(grant.expires_at) <= nowMs) continue;
    const scopes = grant.scopes ?? [];
    if (scopes.includes(scope) || scopes.includes(`${scope}:any`) || scopes.includes('*'))
      owners.add(grant.principal_id);
  }
  return owners;
}

function has(identity: Identity, scope: string): boolean {
  return identity.scopes.has(scope);
}

function capitalized(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
