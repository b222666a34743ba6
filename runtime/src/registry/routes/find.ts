import type { Queryable } from '../../postgres/pool.js';
import { ASSIGNMENT_COLUMNS, type AssignmentRow, assignmentOf, type RouteAssignment } from './assignment.js';

// The assignment of one action.
const FIND = `SELECT ${ASSIGNMENT_COLUMNS} FROM registry.assignments WHERE action_id = $1`;

/** The stored assignment of an action, reserved or settled, or undefined. */
export async function findAssignment(db: Queryable, actionId: string): Promise<RouteAssignment | undefined> {
  const { rows } = await db.query<AssignmentRow>({ name: 'registry.route.find', text: FIND, values: [actionId] });
  return rows[0] && assignmentOf(rows[0]);
}
