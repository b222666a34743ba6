import { checkConfig } from '../../connectors/sdk/config.js';
import type { Connector } from '../../connectors/sdk/connector.js';
import type { ChunkContent } from '../../connectors/sdk/context.js';
import { systemClock } from '../../protocol/clock.js';
import { newEnvelope } from '../../protocol/envelope.js';
import { newSeedHex, signingKeyFromSeed } from '../../protocol/signing.js';
import type { ActionResult, Event } from '../../protocol/types.js';
import { listen } from '../../transport/http/server.js';
import { openPeerClient } from '../../transport/peer/client.js';
import { destinationPolicy } from '../../transport/peer/destination.js';
import { bindManifest, hostPrincipal } from '../manifest/bind-manifest.js';
import { type RunOptions, testAction } from './action.js';
import { GATEWAY, TRUST_DOMAIN, testHostConfig } from './config.js';
import { openTestDatabase } from './database.js';
import { secretsOf, type TestedInstance, testHandler } from './handler.js';

/** What a connector is tested with. */
export interface TestHostOptions {
  /** Checked as that of an instance is; default `{}`. */
  config?: unknown;
  /** Texts of the instance's secrets, by file name. */
  secrets?: Readonly<Record<string, string>>;
  /** A PostgreSQL database to use instead of one of its own; its tables are in the schema `aip_host`. */
  databaseUrl?: string;
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

const TIMEOUT_MS = 300_000;

/** Starts a host for one connector. Throws ConnectorConfigInvalid for a configuration that it refuses. */
export async function openTestHost<Config>(
  connector: Connector<Config>,
  options: TestHostOptions = {},
): Promise<TestHost> {
  const key = signingKeyFromSeed(newSeedHex());
  const gatewayKey = signingKeyFromSeed(newSeedHex());
  const instance = testedInstance(connector, options, key.did);
  const { config, bound, principal } = instance;
  const seen = new Map<string, Omit<RunOutcome, 'result'>>();
  let published: RunOutcome['events'] = [];
  const database = await openTestDatabase(options.databaseUrl);
  const handle = testHandler(instance, {
    pool: database.pool,
    signer: { principal, key },
    gatewayDid: gatewayKey.did,
    outputs: {
      chunk: (actionId, chunk) => seen.get(actionId)?.chunks.push(chunk),
      published: (channel, events) => published.push(...events.map((event) => ({ channel, event }))),
    },
  });
  const server = await listen((request, response) => void handle(request, response), { host: '127.0.0.1', port: 0 });
  const peer = openPeerClient({
    key: () => gatewayKey,
    principal: GATEWAY,
    trustDomain: TRUST_DOMAIN,
    policy: destinationPolicy({ hosts: ['127.0.0.1'], allowHttp: true, allowPrivate: true }),
    timeoutMs: TIMEOUT_MS,
    maxResponseBytes: 256 * 1024 * 1024,
  });
  const destination = {
    url: `${server.url}/aip/v1/messages`,
    principal: { id: principal.id, kind: principal.kind },
    did: key.did,
    trustDomain: TRUST_DOMAIN,
  };

  return {
    run: async (capabilityId, input, requested = {}) => {
      const approved =
        requested.approved ?? bound.capabilities.get(capabilityId)?.contract?.approval?.required ?? false;
      const gateway = { ...GATEWAY, did: gatewayKey.did };
      const sender = { config, manifestDigest: bound.digest, gateway, nowMs: systemClock() };
      const { action, security } = testAction(capabilityId, input, { ...requested, approved }, sender);
      const known = { chunks: [], events: [] };
      seen.set(action.id, known);
      published = known.events;
      const answer = await peer.send(newEnvelope({ action }, { security }, { clock: systemClock }), destination);
      return { result: (answer.body as { action_result: ActionResult }).action_result, ...known };
    },
    health: () => healthOf(instance),
    stop: async () => {
      await peer.close();
      await server.close(0);
      await database.close();
    },
  };
}

/** The connector as an instance of the given configuration and secrets. Throws ConnectorConfigInvalid. */
function testedInstance<Config>(
  connector: Connector<Config>,
  options: TestHostOptions,
  did: string,
): TestedInstance<Config> {
  const connectorConfig = checkConfig(connector, options.config ?? {});
  const secrets = options.secrets ?? {};
  const secretFiles = Object.keys(secrets).sort();
  const manifest = connector.manifest(connectorConfig, { secretFiles });
  const principal = hostPrincipal(manifest, TRUST_DOMAIN, did);
  const bound = bindManifest(manifest, principal);
  const config = testHostConfig();
  return { connector, connectorConfig, secret: secretsOf(secrets), secretFiles, principal, bound, config };
}

async function healthOf<Config>({
  connector,
  connectorConfig,
  secret,
  config,
}: TestedInstance<Config>): Promise<{ ready: boolean; detail: string }> {
  if (!connector.health) return { ready: true, detail: 'the connector has no probe' };
  const { openFetch } = await import('../../connectors/sdk/fetch.js');
  const { signal } = new AbortController();
  const fetch = openFetch({ type: connector.type, signal, headers: {} });
  return connector.health({ config: connectorConfig, tenant: config.tenant, secret, signal, fetch });
}
