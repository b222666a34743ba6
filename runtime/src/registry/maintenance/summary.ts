import type { Queryable } from '../../postgres/pool.js';
import { ENDED_EARLY, HOLDER_GRACE_MS } from '../allotments/holder.js';

/** The fleet in numbers (docs/protocol/registry.md#maintenance). */
export interface FleetSummary {
  readonly catalogRevision: number;
  readonly connectorTypes: number;
  readonly activeVersions: number;
  readonly enabledInstances: number;
  readonly replicas: number;
  readonly ready: number;
  readonly draining: number;
  readonly offline: number;
  /** Replicas whose lease has lapsed and that are not offline yet. */
  readonly expiredLeases: number;
  readonly readyCapacity: number;
  readonly activeAssignments: number;
  /** Gateways whose shares have to be taken back. */
  readonly lapsedHolders: number;
  /** When the next replica goes offline, and the next shares are to be taken back, unless the lease is renewed; null: none. Milliseconds since the epoch. */
  readonly nextLeaseEnd: number | null;
  readonly nextHolderEnd: number | null;
  /** Milliseconds since the epoch. */
  readonly observedAt: number;
}

// One pass over the small tables; nothing of it is on a hot path. Assignments are not among them: their index keeps removed entries for long.
const READ = `
SELECT (SELECT revision FROM registry.catalog) AS "catalogRevision",
  (SELECT count(*) FROM registry.types) AS "connectorTypes",
  (SELECT count(*) FROM registry.versions WHERE status = 'active') AS "activeVersions",
  (SELECT count(*) FROM registry.instances WHERE enabled) AS "enabledInstances",
  (SELECT count(*) FROM registry.holders h WHERE h.lease_expires_at < $2 OR ${ENDED_EARLY}) AS "lapsedHolders",
  (SELECT min(lease_expires_at) - $2 + $1 FROM registry.holders WHERE lease_expires_at >= $2) AS "nextHolderEnd",
  min(lease_expires_at) FILTER (WHERE status <> 'offline' AND lease_expires_at > $1) AS "nextLeaseEnd",
  count(*) AS replicas,
  count(*) FILTER (WHERE status = 'ready') AS ready,
  count(*) FILTER (WHERE status = 'draining') AS draining,
  count(*) FILTER (WHERE status = 'offline') AS offline,
  count(*) FILTER (WHERE status <> 'offline' AND lease_expires_at <= $1) AS "expiredLeases",
  COALESCE(sum(capacity) FILTER (WHERE status = 'ready'), 0)::int8 AS "readyCapacity",
  COALESCE(sum(active), 0)::int8 AS "activeAssignments"
FROM registry.replicas`;

/** Counts what the registry holds now. */
export async function readFleetSummary(db: Queryable, nowMs: number): Promise<FleetSummary> {
  const { rows } = await db.query<Omit<FleetSummary, 'observedAt'>>({
    name: 'registry.summary',
    text: READ,
    values: [nowMs, nowMs - HOLDER_GRACE_MS],
  });
  return { ...(rows[0] as Omit<FleetSummary, 'observedAt'>), observedAt: nowMs };
}
