/** A route that the statement which ended its action has released. */
export interface HeldRelease {
  readonly fenceToken: string;
  readonly replicaId: string;
  readonly instanceId: string;
}

/** The columns of `freed` that make a HeldRelease. */
export const FREED_COLUMNS = `f.fence_token AS "fenceToken", f.replica_id AS "replicaId", f.instance_id AS "instanceId"`;

/**
 * A part of a statement that ends actions ($1: their ids; `settled`: those that it ended, with completed_at): releases their routes that are
 * held in a share, which locks nothing that gateways share. Its arrays from $first on name actions, fence tokens and how the work ended. What
 * is counted at the replica itself, or changes its circuit, stays for a release of its own.
 */
export const releaseHeld = (first: number): string => `freed AS (
  UPDATE registry.assignments a SET reserved = false, settlement = i.settlement, updated_at = s.completed_at
  FROM unnest($${first}::text[], $${first + 1}::text[], $${first + 2}::text[]) AS i(action_id, fence_token, settlement) JOIN settled s USING (action_id)
  WHERE a.action_id = ANY($1::text[]) AND a.action_id = i.action_id AND a.fence_token = i.fence_token AND a.settlement IS NULL
    AND a.holder IS NOT NULL AND i.settlement IN ('completed', 'cancelled', 'refused')
    AND (i.settlement <> 'completed' OR NOT EXISTS (SELECT FROM registry.replicas r
      WHERE r.id = a.replica_id AND (r.consecutive_failures <> 0 OR r.circuit_open_until <> 0)))
  RETURNING a.action_id, a.fence_token, a.replica_id, a.instance_id
)`;
