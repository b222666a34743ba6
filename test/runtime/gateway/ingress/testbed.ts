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
import { type Envelope, newEnvelope, signEnvelope } from '#runtime/protocol/envelope.js';
import { newId } from '#runtime/protocol/ids.js';
import { newSeedHex, type SigningKey, signingKeyFromSeed } from '#runtime/protocol/signing.js';
import type {
  ConnectorCallbackRoute,
  ConnectorEventRoute,
  Event,
  Principal,
  StreamChunk,
} from '#runtime/protocol/types.js';
import { openRegistry, type Registry } from '#runtime/registry/registry.js';
import type { RouteAssignment } from '#runtime/registry/routes/assignment.js';
import { listen } from '#runtime/transport/http/server.js';
import { openLogger } from '#runtime/transport/process/logger.js';
import { CONNECT_MS, freshDatabase } from '../../../support/database.ts';
import { type HostOptions, moveOn, registerHost, type TestHost, TRUST_DOMAIN } from './test-host.ts';

export { type TestHost, TRUST_DOMAIN };

export const CENTRAL: Principal = { id: 'service:central', kind: 'service', trust_domain: TRUST_DOMAIN };

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

interface StreamingOptions {
  state?: string;
  mode?: string;
  actionId?: string;
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
  host(options?: HostOptions): Promise<TestHost>;
  /** An action row as a running execution leaves it, and its assignment to the host. */
  streaming(host: TestHost, over?: StreamingOptions): Promise<RouteAssignment>;
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
  // A test holds statements for as long as it takes to send what waits for them.
  const patient = { url: database.url, max: 8, acquireTimeoutMs: CONNECT_MS, statementTimeoutMs: CONNECT_MS };
  const [pool, registryPool] = [openPool(patient), openPool(patient)];
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
    host: (options) => registerHost(registry, options),
    streaming: (host, over) => streamingAction(pool, registry, host, over),
    moveOn: (host) => moveOn(registry, host),
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

/** Stores an action as a running execution leaves it, and assigns it to the host. */
async function streamingAction(
  pool: Pool,
  registry: Registry,
  host: TestHost,
  { state = 'running', mode = 'streaming', actionId = newId('action') }: StreamingOptions = {},
): Promise<RouteAssignment> {
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
