import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { checkConfig } from '../../connectors/sdk/config.js';
import type { Connector } from '../../connectors/sdk/connector.js';
import type { ChunkContent } from '../../connectors/sdk/context.js';
import { type SecretReader, SecretUnavailable } from '../../connectors/sdk/secrets.js';
import { openDocumentStore } from '../../postgres/documents.js';
import { startEmbedded } from '../../postgres/embedded.js';
import { systemClock } from '../../protocol/clock.js';
import { newEnvelope } from '../../protocol/envelope.js';
import { newId } from '../../protocol/ids.js';
import { newSeedHex, signingKeyFromSeed } from '../../protocol/signing.js';
import type { Action, ActionResult, ConnectorRoute, Event, Principal } from '../../protocol/types.js';
import { NATIVE_HTTP_PROFILE } from '../../protocol/wire/native-http.js';
import { callbackRouteOf } from '../../protocol/wire/routes.js';
import { listen } from '../../transport/http/server.js';
import { openPeerClient } from '../../transport/peer/client.js';
import { destinationPolicy } from '../../transport/peer/destination.js';
import { approvalJournal } from '../approvals/journal.js';
import type { HostConfig } from '../config/config.js';
import { openHostDatabase } from '../database.js';
import { openExecutor } from '../execution/executor.js';
import { openRunningActions } from '../execution/running.js';
import { hostIdentity } from '../gate/facts.js';
import { openDurableState } from '../journal/durable-state.js';
import { openJournal } from '../journal/journal.js';
import { bindManifest, hostPrincipal } from '../manifest/bind-manifest.js';
import { newMetrics } from '../metrics/metrics.js';
import { openOutbox } from '../outbox/outbox.js';
import { openEventPublisher } from '../outbox/publisher.js';
import { messageHandler } from '../server/messages.js';
import { approved } from './approval.js';

/** What a connector is tested with. */
export interface TestHostOptions {
  /** Checked as that of an instance is; default `{}`. */
  config?: unknown;
  /** Texts of the instance's secrets, by file name. */
  secrets?: Readonly<Record<string, string>>;
  /** A PostgreSQL database to use instead of one of its own; its tables are in the schema `aip_host`. */
  databaseUrl?: string;
}

/** How an action is asked for. */
export interface RunOptions {
  mode?: 'sync' | 'async' | 'streaming';
  /** The same id again is the same action: it is answered from the journal. Default: a new one. */
  id?: string;
  idempotencyKey?: string;
  timeoutMs?: number;
  transaction?: Action['transaction'];
  /** Whether somebody approved the action; default: where the capability demands it. */
  approved?: boolean;
}

/** What an action came to. */
export interface RunOutcome {
  result: ActionResult;
  /** What it emitted, in streaming mode. */
  chunks: ChunkContent[];
  /** What it published, with the channel. */
  events: { channel: string; event: Event }[];
}

/** A connector host for tests: gate, checks, execution and journal are those of a real host; gateway and fleet are not needed. */
export interface TestHost {
  /** Runs an action through the whole host. Throws RemoteError for what the host's gate refuses. */
  run(capabilityId: string, input: unknown, options?: RunOptions): Promise<RunOutcome>;
  /** Whether the provider can be used, as the connector's health says. */
  health(): Promise<{ ready: boolean; detail: string }>;
  stop(): Promise<void>;
}

const TRUST_DOMAIN = 'test.invalid';
const TENANT = 'test';
const CALLBACK = 'https://gateway.test.invalid/aip/v1/connector-callbacks';
const TIMEOUT_MS = 300_000;

/** Starts a host for one connector. Throws ConnectorConfigInvalid for a configuration that it refuses. */
export async function openTestHost<Config>(
  connector: Connector<Config>,
  options: TestHostOptions = {},
): Promise<TestHost> {
  const connectorConfig = checkConfig(connector, options.config ?? {});
  const secrets = options.secrets ?? {};
  const facts = { secretFiles: Object.keys(secrets).sort() };
  const handlers = new Map(connector.capabilities(connectorConfig, facts).map((each) => [each.record.id, each]));
  const key = signingKeyFromSeed(newSeedHex());
  const gatewayKey = signingKeyFromSeed(newSeedHex());
  const manifest = connector.manifest(connectorConfig, facts);
  const principal = hostPrincipal(manifest, TRUST_DOMAIN, key.did);
  const bound = bindManifest(manifest, principal);
  const gateway = { id: 'service:gateway', kind: 'service', trust_domain: TRUST_DOMAIN } as const;
  const config = configOf(gateway);
  const { instanceId, replicaId, versionId } = config;
  const clock = systemClock;
  const log = pino({ level: 'silent' });
  const signer = { principal, key };

  const database = await openDatabase(options.databaseUrl);
  const { pool } = database;
  const outbox = openOutbox({
    pool,
    publisher: { principal, tenantId: TENANT, instanceId, replicaId, versionId },
    clock,
  });
  const publisher = openEventPublisher({
    endpoint: undefined,
    outbox,
    config,
    central: { principal: gateway, dids: () => [gatewayKey.did] },
    manifest: bound.manifest,
    manifestDigest: bound.digest,
    signer,
    leaseSequence: () => 1,
    clock,
    log,
  });
  const running = openRunningActions(32);
  const documents = openDocumentStore({ pool, prefix: '', clock });
  const secret = secretsOf(secrets);
  const seen = new Map<string, Omit<RunOutcome, 'result'>>();
  let published: RunOutcome['events'] = [];
  const executor = openExecutor({
    config,
    connectorType: connector.type,
    connectorConfig,
    secret,
    capabilities: bound.capabilities,
    handlers: handlers as never,
    journal: openJournal({ pool, instanceId, replicaId, clock, durability: 'strict' }),
    running,
    state: openDurableState(pool, instanceId),
    documents,
    publishEvents: async (channel, events) => {
      await publisher.publish(channel, events);
      published.push(...events.map((event) => ({ channel, event })));
    },
    openChunks: ({ action }) => ({
      emit: async (chunk) => {
        if (action.mode === 'streaming') seen.get(action.id)?.chunks.push(chunk);
      },
      settled: async () => undefined,
      failure: () => undefined,
    }),
    clock,
    log,
  });
  const handle = messageHandler({
    host: hostIdentity(config, principal, bound),
    situation: () => ({
      draining: false,
      leaseValid: true,
      storageReady: true,
      connectorReady: true,
      freeSlots: running.free(),
      gatewayDids: [gatewayKey.did],
    }),
    leaseOnItsWay: () => false,
    credentialPolicy: () => ({ previous: [], revoked: [] }),
    importApproval: approvalJournal(pool, instanceId, clock),
    executor,
    running,
    signer,
    documents,
    metrics: newMetrics(),
    maxBodyBytes: 64 * 1024 * 1024,
    clock,
    log,
    onStorageFault: () => undefined,
  });
  const server = await listen((request, response) => void handle(request, response), { host: '127.0.0.1', port: 0 });
  const peer = openPeerClient({
    key: () => gatewayKey,
    principal: gateway,
    trustDomain: TRUST_DOMAIN,
    policy: destinationPolicy({ hosts: ['127.0.0.1'], allowHttp: true, allowPrivate: true }),
    timeoutMs: TIMEOUT_MS,
    maxResponseBytes: 256 * 1024 * 1024,
  });

  return {
    run: async (capabilityId, input, asked = {}) => {
      const { mode, id = newId('action'), idempotencyKey, timeoutMs, transaction } = asked;
      const capability = bound.capabilities.get(capabilityId);
      const route = routeOf(id, capabilityId, config, bound.digest, mode);
      const plain: Action = {
        id,
        capability_id: capabilityId,
        input,
        identity: { tenant: { id: TENANT } },
        // A gateway sends an async action as a sync one.
        ...(mode !== undefined && { mode: mode === 'async' ? 'sync' : mode }),
        ...(idempotencyKey !== undefined && { idempotency_key: idempotencyKey }),
        ...(timeoutMs !== undefined && { timeout_ms: timeoutMs }),
        ...(transaction && { transaction }),
        ...(mode === 'streaming' && { callback: callbackOf(route, { ...gateway, did: gatewayKey.did }) }),
      };
      const withApproval = asked.approved ?? capability?.contract?.approval?.required ?? false;
      const { action, record } = withApproval ? approved(plain, TENANT, clock()) : { action: plain, record: undefined };
      const security = { connector_route: { ...route, ...(record && { approval_authorization: record }) } };
      const known = { chunks: [], events: [] };
      seen.set(id, known);
      published = known.events;
      const answer = await peer.send(newEnvelope({ action }, { security }, { clock }), {
        url: `${server.url}/aip/v1/messages`,
        principal: { id: principal.id, kind: principal.kind },
        did: key.did,
        trustDomain: TRUST_DOMAIN,
      });
      return { result: (answer.body as { action_result: ActionResult }).action_result, ...known };
    },
    health: async () => {
      if (!connector.health) return { ready: true, detail: 'the connector has no probe' };
      const { openFetch } = await import('../../connectors/sdk/fetch.js');
      const { signal } = new AbortController();
      const fetch = openFetch({ type: connector.type, signal, headers: {} });
      return connector.health({ config: connectorConfig, tenant: config.tenant, secret, signal, fetch });
    },
    stop: async () => {
      await peer.close();
      await server.close(0);
      await database.close();
    },
  };
}

/** The part of a host's configuration that its execution reads. */
function configOf(gateway: HostConfig['gateway']): HostConfig {
  return {
    gateway,
    instanceId: newId('connectorInstance'),
    replicaId: newId('connectorReplica'),
    versionId: newId('connectorVersion'),
    tenant: { id: TENANT },
    trustDomain: TRUST_DOMAIN,
    callback: { url: CALLBACK, allowHttp: false, allowPrivate: false },
    controlTimeoutMs: 5000,
    heartbeatMs: 10_000,
    maxInFlight: 32,
  } as HostConfig;
}

function routeOf(
  actionId: string,
  capabilityId: string,
  { instanceId, replicaId, versionId }: HostConfig,
  manifestDigest: string,
  mode: RunOptions['mode'],
): ConnectorRoute {
  return {
    action_id: actionId,
    capability_id: capabilityId,
    tenant_id: TENANT,
    instance_id: instanceId,
    replica_id: replicaId,
    version_id: versionId,
    manifest_digest: manifestDigest,
    catalog_revision: 1,
    binding_policy_revision: 1,
    replica_health_revision: 1,
    fence_token: 'fence:test',
    original_mode: mode ?? null,
  };
}

function callbackOf(route: ConnectorRoute, recipient: Principal): Action['callback'] {
  const metadata = { connector_callback: callbackRouteOf(route), connector_callback_recipient: recipient };
  return { profile: NATIVE_HTTP_PROFILE, target: CALLBACK, metadata };
}

function secretsOf(secrets: Readonly<Record<string, string>>): SecretReader {
  const textOf = (file: string): string => {
    if (Object.hasOwn(secrets, file)) return secrets[file] as string;
    throw new SecretUnavailable(file, 'was not given to the test host');
  };
  return Object.assign((file: string) => textOf(file).trim(), { bytes: (file: string) => Buffer.from(textOf(file)) });
}

/** The host's database: the given one, or an embedded server that is removed at the end. */
async function openDatabase(url: string | undefined) {
  if (url !== undefined) {
    const pool = await openHostDatabase(url, 4);
    return { pool, close: () => pool.close() };
  }
  const folder = await mkdtemp(join(tmpdir(), 'aip-test-host-'));
  const server = await startEmbedded({ dataDir: join(folder, 'postgres'), durable: false });
  const pool = await openHostDatabase(server.url, 4);
  return {
    pool,
    close: async () => {
      await pool.close();
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
