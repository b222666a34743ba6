import { openPool, type Pool, type Queryable } from '@aip/runtime/internal/postgres';
import { formatTime } from '@aip/runtime/internal/protocol';
import { shownName } from '../../api/metadata.js';

/** One replica as `aip fleet status` shows it; an instance without replicas has one row with `replica` null. */
export interface FleetStatusRow {
  instance: string;
  instance_id: string;
  tenant_id: string;
  connector: string;
  version: string;
  version_id: string;
  /** The version that the instance wants; another one than `version` during a rollout. */
  wanted_version: string;
  replica: string | null;
  replica_id: string | null;
  /** `expired`: it was ready or draining, and its lease has ended. `none`: the instance has no replicas. */
  state: 'ready' | 'draining' | 'offline' | 'expired' | 'none';
  /** `drained`: somebody drained it and it is kept; known of an `aip dev` that runs. */
  desired: 'ready' | 'drained';
  lease_left_ms: number;
  active: number;
  /** Actions pinned to it that have not ended; `active` also counts places that gateways hold unused. */
  pinned: number;
  capacity: number;
  endpoint: string | null;
  did: string | null;
  /** When it is killed at the latest although it holds work, RFC 3339; known of an `aip dev` that runs. */
  removed_by: string | null;
  /** How much longer no work is sent to it after repeated failures, in ms; 0: its circuit is closed. */
  circuit_open_ms: number;
  consecutive_failures: number;
  /** The newest dispatch of the last day whose host was not reached or whose outcome is unknown. */
  last_failure: { kind: 'outcome_unknown' | 'unreached'; at: string } | null;
}

// Every replica with its instance, version and the rest of its lease by the database's clock; reads the whole registry, which is small. Failures of the
// last day are searched among the newest settled assignments alone: where completed actions keep theirs, there are as many as actions.
const STATUS = `
WITH newest AS (
  SELECT replica_id, settlement, updated_at FROM registry.assignments
  WHERE NOT reserved AND updated_at > (extract(epoch FROM now()) * 1000)::bigint - 86400000 ORDER BY updated_at DESC LIMIT 2000
), failed AS (
  SELECT DISTINCT ON (replica_id) replica_id, settlement, updated_at FROM newest
  WHERE settlement IN ('outcome_unknown', 'unreached') ORDER BY replica_id, updated_at DESC
)
SELECT (SELECT count(*)::int FROM registry.assignments a WHERE a.reserved AND a.replica_id = r.id) AS pinned, i.id AS instance_id, i.tenant_id, i.type_id, coalesce(rv.label, v.label) AS version, v.label AS wanted_version, coalesce(r.version_id, i.version_id) AS version_id,
  r.id AS replica_id, r.status, r.active, r.capacity, r.endpoint, r.peer_did,
  r.lease_expires_at - (extract(epoch FROM now()) * 1000)::bigint AS lease_left,
  r.circuit_open_until - (extract(epoch FROM now()) * 1000)::bigint AS circuit_left, r.consecutive_failures,
  failed.settlement AS failure, failed.updated_at AS failed_at
FROM registry.instances i
JOIN registry.versions v ON v.id = i.version_id
LEFT JOIN registry.replicas r ON r.instance_id = i.id
LEFT JOIN registry.versions rv ON rv.id = r.version_id
LEFT JOIN failed ON failed.replica_id = r.id
WHERE i.enabled OR r.id IS NOT NULL
ORDER BY i.id, r.id`;

interface Row {
  instance_id: string;
  tenant_id: string;
  type_id: string;
  version: string;
  version_id: string;
  wanted_version: string;
  replica_id: string | null;
  status: 'ready' | 'draining' | 'offline' | null;
  active: number | null;
  pinned: number;
  capacity: number | null;
  endpoint: string | null;
  peer_did: string | null;
  lease_left: number | null;
  circuit_left: number | null;
  consecutive_failures: number | null;
  failure: 'outcome_unknown' | 'unreached' | null;
  failed_at: number | null;
}

/** All instances and replicas, by id. Throws StorageUnavailable. */
export async function fleetStatus(database: Queryable): Promise<FleetStatusRow[]> {
  const { rows } = await database.query<Row>(STATUS);
  return rows.map((row) => {
    const left = Math.max(0, row.lease_left ?? 0);
    const lapsed = (row.status === 'ready' || row.status === 'draining') && left === 0;
    return {
      instance: nameIn(row.instance_id),
      instance_id: row.instance_id,
      tenant_id: row.tenant_id,
      connector: row.type_id.replace(/^ctype_/, ''),
      version: row.version,
      version_id: row.version_id,
      wanted_version: row.wanted_version,
      replica: row.replica_id === null ? null : nameIn(row.replica_id),
      replica_id: row.replica_id,
      state: lapsed ? 'expired' : (row.status ?? 'none'),
      desired: 'ready',
      lease_left_ms: row.status === 'offline' ? 0 : left,
      active: row.active ?? 0,
      pinned: row.pinned,
      capacity: row.capacity ?? 0,
      endpoint: row.endpoint,
      did: row.peer_did,
      removed_by: null,
      circuit_open_ms: Math.max(0, row.circuit_left ?? 0),
      consecutive_failures: row.consecutive_failures ?? 0,
      last_failure:
        row.failure === null || row.failed_at === null ? null : { kind: row.failure, at: formatTime(row.failed_at) },
    };
  });
}

/** A pool of one connection whose transactions can't write. */
export function openReadOnly(url: string): Pool {
  const readOnly = new URL(url);
  readOnly.searchParams.set('options', '-c default_transaction_read_only=on');
  return openPool({ url: readOnly.href, max: 1, applicationName: 'aip-fleet-status' });
}

/** The resource name inside `<prefix>_<namespace>.<name>.<uid8>`; other ids as they are. The default namespace is left out. */
function nameIn(id: string): string {
  const found = /^[a-z]+_([a-z0-9-]+)\.([a-z0-9-]+)\.[0-9a-f]{8}$/.exec(id);
  if (!found) return id;
  return shownName(`${found[1]}/${found[2]}`);
}
