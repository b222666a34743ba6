import type { Queryable } from '../../postgres/pool.js';

/** The fleet in numbers (spec 05 §6). */
export interface FleetSummary {
  readonly catalogRevision: number;
  readonly connectorTypes: number;
  readonly activeVersions: number;
  readonly enabledInstances: number;
  readonly replicas: number;
  readonly ready: number;
  readonly draining: number;
  readonly offline: number;
  readonly readyCapacity: number;
  readonly activeAssignments: number;
}

// One pass over the small tables; nothing of it is on a hot path.
const READ = `
SELECT (SELECT revision FROM registry.catalog) AS "catalogRevision",
  (SELECT count(*) FROM registry.types) AS "connectorTypes",
  (SELECT count(*) FROM registry.versions WHERE status = 'active') AS "activeVersions",
  (SELECT count(*) FROM registry.instances WHERE enabled) AS "enabledInstances",
  count(*) AS replicas,
  count(*) FILTER (WHERE status = 'ready') AS ready,
  count(*) FILTER (WHERE status = 'draining') AS draining,
  count(*) FILTER (WHERE status = 'offline') AS offline,
  COALESCE(sum(capacity) FILTER (WHERE status = 'ready'), 0)::int8 AS "readyCapacity",
  COALESCE(sum(active), 0)::int8 AS "activeAssignments"
FROM registry.replicas`;

/** Counts what the registry holds now. */
export async function readFleetSummary(db: Queryable): Promise<FleetSummary> {
  const { rows } = await db.query<FleetSummary>({ name: 'registry.summary', text: READ });
  return rows[0] as FleetSummary;
}
