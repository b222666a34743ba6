import type { Pool, Queryable } from '../postgres/pool.js';
import type { PrincipalKind } from '../protocol/types.js';
import { NATIVE_HTTP_PROFILE } from '../protocol/wire/native-http.js';
import { endpointProblem } from './endpoint.js';
import { RegistryConflict, RegistryInputInvalid } from './errors.js';

export type ReplicaStatus = 'ready' | 'draining' | 'offline';

export interface ReplicaTopology {
  readonly region: string;
  readonly zone: string;
  readonly capacityClass: string;
}

/** A host process as the fleet knows it (docs/protocol/registry.md#replicas). `healthRevision` is the lease sequence; times in ms since the epoch. */
export interface Replica {
  readonly id: string;
  readonly instanceId: string;
  readonly versionId: string;
  readonly endpoint: string;
  readonly peerPrincipalId: string;
  readonly peerPrincipalKind: PrincipalKind;
  readonly peerDid: string;
  readonly trustDomain: string;
  readonly transportProfile: string;
  readonly topology: ReplicaTopology;
  readonly status: ReplicaStatus;
  readonly leaseExpiresAt: number;
  readonly capacity: number;
  readonly activeAssignments: number;
  readonly healthRevision: number;
  readonly configRevision: number;
  readonly consecutiveFailures: number;
  readonly circuitOpenUntil: number;
  /** It is on its way out, or kept drained: no host of it gets a lease again until it is wanted back. */
  readonly retiring: boolean;
  readonly lastRequestId: string | null;
  readonly lastRequestDigest: string | null;
}

/** What is known of a replica before its process starts: identity, place and size. It begins offline. */
export type ReplicaProvision = Pick<
  Replica,
  | 'id'
  | 'instanceId'
  | 'versionId'
  | 'endpoint'
  | 'peerPrincipalId'
  | 'peerPrincipalKind'
  | 'peerDid'
  | 'trustDomain'
  | 'topology'
  | 'capacity'
> & {
  /** Revision of the configuration that its host registers with; that of the instance's record unless given. */
  readonly configRevision?: number | undefined;
};

export const REPLICA_COLUMNS = `id, instance_id, version_id, endpoint, peer_principal_id, peer_principal_kind, peer_did, trust_domain,
  transport_profile, region, zone, capacity_class, status, lease_expires_at, capacity, active, health_revision, config_revision,
  consecutive_failures, circuit_open_until, retiring, last_request_id, last_request_digest`;

export interface ReplicaRow {
  id: string;
  instance_id: string;
  version_id: string;
  endpoint: string;
  peer_principal_id: string;
  peer_principal_kind: PrincipalKind;
  peer_did: string;
  trust_domain: string;
  transport_profile: string;
  region: string;
  zone: string;
  capacity_class: string;
  status: ReplicaStatus;
  lease_expires_at: number;
  capacity: number;
  active: number;
  health_revision: number;
  config_revision: number;
  consecutive_failures: number;
  circuit_open_until: number;
  retiring: boolean;
  last_request_id: string | null;
  last_request_digest: string | null;
}

export function replicaOf(row: ReplicaRow): Replica {
  return {
    id: row.id,
    instanceId: row.instance_id,
    versionId: row.version_id,
    endpoint: row.endpoint,
    peerPrincipalId: row.peer_principal_id,
    peerPrincipalKind: row.peer_principal_kind,
    peerDid: row.peer_did,
    trustDomain: row.trust_domain,
    transportProfile: row.transport_profile,
    topology: { region: row.region, zone: row.zone, capacityClass: row.capacity_class },
    status: row.status,
    leaseExpiresAt: row.lease_expires_at,
    capacity: row.capacity,
    activeAssignments: row.active,
    healthRevision: row.health_revision,
    configRevision: row.config_revision,
    consecutiveFailures: row.consecutive_failures,
    circuitOpenUntil: row.circuit_open_until,
    retiring: row.retiring,
    lastRequestId: row.last_request_id,
    lastRequestDigest: row.last_request_digest,
  };
}

const LABEL = /^[A-Za-z0-9._-]{1,128}$/;

// Makes the record offline, with the configuration revision given or that its instance has now. An existing one keeps its lease.
const PROVISION = `
INSERT INTO registry.replicas (id, instance_id, version_id, endpoint, peer_principal_id, peer_principal_kind, peer_did, trust_domain,
  transport_profile, region, zone, capacity_class, capacity, config_revision)
SELECT $1, i.id, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, coalesce($14, i.config_revision) FROM registry.instances i WHERE i.id = $2
ON CONFLICT (id) DO NOTHING`;

/**
 * Pre-provisions a replica; the identical one again changes nothing but a capacity that differs. Throws RegistryInputInvalid (endpoint rules,
 * labels, unknown instance), RegistryConflict (another identity under the id).
 */
export async function provisionReplica(
  pool: Pool,
  replica: ReplicaProvision,
  allowLoopbackHttp: boolean,
): Promise<void> {
  const problem = endpointProblem(replica.endpoint, allowLoopbackHttp);
  if (problem) throw new RegistryInputInvalid(problem);
  const { region, zone, capacityClass } = replica.topology;
  for (const label of [region, zone, capacityClass])
    if (!LABEL.test(label))
      throw new RegistryInputInvalid(
        `"${label}" is not a topology label (expected 1 to 128 letters, digits, dots, dashes, underscores)`,
      );
  if (!(Number.isInteger(replica.capacity) && replica.capacity > 0))
    throw new RegistryInputInvalid('the capacity must be a whole number above 0');
  await pool.tx(async (client) => {
    const made = await client.query(PROVISION, [
      replica.id,
      replica.instanceId,
      replica.versionId,
      replica.endpoint,
      replica.peerPrincipalId,
      replica.peerPrincipalKind,
      replica.peerDid,
      replica.trustDomain,
      NATIVE_HTTP_PROFILE,
      region,
      zone,
      capacityClass,
      replica.capacity,
      replica.configRevision ?? null,
    ]);
    if (made.rowCount > 0) return;
    const stored = await findReplica(client, replica.id, true);
    if (!stored) throw new RegistryInputInvalid(`no instance ${replica.instanceId}`);
    const same =
      stored.instanceId === replica.instanceId &&
      stored.versionId === replica.versionId &&
      stored.endpoint === replica.endpoint &&
      stored.peerPrincipalId === replica.peerPrincipalId &&
      stored.peerPrincipalKind === replica.peerPrincipalKind &&
      stored.peerDid === replica.peerDid &&
      stored.trustDomain === replica.trustDomain &&
      stored.topology.region === region &&
      stored.topology.zone === zone &&
      stored.topology.capacityClass === capacityClass;
    if (!same)
      throw new RegistryConflict(
        `the replica ${replica.id} is stored with another identity; an identity never changes`,
      );
    if (stored.capacity !== replica.capacity && stored.activeAssignments <= replica.capacity)
      await client.query('UPDATE registry.replicas SET capacity = $2 WHERE id = $1', [replica.id, replica.capacity]);
  });
}

/** The replica, or undefined; with `lock` its row stays locked until the transaction ends. */
export async function findReplica(db: Queryable, id: string, lock = false): Promise<Replica | undefined> {
  const { rows } = await db.query<ReplicaRow>({
    name: `registry.replica.find${lock ? '.lock' : ''}`,
    text: `SELECT ${REPLICA_COLUMNS} FROM registry.replicas WHERE id = $1${lock ? ' FOR UPDATE' : ''}`,
    values: [id],
  });
  return rows[0] && replicaOf(rows[0]);
}

/** Replicas by their ids, locked in the order of the ids until the transaction ends. */
export async function lockReplicas(db: Queryable, ids: readonly string[]): Promise<Map<string, Replica>> {
  const { rows } = await db.query<ReplicaRow>({
    name: 'registry.replicas.lock',
    text: `SELECT ${REPLICA_COLUMNS} FROM registry.replicas WHERE id = ANY($1) ORDER BY id FOR UPDATE`,
    values: [ids],
  });
  return new Map(rows.map((row) => [row.id, replicaOf(row)]));
}

/** All replicas, or those of one instance, by id. */
export async function listReplicas(db: Queryable, instanceId?: string): Promise<Replica[]> {
  const { rows } = await db.query<ReplicaRow>(
    `SELECT ${REPLICA_COLUMNS} FROM registry.replicas WHERE $1::text IS NULL OR instance_id = $1 ORDER BY id`,
    [instanceId ?? null],
  );
  return rows.map(replicaOf);
}

// Whether hosts of a replica may get a lease; nothing is written when that is so already.
const RETIRE = 'UPDATE registry.replicas SET retiring = $2 WHERE id = $1 AND retiring <> $2';

/** Says that no host of a replica gets a lease again, or that one may again; a lease in force stays. */
export async function retireReplica(pool: Pool, id: string, retiring: boolean): Promise<void> {
  await pool.query(RETIRE, [id, retiring]);
}

/** Removes a replica's record. Its settled assignments stay; work still pinned to it can no longer be answered. */
export async function removeReplica(pool: Pool, id: string): Promise<void> {
  await pool.query('DELETE FROM registry.replicas WHERE id = $1', [id]);
}
