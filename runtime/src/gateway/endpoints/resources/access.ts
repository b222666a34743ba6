import { AipError, NotAuthorized } from '../../../protocol/errors.js';
import { parseTime } from '../../../protocol/time.js';
import type { Resource } from '../../../protocol/types.js';
import type { Identity } from '../../edge/identity.js';

/**
 * Why the resource's own policy refuses a caller, or undefined when it admits one: a public resource admits everyone
 * who may read resources; a tenant's resource with `tenant_required` its members alone; then a listed principal or any
 * one of the required scopes suffices.
 */
export function accessRefusal(identity: Identity, resource: Resource): AipError | undefined {
  const policy = resource.access;
  if (!policy || policy.public) return undefined;
  if (policy.tenant_required && resource.tenant_id !== undefined) {
    if (identity.tenantId === undefined) return new AipError('auth.tenant_required');
    if (identity.tenantId !== resource.tenant_id) return new AipError('auth.tenant_mismatch');
  }
  const { allowed_principals: principals = [], required_scopes: scopes = [] } = policy;
  if (principals.length === 0 && scopes.length === 0) return undefined;
  if (principals.includes(identity.principal.id)) return undefined;
  if (scopes.length > 0 && (identity.scopes.has('*') || scopes.some((scope) => identity.scopes.has(scope))))
    return undefined;
  return new NotAuthorized('the access policy of the resource does not admit the caller', {
    details: { resource_id: resource.id },
  });
}

/** Whether the resource is no longer available. */
export function isExpired(resource: Resource, nowMs: number): boolean {
  return resource.expires_at !== undefined && parseTime(resource.expires_at) <= nowMs;
}
