import type { Pool } from '../../postgres/pool.js';
import { NOTIFY_FLEET } from '../fleet-channel.js';

// Takes replicas whose lease lapsed offline, oldest first, and releases what they had reserved. It passes over replicas that another process
// holds, and over work that is being settled at this moment, which its settlement releases: it waits for nothing but counters, so that no
// settlement ever waits in a circle with it. What the share of a holder counts stays counted until the holder gives the share back.
const EXPIRE = `
WITH lapsed AS MATERIALIZED (
  SELECT id FROM registry.replicas WHERE status <> 'offline' AND lease_expires_at <= $1
  ORDER BY lease_expires_at LIMIT $2 FOR UPDATE SKIP LOCKED
), held AS MATERIALIZED (
  SELECT action_id, tenant_id FROM registry.assignments WHERE reserved AND replica_id IN (SELECT id FROM lapsed) FOR UPDATE SKIP LOCKED
), released AS MATERIALIZED (
  UPDATE registry.assignments a SET reserved = false, settlement = 'lease_expired', updated_at = $1
  FROM held h WHERE a.action_id = h.action_id AND a.tenant_id = h.tenant_id
  RETURNING a.replica_id, a.held, a.holder
), scopes AS MATERIALIZED (
  SELECT s.kind, s.key, count(*)::int AS n FROM released, json_to_recordset(released.held) AS s(kind text, key text)
  WHERE released.holder IS NULL GROUP BY 1, 2
), counter AS MATERIALIZED (
  SELECT c.scope, c.key FROM registry.policy_counters c
  WHERE (c.scope, c.key) IN (SELECT kind, key FROM scopes) ORDER BY c.scope, c.key FOR UPDATE
), uncounted AS (
  UPDATE registry.policy_counters c SET active = greatest(0, c.active - s.n)
  FROM scopes s JOIN counter l ON l.scope = s.kind AND l.key = s.key WHERE c.scope = s.kind AND c.key = s.key
)
UPDATE registry.replicas r SET status = 'offline', health_revision = r.health_revision + 1, last_request_id = NULL,
  last_request_digest = NULL, active = greatest(0, r.active - (SELECT count(*)::int FROM released
    WHERE released.replica_id = r.id AND released.holder IS NULL))
FROM lapsed l WHERE r.id = l.id`;

/** Expires at most `limit` replicas and returns how many. Pinned routes stay pinned (docs/protocol/registry.md#maintenance). */
export async function expireReplicas(pool: Pool, nowMs: number, limit: number): Promise<number> {
  const done = await pool.query({ name: 'registry.expire', text: EXPIRE, values: [nowMs, limit] });
  // Apart from the statement, whose counters gateways wait for; a notification that is lost costs the wait for the next poll.
  if (done.rowCount > 0) await pool.query(NOTIFY_FLEET).catch(() => undefined);
  return done.rowCount;
}
