import { openPool, type Pool } from '#runtime/postgres/pool.js';
import { digestOf } from '#runtime/protocol/digest.js';
import { newId } from '#runtime/protocol/ids.js';
import type { LifecycleCommand } from '#runtime/protocol/lifecycle.js';
import { newSeedHex, type SigningKey, signingKeyFromSeed } from '#runtime/protocol/signing.js';
import { leaseArray } from '#runtime/protocol/time.js';
import type { Capability, Manifest, Principal } from '#runtime/protocol/types.js';
import { operatorAttestation } from '#runtime/registry/attestation.js';
import type { ConnectorInstanceRecord } from '#runtime/registry/instances.js';
import { type LifecycleCommit, replicaIdOf } from '#runtime/registry/lifecycle/commit.js';
import { openRegistry, type Registry } from '#runtime/registry/registry.js';
import type { ReplicaProvision, ReplicaTopology } from '#runtime/registry/replicas.js';
import type { RouteAssignment, RouteRequest } from '#runtime/registry/routes/assignment.js';
import type { VersionAdmission } from '#runtime/registry/versions.js';
import { CONNECT_MS, freshDatabase } from '../../support/database.ts';
import { probeCapability } from '../../support/external-host.ts';

export const TENANT = 'tenant-a';
export const TRUST_DOMAIN = 'test.local';
export const AGENT: Principal = { id: 'agent:probe', kind: 'agent' };
export const ARTIFACT = `sha256:${'ab'.repeat(32)}`;
export const TOPOLOGY: ReplicaTopology = { region: 'global', zone: 'default', capacityClass: 'standard' };

/** A replica's record before it ran, with its host's key. */
export type TestReplica = ReplicaProvision & { readonly key: SigningKey };

export interface Fleet {
  readonly url: string;
  readonly pool: Pool;
  readonly registry: Registry;
  /** Milliseconds that the registry's clock is ahead of the machine's; a test moves it. */
  readonly time: { ahead: number };
  readonly clock: () => number;
  readonly typeId: string;
  readonly version: VersionAdmission;
  readonly instance: ConnectorInstanceRecord;
  /** Puts another instance of the version, with a binding for each capability. */
  addInstance(over?: Partial<ConnectorInstanceRecord>, priority?: number): Promise<ConnectorInstanceRecord>;
  /** Provisions a replica, offline. */
  provision(over?: Partial<ReplicaProvision>): Promise<TestReplica>;
  /** Provisions a replica and registers it. */
  ready(over?: Partial<ReplicaProvision>): Promise<TestReplica>;
  /** What the host of a replica proposes. */
  proposal(replica: TestReplica): Extract<LifecycleCommand, { operation: 'register' }>;
  /** Commits a command as the control plane would after its checks. */
  commit(command: LifecycleCommand, ttlMs?: number): Promise<LifecycleCommit>;
  /** Another process' view of the same database. */
  another(max?: number): { pool: Pool; registry: Registry };
  close(): Promise<void>;
}

export function versionOf(typeId: string, capabilities: Capability[], over: Partial<Manifest> = {}): VersionAdmission {
  const manifest: Manifest = {
    manifest_version: 'aip-manifest/v1',
    agent: AGENT,
    capabilities,
    profiles: ['aip.native.http.v1'],
    ...over,
  };
  return {
    id: newId('connectorVersion'),
    connectorTypeId: typeId,
    label: newId('connectorVersion'),
    status: 'active',
    manifest,
    manifestDigest: digestOf(manifest),
    artifactDigest: ARTIFACT,
    attestation: operatorAttestation(manifest, ARTIFACT, { signerIdentity: 'us', owner: 'us' }),
    implementationSupport: Object.fromEntries(capabilities.map(({ id }) => [id, { invocation: true }])),
  };
}

/** A database of its own with one type, one active version, one instance of the tenant and its bindings; no replica yet. */
export async function startFleet(
  options: { capabilities?: Capability[]; max?: number; quotaPolicyRef?: string } = {},
): Promise<Fleet> {
  const { capabilities = [probeCapability('echo')], max = 16 } = options;
  const database = await freshDatabase();
  const time = { ahead: 0 };
  const clock = () => Date.now() + time.ahead;
  const pools: Pool[] = [];
  const another = (connections = max) => {
    const pool = openPool({ url: database.url, max: connections, acquireTimeoutMs: CONNECT_MS });
    pools.push(pool);
    return { pool, registry: openRegistry({ data: pool, clock, allowLoopbackHttp: true }) };
  };
  const { pool, registry } = another();
  await registry.migrate();
  const typeId = newId('connectorType');
  await registry.types.put({ id: typeId, name: 'probe', owner: 'us', enabled: true });
  const version = versionOf(typeId, capabilities);
  await registry.versions.admit(version);

  const { quotaPolicyRef } = options;
  if (quotaPolicyRef)
    await registry.policies.put({
      ref: quotaPolicyRef,
      revision: 1,
      enabled: true,
      limits: { circuit_failure_threshold: 5, circuit_open_ms: 30_000 },
    });
  const addInstance: Fleet['addInstance'] = (over, priority) =>
    putInstance(registry, version, { over, priority, quotaPolicyRef });
  const instance = await addInstance();
  let port = 20_000;
  const fleet: Fleet = {
    url: database.url,
    pool,
    registry,
    time,
    clock,
    typeId,
    version,
    instance,
    addInstance,
    another,
    provision: async (over = {}) => {
      const key = signingKeyFromSeed(newSeedHex());
      port += 1;
      const replica: ReplicaProvision = {
        id: newId('connectorReplica'),
        instanceId: instance.id,
        versionId: version.id,
        endpoint: `http://127.0.0.1:${port}/aip/v1/messages`,
        peerPrincipalId: AGENT.id,
        peerPrincipalKind: AGENT.kind,
        peerDid: key.did,
        trustDomain: TRUST_DOMAIN,
        topology: TOPOLOGY,
        capacity: 32,
        ...over,
      };
      await registry.replicas.provision(replica);
      return { ...replica, key };
    },
    ready: async (over) => {
      const replica = await fleet.provision(over);
      await fleet.commit(await registrationOf(fleet, replica));
      return replica;
    },
    proposal: (replica) => proposalOf(replica, { version, instance, expiresAtMs: clock() + 30_000 }),
    commit: async (command, ttlMs = 600_000) => {
      const signerDid = (await registry.replicas.get(replicaIdOf(command)))?.peerDid ?? 'none';
      const request = { requestId: newId('message'), expiresAt: clock() + 30_000, signerDid, command };
      return registry.lifecycle.commit(request, ttlMs);
    },
    close: async () => {
      await Promise.all(pools.map((each) => each.close()));
      await database.drop();
    },
  };
  return fleet;
}

/** Puts an instance of the version, with a binding for each capability. */
async function putInstance(
  registry: Registry,
  version: VersionAdmission,
  {
    over,
    priority = 1,
    quotaPolicyRef,
  }: { over?: Partial<ConnectorInstanceRecord>; priority?: number; quotaPolicyRef?: string },
): Promise<ConnectorInstanceRecord> {
  const instance: ConnectorInstanceRecord = {
    id: newId('connectorInstance'),
    connectorTypeId: version.connectorTypeId,
    versionId: version.id,
    tenantId: TENANT,
    configRevision: 1,
    secretProviderRef: 'secrets:none',
    enabled: true,
    ...over,
  };
  await registry.instances.put(instance);
  for (const { id } of version.manifest.capabilities ?? [])
    await registry.bindings.put({
      tenantId: instance.tenantId,
      capabilityId: id,
      instanceId: instance.id,
      priority,
      credentialRevisionRef: 'credential:1',
      quotaPolicyRef,
      enabled: true,
    });
  return instance;
}

/** What the host of a replica of an instance proposes. */
function proposalOf(
  replica: TestReplica,
  {
    version,
    instance,
    expiresAtMs,
  }: { version: VersionAdmission; instance: ConnectorInstanceRecord; expiresAtMs: number },
): ReturnType<Fleet['proposal']> {
  return {
    operation: 'register',
    payload: {
      replica: {
        id: replica.id,
        instance_id: replica.instanceId,
        version_id: replica.versionId,
        endpoint: replica.endpoint,
        peer_principal_id: replica.peerPrincipalId,
        peer_principal_kind: replica.peerPrincipalKind,
        peer_did: replica.peerDid,
        trust_domain: replica.trustDomain,
        transport_profile: 'aip.native.http.v1',
        topology: {
          region: replica.topology.region,
          zone: replica.topology.zone,
          capacity_class: replica.topology.capacityClass,
        },
        status: 'ready',
        lease_expires_at: leaseArray(expiresAtMs),
        capacity: replica.capacity,
        active_assignments: 0,
        health_revision: 0,
      },
      manifest_digest: version.manifestDigest,
      artifact_digest: version.artifactDigest,
      tenant_id: instance.tenantId,
      config_revision: 1,
      secret_provider_ref: instance.secretProviderRef,
      capability_count: version.manifest.capabilities?.length ?? 0,
    },
  };
}

/** The proposal of a replica with the version, tenant and revision that its instance has now. */
async function registrationOf(fleet: Fleet, replica: TestReplica): Promise<LifecycleCommand> {
  const { payload, operation } = fleet.proposal(replica);
  const instance = await fleet.registry.instances.find(replica.instanceId);
  if (!instance) throw new Error(`no instance ${replica.instanceId}`);
  return {
    operation,
    payload: { ...payload, tenant_id: instance.tenantId, config_revision: instance.configRevision },
  };
}

/** The lease sequence of a replica. */
export async function sequenceOf(fleet: Fleet, replicaId: string): Promise<number> {
  return (await fleet.registry.replicas.get(replicaId))?.healthRevision ?? -1;
}

/** A request for a route of a new action. */
export function wanted(over: Partial<RouteRequest> = {}): RouteRequest {
  return { actionId: newId('action'), capabilityId: 'cap:probe:echo', tenantId: TENANT, ...over };
}

/** The route of one request; throws why there is none. */
export async function assigned(registry: Registry, request: RouteRequest = wanted()): Promise<RouteAssignment> {
  const [outcome] = await registry.routes.assign([request]);
  if (outcome === undefined || outcome instanceof Error) throw outcome;
  return outcome;
}

/** The code of the refusal, or the replica that was chosen. */
export async function outcomeOf(registry: Registry, request: RouteRequest = wanted()): Promise<string> {
  const [outcome] = await registry.routes.assign([request]);
  return outcome instanceof Error ? outcome.code : (outcome?.replicaId ?? 'nothing');
}
