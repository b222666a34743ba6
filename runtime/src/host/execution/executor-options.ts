import type { ConnectorCapability } from '../../connectors/sdk/capability.js';
import type { DurableState } from '../../connectors/sdk/durable-state.js';
import type { SecretReader } from '../../connectors/sdk/secrets.js';
import type { DocumentStore } from '../../postgres/documents.js';
import type { Clock } from '../../protocol/clock.js';
import type { Capability, Event } from '../../protocol/types.js';
import type { Logger } from '../../transport/process/logger.js';
import type { HostConfig } from '../config/config.js';
import type { Journal } from '../journal/journal.js';
import type { ChunkStream } from './chunk-stream.js';
import type { RunningActions } from './running.js';
import type { Work } from './work.js';

/** What an executor is made of. */
export interface ExecutorOptions {
  config: HostConfig;
  /** Type of the connector, under which its failures are reported. */
  connectorType: string;
  connectorConfig: unknown;
  secret: SecretReader;
  capabilities: ReadonlyMap<string, Capability>;
  /** The calls of each capability, by its id. */
  handlers: ReadonlyMap<string, ConnectorCapability>;
  journal: Journal;
  running: RunningActions;
  state: DurableState;
  /** Where documents of results are until a gateway fetches them. */
  documents: DocumentStore;
  publishEvents: (channel: string, events: Event[]) => Promise<void>;
  /** Opens the way of an action's chunks to the central server. */
  openChunks: (work: Work, signal: AbortSignal) => ChunkStream;
  clock: Clock;
  log: Logger;
}
