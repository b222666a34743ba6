import type { Action, Capability, Manifest, MessagePart } from '../../protocol/types.js';
import type { ExecutionContext, ProbeContext, StreamContext } from './context.js';
import type { ImplementationSupport } from './implementation-support.js';

/** What a successful call hands back; the host makes the ActionResult of it. */
export interface ConnectorResult {
  /** Checked against the capability's output schema when it has one. */
  output?: unknown;
  /** Displayable parts, for chat-like clients. */
  message?: MessagePart[];
  /** `requires_human` hands the action to a person; default completed. */
  status?: 'completed' | 'requires_human';
}

/** Answer of a health probe. `detail` is at most 1024 bytes and names no secret. */
export interface ConnectorHealth {
  ready: boolean;
  detail: string;
}

/** What is to be found out: did the provider carry out an operation whose answer was lost? (docs/protocol/manifest.md#connector-interface) */
export interface ReconcileInput {
  action: Action;
  /** Set for actions inside a transaction. */
  transactionId?: string;
  /** The evidence given to `checkpoint.effectCommitted`, when the process got that far. */
  evidence?: unknown;
  /** Cursor of the last answer that was not terminal. */
  cursor?: string;
}

/** `terminal` false: ask again later. Terminal and `committed`: the effect exists, with `output` when it is known. */
export interface ReconcileResult {
  terminal: boolean;
  committed?: boolean;
  output?: unknown;
  cursor?: string;
  evidence?: unknown;
}

/** One operation of a connector on an action. Throw a ConnectorFailure to fail it with a code of your own. */
export type Operation<Config> = (action: Action, context: ExecutionContext<Config>) => Promise<ConnectorResult>;

/**
 * A connector: what it can do (manifest), and the calls that do it (docs/protocol/manifest.md#connector-interface). Only `type`, `configSchema`, `manifest`
 * and `invoke` must be given; every other call that is missing is refused explicitly, never taken for a success.
 *
 * `manifest` must be a pure function of the configuration: it is asked without network and without secrets, long before a
 * host runs, and both answers must have one digest. Its agent names neither trust domain nor DID; the host adds them.
 */
export interface Connector<Config = unknown> {
  /** Stable name, the `connector.type` of an instance. */
  readonly type: string;
  /** JSON Schema 2020-12 of the configuration. */
  readonly configSchema: object;
  manifest(config: Config): Manifest;
  /** Which operations exist for a capability; default: derived from the contract and the calls that are given. */
  implementationSupport?(capability: Capability, config: Config): ImplementationSupport;
  /** Can the provider be used now? Must end within the probe limit (default 2000 ms); default: always ready. */
  health?(context: ProbeContext<Config>): Promise<ConnectorHealth>;
  /** Runs an action without transaction, or in the modes execute and rollback_not_supported. */
  invoke: Operation<Config>;
  /** Runs an action in streaming mode; default: `invoke`, which then streams nothing. */
  stream?(action: Action, context: StreamContext<Config>): Promise<ConnectorResult>;
  /** Tells the provider that a running action is cancelled; the action's signal fires in any case. */
  cancel?(action: Action, context: ExecutionContext<Config>): Promise<void>;
  /** Transaction modes dry_run and plan. */
  plan?: Operation<Config>;
  commit?: Operation<Config>;
  compensate?: Operation<Config>;
  /** Finds out what became of an operation whose answer was lost. */
  reconcile?(input: ReconcileInput, context: ExecutionContext<Config>): Promise<ReconcileResult>;
}

/** Declares a connector; the type parameter follows from `manifest` and the calls. */
export function defineConnector<Config>(connector: Connector<Config>): Connector<Config> {
  return connector;
}
