import { newEnvelope } from '../protocol/envelope.js';
import { newId } from '../protocol/ids.js';
import type { Ack, Action, ActionResult, ActionStatus, CapabilityContract } from '../protocol/types.js';
import { waited } from '../time/wait.js';
import { getAction } from './actions.js';
import { contractOf } from './contract.js';
import { decideSubmit, pauseMs } from './decide.js';
import { AnswerInvalid, ClientError, GatewayUnreachable, isCertificateProblem, OutcomeUncertain } from './errors.js';
import type { Gateway } from './gateway.js';
import { checkId } from './ids.js';
import { type MessageOptions, type Signer, sendMessage } from './message.js';

/** What to submit; the caller may choose the action's id. */
export interface Submission {
  id?: string;
  capabilityId: string;
  input: unknown;
  mode?: 'sync' | 'async' | 'streaming' | undefined;
  idempotencyKey?: string | undefined;
  timeoutMs?: number | undefined;
  sessionId?: string | undefined;
  /** The step of a transaction that the action takes (docs/protocol/records.md#transactions). */
  transaction?: Action['transaction'];
  /** Where the result goes, too; the operator must allow the host. */
  callback?: Action['callback'];
  /** A decision that was taken before. */
  approval?: Action['approval'];
}

/** The answer: an acknowledgement or a result; `status` when the answer was lost and the action was read instead. */
export interface Submitted {
  /** The action that the answer is of: the first one where the submission repeats its idempotency key. */
  actionId: string;
  ack?: Ack;
  result?: ActionResult;
  status?: ActionStatus;
}

/** How submitting behaves. */
export interface SubmitOptions {
  clock?: (() => number) | undefined;
  signal?: AbortSignal | undefined;
  /** Signs the envelope of the action; reading it still needs a bearer token. */
  signer?: Signer | undefined;
  /** DIDs of the gateway: a signed action's answer that none of them signed is refused. */
  gatewayDids?: readonly string[] | undefined;
  /** Tries in all for errors that permit a retry (default 5). */
  attempts?: number;
  pause?: (ms: number) => Promise<unknown>;
  /** When no answer came: `read` the action (default), or `throw`, for a caller that follows it anyway. */
  whenLost?: 'read' | 'throw';
  /** Called before the action is read again after `ms`, because the gateway does not answer. */
  onWait?: (ms: number) => void;
}

/** Tries to read an action whose submit was not answered; with growing pauses that is about four minutes. */
const READ_ATTEMPTS = 30;

/**
 * Submits one action in an envelope. An error answer that category and contract permit to retry is retried with the same action id and
 * idempotency key in a fresh envelope; when no answer came the action is read, never submitted again (docs/protocol/errors.md).
 */
export async function submitAction(
  gateway: Gateway,
  submission: Submission,
  options: SubmitOptions = {},
): Promise<Submitted> {
  const actionId = submission.id === undefined ? newId('action') : checkId('action', submission.id);
  if (submission.sessionId !== undefined) checkId('session', submission.sessionId);
  const pause = options.pause ?? waited;
  const action = {
    id: actionId,
    capability_id: submission.capabilityId,
    input: submission.input,
    ...(submission.mode ? { mode: submission.mode } : {}),
    ...(submission.idempotencyKey === undefined ? {} : { idempotency_key: submission.idempotencyKey }),
    ...(submission.timeoutMs === undefined ? {} : { timeout_ms: submission.timeoutMs }),
    ...(submission.transaction && { transaction: submission.transaction }),
    ...(submission.callback && { callback: submission.callback }),
    ...(submission.approval && { approval: submission.approval }),
    // The gateway refuses it where the token is of another tenant.
    ...(gateway.tenantId === undefined ? {} : { identity: { tenant: { id: gateway.tenantId } } }),
  } as Action;
  let contract: CapabilityContract | undefined;
  for (let attempt = 0; ; attempt += 1) {
    try {
      const { ack, action_result: result } = await sendAction(gateway, action, { ...submission, ...options });
      if (!ack && !result)
        throw new AnswerInvalid('The gateway answered the action with neither ack nor action_result.');
      return { actionId: result?.action_id ?? actionId, ...(ack ? { ack } : {}), ...(result ? { result } : {}) };
    } catch (error) {
      if (!(error instanceof ClientError)) throw error;
      if (!(error instanceof GatewayUnreachable)) contract ??= await contractOf(gateway, submission.capabilityId);
      const decision = decideSubmit(error, { contract, idempotencyKey: submission.idempotencyKey, attempt });
      if (decision.do === 'read') {
        if (wasNeverSent(error)) throw error;
        if (options.whenLost === 'throw') throw new SubmitLost(error);
        return { actionId, status: await readBack(gateway, actionId, error, pause, options.onWait) };
      }
      if (decision.do === 'give-up' || attempt + 1 >= (options.attempts ?? 5)) throw error;
      await pause(decision.afterMs);
    }
  }
}

/** Sends the action once: signed to the route that takes signatures, else with the bearer token. */
async function sendAction(gateway: Gateway, action: Action, options: MessageOptions): Promise<SubmitAnswer> {
  if (options.signer) return (await sendMessage(gateway, { action }, options)).body as SubmitAnswer;
  const { sessionId, signal, clock = Date.now } = options;
  const fields = sessionId === undefined ? {} : { session_id: sessionId };
  const body = newEnvelope({ action }, fields, { clock });
  const answer = (await gateway.request({ method: 'POST', path: '/aip/v1/actions', body, signal })) as {
    body?: SubmitAnswer;
  };
  return answer.body ?? {};
}

/** The bodies that answer an action. */
interface SubmitAnswer {
  ack?: Ack;
  action_result?: ActionResult;
}

/** No answer came to a submit that may have been accepted. */
class SubmitLost extends GatewayUnreachable {
  constructor(cause: ClientError) {
    super(cause.message, cause.cause, cause.advice);
    this.message = cause.message;
  }
}

/** May the action have been accepted although its submit failed? */
export function isLost(error: unknown): boolean {
  return error instanceof SubmitLost;
}

/** Reads an action whose submit was not answered, with a follow's own pauses: the gateway may be coming back. */
async function readBack(
  gateway: Gateway,
  actionId: string,
  cause: ClientError,
  pause: (ms: number) => Promise<unknown>,
  onWait: (ms: number) => void = () => undefined,
): Promise<ActionStatus> {
  for (let attempt = 0; attempt < READ_ATTEMPTS; attempt += 1) {
    try {
      const status = await getAction(gateway, actionId, { result: true });
      if (status.state !== 'unknown') return status;
      throw new OutcomeUncertain(actionId, cause);
    } catch (error) {
      if (!(error instanceof ClientError)) throw error;
      if (error.code === 'action.not_found') throw new OutcomeUncertain(actionId, cause);
      if (!(error instanceof GatewayUnreachable)) throw error;
      const ms = pauseMs(attempt);
      onWait(ms);
      await pause(ms);
    }
  }
  throw new OutcomeUncertain(actionId, cause);
}

/** Nothing was listening, or its certificate was not accepted: the action can't have been taken. */
function wasNeverSent(error: ClientError): boolean {
  let at: unknown = error.cause;
  while (at instanceof Error && at.cause instanceof Error) at = at.cause;
  return (at as NodeJS.ErrnoException | undefined)?.code === 'ECONNREFUSED' || isCertificateProblem(at);
}
