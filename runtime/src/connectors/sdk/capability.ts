import type { Action, Capability, CapabilityContract, MessagePart } from '../../protocol/types.js';
import type { CapabilityContext } from './context.js';
import type { ImplementationSupport } from './implementation-support.js';
import type { FromSchema } from './json-schema.js';

const RESULT = Symbol.for('aip.connector.result');

/** What a handler may return in the place of a plain output. */
export class Result<Output = unknown> {
  readonly [RESULT] = true;
  readonly output?: Output;
  /** Displayable parts, for chat-like clients. */
  readonly message?: MessagePart[];
  /** `requires_human` hands the action to a person; default completed. */
  readonly status?: 'completed' | 'requires_human';

  constructor(members: Pick<Result<Output>, 'output' | 'message' | 'status'>) {
    Object.assign(this, members);
  }
}

/** Whether it is a Result, also one of another copy of the SDK: a connector may have its own beside the host's. */
export function isResult(value: unknown): value is Result {
  return typeof value === 'object' && value !== null && RESULT in value;
}

/** A handler: runs one action. Throw a ConnectorFailure to fail it with a code of your own. */
export type Handler<Config, Input, Output> = (
  input: Input,
  ctx: CapabilityContext<Config>,
) => Output | Result<Output> | Promise<Output | Result<Output>>;

/** An operation whose answer was lost: did the provider carry it out? */
export interface LostOperation<Input = unknown> {
  input: Input;
  /** As it was sent, with its own id. */
  action: Action;
  /** The provider's reference, when a failure gave one. */
  providerOperation?: { provider: string; operation_id: string; request_id?: string };
  /** Set for actions inside a transaction. */
  transactionId?: string;
  /** The evidence given to `checkpoint.effectCommitted`, when the process got that far. */
  evidence?: unknown;
  /** Cursor of the last answer that was not terminal. */
  cursor?: string;
}

/** `terminal` false: ask again later. Terminal and `committed`: the effect exists, with `output` when it is known. */
export interface ReconcileResult<Output = unknown> {
  terminal: boolean;
  committed?: boolean;
  output?: Output;
  cursor?: string;
  evidence?: unknown;
}

/** The calls of a capability. Only `run` must be given; a call that is missing is refused, never taken for a success. */
export interface Handlers<Config, Input, Output> {
  /** Runs an action in every mode: sync, async and streaming. */
  run: Handler<Config, Input, Output>;
  /** Transaction modes dry_run and plan. */
  plan?: Handler<Config, Input, unknown>;
  commit?: Handler<Config, Input, Output>;
  compensate?: Handler<Config, Input, unknown>;
  /** Informs the provider that a running action is cancelled; the action's signal fires in any case. */
  cancel?(input: Input, ctx: CapabilityContext<Config>): Promise<void>;
  /** Finds out what became of a call whose answer was lost. */
  reconcile?(lost: LostOperation<Input>, ctx: CapabilityContext<Config>): Promise<ReconcileResult<Output>>;
}

/** A capability as a connector declares it. */
export interface CapabilityDefinition<Config, In, Out> extends Handlers<Config, FromSchema<In>, FromSchema<Out>> {
  /** `cap:<connector type>:<name>`. */
  id: string;
  /** Default: the end of the id. */
  name?: string;
  description?: string;
  /** Default tool. */
  kind?: Capability['kind'];
  risk?: Capability['risk'];
  stability?: Capability['stability'];
  requiresHumanApproval?: boolean;
  bindings?: Capability['bindings'];
  auth?: unknown;
  /** JSON Schema 2020-12 of the input; the host checks it before `run`. */
  input: In;
  /** JSON Schema 2020-12 of the output; the host checks it after `run`. */
  output?: Out;
  contract: CapabilityContract;
  /** Which operations exist; default: derived from the contract and the calls that are given. */
  support?: Partial<ImplementationSupport>;
}

/** A capability with its calls, as the host runs it. */
export interface ConnectorCapability<Config = unknown> extends Handlers<Config, unknown, unknown> {
  /** What the manifest says of it. */
  readonly record: Capability;
  readonly support: ImplementationSupport;
}

/**
 * Declares a capability. The types of input and output follow from the schemas; that of the configuration from the
 * annotation of `ctx`: `run(input, ctx: CapabilityContext<MyConfig>)`.
 */
export function capability<const In extends object, const Out extends object | boolean = true, Config = unknown>(
  definition: CapabilityDefinition<Config, In, Out>,
): ConnectorCapability<Config> {
  const { run, plan, commit, compensate, cancel, reconcile, support, ...declared } = definition;
  const handlers = {
    run,
    ...(plan && { plan }),
    ...(commit && { commit }),
    ...(compensate && { compensate }),
    ...(cancel && { cancel }),
    ...(reconcile && { reconcile }),
  } as Handlers<Config, unknown, unknown>;
  return {
    ...handlers,
    record: recordOf(declared),
    support: { ...impliedSupport(definition.contract, handlers), ...support },
  };
}

function recordOf<Config, In extends object, Out>(
  declared: Omit<CapabilityDefinition<Config, In, Out>, keyof Handlers<Config, unknown, unknown> | 'support'>,
): Capability {
  const { id, name, kind = 'tool', input, output, requiresHumanApproval, ...rest } = declared;
  return {
    ...rest,
    id,
    name: name ?? id.slice(id.lastIndexOf(':') + 1),
    kind,
    input_schema: input as Record<string, unknown>,
    ...(output !== undefined && { output_schema: output }),
    ...(requiresHumanApproval !== undefined && { requires_human_approval: requiresHumanApproval }),
  };
}

function impliedSupport<Config>(
  { execution, approval, credentials }: CapabilityContract,
  handlers: Handlers<Config, unknown, unknown>,
): ImplementationSupport {
  return {
    invocation: true,
    cancellation: execution.supports_cancel,
    streaming: execution.supports_streaming,
    retry: execution.supports_retry,
    transaction: handlers.commit !== undefined,
    reconciliation: handlers.reconcile !== undefined,
    compensation: handlers.compensate !== undefined,
    approval: approval?.required ?? false,
    credentials: credentials?.required ?? false,
  };
}
