import { openChunkStreams } from '../execution/chunk-stream.js';
import { type Executor, openExecutor } from '../execution/executor.js';
import { openRunningActions, type RunningActions } from '../execution/running.js';
import { openDurableState } from '../journal/durable-state.js';
import type { Lease } from '../lease/lease.js';
import type { HostLife } from '../lifecycle.js';
import { type EventPublisher, openEventPublisher } from '../outbox/publisher.js';
import type { BoundConnector } from './connector.js';
import type { HostContext } from './context.js';
import type { Peers } from './peers.js';
import type { Storage } from './storage.js';

/** What a host does: actions and events. */
export interface HostWork {
  readonly running: RunningActions;
  readonly executor: Executor;
  readonly publisher: EventPublisher;
}

/** Opens what executes actions and publishes events. */
export function openWork(
  { config, clock, log }: HostContext,
  parts: { bound: BoundConnector; peers: Peers; storage: Storage; lease: Lease; life: HostLife },
): HostWork {
  const { bound, peers, storage, lease, life } = parts;
  const { signer, manifest } = bound;
  const { central } = peers;
  const running = openRunningActions(config.maxInFlight);
  const publisher = openEventPublisher({
    endpoint: peers.events,
    outbox: storage.outbox,
    config,
    central,
    manifest: manifest.manifest,
    manifestDigest: manifest.digest,
    signer,
    leaseSequence: () => (life.leaseValid() ? lease.record.sequence : undefined),
    clock,
    log,
  });
  const executor = openExecutor({
    config,
    connectorType: bound.connector.type,
    connectorConfig: bound.config,
    secret: bound.secret,
    capabilities: manifest.capabilities,
    handlers: bound.handlers,
    journal: storage.journal,
    running,
    state: openDurableState(storage.pool, config.instanceId),
    documents: storage.documents,
    publishEvents: publisher.publish,
    openChunks: openChunkStreams({ endpoint: peers.callback, central, signer, clock }),
    clock,
    log,
  });
  return { running, executor, publisher };
}
