import type { Pool } from '../../postgres/pool.js';

// Takes replicas whose lease lapsed offline, oldest first, past rows that another process holds, and releases what they had reserved.
const EXPIRE = `
WITH lapsed AS (
  SELECT id FROM registry.replicas WHERE status <> 'offline' AND lease_expires_at <= $1
  ORDER BY lease_expires_at LIMIT $2 FOR UPDATE SKIP LOCKED
), released AS (
  UPDATE registry.assignments a SET reserved = false, settlement = 'lease_expired', updated_at = $1
  FROM lapsed l WHERE a.replica_id = l.id AND a.reserved
  RETURNING a.held
), scopes AS (
  SELECT s.kind, s.key, count(*)::int AS n FROM released, json_to_recordset(released.held) AS s(kind text, key text) GROUP BY 1, 2
), uncounted AS (
  UPDATE registry.policy_counters c SET active = greatest(0, c.active - s.n) FROM scopes s WHERE c.scope = s.kind AND c.key = s.key
)
UPDATE registry.replicas r SET status = 'offline', active = 0, health_revision = r.health_revision + 1,
  last_request_id = NULL, last_request_digest = NULL
FROM lapsed l WHERE r.id = l.id`;

/** Expires at most `limit` replicas and returns how many. Pinned routes stay pinned (spec 05 §6). */
export async function expireReplicas(pool: Pool, nowMs: number, limit: number): Promise<number> {
  const done = await pool.query({ name: 'registry.expire', text: EXPIRE, values: [nowMs, limit] });
  return done.rowCount;
}
