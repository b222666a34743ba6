import type { Queryable } from '../../../postgres/pool.js';
import type { ActionRef } from '../../../protocol/content/action-ref.js';
import { parseJson } from '../../../protocol/json.js';
import type { Action, ActionResult, ProtocolError } from '../../../protocol/types.js';
import { type Access, ofOneTenant, reaches } from '../../edge/query-authorization.js';
import { ACTION_COLUMNS, type StoredActionRecord } from './columns.js';
import type { ExecutionPlan } from './plan.js';
import type { ActionRecord } from './record.js';

// One action of a tenant by its id.
const READ_ACTION = `SELECT ${ACTION_COLUMNS} FROM runtime.actions a WHERE a.action_id = $1 AND a.tenant_id IS NOT DISTINCT FROM $2`;

// Actions of this id in every tenant that belong to any of these principals, what is outside every tenant first; two say that the id is not enough.
const READ_ANYWHERE = `
SELECT ${ACTION_COLUMNS} FROM runtime.actions a WHERE a.action_id = $1 AND ($2::text[] IS NULL OR a.principal_id = ANY($2))
ORDER BY a.tenant_id NULLS FIRST LIMIT 2`;

/** Reads one action, or undefined when its tenant has none of this id. */
export async function readAction(db: Queryable, { actionId, tenantId }: ActionRef): Promise<ActionRecord | undefined> {
  const found = await db.query<StoredActionRecord>({
    name: 'runtime.action.read',
    text: READ_ACTION,
    values: [actionId, tenantId],
  });
  return found.rows[0] && decodeAction(found.rows[0]);
}

/**
 * Reads the action of an id that an access reaches, or undefined when it reaches none; see ofOneTenant for those of several tenants. Throws
 * QueryInvalid.
 */
export async function reachedAction(
  db: Queryable,
  access: Access,
  actionId: string,
): Promise<ActionRecord | undefined> {
  const { tenant, principals } = access;
  if (tenant !== 'any') {
    const record = await readAction(db, { actionId, tenantId: tenant });
    return record && reaches(access, { tenantId: tenant, principalId: record.principal_id }) ? record : undefined;
  }
  const { rows } = await db.query<StoredActionRecord>({
    name: 'runtime.action.read_anywhere',
    text: READ_ANYWHERE,
    values: [actionId, principals === 'any' ? null : principals],
  });
  const [found] = ofOneTenant(rows, actionId);
  return found && decodeAction(found);
}

/** Turns a stored row into a record. */
export function decodeAction(row: StoredActionRecord): ActionRecord {
  return {
    ...row,
    request: parseJson(row.request) as Action,
    plan: JSON.parse(row.plan) as ExecutionPlan,
    result: row.result === null ? null : (parseJson(row.result) as ActionResult),
    last_error: row.last_error === null ? null : (parseJson(row.last_error) as ProtocolError),
  };
}
