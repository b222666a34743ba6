import { pino } from 'pino';
import type { Connector } from '../../connectors/sdk/connector.js';
import type { ChunkContent } from '../../connectors/sdk/context.js';
import { type SecretReader, SecretUnavailable } from '../../connectors/sdk/secrets.js';
import { openDocumentStore } from '../../postgres/documents.js';
import type { Pool } from '../../postgres/pool.js';
import { systemClock } from '../../protocol/clock.js';
import type { Event, Principal } from '../../protocol/types.js';
import type { Signer } from '../../transport/http/error-response.js';
import { approvalJournal } from '../approvals/journal.js';
import type { HostConfig } from '../config/config.js';
import { openExecutor } from '../execution/executor.js';
import { openRunningActions } from '../execution/running.js';
import { hostIdentity } from '../gate/facts.js';
import { openDurableState } from '../journal/durable-state.js';
import { openJournal } from '../journal/journal.js';
import type { BoundManifest } from '../manifest/bind-manifest.js';
import { newMetrics } from '../metrics/metrics.js';
import { openOutbox } from '../outbox/outbox.js';
import { type EventPublisher, openEventPublisher } from '../outbox/publisher.js';
import { messageHandler } from '../server/messages.js';
import { GATEWAY, TENANT } from './config.js';

/** A connector with the configuration, secrets and manifest of one instance. */
export interface TestedInstance<Config> {
  readonly connector: Connector<Config>;
  readonly connectorConfig: Config;
  readonly secret: SecretReader;
  readonly secretFiles: readonly string[];
  readonly principal: Principal;
  readonly bound: BoundManifest;
  readonly config: HostConfig;
}

/** Takes what actions emit and publish. */
export interface Outputs {
  chunk(actionId: string, chunk: ChunkContent): void;
  published(channel: string, events: readonly Event[]): void;
}

const clock = systemClock;
const log = pino({ level: 'silent' });
/** Actions that run at once. */
const MAX_RUNNING = 32;

/** The host's handler of messages: gate, checks, execution and journal are those of a real host; leases and delivery of events are left out. */
export function testHandler<Config>(
  instance: TestedInstance<Config>,
  { pool, signer, gatewayDid, outputs }: { pool: Pool; signer: Signer; gatewayDid: string; outputs: Outputs },
): ReturnType<typeof messageHandler> {
  const { connector, connectorConfig, secret, secretFiles, bound, config } = instance;
  const { instanceId, replicaId } = config;
  const running = openRunningActions(MAX_RUNNING);
  const documents = openDocumentStore({ pool, prefix: '', clock });
  const publisher = stagingPublisher(instance, pool, signer, gatewayDid);
  const capabilities = connector.capabilities(connectorConfig, { secretFiles });
  const executor = openExecutor({
    config,
    connectorType: connector.type,
    connectorConfig,
    secret,
    capabilities: bound.capabilities,
    handlers: new Map(capabilities.map((each) => [each.record.id, each])) as never,
    journal: openJournal({ pool, instanceId, replicaId, clock, durability: 'strict' }),
    running,
    state: openDurableState(pool, instanceId),
    documents,
    publishEvents: async (channel, events) => {
      await publisher.publish(channel, events);
      outputs.published(channel, events);
    },
    openChunks: ({ action }) => ({
      emit: async (chunk) => {
        if (action.mode === 'streaming') outputs.chunk(action.id, chunk);
      },
      settled: async () => undefined,
      failure: () => undefined,
    }),
    clock,
    log,
  });
  return messageHandler({
    host: hostIdentity(config, instance.principal, bound),
    situation: () => ({
      draining: false,
      leaseValid: true,
      storageReady: true,
      connectorReady: true,
      freeSlots: running.free(),
      gatewayDids: [gatewayDid],
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
}

/** A publisher that checks and stages events as that of a real host, and delivers none. */
function stagingPublisher(
  { principal, bound, config }: Pick<TestedInstance<unknown>, 'principal' | 'bound' | 'config'>,
  pool: Pool,
  signer: Signer,
  gatewayDid: string,
): EventPublisher {
  const { instanceId, replicaId, versionId } = config;
  return openEventPublisher({
    endpoint: undefined,
    outbox: openOutbox({ pool, publisher: { principal, tenantId: TENANT, instanceId, replicaId, versionId }, clock }),
    config,
    central: { principal: GATEWAY, dids: () => [gatewayDid] },
    manifest: bound.manifest,
    manifestDigest: bound.digest,
    signer,
    leaseSequence: () => 1,
    clock,
    log,
  });
}

/** Reads the given texts as the files of an instance's secrets. */
export function secretsOf(secrets: Readonly<Record<string, string>>): SecretReader {
  const textOf = (file: string): string => {
    if (Object.hasOwn(secrets, file)) return secrets[file] as string;
    throw new SecretUnavailable(file, 'was not given to the test host');
  };
  return Object.assign((file: string) => textOf(file).trim(), { bytes: (file: string) => Buffer.from(textOf(file)) });
}
