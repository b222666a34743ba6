import express from 'express';
import { type Ingress, openIngress } from '#runtime/gateway/ingress/ingress.js';
import { DEFAULT_INGRESS_LIMITS, type IngressLimits } from '#runtime/gateway/ingress/limits.js';
import { ingressRoutes } from '#runtime/gateway/ingress/routes.js';
import { type Metrics, openMetrics } from '#runtime/gateway/metrics/metrics.js';
import { metricsRoutes } from '#runtime/gateway/metrics/routes.js';
import { followSources } from '#runtime/gateway/metrics/sources.js';
import { RUNTIME_SCHEMA, runtimeMigrations } from '#runtime/gateway/schema/migrations.js';
import { migrate } from '#runtime/postgres/migrate.js';
import { openPool, type Pool } from '#runtime/postgres/pool.js';
import { digestOf } from '#runtime/protocol/digest.js';
import { type Envelope, newEnvelope, signEnvelope } from '#runtime/protocol/envelope.js';
import { newId } from '#runtime/protocol/ids.js';
import { newSeedHex, type SigningKey, signingKeyFromSeed } from '#runtime/protocol/signing.js';
import { leaseArray } from '#runtime/protocol/time.js';
import type {
  ConnectorCallbackRoute,
  ConnectorEventRoute,
  Event,
  Manifest,
  Principal,
  StreamChunk,
} from '#runtime/protocol/types.js';
import { operatorAttestation } from '#runtime/registry/attestation.js';
import { DEFAULT_POLICY } from '#runtime/registry/policies.js';
import { openRegistry, type Registry } from '#runtime/registry/registry.js';
import type { RouteAssignment } from '#runtime/registry/routes/assignment.js';
import { listen } from '#runtime/transport/http/server.js';
import { openLogger } from '#runtime/transport/process/logger.js';
import { CONNECT_MS, freshDatabase } from '../../../support/database.ts';
import { probeCapability } from '../../../support/external-host.ts';

export const TRUST_DOMAIN = 'fleet.test';
export const CENTRAL: Principal = { id: 'service:central', kind: 'service', trust_domain: TRUST_DOMAIN };
const ARTIFACT = `sha256:${'ab'.repeat(32)}`;
/** Longer than all tests of a file take on a slow machine. */
const LEASE_MS = 3_600_000;

/** An answer of the ingress. */
export interface Answer {
  status: number;
  envelope: Envelope;
  /** Code of an error answer. */
  code?: string;
  retryable?: boolean;
  retryAfterMs?: number;
  /** Events of an accepted one. */
  events: Event[];
}

/** A registered connector host that signs for itself. */
export interface TestHost {
  readonly replicaId: string;
  readonly instanceId: string;
  readonly versionId: string;
  readonly tenantId: string;
  readonly manifest: Manifest;
  readonly key: SigningKey;
  readonly principal: Principal;
  readonly endpoint: string;
  /** The lease sequence that the registry gave last. */
  sequence: number;
  command(operation: 'heartbeat' | 'drain' | 'offline'): Promise<void>;
  eventRoute(over?: Partial<ConnectorEventRoute>): ConnectorEventRoute;
}

/** One gateway's ingress over a database and registry of its own. */
export interface Testbed {
  readonly databaseUrl: string;
  readonly pool: Pool;
  readonly registryPool: Pool;
  readonly registry: Registry;
  readonly central: SigningKey;
  /** DIDs of the central server besides that of its key. */
  readonly ownDids: string[];
  readonly url: string;
  readonly metrics: Metrics;
  readonly ingress: Ingress;
  /** A host of an instance; hosts with the same `instance` and tenant are replicas of one. */
  host(options?: { instance?: string; tenantId?: string; replica?: string }): Promise<TestHost>;
  /** An action row as a running execution leaves it, and its assignment to the host. */
  streaming(host: TestHost, over?: { state?: string; mode?: string; actionId?: string }): Promise<RouteAssignment>;
  /** Selects a further version for the host's instance; its replicas stay on theirs. */
  moveOn(host: TestHost): Promise<void>;
  /** Another gateway process' ingress on the same database. */
  another(limits?: Partial<IngressLimits>): Promise<string>;
  storedEvents(): Promise<Event[]>;
  storedChunks(actionId: string): Promise<StreamChunk[]>;
  close(): Promise<void>;
}

export async function openTestbed(limits: Partial<IngressLimits> = {}): Promise<Testbed> {
  const database = await freshDatabase();
  const pool = openPool({ url: database.url, max: 8, acquireTimeoutMs: CONNECT_MS });
  const registryPool = openPool({ url: database.url, max: 8, acquireTimeoutMs: CONNECT_MS });
  await migrate(pool, { schema: RUNTIME_SCHEMA, migrations: runtimeMigrations });
  const registry = openRegistry({ data: registryPool, clock: Date.now });
  await registry.migrate();
  const central = signingKeyFromSeed(newSeedHex());
  const ownDids: string[] = [];
  const metrics = openMetrics();
  const log = openLogger({ component: 'test', level: 'silent' });
  const closing: (() => Promise<void>)[] = [];

  const serve = async (own: Partial<IngressLimits>, ownMetrics: Metrics) => {
    const ingress = openIngress({
      pool,
      registry,
      signer: () => ({ principal: CENTRAL, key: central }),
      ownDids: () => ownDids,
      limits: { ...DEFAULT_INGRESS_LIMITS, ...own },
      clock: Date.now,
      log,
    });
    followSources(ownMetrics, { ingress });
    const app = express();
    const edge = { clock: Date.now, log, metrics: ownMetrics } as Parameters<typeof metricsRoutes>[0];
    app.use(ingressRoutes({ ...edge, ingress }), metricsRoutes(edge));
    const server = await listen(app, { host: '127.0.0.1', port: 0 });
    closing.push(() => server.close(0));
    return { url: server.url, ingress };
  };
  const { url, ingress } = await serve(limits, metrics);

  const testbed: Testbed = {
    databaseUrl: database.url,
    pool,
    registryPool,
    registry,
    central,
    ownDids,
    url,
    metrics,
    ingress,
    host: async ({ instance = 'a', tenantId = 'tenant-a', replica = '1' } = {}) => {
      const [typeId, versionId, instanceId] = [`ctype_${instance}`, `cver_${instance}`, `cinst_${instance}`];
      const replicaId = `crepl_${instance}_${replica}`;
      const key = signingKeyFromSeed(newSeedHex());
      const agent: Principal = { id: `service:host-${instance}`, kind: 'service' };
      const manifest: Manifest = {
        manifest_version: 'aip-manifest/v1',
        agent,
        capabilities: [probeCapability(instance, { name: 'stream' })],
        profiles: ['aip.native.http.v1'],
        channels: ['news', { id: 'mail' }, { channel_id: 'chat' }],
      } as Manifest;
      const endpoint = `https://${instance}-${replica}.fleet.test/aip/v1/messages`;
      const topology = { region: 'global', zone: 'default', capacityClass: 'standard' };
      await registry.types.put({ id: typeId, name: instance, owner: 'owner', enabled: true });
      await registry.versions.admit({
        id: versionId,
        connectorTypeId: typeId,
        label: '1.0.0',
        status: 'active',
        manifest,
        manifestDigest: digestOf(manifest),
        artifactDigest: ARTIFACT,
        attestation: operatorAttestation(manifest, ARTIFACT, { signerIdentity: 'owner', owner: 'owner' }),
        implementationSupport: {},
      } as Parameters<Registry['versions']['admit']>[0]);
      await registry.instances.put({
        id: instanceId,
        connectorTypeId: typeId,
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
        id: replicaId,
        instanceId,
        versionId,
        endpoint,
        peerPrincipalId: agent.id,
        peerPrincipalKind: agent.kind,
        peerDid: key.did,
        trustDomain: TRUST_DOMAIN,
        topology,
        capacity: 64,
      });
      const commit = async (command: unknown): Promise<number | undefined> => {
        const request = { requestId: newId('message'), expiresAt: Date.now() + 30_000, command };
        const outcome = await registry.lifecycle.commit(
          request as Parameters<Registry['lifecycle']['commit']>[0],
          LEASE_MS,
        );
        return outcome.status === 'lease' ? outcome.sequence : undefined;
      };
      const sequence = await commit({
        operation: 'register',
        payload: {
          replica: {
            id: replicaId,
            instance_id: instanceId,
            version_id: versionId,
            endpoint,
            peer_principal_id: agent.id,
            peer_principal_kind: agent.kind,
            peer_did: key.did,
            trust_domain: TRUST_DOMAIN,
            transport_profile: 'aip.native.http.v1',
            topology: { region: 'global', zone: 'default', capacity_class: 'standard' },
            status: 'ready',
            lease_expires_at: leaseArray(Date.now() + LEASE_MS),
            capacity: 64,
            active_assignments: 0,
            health_revision: 0,
          },
          manifest_digest: digestOf(manifest),
          artifact_digest: ARTIFACT,
          tenant_id: tenantId,
          config_revision: 1,
          secret_provider_ref: 'none',
          capability_count: 1,
        },
      });
      const host: TestHost = {
        replicaId,
        instanceId,
        versionId,
        tenantId,
        manifest,
        key,
        principal: { ...agent, trust_domain: TRUST_DOMAIN },
        endpoint,
        sequence: sequence as number,
        command: async (operation) => {
          const payload = { replica_id: replicaId, previous_sequence: host.sequence };
          const beat = operation === 'heartbeat' ? { in_flight: 0, connector_ready: true } : {};
          host.sequence = (await commit({ operation, payload: { ...payload, ...beat } })) ?? host.sequence + 1;
        },
        eventRoute: (over = {}) => ({
          tenant_id: tenantId,
          instance_id: instanceId,
          replica_id: replicaId,
          version_id: versionId,
          manifest_digest: digestOf(manifest),
          lease_sequence: host.sequence,
          channel_id: 'news',
          ...over,
        }),
      };
      return host;
    },
    streaming: async (host, { state = 'running', mode = 'streaming', actionId = newId('action') } = {}) => {
      const capabilityId = host.manifest.capabilities?.[0]?.id as string;
      const now = Date.now();
      await pool.query(
        `INSERT INTO runtime.actions (action_id, tenant_id, principal_id, principal_kind, capability_id, session_id, correlation_id, message_id,
           mode, state, request, plan, accepted_at, updated_at, completed_at)
         VALUES ($1, $2, 'agent:a', 'agent', $3, 'sess_1', 'corr_1', $4, $5, $6, '{}', '{}', $7, $7, $8)`,
        [actionId, host.tenantId, capabilityId, newId('message'), mode, state, now, state === 'completed' ? now : null],
      );
      const [assigned] = await registry.routes.assign([{ actionId, capabilityId, tenantId: host.tenantId }]);
      if (!assigned || assigned instanceof Error) throw assigned ?? new Error('nothing was assigned');
      if (assigned.replicaId !== host.replicaId) throw new Error('another replica was assigned');
      return assigned;
    },
    moveOn: async (host) => {
      const manifest = { ...host.manifest, extensions: { release: 2 } } as Manifest;
      const [connectorTypeId, id] = [host.versionId.replace('cver_', 'ctype_'), `${host.versionId}_2`];
      const artifactDigest = `sha256:${'cd'.repeat(32)}`;
      await registry.versions.admit({
        id,
        connectorTypeId,
        label: '2.0.0',
        status: 'active',
        manifest,
        manifestDigest: digestOf(manifest),
        artifactDigest,
        attestation: operatorAttestation(manifest, artifactDigest, { signerIdentity: 'owner', owner: 'owner' }),
        implementationSupport: {},
      });
      const { instanceId, tenantId } = host;
      const rest = { configRevision: 2, secretProviderRef: 'none', enabled: true };
      await registry.instances.put({ id: instanceId, connectorTypeId, versionId: id, tenantId, ...rest });
    },
    another: async (own = {}) => (await serve({ ...limits, ...own }, openMetrics())).url,
    storedEvents: async () => {
      const { rows } = await pool.query<{ record: Event }>('SELECT record FROM runtime.events ORDER BY xid, seq');
      return rows.map((row) => row.record);
    },
    storedChunks: async (actionId) => {
      const { rows } = await pool.query<{ record: StreamChunk }>(
        'SELECT record FROM runtime.chunks WHERE action_id = $1 ORDER BY sequence',
        [actionId],
      );
      return rows.map((row) => row.record);
    },
    close: async () => {
      for (const close of closing) await close();
      await pool.close();
      await registryPool.close();
      await database.drop();
    },
  };
  return testbed;
}

/** The callback route of an assignment, as a host copies it. */
export function callbackRoute(a: RouteAssignment, over: Partial<ConnectorCallbackRoute> = {}): ConnectorCallbackRoute {
  return {
    action_id: a.actionId,
    capability_id: a.capabilityId,
    tenant_id: a.tenantId,
    instance_id: a.instanceId,
    replica_id: a.replicaId,
    version_id: a.versionId,
    manifest_digest: a.manifestDigest,
    catalog_revision: a.catalogRevision,
    binding_policy_revision: a.bindingPolicyRevision,
    credential_revision_ref: a.credentialRevisionRef,
    quota_policy_ref: a.quotaPolicyRef,
    replica_health_revision: a.replicaHealthRevision,
    fence_token: a.fenceToken,
    original_mode: 'streaming',
    ...over,
  };
}

/** A signed envelope for the ingress; `fields` replace members before it is signed. */
export function signed(
  host: Pick<TestHost, 'principal' | 'key'>,
  body: Record<string, unknown>,
  security: Record<string, unknown>,
  fields: Partial<Envelope> = {},
): Promise<Envelope> {
  const plain = newEnvelope(body as Envelope['body'], { to: CENTRAL, security, ...fields }, { clock: Date.now });
  return signEnvelope(plain, host.principal, host.key);
}

/** Signed provider events. */
export function eventsOf(
  host: TestHost,
  events: Event[],
  over: { route?: Partial<ConnectorEventRoute>; fields?: Partial<Envelope>; cursor?: string } = {},
): Promise<Envelope> {
  const stream = { events, ...(over.cursor !== undefined && { next_cursor: over.cursor }) };
  return signed(host, { event_stream: stream }, { connector_event: host.eventRoute(over.route) }, over.fields);
}

/** A signed stream chunk. */
export function chunkOf(
  host: TestHost,
  assignment: RouteAssignment,
  chunk: Partial<StreamChunk>,
  over: { route?: Partial<ConnectorCallbackRoute>; fields?: Partial<Envelope> } = {},
): Promise<Envelope> {
  const full = { action_id: assignment.actionId, sequence: 0, kind: 'data', ...chunk };
  return signed(
    host,
    { stream_chunk: full },
    { connector_callback: callbackRoute(assignment, over.route) },
    over.fields,
  );
}

export const EVENTS = '/aip/v1/connector-events';
export const CALLBACKS = '/aip/v1/connector-callbacks';

/** Posts an envelope, or raw text, to a path of the ingress. */
export async function post(
  url: string,
  path: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const response = await fetch(`${url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  const envelope = (await response.json()) as Envelope;
  const held = envelope.body as {
    event_stream?: { events: Event[] };
    error?: { error: { code: string; retryable: boolean; retry_after_ms?: number } };
  };
  const error = held.error?.error;
  return {
    status: response.status,
    envelope,
    events: held.event_stream?.events ?? [],
    ...(error && { code: error.code, retryable: error.retryable }),
    ...(error?.retry_after_ms !== undefined && { retryAfterMs: error.retry_after_ms }),
  };
}

let made = 0;

/** A provider event with an id of its own. */
export function newEvent(over: Partial<Event> = {}): Event {
  made += 1;
  return {
    id: newId('event'),
    kind: 'probe.message',
    occurred_at: '2026-01-02T03:04:05Z',
    data: { n: made },
    ...over,
  };
}

/** Holds every write to the event log until the returned function is called. */
export async function holdEventLog(testbed: Testbed): Promise<() => Promise<void>> {
  const release = Promise.withResolvers<void>();
  const held = Promise.withResolvers<void>();
  const lock = testbed.pool.tx(async (client) => {
    await client.query('LOCK TABLE runtime.events IN ACCESS EXCLUSIVE MODE');
    held.resolve();
    await release.promise;
  });
  await held.promise;
  return async () => {
    release.resolve();
    await lock;
  };
}
