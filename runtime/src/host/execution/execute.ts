import { type ConnectorCapability, isResult, Result } from '../../connectors/sdk/capability.js';
import type { CapabilityContext } from '../../connectors/sdk/context.js';
import { isConnectorFailure, OperationUnsupported, projectFailure } from '../../connectors/sdk/failure.js';
import { type Call, type Dispatch, dispatchOf } from '../../connectors/sdk/operation.js';
import { NamedError } from '../../protocol/errors/named-error.js';
import { AipError, TimeoutExceeded } from '../../protocol/errors.js';
import type { ActionResult, Capability, ProtocolError } from '../../protocol/types.js';
import { within } from '../../time/deadline.js';
import { inputProblem, outputProblem } from './input-check.js';
import { reconciled } from './reconcile.js';
import { cancelled, completed, failed, isSafeToRepeat, leftOpen, mutates } from './results.js';
import type { Outcome } from './running.js';

/** After its signal fired a call may still come to its own end for this long, in milliseconds. */
const GRACE_MS = 500;

/** Reason of the signal of an action that was cancelled. */
export class ExecutionCancelled extends NamedError {}

/** One call of a connector. */
export interface Execution {
  connectorType: string;
  capability: Capability;
  handler: ConnectorCapability;
  context: CapabilityContext;
  /** Whether the connector reported an effect so far. */
  effectCommitted: () => boolean;
  /** Resolves when no chunk is on its way any more. */
  streamSettled: () => Promise<void>;
  /** A chunk that could not be delivered; it fails the action whatever the connector makes of it. */
  streamFailure: () => Error | undefined;
  /** Called with errors that are no typed failure: they leave the host without their text. */
  onUntyped: (error: unknown) => void;
}

/** Checks the input, makes the call, checks the output. Always gives a result; an end by signal does not wait for the connector. */
export async function execute(execution: Execution): Promise<Outcome> {
  const { connectorType, capability, handler, context } = execution;
  const { action } = context;
  const problem = inputProblem(capability, action.input);
  if (problem) return { result: failed(action.id, problem.toProtocolError(connectorType)) };

  const dispatch = dispatchOf(action, handler);
  const call = callOf(execution, dispatch).finally(execution.streamSettled);
  const ended = call.catch(() => undefined);
  try {
    const answer = await unlessAborted(call, context.signal);
    return { result: resultOf(answer, execution, dispatch), ended };
  } catch (error) {
    return { result: failureOf(error, execution, dispatch), ended };
  }
}

async function callOf({ handler, context }: Execution, { call, operation }: Dispatch): Promise<Result> {
  if (call === 'reconcile') return new Result({ output: await reconciled(handler, context) });
  const operate = handler[call];
  if (!operate) throw new OperationUnsupported(operation);
  const answer = await operate(context.action.input, context);
  return isResult(answer) ? answer : new Result({ output: answer });
}

/** The answer; when the signal fires first, the call's own answer within the grace time, else the signal's reason as an error. */
async function unlessAborted(call: Promise<Result>, signal: AbortSignal): Promise<Result> {
  const aborted = new Promise<'aborted'>((fire) => {
    if (signal.aborted) fire('aborted');
    else signal.addEventListener('abort', () => fire('aborted'), { once: true });
  });
  const first = await Promise.race([call, aborted]);
  if (first !== 'aborted') return first;
  const late = await within(
    GRACE_MS,
    call.catch(() => undefined),
    () => undefined,
  );
  if (late) return late;
  throw signal.reason;
}

function resultOf(answer: Result, execution: Execution, dispatch: Dispatch): ActionResult {
  const { connectorType, capability, context } = execution;
  const { action } = context;
  const undelivered = execution.streamFailure();
  if (undelivered) return failureOf(undelivered, execution, dispatch);
  const checked = answer.status !== 'requires_human' && ['run', 'commit'].includes(dispatch.call);
  const problem = checked ? outputProblem(capability, answer.output, mutates(capability)) : undefined;
  if (problem) return failed(action.id, problem.projected(connectorType, dispatch.operation));
  return completed(action.id, answer);
}

/** Calls that may change something at the provider. */
const EFFECTFUL: ReadonlySet<Call> = new Set(['run', 'commit', 'compensate']);

function failureOf(error: unknown, execution: Execution, { call, operation }: Dispatch): ActionResult {
  const { connectorType, capability, context } = execution;
  const { action } = context;
  const uncertain = mutates(capability) || execution.effectCommitted();
  const reason = context.signal.aborted ? context.signal.reason : undefined;
  if (reason instanceof ExecutionCancelled) return cancelled(action.id, connectorType, uncertain);
  if (reason instanceof TimeoutExceeded) {
    const timeout = new TimeoutExceeded(undefined, { details: { operation, uncertain_outcome: uncertain } });
    return failed(action.id, timeout.toProtocolError(connectorType));
  }
  const undelivered = execution.streamFailure();
  const thrown = undelivered ?? error;
  if (!(thrown instanceof AipError || isConnectorFailure(thrown))) execution.onUntyped(thrown);
  const found = projectFailure(thrown, { source: connectorType, operation, mutates: uncertain });
  const isHarmless = !EFFECTFUL.has(call) || isSafeToRepeat(capability, action);
  const isStatement = undelivered === undefined && isConnectorFailure(thrown);
  // A connector says itself what its failure means, but cannot deny an effect that it reported. What the host's own means threw at it, such
  // as its storage or a chunk that nobody took, says nothing about the provider, which may have acted by then.
  if (isHarmless || !(isStatement ? execution.effectCommitted() : uncertain)) return failed(action.id, found);
  return failed(action.id, isStatement ? leftOpen(found) : leftOpen(withoutRetry(found)));
}

function withoutRetry({ retry_after_ms: _, ...error }: ProtocolError): ProtocolError {
  return { ...error, retryable: false };
}
