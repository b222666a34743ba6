import type { Queryable } from '../../../postgres/pool.js';
import { AipError } from '../../../protocol/errors.js';
import { samePrincipal } from '../../../protocol/identity/principal.js';
import type { Identity } from '../../edge/identity.js';
import { type Access, authorizeQuery, reaches } from '../../edge/query-authorization.js';
import { ACTION_COLUMNS, type StoredActionRecord } from '../record/columns.js';
import { decodeAction, reachedAction } from '../record/read.js';
import type { ActionRecord } from '../record/record.js';

// An action that runs here as the child of a delegation of this principal: one that was handed to another delegate was attempted.
const READ_CHILD = `
SELECT ${ACTION_COLUMNS} FROM runtime.actions a WHERE a.action_id = $1 AND a.tenant_id IS NOT DISTINCT FROM $2 AND EXISTS (
  SELECT FROM runtime.delegations d WHERE d.child_action_id = a.action_id AND d.tenant_id IS NOT DISTINCT FROM a.tenant_id
    AND d.principal_id = $3 AND d.delegate_id = a.principal_id AND d.attempts = 0)`;

/**
 * One action that the caller may read (scope action:read, its owner, its tenant), also one that runs here because the caller delegated it. Throws
 * NotAuthorized, `auth.tenant_required`, `auth.tenant_mismatch`, QueryInvalid for an id that several tenants of the caller's reach use, and
 * `action.not_found` both when there is none and when the caller may not see it.
 */
export async function findAction(
  db: Queryable,
  identity: Identity,
  request: { actionId: string; tenantId?: string | undefined },
  nowMs: number,
): Promise<ActionRecord> {
  const access = authorizeQuery(identity, { object: 'action', operation: 'read', tenantId: request.tenantId }, nowMs);
  const record =
    (await reachedAction(db, access, request.actionId)) ??
    (await delegatedAction(db, identity, access, request.actionId));
  if (!record) throw new AipError('action.not_found', undefined, { details: { action_id: request.actionId } });
  return record;
}

/**
 * The child action that runs here for the caller. A delegation alone shows nothing: its sender chooses the child's id, and only the last hop
 * of the action's own chain says for whom it runs.
 */
async function delegatedAction(
  db: Queryable,
  { principal, tenantId: ownTenant }: Identity,
  access: Access,
  actionId: string,
): Promise<ActionRecord | undefined> {
  const tenantId = ownTenant ?? null;
  if (!reaches(access, { tenantId, principalId: principal.id })) return undefined;
  const { rows } = await db.query<StoredActionRecord>({
    name: 'runtime.action.read_child',
    text: READ_CHILD,
    values: [actionId, tenantId, principal.id],
  });
  const record = rows[0] && decodeAction(rows[0]);
  return samePrincipal(principal, record?.request.delegation_chain?.at(-1)?.from) ? record : undefined;
}
