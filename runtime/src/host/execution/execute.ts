import { setTimeout as pause } from 'node:timers/promises';
import type { Connector, ConnectorResult, Operation } from '../../connectors/sdk/connector.js';
import type { ExecutionContext, StreamContext } from '../../connectors/sdk/context.js';
import { OperationUnsupported, projectFailure } from '../../connectors/sdk/failure.js';
import { type Dispatch, dispatchOf } from '../../connectors/sdk/operation.js';
import { AipError, TimeoutExceeded } from '../../protocol/errors.js';
import type { Action, ActionResult, Capability } from '../../protocol/types.js';
import { inputProblem, outputProblem } from './input-check.js';
import { reconciled } from './reconcile.js';
import { cancelled, completed, failed, mutates } from './results.js';
import type { Outcome } from './running.js';

/** After its signal fired a call may still come to its own end for this long, in milliseconds. */
const GRACE_MS = 500;

/** Reason of the signal of an action that was cancelled. */
export class ExecutionCancelled extends Error {}

/** One call of a connector. */
export interface Execution {
  connector: Connector;
  capability: Capability;
  /** As the connector shall see it. */
  action: Action;
  /** Has `emit` for a streaming action. */
  context: StreamContext<unknown>;
  /** Whether the connector reported an effect so far. */
  effectCommitted: () => boolean;
  /** Resolves when no chunk is on its way any more. */
  streamSettled: () => Promise<void>;
  /** A chunk that could not be delivered; it fails the action whatever the connector makes of it. */
  streamFailure: () => Error | undefined;
  /** Told of errors that are no typed failure: they leave the host without their text. */
  onUntyped: (error: unknown) => void;
}

/** Checks the input, makes the call, checks the output. Always gives a result; an end by signal does not wait for the connector. */
export async function execute(execution: Execution): Promise<Outcome> {
  const { connector, capability, action, context } = execution;
  const problem = inputProblem(capability, action.input);
  if (problem) return { result: failed(action.id, problem.toProtocolError(connector.type)) };

  const dispatch = dispatchOf(action, connector);
  const call = callOf(execution, dispatch).finally(execution.streamSettled);
  const ended = call.catch(() => undefined);
  try {
    const answer = await unlessAborted(call, context.signal);
    return { result: resultOf(answer, execution, dispatch), ended };
  } catch (error) {
    return { result: failureOf(error, execution, dispatch), ended };
  }
}

async function callOf(
  { connector, action, context }: Execution,
  { call, operation }: Dispatch,
): Promise<ConnectorResult> {
  if (call === 'reconcile') return reconciled(connector, action, context);
  if (call === 'stream' && connector.stream) return connector.stream(action, context);
  const operate = connector[call] as Operation<unknown> | undefined;
  if (!operate) throw new OperationUnsupported(operation);
  return operate.call(connector, action, context as ExecutionContext<unknown>);
}

/** The answer; when the signal fires first, the call's own answer within the grace time, else the signal's reason as an error. */
async function unlessAborted(call: Promise<ConnectorResult>, signal: AbortSignal): Promise<ConnectorResult> {
  const aborted = new Promise<'aborted'>((fire) => {
    if (signal.aborted) fire('aborted');
    else signal.addEventListener('abort', () => fire('aborted'), { once: true });
  });
  const first = await Promise.race([call, aborted]);
  if (first !== 'aborted') return first;
  const late = await Promise.race([call.catch(() => undefined), pause(GRACE_MS)]);
  if (late) return late;
  throw signal.reason;
}

function resultOf(answer: ConnectorResult, execution: Execution, dispatch: Dispatch): ActionResult {
  const { connector, capability, action } = execution;
  const undelivered = execution.streamFailure();
  if (undelivered) return failureOf(undelivered, execution, dispatch);
  const checked = answer.status !== 'requires_human' && ['invoke', 'stream', 'commit'].includes(dispatch.call);
  const problem = checked ? outputProblem(capability, answer.output, mutates(capability)) : undefined;
  if (problem) return failed(action.id, problem.projected(connector.type, dispatch.operation));
  return completed(action.id, answer);
}

function failureOf(error: unknown, execution: Execution, { operation }: Dispatch): ActionResult {
  const { connector, capability, action, context } = execution;
  const uncertain = mutates(capability) || execution.effectCommitted();
  const reason = context.signal.aborted ? context.signal.reason : undefined;
  if (reason instanceof ExecutionCancelled) return cancelled(action.id, connector.type, uncertain);
  if (reason instanceof TimeoutExceeded) {
    const timeout = new TimeoutExceeded(undefined, { details: { operation, uncertain_outcome: uncertain } });
    return failed(action.id, timeout.toProtocolError(connector.type));
  }
  const thrown = execution.streamFailure() ?? error;
  if (!(thrown instanceof AipError)) execution.onUntyped(thrown);
  return failed(action.id, projectFailure(thrown, { source: connector.type, operation, mutates: uncertain }));
}
