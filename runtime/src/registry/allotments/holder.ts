import type { Pool, Queryable } from '../../postgres/pool.js';

/**
 * How long a holder may go without a renewal before it places nothing any more, and its shares are taken back so much later, in milliseconds. Those of
 * a process that ended without giving them back are taken as soon as none of its connections is left.
 */
export const HOLDER_LEASE_MS = 10_000;
export const HOLDER_GRACE_MS = 10_000;

/** The seq of a holder whose shares are being taken back: no change of them is the next, and no placement has it. */
const FENCED = -1;

// Their commits do not wait for the disk: a lease that a crash has undone ends earlier, and what it held is taken back.
const RELAXED = `WITH relaxed AS MATERIALIZED (SELECT set_config('synchronous_commit', 'off', true) AS setting)`;

// An address of the database may give its connections a name of its own, which other processes have too.
const OPEN = `${RELAXED} INSERT INTO registry.holders (id, lease_expires_at, connections)
SELECT $1, $2, CASE WHEN current_setting('application_name') = $3 THEN $3 END FROM relaxed WHERE setting = 'off'`;

// A lease that has lapsed is not renewed: what it held may be given to others already.
const RENEW = `${RELAXED}
UPDATE registry.holders SET lease_expires_at = $2 FROM relaxed WHERE id = $1 AND lease_expires_at > $3 AND setting = 'off'`;

// Whether the process of holder h has no connection.
const UNCONNECTED = `h.connections IS NOT NULL AND NOT EXISTS (
  SELECT FROM pg_stat_activity s WHERE s.application_name IN (h.connections, h.connections || ' listen'))`;

// Three statements, each of which sees what the one before has committed. What begins after the first is refused by the seq of the holder; what began before
// the second, and may not have seen the first, is waited for by the third: then all that was placed is committed.
const FENCE = `UPDATE registry.holders h SET seq = ${FENCED} WHERE h.seq <> ${FENCED} AND (h.id = ANY($1) OR ${UNCONNECTED})`;
const MARK = `UPDATE registry.holders SET fenced_at = clock_timestamp() WHERE seq = ${FENCED} AND fenced_at IS NULL`;
const END_FENCED = `
UPDATE registry.holders h SET lease_expires_at = 0
WHERE h.seq = ${FENCED} AND h.lease_expires_at > 0 AND h.connections IS NOT NULL AND NOT EXISTS (
  SELECT FROM pg_stat_activity s WHERE s.application_name = h.connections
    AND s.state IS DISTINCT FROM 'idle' AND (s.xact_start <= h.fenced_at) IS DISTINCT FROM false)`;

/** The condition for holders h that may be ended before their leases. */
export const ENDED_EARLY = `(h.seq = ${FENCED} OR ${UNCONNECTED})`;

// One holder whose lease lapsed; locked, unless another process takes its shares back.
const LAPSED = 'SELECT id FROM registry.holders WHERE lease_expires_at < $1 ORDER BY lease_expires_at LIMIT 1';
const LOCK_LAPSED = `${LAPSED} FOR UPDATE SKIP LOCKED`;

const END = 'UPDATE registry.holders SET lease_expires_at = 0 WHERE id = $1';

// Takes the shares of one holder back. Its reserved assignments are counted for themselves from now on; those that are being settled at this
// moment stay in the share until the next call, so that nothing waits in a circle. Locks are taken as settling takes them: assignments, replicas,
// counters. Answers how many assignments are left.
const TAKE_BACK = `
WITH held AS MATERIALIZED (
  SELECT fence_token, replica_id, held FROM registry.assignments WHERE reserved AND holder = $1
), free AS MATERIALIZED (
  SELECT action_id, tenant_id FROM registry.assignments WHERE reserved AND holder = $1 ORDER BY action_id, tenant_id FOR UPDATE SKIP LOCKED
), moved AS MATERIALIZED (
  UPDATE registry.assignments a SET holder = NULL FROM free f WHERE a.action_id = f.action_id AND a.tenant_id = f.tenant_id
  RETURNING a.fence_token
), used AS MATERIALIZED (
  SELECT u.scope, u.key, count(*)::int AS held, count(*) FILTER (WHERE u.moved)::int AS moved FROM (
    SELECT 'replica' AS scope, h.replica_id AS key, h.fence_token IN (SELECT fence_token FROM moved) AS moved FROM held h
    UNION ALL
    SELECT s.kind, s.key, h.fence_token IN (SELECT fence_token FROM moved) FROM held h, json_to_recordset(h.held) AS s(kind text, key text)
  ) u GROUP BY 1, 2
), share AS MATERIALIZED (
  SELECT a.scope, a.key, a.granted, coalesce(u.held, 0) AS held, coalesce(u.held - u.moved, 0) AS left
  FROM registry.allotments a LEFT JOIN used u ON u.scope = a.scope AND u.key = a.key WHERE a.holder = $1
), replica AS MATERIALIZED (
  SELECT r.id, r.active FROM registry.replicas r WHERE r.id IN (SELECT key FROM share WHERE scope = 'replica' AND granted <> held)
  ORDER BY r.id FOR UPDATE
), counter AS MATERIALIZED (
  SELECT c.scope, c.key, c.active FROM registry.policy_counters c, (SELECT count(*) AS n FROM replica) locked
  WHERE locked.n >= 0 AND (c.scope, c.key) IN (SELECT scope, key FROM share WHERE granted <> held)
  ORDER BY c.scope, c.key FOR UPDATE OF c
), replicas AS (
  UPDATE registry.replicas r SET active = greatest(0, l.active - s.granted + s.held)
  FROM share s JOIN replica l ON s.scope = 'replica' AND l.id = s.key WHERE r.id = l.id
), counters AS (
  UPDATE registry.policy_counters c SET active = greatest(0, l.active - s.granted + s.held)
  FROM share s JOIN counter l ON l.scope = s.scope AND l.key = s.key WHERE c.scope = l.scope AND c.key = l.key
), kept AS (
  UPDATE registry.allotments a SET granted = s.left FROM share s WHERE a.holder = $1 AND a.scope = s.scope AND a.key = s.key
)
SELECT count(*) AS left FROM held WHERE fence_token NOT IN (SELECT fence_token FROM moved)`;

const REMOVE = `
WITH gone AS (DELETE FROM registry.allotments WHERE holder = $1)
DELETE FROM registry.holders WHERE id = $1`;

/** Makes a holder with a lease; it uses its places on connections of this pool. */
export async function openHolder(pool: Pool, id: string, nowMs: number): Promise<void> {
  const values = [id, nowMs + HOLDER_LEASE_MS, pool.applicationName];
  await pool.query({ name: 'registry.holder.open', text: OPEN, values });
}

/** Renews the lease of a holder; false: it has lapsed, and the holder holds nothing any more. */
export async function renewHolder(db: Queryable, id: string, nowMs: number): Promise<boolean> {
  const values = [id, nowMs + HOLDER_LEASE_MS, nowMs];
  return (await db.query({ name: 'registry.holder.renew', text: RENEW, values })).rowCount === 1;
}

/** Ends the lease of a holder that stops: its shares may be taken back at once. */
export async function endHolder(pool: Pool, id: string): Promise<void> {
  await pool.query({ name: 'registry.holder.end', text: END, values: [id] });
}

/** Ends the leases of these holders, which their process gave up, and of those whose processes have no connection left: their shares may be taken back immediately. */
export async function endUnused(pool: Pool, givenUp: readonly string[]): Promise<void> {
  await pool.query({ name: 'registry.holder.fence', text: FENCE, values: [givenUp] });
  await pool.query({ name: 'registry.holder.mark', text: MARK });
  await pool.query({ name: 'registry.holder.end_fenced', text: END_FENCED });
}

/** Takes back the shares of one holder whose lease lapsed some time ago; false when there is none. */
export async function takeBackShares(pool: Pool, nowMs: number): Promise<boolean> {
  const values = [nowMs - HOLDER_GRACE_MS];
  if ((await pool.query({ name: 'registry.holder.lapsed', text: LAPSED, values })).rowCount === 0) return false;
  return pool.tx(async (client) => {
    const lapsed = await client.query<{ id: string }>({
      name: 'registry.holder.lock_lapsed',
      text: LOCK_LAPSED,
      values,
    });
    const id = lapsed.rows[0]?.id;
    if (id === undefined) return false;
    const { rows } = await client.query<{ left: number }>({
      name: 'registry.holder.take_back',
      text: TAKE_BACK,
      values: [id],
    });
    if (rows[0]?.left !== 0) return false;
    await client.query({ name: 'registry.holder.remove', text: REMOVE, values: [id] });
    return true;
  });
}
