import type { Queryable } from '../../postgres/pool.js';

/**
 * How work on a replica ended. `refused`: the host said no before it began; that neither counts for nor against its circuit. `unreached`:
 * no host took it, so that nothing began; that counts like an unknown outcome.
 */
export type Settlement = 'completed' | 'outcome_unknown' | 'cancelled' | 'refused' | 'unreached';

/** One assignment to be released. The fence token must be the stored one. */
export interface RouteSettlement {
  readonly actionId: string;
  readonly fenceToken: string;
  readonly settlement: Settlement;
}

// Releases slots and counters of reserved assignments, locking replicas before counters as the reserving statements do (every write reads
// its locks, since a row that the same statement wrote first can no longer be locked); those already released stay as they are, recognized by their
// settlement: the index of what is reserved is full of what was reserved a moment ago, and must not be chosen. Counters are
// released also where the replica was removed meanwhile. What its holder's share counts gives back neither: the holder keeps the share, and a
// replica whose circuit stays as it is, is not locked. A completion closes the circuit of its replica, unknown outcomes and unreached hosts add up and open it,
// never for a shorter time than it is open already.
const SETTLE = `
WITH item AS MATERIALIZED (
  SELECT DISTINCT ON (fence_token) * FROM json_to_recordset($1::json) AS i(action_id text, fence_token text, settlement text)
), released AS MATERIALIZED (
  UPDATE registry.assignments a SET reserved = false, settlement = i.settlement, updated_at = $2
  FROM item i WHERE a.action_id = ANY($3) AND a.action_id = i.action_id AND a.fence_token = i.fence_token AND a.settlement IS NULL
  RETURNING a.replica_id, a.instance_id, a.held, a.settlement, a.holder IS NULL AS counted,
    (a.admission ->> 'circuit_failure_threshold')::int AS threshold, (a.admission ->> 'circuit_open_ms')::bigint AS open_ms
), replica AS MATERIALIZED (
  SELECT r.id FROM registry.replicas r
  WHERE r.id IN (SELECT replica_id FROM released) AND (r.consecutive_failures <> 0 OR r.circuit_open_until <> 0 OR r.id IN (
    SELECT replica_id FROM released WHERE counted OR settlement IN ('outcome_unknown', 'unreached')))
  ORDER BY r.id FOR UPDATE
), scopes AS MATERIALIZED (
  SELECT s.kind, s.key, count(*)::int AS n
  FROM (SELECT count(*) AS n FROM replica) locked, released, json_to_recordset(released.held) AS s(kind text, key text)
  WHERE locked.n >= 0 AND released.counted GROUP BY 1, 2
), counter AS MATERIALIZED (
  SELECT c.scope, c.key FROM registry.policy_counters c
  WHERE (c.scope, c.key) IN (SELECT kind, key FROM scopes) ORDER BY c.scope, c.key FOR UPDATE
), uncounted AS (
  UPDATE registry.policy_counters c SET active = greatest(0, c.active - s.n)
  FROM scopes s JOIN counter l ON l.scope = s.kind AND l.key = s.key WHERE c.scope = s.kind AND c.key = s.key
), per AS (
  SELECT replica_id, count(*) FILTER (WHERE counted)::int AS n, count(*) FILTER (WHERE settlement IN ('outcome_unknown', 'unreached'))::int AS unknown,
    bool_or(settlement = 'completed') AS completed, min(threshold) AS threshold, max(open_ms) AS open_ms
  FROM released JOIN replica ON replica.id = released.replica_id GROUP BY 1
), freed AS (
  UPDATE registry.replicas r SET active = greatest(0, r.active - p.n),
    consecutive_failures = CASE WHEN p.completed THEN p.unknown ELSE r.consecutive_failures + p.unknown END,
    circuit_open_until = CASE
      WHEN p.unknown > 0 AND CASE WHEN p.completed THEN p.unknown ELSE r.consecutive_failures + p.unknown END >= p.threshold
        THEN greatest(r.circuit_open_until, $2 + p.open_ms)
      WHEN p.completed THEN 0
      ELSE r.circuit_open_until END
  FROM per p WHERE r.id = p.replica_id
)
SELECT replica_id, instance_id FROM released`;

// The same in a commit of its own that does not wait for the disk, so that no other gateway waits for it at the rows that all share. A crash
// of the database may lose the release as a whole, never a part of it: the place is then released by maintenance.
const SETTLE_RELAXED = `${SETTLE.replace('WITH item', `WITH relaxed AS MATERIALIZED (SELECT set_config('synchronous_commit', 'off', true)), item`)} CROSS JOIN relaxed`;

/** Settles assignments in the transaction of `client`; answers the replicas that got a slot back, one row a released assignment. */
export function settleRoutes(
  client: Queryable,
  items: readonly RouteSettlement[],
  nowMs: number,
): Promise<FreedSlot[]> {
  return settleBy(client, { name: 'registry.route.settle', text: SETTLE }, items, nowMs);
}

/** Settles assignments in one statement that is a transaction of its own. */
export function releaseRoutes(db: Queryable, items: readonly RouteSettlement[], nowMs: number): Promise<FreedSlot[]> {
  return settleBy(db, { name: 'registry.route.release', text: SETTLE_RELAXED }, items, nowMs);
}

/** The replica of a released assignment. */
export interface FreedSlot {
  readonly replicaId: string;
  readonly instanceId: string;
}

async function settleBy(
  db: Queryable,
  statement: { name: string; text: string },
  items: readonly RouteSettlement[],
  nowMs: number,
): Promise<FreedSlot[]> {
  const values = items.map(({ actionId, fenceToken, settlement }) => ({
    action_id: actionId,
    fence_token: fenceToken,
    settlement,
  }));
  const { rows } = await db.query<{ replica_id: string; instance_id: string }>({
    ...statement,
    values: [JSON.stringify(values), nowMs, items.map(({ actionId }) => actionId)],
  });
  return rows.map((row) => ({ replicaId: row.replica_id, instanceId: row.instance_id }));
}
