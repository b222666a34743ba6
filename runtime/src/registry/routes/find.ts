import type { Queryable } from '../../postgres/pool.js';
import {
  ASSIGNMENT_COLUMNS,
  type AssignmentRow,
  assignmentOf,
  type RouteAssignment,
  type RoutedAction,
} from './assignment.js';

// The assignment of one action.
const FIND = `SELECT ${ASSIGNMENT_COLUMNS} FROM registry.assignments WHERE action_id = $1 AND tenant_id = $2`;

/** The stored assignment of an action, reserved or settled, or undefined. */
export async function findAssignment(
  db: Queryable,
  { actionId, tenantId }: RoutedAction,
): Promise<RouteAssignment | undefined> {
  const values = [actionId, tenantId];
  const { rows } = await db.query<AssignmentRow>({ name: 'registry.route.find', text: FIND, values });
  return rows[0] && assignmentOf(rows[0]);
}
