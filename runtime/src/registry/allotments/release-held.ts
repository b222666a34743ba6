/** A route that the statement which ended its action has released. */
export interface HeldRelease {
  readonly fenceToken: string;
  readonly replicaId: string;
  readonly instanceId: string;
}

/** The columns of `freed` that make a HeldRelease. */
export const FREED_COLUMNS = `f.fence_token AS "fenceToken", f.replica_id AS "replicaId", f.instance_id AS "instanceId"`;

/**
 * Parts of a statement that ends actions ($1: their ids; `settled`: those that it ended, with completed_at): release their routes that are
 * held in a share, which locks nothing that gateways share. The arrays from $first on name actions, fence tokens, how the work ended, and whether the
 * gateway has no further use for the route. Such a route is removed, unless the controller reads when or how the actions of its instance
 * ended. What is counted at the replica itself, or changes its circuit, stays for a release of its own.
 */
export function releaseHeld(first: number): string {
  const [actions, tokens, settlements, spent] = [0, 1, 2, 3].map((nth) => `$${first + nth}`);
  const items = `unnest(${actions}::text[], ${tokens}::text[], ${settlements}::text[], ${spent}::boolean[])
    AS i(action_id, fence_token, settlement, spent) JOIN settled s USING (action_id)`;
  return `removed_routes AS (
  DELETE FROM registry.assignments a USING ${items} WHERE ${HELD} AND ${REMOVED} RETURNING ${FREED}
), kept_routes AS (
  UPDATE registry.assignments a SET reserved = false, settlement = i.settlement, updated_at = s.completed_at
  FROM ${items} WHERE ${HELD} AND NOT (${REMOVED}) RETURNING ${FREED}
), freed AS (
  SELECT * FROM removed_routes UNION ALL SELECT * FROM kept_routes
)`;
}

const FREED = 'a.action_id, a.fence_token, a.replica_id, a.instance_id';
const HELD = `a.action_id = ANY($1::text[]) AND a.action_id = i.action_id AND a.fence_token = i.fence_token AND a.settlement IS NULL
    AND a.holder IS NOT NULL AND i.settlement IN ('completed', 'cancelled', 'refused')
    AND (i.settlement <> 'completed' OR NOT EXISTS (SELECT FROM registry.replicas r
      WHERE r.id = a.replica_id AND (r.consecutive_failures <> 0 OR r.circuit_open_until <> 0)))`;
// Nothing of it names a column of the route that changes, so a route is either removed or kept, also where another statement writes it meanwhile.
const REMOVED = `i.spent AND i.settlement = 'completed'
    AND EXISTS (SELECT FROM registry.instances n WHERE n.id = a.instance_id AND n.routes_kept_since IS NULL)
    AND NOT EXISTS (SELECT FROM registry.scaling z WHERE z.instance_id = a.instance_id)`;
