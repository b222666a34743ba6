import type { Queryable } from '../../postgres/pool.js';
import type { RoutedAction } from '../routes/assignment.js';

/** An assignment that holds a place on its replica. */
export interface HeldAssignment extends RoutedAction {
  readonly fenceToken: string;
}

// What has held its place since before a time, longest first.
const HELD = `
SELECT action_id AS "actionId", tenant_id AS "tenantId", fence_token AS "fenceToken" FROM registry.assignments
WHERE reserved AND updated_at < $1 ORDER BY updated_at LIMIT $2`;

// What was settled before a time and not touched since, oldest first, past rows that somebody works on.
const PRUNE = `
DELETE FROM registry.assignments WHERE NOT reserved AND (action_id, tenant_id) IN (
  SELECT action_id, tenant_id FROM registry.assignments WHERE NOT reserved AND updated_at < $1
  ORDER BY updated_at LIMIT $2 FOR UPDATE SKIP LOCKED)`;

/** At most `limit` assignments that have held their place since before `beforeMs`. */
export async function heldAssignments(db: Queryable, beforeMs: number, limit: number): Promise<HeldAssignment[]> {
  const { rows } = await db.query<HeldAssignment>({
    name: 'registry.assignments.held',
    text: HELD,
    values: [beforeMs, limit],
  });
  return rows;
}

/** Removes at most `limit` assignments that were settled before `beforeMs`; returns how many. Their actions can not be pinned again. */
export async function pruneAssignments(db: Queryable, beforeMs: number, limit: number): Promise<number> {
  const done = await db.query({ name: 'registry.assignments.prune', text: PRUNE, values: [beforeMs, limit] });
  return done.rowCount;
}
