import type { Queryable } from '../../../postgres/pool.js';
import { ActionNotFound } from '../../../protocol/errors.js';
import type { Identity } from '../../edge/identity.js';
import { authorizeQuery, reaches } from '../../edge/query-authorization.js';
import { readAction } from '../record/read.js';
import type { ActionRecord } from '../record/record.js';

/**
 * One action that the caller may read (scope action:read, its owner, its tenant). Throws NotAuthorized, TenantRequired,
 * TenantMismatch, and ActionNotFound both when there is none and when the caller may not see it.
 */
export async function findAction(
  db: Queryable,
  identity: Identity,
  request: { actionId: string; tenantId?: string | undefined },
  nowMs: number,
): Promise<ActionRecord> {
  const access = authorizeQuery(identity, { object: 'action', operation: 'read', tenantId: request.tenantId }, nowMs);
  const record = await readAction(db, request.actionId);
  if (!record || !reaches(access, { tenantId: record.tenant_id, principalId: record.principal_id }))
    throw new ActionNotFound(undefined, { details: { action_id: request.actionId } });
  return record;
}
