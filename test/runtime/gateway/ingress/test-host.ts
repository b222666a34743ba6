import { digestOf } from '#runtime/protocol/digest.js';
import { newId } from '#runtime/protocol/ids.js';
import { newSeedHex, type SigningKey, signingKeyFromSeed } from '#runtime/protocol/signing.js';
import { leaseArray } from '#runtime/protocol/time.js';
import type { ConnectorEventRoute, Manifest, Principal } from '#runtime/protocol/types.js';
import { operatorAttestation } from '#runtime/registry/attestation.js';
import { DEFAULT_POLICY } from '#runtime/registry/policies.js';
import type { Registry } from '#runtime/registry/registry.js';
import { probeCapability } from '../../../support/external-host.ts';

export const TRUST_DOMAIN = 'fleet.test';
const ARTIFACT = `sha256:${'ab'.repeat(32)}`;
/** Longer than all tests of a file take on a slow machine. */
const LEASE_MS = 3_600_000;
const TOPOLOGY = { region: 'global', zone: 'default', capacityClass: 'standard' };

/** What is registered of a host. */
interface HostRecord {
  readonly replicaId: string;
  readonly instanceId: string;
  readonly versionId: string;
  readonly tenantId: string;
  readonly manifest: Manifest;
  readonly key: SigningKey;
  readonly principal: Principal;
  readonly endpoint: string;
}

/** A registered connector host that signs for itself. */
export interface TestHost extends HostRecord {
  /** The lease sequence that the registry gave last. */
  sequence: number;
  command(operation: 'heartbeat' | 'drain' | 'offline'): Promise<void>;
  eventRoute(over?: Partial<ConnectorEventRoute>): ConnectorEventRoute;
}

export interface HostOptions {
  instance?: string;
  tenantId?: string;
  replica?: string;
}

/** Registers a host of an instance; hosts with the same `instance` and tenant are replicas of one. */
export async function registerHost(registry: Registry, options: HostOptions = {}): Promise<TestHost> {
  const record = newRecord(options);
  await provision(registry, record);
  const host: TestHost = {
    ...record,
    sequence: (await commit(registry, record, registration(record))) as number,
    command: async (operation) => {
      const payload = { replica_id: host.replicaId, previous_sequence: host.sequence };
      const beat = operation === 'heartbeat' ? { in_flight: 0, connector_ready: true } : {};
      const sequence = await commit(registry, record, { operation, payload: { ...payload, ...beat } });
      host.sequence = sequence ?? host.sequence + 1;
    },
    eventRoute: (over = {}) => ({
      tenant_id: host.tenantId,
      instance_id: host.instanceId,
      replica_id: host.replicaId,
      version_id: host.versionId,
      manifest_digest: digestOf(host.manifest),
      lease_sequence: host.sequence,
      channel_id: 'news',
      ...over,
    }),
  };
  return host;
}

function newRecord({ instance = 'a', tenantId = 'tenant-a', replica = '1' }: HostOptions): HostRecord {
  const agent: Principal = { id: `service:host-${instance}`, kind: 'service' };
  return {
    replicaId: `crepl_${instance}_${replica}`,
    instanceId: `cinst_${instance}`,
    versionId: `cver_${instance}`,
    tenantId,
    manifest: {
      manifest_version: 'aip-manifest/v1',
      agent,
      capabilities: [probeCapability(instance, { name: 'stream' })],
      profiles: ['aip.native.http.v1'],
      channels: ['news', { id: 'mail' }, { channel_id: 'chat' }],
    } as Manifest,
    key: signingKeyFromSeed(newSeedHex()),
    principal: { ...agent, trust_domain: TRUST_DOMAIN },
    endpoint: `https://${instance}-${replica}.fleet.test/aip/v1/messages`,
  };
}

/** Type, version, instance, binding and replica of a host, before its process registers. */
async function provision(registry: Registry, host: HostRecord): Promise<void> {
  const { instanceId, versionId, tenantId } = host;
  const instance = instanceId.replace('cinst_', '');
  const connectorTypeId = typeIdOf(host);
  await registry.types.put({ id: connectorTypeId, name: instance, owner: 'owner', enabled: true });
  await admit(registry, { id: versionId, connectorTypeId, label: '1.0.0', manifest: host.manifest }, ARTIFACT);
  await registry.instances.put({
    id: instanceId,
    connectorTypeId,
    versionId,
    tenantId,
    configRevision: 1,
    secretProviderRef: 'none',
    enabled: true,
  });
  await registry.policies.put({ ...DEFAULT_POLICY, ref: 'quota-v1' });
  await registry.bindings.put({
    tenantId,
    capabilityId: `cap:probe:${instance}`,
    instanceId,
    priority: 0,
    credentialRevisionRef: 'credential-v1',
    quotaPolicyRef: 'quota-v1',
    enabled: true,
  });
  await registry.replicas.provision({
    id: host.replicaId,
    instanceId,
    versionId,
    endpoint: host.endpoint,
    peerPrincipalId: host.principal.id,
    peerPrincipalKind: host.principal.kind,
    peerDid: host.key.did,
    trustDomain: TRUST_DOMAIN,
    topology: TOPOLOGY,
    capacity: 64,
  });
}

/** The command with which a host registers. */
function registration(host: HostRecord): unknown {
  return {
    operation: 'register',
    payload: {
      replica: {
        id: host.replicaId,
        instance_id: host.instanceId,
        version_id: host.versionId,
        endpoint: host.endpoint,
        peer_principal_id: host.principal.id,
        peer_principal_kind: host.principal.kind,
        peer_did: host.key.did,
        trust_domain: TRUST_DOMAIN,
        transport_profile: 'aip.native.http.v1',
        topology: { region: TOPOLOGY.region, zone: TOPOLOGY.zone, capacity_class: TOPOLOGY.capacityClass },
        status: 'ready',
        lease_expires_at: leaseArray(Date.now() + LEASE_MS),
        capacity: 64,
        active_assignments: 0,
        health_revision: 0,
      },
      manifest_digest: digestOf(host.manifest),
      artifact_digest: ARTIFACT,
      tenant_id: host.tenantId,
      config_revision: 1,
      secret_provider_ref: 'none',
      capability_count: 1,
    },
  };
}

/** Commits a lifecycle command; returns the sequence of the lease that it gave. */
async function commit(registry: Registry, { key }: HostRecord, command: unknown): Promise<number | undefined> {
  const request = { requestId: newId('message'), expiresAt: Date.now() + 30_000, signerDid: key.did, command };
  const outcome = await registry.lifecycle.commit(request as Parameters<Registry['lifecycle']['commit']>[0], LEASE_MS);
  return outcome.status === 'lease' ? outcome.sequence : undefined;
}

/** Selects a further version for the host's instance; its replicas stay on theirs. */
export async function moveOn(registry: Registry, host: TestHost): Promise<void> {
  const { instanceId, tenantId } = host;
  const manifest = { ...host.manifest, extensions: { release: 2 } } as Manifest;
  const [connectorTypeId, versionId] = [typeIdOf(host), `${host.versionId}_2`];
  const artifactDigest = `sha256:${'cd'.repeat(32)}`;
  await admit(registry, { id: versionId, connectorTypeId, label: '2.0.0', manifest }, artifactDigest);
  const rest = { configRevision: 2, secretProviderRef: 'none', enabled: true };
  await registry.instances.put({ id: instanceId, connectorTypeId, versionId, tenantId, ...rest });
}

const typeIdOf = ({ versionId }: HostRecord): string => versionId.replace('cver_', 'ctype_');

async function admit(
  registry: Registry,
  version: { id: string; connectorTypeId: string; label: string; manifest: Manifest },
  artifactDigest: string,
): Promise<void> {
  const { manifest } = version;
  await registry.versions.admit({
    ...version,
    status: 'active',
    manifestDigest: digestOf(manifest),
    artifactDigest,
    attestation: operatorAttestation(manifest, artifactDigest, { signerIdentity: 'owner', owner: 'owner' }),
    implementationSupport: {},
  });
}
