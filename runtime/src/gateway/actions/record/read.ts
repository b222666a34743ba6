import type { Queryable } from '../../../postgres/pool.js';
import { parseJson } from '../../../protocol/json.js';
import type { Action, ActionResult, ProtocolError } from '../../../protocol/types.js';
import type { ExecutionPlan } from './plan.js';
import { ACTION_COLUMNS, type ActionRecord, type StoredActionRecord } from './record.js';

// One action by its id.
const READ_ACTION = `SELECT ${ACTION_COLUMNS} FROM runtime.actions a WHERE a.action_id = $1`;

/** Reads one action, or undefined when its id is not known. */
export async function readAction(db: Queryable, actionId: string): Promise<ActionRecord | undefined> {
  const found = await db.query<StoredActionRecord>({
    name: 'runtime.action.read',
    text: READ_ACTION,
    values: [actionId],
  });
  return found.rows[0] && decodeAction(found.rows[0]);
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
