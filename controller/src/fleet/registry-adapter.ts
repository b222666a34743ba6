import { migrate, openPool, type Pool } from '@aip/runtime/internal/postgres';
import { type Clock, type PrincipalKind, systemClock } from '@aip/runtime/internal/protocol';
import {
  admitVersion,
  beginIdle,
  bindingsOf,
  canaryOf,
  endWake,
  findInstance,
  listReplicas,
  operatorAttestation,
  provisionReplica,
  putBinding,
  putCanary,
  putConnectorType,
  putInstance,
  putScaling,
  REGISTRY_MIGRATIONS,
  removeReplica,
  retireReplica,
  scalingOf,
  scalingStates,
} from '@aip/runtime/internal/registry';
import { connectorTypeId } from '../api/names.js';
import type { ObservedRegistry } from '../reconcile/inputs.js';
import type {
  FleetRegistry,
  RegistryLease,
  RegistryReplica,
  ReplicaToProvision,
  VersionToAdmit,
} from './fleet-registry.js';
import { canaryOutcome } from './outcomes/canary-outcome.js';
import { lastFailures } from './outcomes/last-failures.js';

/** Owner of all that the operator of a fleet admits, unless another one is given. */
const OWNER = 'operator';
/** Connections for the desired-state loop, the fleet table and host databases. */
const CONNECTIONS = 4;

// Whether a version is there and may be used.
const VERSION_STATUS = `SELECT status FROM registry.versions WHERE id = $1`;

// Actions that have not ended, of all replicas or of those of one instance, by the index of such actions.
const PINNED = `SELECT replica_id, count(*)::int AS pinned FROM registry.assignments
  WHERE reserved AND ($1::text IS NULL OR replica_id IN (SELECT id FROM registry.replicas WHERE instance_id = $1)) GROUP BY replica_id`;

// The whole fleet each second: no counts of assignments, no addresses.
const LEASES = `SELECT id, instance_id, status, lease_expires_at, circuit_open_until, consecutive_failures, capacity, active FROM registry.replicas`;

/** Prepares schema `registry` and gives the registry as the desired-state loop sees it, with the pool that it uses. */
export async function openFleetRegistry(
  databaseUrl: string,
  options: { owner?: string; applicationName?: string; allowLoopbackHttp: boolean },
): Promise<{ pool: Pool; registry: FleetRegistry }> {
  const pool = openPool({ url: databaseUrl, max: CONNECTIONS, applicationName: options.applicationName ?? 'aip-dev' });
  try {
    await migrate(pool, { schema: 'registry', migrations: REGISTRY_MIGRATIONS });
  } catch (error) {
    await pool.close();
    throw error;
  }
  return { pool, registry: fleetRegistry(pool, options) };
}

interface LeaseRow {
  id: string;
  instance_id: string;
  status: RegistryLease['status'];
  lease_expires_at: number;
  circuit_open_until: number;
  consecutive_failures: number;
  capacity: number;
  active: number;
}

/** The registry of a database whose schema is there; `clock` is that of the database. */
export function fleetRegistry(
  pool: Pool,
  {
    owner = OWNER,
    allowLoopbackHttp,
    clock = systemClock,
  }: { owner?: string; allowLoopbackHttp: boolean; clock?: Clock },
): FleetRegistry {
  return {
    observe: (instanceId, versionId) => observe(pool, instanceId, versionId),
    replicas: (instanceId) => replicas(pool, instanceId),
    leases: () => leases(pool),
    admitVersion: async (version) => {
      const { type, admitted } = versionRecords(version, owner);
      await putConnectorType(pool, clock, type);
      await admitVersion(pool, clock, admitted);
    },
    putInstance: ({ instanceId, connectorType, ...instance }) =>
      putInstance(pool, clock, { ...instance, id: instanceId, connectorTypeId: connectorTypeId(connectorType) }),
    putBinding: (tenantId, instanceId, { quotaPolicy, credentialRevision, ...binding }) =>
      putBinding(pool, clock, {
        ...binding,
        tenantId,
        instanceId,
        quotaPolicyRef: quotaPolicy,
        credentialRevisionRef: credentialRevision,
      }),
    putCanary: (instanceId, canary) => putCanary(pool, clock, instanceId, canary),
    putScaling: (instanceId, scaling) => putScaling(pool, instanceId, scaling, clock()),
    beginIdle: (instanceId) => beginIdle(pool, instanceId, clock()),
    endWake: (instanceId) => endWake(pool, instanceId, clock()),
    scalingStates: () => scalingStates(pool),
    canaryOutcome: (replicaIds, since) => canaryOutcome(pool, replicaIds, since),
    failures: (replicaIds) => lastFailures(pool, replicaIds),
    provision: (replica) => provisionReplica(pool, replicaRecord(replica), allowLoopbackHttp),
    retire: (replicaId, retiring) => retireReplica(pool, replicaId, retiring),
    remove: (replicaId) => removeReplica(pool, replicaId),
  };
}

async function observe(pool: Pool, instanceId: string, versionId: string | undefined): Promise<ObservedRegistry> {
  const [versions, instance, bindings, canary, scaling] = await Promise.all([
    versionId === undefined ? undefined : pool.query<{ status: string }>(VERSION_STATUS, [versionId]),
    findInstance(pool, instanceId),
    bindingsOf(pool, instanceId),
    canaryOf(pool, instanceId),
    scalingOf(pool, instanceId),
  ]);
  const status = versions?.rows[0]?.status;
  return {
    version: status === undefined ? undefined : { id: versionId as string, active: status === 'active' },
    instance,
    bindings: bindings.map(({ capabilityId, priority, quotaPolicyRef, credentialRevisionRef, enabled }) => ({
      capabilityId,
      priority,
      quotaPolicy: quotaPolicyRef,
      credentialRevision: credentialRevisionRef,
      enabled,
    })),
    canary,
    scaling,
  };
}

async function replicas(pool: Pool, instanceId: string | undefined): Promise<RegistryReplica[]> {
  const [known, pinned] = await Promise.all([
    listReplicas(pool, instanceId),
    pool.query<{ replica_id: string; pinned: number }>({
      name: 'controller.pinned',
      text: PINNED,
      values: [instanceId ?? null],
    }),
  ]);
  const pinnedTo = new Map(pinned.rows.map((row) => [row.replica_id, row.pinned]));
  return known.map((replica) => ({
    replicaId: replica.id,
    instanceId: replica.instanceId,
    versionId: replica.versionId,
    endpoint: replica.endpoint,
    did: replica.peerDid,
    status: replica.status,
    leaseExpiresAt: replica.leaseExpiresAt,
    capacity: replica.capacity,
    active: replica.activeAssignments,
    pinned: pinnedTo.get(replica.id) ?? 0,
    circuitOpenUntil: replica.circuitOpenUntil,
    consecutiveFailures: replica.consecutiveFailures,
  }));
}

async function leases(pool: Pool): Promise<RegistryLease[]> {
  const { rows } = await pool.query<LeaseRow>({ name: 'controller.leases', text: LEASES });
  return rows.map((row) => ({
    replicaId: row.id,
    instanceId: row.instance_id,
    status: row.status,
    leaseExpiresAt: row.lease_expires_at,
    circuitOpenUntil: row.circuit_open_until,
    consecutiveFailures: row.consecutive_failures,
    capacity: row.capacity,
    active: row.active,
  }));
}

/** The records of a version and of its connector type. Pure. */
function versionRecords(
  version: VersionToAdmit,
  owner: string,
): { type: Parameters<typeof putConnectorType>[2]; admitted: Parameters<typeof admitVersion>[2] } {
  const typeId = connectorTypeId(version.connectorType);
  const { manifest, artifactDigest } = version;
  return {
    type: { id: typeId, name: version.connectorType, owner, enabled: true },
    admitted: {
      id: version.versionId,
      connectorTypeId: typeId,
      label: version.versionLabel,
      status: 'active',
      manifest,
      manifestDigest: version.manifestDigest,
      artifactDigest,
      attestation: operatorAttestation(manifest, artifactDigest, { signerIdentity: owner, owner }),
      implementationSupport: version.implementationSupport,
    },
  };
}

/** The record of a new replica. Pure. */
function replicaRecord(replica: ReplicaToProvision): Parameters<typeof provisionReplica>[1] {
  return {
    id: replica.replicaId,
    instanceId: replica.instanceId,
    versionId: replica.versionId,
    endpoint: replica.endpoint,
    peerPrincipalId: replica.peerPrincipal.id,
    peerPrincipalKind: replica.peerPrincipal.kind as PrincipalKind,
    peerDid: replica.peerDid,
    trustDomain: replica.trustDomain,
    topology: replica.topology,
    capacity: replica.capacity,
    ...(replica.configRevision === undefined ? {} : { configRevision: replica.configRevision }),
  };
}
