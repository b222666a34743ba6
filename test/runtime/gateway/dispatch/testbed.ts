import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { Socket } from 'node:net';
import { pino } from 'pino';
import { type Dispatcher, openDispatcher, type RemoteWork } from '#runtime/gateway/dispatch/dispatcher.js';
import type { DispatcherDeps } from '#runtime/gateway/dispatch/dispatcher-deps.js';
import { freePort } from '#runtime/postgres/free-port.js';
import { openPool, type Pool } from '#runtime/postgres/pool.js';
import { digestOf } from '#runtime/protocol/digest.js';
import {
  decodeEnvelope,
  type Envelope,
  replyEnvelope,
  signEnvelope,
  verifyEnvelope,
} from '#runtime/protocol/envelope.js';
import { newId } from '#runtime/protocol/ids.js';
import { parseJson } from '#runtime/protocol/json.js';
import { newSeedHex, type SigningKey, signingKeyFromSeed } from '#runtime/protocol/signing.js';
import { leaseArray } from '#runtime/protocol/time.js';
import type {
  Action,
  ActionResult,
  Capability,
  ConnectorRoute,
  LifecycleCommand,
  Manifest,
  Principal,
  ProtocolError,
} from '#runtime/protocol/types.js';
import { JOURNAL_PROFILE } from '#runtime/protocol/wire/journal-profile.js';
import { operatorAttestation } from '#runtime/registry/attestation.js';
import { DEFAULT_POLICY } from '#runtime/registry/policies.js';
import { openRegistry, type Registry } from '#runtime/registry/registry.js';
import type { ReplicaTopology } from '#runtime/registry/replicas.js';
import type { VersionAdmission } from '#runtime/registry/versions.js';
import { openPeerClient } from '#runtime/transport/peer/client.js';
import { destinationPolicy } from '#runtime/transport/peer/destination.js';
import { CONNECT_MS, freshDatabase } from '../../../support/database.ts';
import { probeCapability } from '../../../support/external-host.ts';

export const TENANT = 'tenant-a';
export const TRUST_DOMAIN = 'test.local';
export const GATEWAY: Principal = { id: 'service:gateway', kind: 'service' };
const AGENT: Principal = { id: 'agent:probe', kind: 'agent' };
/** The quota policy of every binding: the one that counts where none is named. */
export const QUOTA_POLICY = 'quota:probe';
/** Longer than all tests of a file take on a slow machine. */
const LEASE_MS = 3_600_000;
export const DEFAULT_TOPOLOGY: ReplicaTopology = { region: 'global', zone: 'default', capacityClass: 'standard' };

/** What a host does with a verified request: a signed body, a signed error with its status, or nothing but a broken connection. */
export type Reply = { body: Record<string, unknown> } | { error: ProtocolError; status: number } | 'break';

/** A connector host over real HTTP with a key of its own. */
export interface Host {
  readonly replicaId: string;
  readonly key: SigningKey;
  readonly received: { envelope: Envelope; did: string; headers: IncomingMessage['headers'] }[];
  /** Actions that it received, in order. */
  readonly actions: Action[];
  /** Connections that were opened to it so far. */
  connections(): number;
  reply: (envelope: Envelope) => Reply | Promise<Reply>;
  /** Who signs, and as whom; a test may put somebody else here. */
  signer: { principal: Principal; key: SigningKey };
  /** Applies a lifecycle command of this replica, as the control plane would. */
  lifecycle(operation: 'heartbeat' | 'drain' | 'offline'): Promise<void>;
  /** Stops listening and cuts every connection. */
  crash(): Promise<void>;
  /** Listens again at the same address. */
  restart(): Promise<void>;
}

export interface Testbed {
  readonly registry: Registry;
  readonly pool: Pool;
  readonly databaseUrl: string;
  readonly hosts: readonly Host[];
  readonly gatewayKey: SigningKey;
  readonly instanceId: string;
  readonly versionId: string;
  readonly manifestDigest: string;
  dispatcher(over?: Partial<DispatcherDeps>, client?: { timeoutMs?: number; retries?: number }): Dispatcher;
  close(): Promise<void>;
}

/**
 * A database with an instance of a probe connector for each tenant and its replicas, all of them registered with a lease; they journal actions by id
 * unless `profiles` says otherwise. The hosts of the first tenant come first.
 */
export async function startTestbed(
  topologies: readonly Partial<ReplicaTopology>[] = [{}],
  capabilities: Capability[] = [probeCapability('echo')],
  profiles: string[] = ['aip.native.http.v1', JOURNAL_PROFILE],
  tenants: readonly string[] = [TENANT],
): Promise<Testbed> {
  const database = await freshDatabase();
  const pool = openPool({ url: database.url, max: 8, acquireTimeoutMs: CONNECT_MS });
  const registry = openRegistry({ data: pool, clock: Date.now, allowLoopbackHttp: true });
  await registry.migrate();
  const gatewayKey = signingKeyFromSeed(newSeedHex());
  const version = await admitVersion(registry, capabilities, profiles);
  await registry.policies.put({ ...DEFAULT_POLICY, ref: QUOTA_POLICY });
  const hosts: Host[] = [];
  const instances: string[] = [];
  for (const tenantId of tenants) {
    const instance = await putInstance(registry, version, capabilities, tenantId);
    instances.push(instance);
    const registration = {
      manifest_digest: version.manifestDigest,
      artifact_digest: version.artifactDigest,
      tenant_id: tenantId,
      config_revision: 1,
      secret_provider_ref: 'none',
      capability_count: capabilities.length,
    };
    const ids = { version: version.id, instance };
    for (const topology of topologies)
      hosts.push(await startHost(registry, ids, { ...DEFAULT_TOPOLOGY, ...topology }, registration));
  }
  const clients: { close(): Promise<void> }[] = [];
  return {
    registry,
    pool,
    databaseUrl: database.url,
    hosts,
    gatewayKey,
    instanceId: instances[0] as string,
    versionId: version.id,
    manifestDigest: version.manifestDigest,
    dispatcher: (over = {}, client = {}) => {
      const policy = destinationPolicy({ hosts: [], allowHttp: true, allowPrivate: true, registryBound: true });
      const peer = openPeerClient({
        key: () => gatewayKey,
        principal: GATEWAY,
        trustDomain: TRUST_DOMAIN,
        policy,
        ...client,
      });
      const dispatcher = openDispatcher({
        registry,
        peer,
        signer: () => ({ principal: { ...GATEWAY, trust_domain: TRUST_DOMAIN }, key: gatewayKey }),
        callbackUrl: 'http://127.0.0.1:9/aip/v1/connector-callbacks',
        clock: Date.now,
        log: pino({ level: 'silent' }),
        ...over,
      });
      clients.push({ close: () => dispatcher.stop().then(() => peer.close()) });
      return dispatcher;
    },
    close: async () => {
      for (const client of clients) await client.close();
      for (const host of hosts) await host.crash();
      await pool.close();
      await database.drop();
    },
  };
}

/** Admits the only version of the probe's type. */
async function admitVersion(
  registry: Registry,
  capabilities: Capability[],
  profiles: string[],
): Promise<VersionAdmission> {
  const manifest: Manifest = { manifest_version: 'aip-manifest/v1', agent: AGENT, capabilities, profiles };
  const artifactDigest = `sha256:${'ab'.repeat(32)}`;
  const version: VersionAdmission = {
    id: newId('connectorVersion'),
    connectorTypeId: newId('connectorType'),
    label: '1.0.0',
    status: 'active',
    manifest,
    manifestDigest: digestOf(manifest),
    artifactDigest,
    attestation: operatorAttestation(manifest, artifactDigest, { signerIdentity: 'us', owner: 'us' }),
    implementationSupport: Object.fromEntries(capabilities.map(({ id }) => [id, { invocation: true }])),
  };
  await registry.types.put({ id: version.connectorTypeId, name: 'probe', owner: 'us', enabled: true });
  await registry.versions.admit(version);
  return version;
}

/** Puts an instance of the version for a tenant, with a binding for each capability; returns its id. */
async function putInstance(
  registry: Registry,
  version: VersionAdmission,
  capabilities: readonly Capability[],
  tenantId: string,
): Promise<string> {
  const id = newId('connectorInstance');
  await registry.instances.put({
    id,
    connectorTypeId: version.connectorTypeId,
    versionId: version.id,
    tenantId,
    configRevision: 1,
    secretProviderRef: 'none',
    enabled: true,
  });
  for (const { id: capabilityId } of capabilities)
    await registry.bindings.put({
      tenantId,
      capabilityId,
      instanceId: id,
      priority: 1,
      credentialRevisionRef: 'credential:1',
      quotaPolicyRef: QUOTA_POLICY,
      enabled: true,
    });
  return id;
}

/** Remote work on the probe's echo. */
export function work(over: Partial<Action> = {}, rest: Partial<RemoteWork> = {}): RemoteWork {
  const action: Action = {
    id: newId('action'),
    capability_id: 'cap:probe:echo',
    input: { text: 'hello' },
    mode: 'sync',
    ...over,
  };
  return { action, tenantId: TENANT, originalMode: action.mode ?? 'sync', ...rest };
}

export const routeOf = (envelope: Envelope): ConnectorRoute =>
  (envelope.security as { connector_route: ConnectorRoute }).connector_route;

/** A signal that nobody aborts. */
export const forever = (): AbortSignal => new AbortController().signal;

/** The result of dispatched work, whose place is given back; rejects with why there is none. */
export async function resultOf(dispatcher: Dispatcher, job: RemoteWork, signal = forever()): Promise<ActionResult> {
  const dispatched = await dispatcher.execute(job, signal);
  await using _place = dispatched.place;
  if (dispatched.kind === 'result') return dispatched.result;
  throw dispatched.error;
}

/** The result that a host gives for an action. */
export const completed = (envelope: Envelope): Reply => {
  const { action, cancel } = envelope.body as { action?: Action; cancel?: { target: { action: string } } };
  if (cancel) return { body: { action_result: { action_id: cancel.target.action, status: 'cancelled' } } };
  return { body: { action_result: { action_id: action?.id, status: 'completed', output: { echoed: action?.input } } } };
};

async function startHost(
  registry: Registry,
  ids: { version: string; instance: string },
  topology: ReplicaTopology,
  registration: object,
): Promise<Host> {
  const key = signingKeyFromSeed(newSeedHex());
  const replicaId = newId('connectorReplica');
  const self: Principal = { ...AGENT, trust_domain: TRUST_DOMAIN };
  const received: Host['received'] = [];
  const sockets = new Set<Socket>();
  let connections = 0;
  let server: Server;
  // Out of reach of others also while the host is down.
  const port = await freePort();

  const listen = async (): Promise<void> => {
    server = createServer(async (request, response) => {
      let text = '';
      for await (const part of request) text += part;
      const envelope = decodeEnvelope(parseJson(text));
      received.push({ envelope, did: await verifyEnvelope(envelope), headers: request.headers });
      const reply = await host.reply(envelope);
      if (reply === 'break') return void request.socket.destroy();
      response.writeHead('error' in reply ? reply.status : 200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(await signedReply(envelope, reply, host.signer)));
    });
    server.on('connection', (socket: Socket) => {
      connections += 1;
      sockets.add(socket);
      socket.once('close', () => sockets.delete(socket));
    });
    await new Promise<void>((done) => server.listen(port, '127.0.0.1', done));
  };
  await listen();
  const endpoint = `http://127.0.0.1:${port}/aip/v1/messages`;
  await registry.replicas.provision({
    id: replicaId,
    instanceId: ids.instance,
    versionId: ids.version,
    endpoint,
    peerPrincipalId: AGENT.id,
    peerPrincipalKind: AGENT.kind,
    peerDid: key.did,
    trustDomain: TRUST_DOMAIN,
    topology,
    capacity: 64,
  });
  const commit = async (command: LifecycleCommand): Promise<void> => {
    const request = { requestId: newId('message'), expiresAt: Date.now() + 30_000, signerDid: key.did, command };
    await registry.lifecycle.commit(request, LEASE_MS);
  };
  const host: Host = {
    replicaId,
    key,
    received,
    get actions() {
      return received.flatMap(({ envelope }) => (envelope.body as { action?: Action }).action ?? []);
    },
    connections: () => connections,
    reply: completed,
    signer: { principal: self, key },
    lifecycle: async (operation) => {
      const previous_sequence = (await registry.replicas.get(replicaId))?.healthRevision as number;
      const fence = { replica_id: replicaId, previous_sequence };
      const payload = operation === 'heartbeat' ? { ...fence, in_flight: 0, connector_ready: true } : fence;
      await commit({ operation, payload } as LifecycleCommand);
    },
    crash: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((done) => server.close(() => done()));
    },
    restart: listen,
  };
  await commit({
    operation: 'register',
    payload: {
      replica: {
        id: replicaId,
        instance_id: ids.instance,
        version_id: ids.version,
        endpoint,
        peer_principal_id: AGENT.id,
        peer_principal_kind: AGENT.kind,
        peer_did: key.did,
        trust_domain: TRUST_DOMAIN,
        transport_profile: 'aip.native.http.v1',
        topology: { region: topology.region, zone: topology.zone, capacity_class: topology.capacityClass },
        status: 'ready',
        lease_expires_at: leaseArray(Date.now() + LEASE_MS),
        capacity: 64,
        active_assignments: 0,
        health_revision: 0,
      },
      ...registration,
    },
  } as unknown as LifecycleCommand);
  return host;
}

function signedReply(
  envelope: Envelope,
  reply: Exclude<Reply, 'break'>,
  { principal, key }: Host['signer'],
): Promise<Envelope> {
  const body = 'error' in reply ? { error: { error: reply.error } } : reply.body;
  const unsigned = replyEnvelope(envelope, body as never, { clock: Date.now, from: principal });
  return signEnvelope(unsigned, principal, key);
}
