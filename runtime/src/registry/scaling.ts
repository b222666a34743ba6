import type { Queryable } from '../postgres/pool.js';
import { ReplicaUnavailable } from '../protocol/errors.js';
import { FLEET_CHANNEL } from './fleet-channel.js';

/** When an instance goes without hosts, and how long an action waits for one. Times in ms. */
export interface ScaleToZero {
  readonly idleAfterMs: number;
  readonly wakeTimeoutMs: number;
}

/**
 * Where an instance that requested it is (docs/protocol/registry.md#scale-to-zero): `awake` until no action has used it for its time, `idle`
 * until an action needs it, `waking` until a host is ready.
 */
export interface Scaling extends ScaleToZero {
  readonly state: 'awake' | 'idle' | 'waking';
  /** No action has been seen after this time, in ms since the epoch; it may be earlier than the last one. */
  readonly activeSince: number;
}

/** A new action found no host, because its instance has none at rest; the instance is being woken. */
export class InstanceWaking extends ReplicaUnavailable {
  /** How long an action may wait for a host, in ms. */
  readonly wakeTimeoutMs: number;

  constructor(wakeTimeoutMs: number) {
    super('the instance has no host while it is idle; it is being woken');
    this.wakeTimeoutMs = wakeTimeoutMs;
  }
}

/** What an action ends with for which no host came in time. */
export class WokenTooLate extends ReplicaUnavailable {
  constructor() {
    super('no host of the idle instance became ready in time: check the instance, then try again');
  }
}

const STATE = `CASE WHEN idle_since IS NULL THEN 'awake' WHEN wake_requested_at IS NULL THEN 'idle' ELSE 'waking' END`;
const COLUMNS = `idle_after_ms AS "idleAfterMs", wake_timeout_ms AS "wakeTimeoutMs", active_since AS "activeSince", ${STATE} AS state`;

const PUT = `
INSERT INTO registry.scaling AS s (instance_id, idle_after_ms, wake_timeout_ms, active_since) VALUES ($1, $2, $3, $4)
ON CONFLICT (instance_id) DO UPDATE SET idle_after_ms = excluded.idle_after_ms, wake_timeout_ms = excluded.wake_timeout_ms
WHERE (s.idle_after_ms, s.wake_timeout_ms) IS DISTINCT FROM (excluded.idle_after_ms, excluded.wake_timeout_ms)`;

/** Stores the wish of an instance, or that it has none; the state it is in stays. */
export async function putScaling(
  db: Queryable,
  instanceId: string,
  wish: ScaleToZero | undefined,
  nowMs: number,
): Promise<void> {
  if (wish) await db.query(PUT, [instanceId, wish.idleAfterMs, wish.wakeTimeoutMs, nowMs]);
  else await db.query('DELETE FROM registry.scaling WHERE instance_id = $1', [instanceId]);
}

/** The scaling of an instance, if it requested it. */
export async function scalingOf(db: Queryable, instanceId: string): Promise<Scaling | undefined> {
  const { rows } = await db.query<Scaling>(`SELECT ${COLUMNS} FROM registry.scaling WHERE instance_id = $1`, [
    instanceId,
  ]);
  return rows[0];
}

/** The states of all instances that are scaled to zero, by instance id; cheap enough to read every second. */
export async function scalingStates(db: Queryable): Promise<Map<string, Scaling['state']>> {
  const { rows } = await db.query<{ id: string; state: Scaling['state'] }>({
    name: 'registry.scaling.states',
    text: `SELECT instance_id AS id, ${STATE} AS state FROM registry.scaling`,
  });
  return new Map(rows.map(({ id, state }) => [id, state]));
}

// Decides in one statement. Work that holds a place was used now; what ended is found by the time it ended, so no write of an action knows of
// this table. An action that is placed at the same moment is safe: a host that drains waits for what was pinned to it.
const IDLE = `
WITH used AS MATERIALIZED (
  SELECT CASE WHEN EXISTS (
      SELECT FROM registry.assignments a JOIN registry.replicas r ON r.id = a.replica_id WHERE r.instance_id = $1 AND a.reserved)
    THEN $2::bigint
    ELSE (SELECT max(a.updated_at) FROM registry.assignments a, registry.scaling s
      WHERE s.instance_id = $1 AND a.instance_id = $1 AND NOT a.reserved AND a.updated_at > $2 - s.idle_after_ms) END AS at
)
UPDATE registry.scaling s SET
  idle_since = CASE WHEN used.at IS NULL THEN $2 END,
  active_since = COALESCE(used.at, s.active_since)
FROM used
WHERE s.instance_id = $1 AND s.idle_since IS NULL AND s.active_since <= $2 - s.idle_after_ms
RETURNING s.idle_since IS NOT NULL AS idle`;

/** Lets an instance go idle that no action has used for its time; false where one has, or the time is not over. */
export async function beginIdle(db: Queryable, instanceId: string, nowMs: number): Promise<boolean> {
  const { rows } = await db.query<{ idle: boolean }>(IDLE, [instanceId, nowMs]);
  return rows[0]?.idle === true;
}

// The first of the idle ones, unless one of them is being woken already.
const WAKE = `
WITH asleep AS MATERIALIZED (
  SELECT instance_id, wake_requested_at, wake_timeout_ms FROM registry.scaling WHERE instance_id = ANY($1) AND idle_since IS NOT NULL
), chosen AS MATERIALIZED (
  SELECT instance_id FROM asleep WHERE NOT EXISTS (SELECT FROM asleep WHERE wake_requested_at IS NOT NULL)
  ORDER BY array_position($1, instance_id) LIMIT 1
), woken AS (
  UPDATE registry.scaling s SET wake_requested_at = $2 FROM chosen c
  WHERE s.instance_id = c.instance_id AND s.idle_since IS NOT NULL AND s.wake_requested_at IS NULL
  RETURNING s.instance_id
)
SELECT (SELECT max(wake_timeout_ms) FROM asleep) AS ms,
  (SELECT count(pg_notify('${FLEET_CHANNEL}', '')::text) FROM woken) AS notified`;

/**
 * Requests hosts of the first idle instance of some, best first. Returns how long an action may wait for them, in ms; undefined where none of them is
 * idle or waking.
 */
export async function requestWake(
  db: Queryable,
  instanceIds: readonly string[],
  nowMs: number,
): Promise<number | undefined> {
  const { rows } = await db.query<{ ms: number | null }>({
    name: 'registry.scaling.wake',
    text: WAKE,
    values: [instanceIds, nowMs],
  });
  return rows[0]?.ms ?? undefined;
}

/** Hosts of a waking instance are ready: its time without an action begins again. */
export async function endWake(db: Queryable, instanceId: string, nowMs: number): Promise<void> {
  await db.query(
    `UPDATE registry.scaling SET idle_since = NULL, wake_requested_at = NULL, active_since = $2
      WHERE instance_id = $1 AND wake_requested_at IS NOT NULL`,
    [instanceId, nowMs],
  );
}
