import type { Queryable } from '../../../postgres/pool.js';
import { ActionNotFound } from '../../../protocol/errors.js';
import type { Identity } from '../../edge/identity.js';
import { authorizeQuery } from '../../edge/query-authorization.js';
import { reachedAction } from '../record/read.js';
import type { ActionRecord } from '../record/record.js';

/**
 * One action that the caller may read (scope action:read, its owner, its tenant). Throws NotAuthorized, TenantRequired,
 * TenantMismatch, QueryInvalid for an id that several tenants of the caller's reach use, and ActionNotFound both when there
 * is none and when the caller may not see it.
 */
export async function findAction(
  db: Queryable,
  identity: Identity,
  request: { actionId: string; tenantId?: string | undefined },
  nowMs: number,
): Promise<ActionRecord> {
  const access = authorizeQuery(identity, { object: 'action', operation: 'read', tenantId: request.tenantId }, nowMs);
  const record = await reachedAction(db, access, request.actionId);
  if (!record) throw new ActionNotFound(undefined, { details: { action_id: request.actionId } });
  return record;
}
