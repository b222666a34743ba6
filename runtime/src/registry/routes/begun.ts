import type { Queryable } from '../../postgres/pool.js';
import type { RoutedAction } from './assignment.js';

// Whether the newest dispatch of an action may have begun its work.
const BEGUN = `
SELECT reserved OR settlement NOT IN ('refused', 'unreached') AS begun FROM registry.assignments
WHERE action_id = $1 AND tenant_id = $2`;

/**
 * Whether a host may have begun the work of an action in an earlier dispatch: it was assigned, and not settled as turned away before it
 * began. An assignment that is still reserved belongs to a dispatch that broke off.
 */
export async function mayHaveBegun(db: Queryable, { actionId, tenantId }: RoutedAction): Promise<boolean> {
  const { rows } = await db.query<{ begun: boolean }>({
    name: 'registry.route.begun',
    text: BEGUN,
    values: [actionId, tenantId],
  });
  return rows[0]?.begun ?? false;
}
