import type { Action, Event, MessagePart, Principal, StreamChunk, TenantRef } from '../../protocol/types.js';
import type { DurableState } from './durable-state.js';
import type { ConnectorFetch } from './fetch.js';
import type { SecretReader } from './secrets.js';

/** Opaque reference to the credential that the instance was given; never its material. */
export interface CredentialHandle {
  id: string;
  issuer: string;
  scopes: readonly string[];
  /** The revision pinned by the route of this action. */
  revision?: string;
}

/** What every call of a connector gets. */
export interface ProbeContext<Config = unknown> {
  readonly config: Config;
  readonly tenant: TenantRef;
  /** The text of a secret of the instance, by its file name. Read at each use and keep nothing. */
  readonly secret: SecretReader;
  /** Fires when the answer is no longer wanted. */
  readonly signal: AbortSignal;
  /** As the global `fetch`, ended by `signal`, with trace headers, redirects returned as answers and bodies bounded. */
  readonly fetch: ConnectorFetch;
}

/** Marks on the way of an execution that survive a crash of the process. */
export interface ExecutionCheckpoint {
  /**
   * Call it after the provider accepted a mutation and before anything else: from here on the effect exists. `evidence`
   * (at most 64 KiB as JSON, no secrets) is handed to `reconcile` when the process dies before the result is stored.
   */
  effectCommitted(evidence?: unknown): Promise<void>;
}

/** A transaction around the action (docs/protocol/manifest.md#connector-interface). */
export interface TransactionContext {
  transactionId?: string;
  planId?: string;
}

/** The part of a chunk that a connector writes; action id and sequence are the host's. */
export interface ChunkContent {
  /** `done` or `error` ends the stream. */
  kind: StreamChunk['kind'];
  data?: unknown;
  part?: MessagePart;
}

/** Trusted facts of one execution; nothing in it comes from the action's own payload unless said so. */
export interface CapabilityContext<Config = unknown> extends ProbeContext<Config> {
  /** The action with the host's own identity facts in the place of the payload's. */
  readonly action: Action;
  /** The external account that the instance is configured for. */
  readonly externalAccount?: { id: string; system: string };
  /** Who asked the host: the gateway's principal. */
  readonly actor: Principal;
  readonly credential?: CredentialHandle;
  /** Milliseconds since the epoch at which `signal` fires on its own. */
  readonly deadline: number;
  /** The same for every execution of the action, also after a crash. */
  readonly idempotencyKey?: string;
  /** The verified terminal approval record, for actions that needed one. */
  readonly approval?: unknown;
  readonly transaction?: TransactionContext;
  readonly checkpoint: ExecutionCheckpoint;
  /** Survives restarts; shared by all replicas of the instance. */
  readonly state: DurableState;
  /**
   * Stages provider events durably; a worker delivers them to the central event log, each id once. `channel` must be
   * declared by the manifest. Batches hold 1 to 100 events; derive ids and times from the delivery, so that a repeat is
   * the same batch.
   */
  publishEvents(channel: string, events: Event[]): Promise<void>;
  /**
   * The value of a JSON document that arrives in parts, to be returned as a member of the output: decoded up to 3 MiB,
   * above that a reference beside which the document travels on its own, never held as a whole. Null for no bytes.
   * The capability declares its largest one as `max_document_bytes` of a binding. Throws JsonInvalid and what `parts` throws.
   */
  document(parts: AsyncIterable<Uint8Array>): Promise<unknown>;
  /**
   * In streaming mode: sends one chunk (at most 256 KiB) and resolves when the central server stored it; chunks keep
   * their order. A chunk that cannot be delivered rejects, and the action fails. At most 1000 chunks or 4 MiB may wait:
   * await each. When an action may run again after a crash, the chunks must come out the same. In the other modes:
   * resolves and sends nothing.
   */
  emit(chunk: ChunkContent): Promise<void>;
  /** Emits a chunk of kind progress: `fraction` from 0 to 1, and what is being done. */
  progress(fraction: number, note?: string): Promise<void>;
}
