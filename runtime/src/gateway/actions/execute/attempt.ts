import { actionRef } from '../../../protocol/content/action-ref.js';
import { AipError, protocolErrorOf, TimeoutExceeded } from '../../../protocol/errors.js';
import type { ActionResult } from '../../../protocol/types.js';
import { InstanceWaking, WokenTooLate } from '../../../registry/scaling.js';
import { type Deadline, openDeadline, within } from '../../../time/deadline.js';
import { retryWhileUnavailable } from '../../../transport/process/retry-while-unavailable.js';
import { type HeldPlace, LEASE_LOST } from '../../dispatch/dispatcher.js';
import { approvalAuthorization } from '../approval/authorization.js';
import type { ApprovalRef } from '../approval/record.js';
import { outputRefusal } from '../capabilities/schema-checks.js';
import { readAction } from '../record/read.js';
import { type ActionRecord, inBackground } from '../record/record.js';
import { isEffective } from '../transaction/terms.js';
import type { ExecutionDeps } from './execution-deps.js';
import type { StopReason } from './lease-keeper.js';

/** How long a remote cancellation may take before the attempt ends without its answer, in milliseconds. */
const REMOTE_CANCEL_MS = 5000;
/**
 * The dispatch lasts this much longer than the action's timeout, which is noticed here and followed by a
 * cancellation.
 */
const DISPATCH_MARGIN_MS = 1000;

/** Why an attempt was stopped. */
type Stop = StopReason | 'timeout';

type AttemptDeps = Pick<
  ExecutionDeps,
  'pool' | 'clock' | 'log' | 'keeper' | 'local' | 'capabilities' | 'schemas' | 'dispatcher'
>;

/** How an attempt ended. */
export interface AttemptOutcome {
  readonly result: ActionResult;
  /** What it holds at a host, to be released with whatever follows the attempt, and then disposed. */
  readonly place?: HeldPlace | undefined;
  /** Whether the host journals actions by id; absent where that is not known or there is no host. */
  readonly journaled?: boolean | undefined;
  /** Nothing was tried, because the instance is being woken: how long the action may wait for a host, in ms. */
  readonly wakeTimeoutMs?: number | undefined;
  /** Nothing was tried, because no host of the idle instance came in time. */
  readonly wokenTooLate?: boolean;
}

/**
 * Runs one attempt of an action under its timeout, its lease and its cancellation, and returns its result: every
 * failure is one with an error. A stop beats a completion when both are ready (docs/protocol/actions.md#timeouts). Throws `runtime.handler_failed`
 * when the lease was lost, and StorageUnavailable when a completed result could not be held against its contract.
 */
export async function attemptAction(deps: AttemptDeps, record: ActionRecord): Promise<AttemptOutcome> {
  const stopped = Promise.withResolvers<Stop>();
  const deadline = openDeadline();
  const hold = deps.keeper.hold({ ...actionRef(record), leaseId: record.lease_id as string }, stopped.resolve);
  deadline.after(record.plan.timeout_ms, () => {
    stopped.resolve('timeout');
    deadline.after(DISPATCH_MARGIN_MS, () => deadline.abort(new TimeoutExceeded()));
  });
  if (record.cancel_requested) stopped.resolve('cancel');
  try {
    const work = record.cancel_requested ? undefined : execute(deps, record, deadline.signal);
    const outcome = await (work ? Promise.race([stopped.promise, work]) : stopped.promise);
    if (typeof outcome !== 'string') return outcome;
    return await stop(deps, record, outcome, deadline, work);
  } finally {
    deadline.clear();
    hold.release();
  }
}

/** The result of a cancelled action; it claims nothing about effects outside (docs/protocol/actions.md#cancellation). */
export function cancelledResult(record: Pick<ActionRecord, 'action_id' | 'cancel_reason'>): ActionResult {
  const reason = record.cancel_reason === null ? {} : { reason: record.cancel_reason };
  return { action_id: record.action_id, status: 'cancelled', output: { cancelled: true, ...reason } };
}

async function stop(
  deps: AttemptDeps,
  record: ActionRecord,
  why: Stop,
  deadline: Deadline,
  work: Promise<AttemptOutcome> | undefined,
): Promise<AttemptOutcome> {
  if (why === 'lease_lost') {
    deadline.abort(LEASE_LOST);
    void work?.then(({ place }) => handOver(place), nothing);
    throw new AipError('runtime.handler_failed', 'the lease of the action was lost');
  }
  const current = why === 'cancel' ? await cancelled(deps, record) : record;
  const remoteCancelError = await cancelRemotely(deps, current, why);
  deadline.abort(why);
  // A dispatch heeds the signal at once; a handler in this process may not, and is not waited for.
  const dispatched = record.plan.placement === 'remote' ? await work?.catch(nothing) : undefined;
  // The reason why no host was asked says more than that the time is over, whichever of the two ended the wait.
  if (why === 'timeout' && dispatched?.wokenTooLate) return dispatched;
  const place = dispatched?.place;
  if (why === 'timeout') return { result: timedOut(current, remoteCancelError), place };
  place?.cancelled();
  return { result: cancelledResult(current), place };
}

/** The record with its caller's reason, or without one where it cannot be read: the host is stopped all the same. */
async function cancelled({ pool, log }: AttemptDeps, record: ActionRecord): Promise<ActionRecord> {
  try {
    return (await readAction(pool, actionRef(record))) ?? record;
  } catch (error) {
    log.info({ err: error, action_id: record.action_id }, 'reason of a cancellation not read');
    return record;
  }
}

/** Gives the place of an attempt back, and leaves its assignment to the worker that continues the action. */
async function handOver(place: HeldPlace | undefined): Promise<void> {
  await using held = place;
  held?.leave();
}

async function execute(deps: AttemptDeps, record: ActionRecord, signal: AbortSignal): Promise<AttemptOutcome> {
  const attempt = await (record.plan.placement === 'local'
    ? executeHere(deps, record, signal)
    : executeRemotely(deps, record, signal)
  ).catch((error: unknown) => failedAttempt(deps, record, error, signal));
  try {
    return { ...attempt, result: await checkedResult(deps, record, attempt.result) };
  } catch (error) {
    // What it did is done: that it cannot be checked now is not a failure of the action. Its next worker asks again.
    await handOver(attempt.place);
    throw error;
  }
}

/** An attempt that no host got, or whose handler failed here. */
function failedAttempt(deps: AttemptDeps, record: ActionRecord, error: unknown, signal: AbortSignal): AttemptOutcome {
  if (!signal.aborted) deps.log.debug({ err: error, action_id: record.action_id }, 'attempt failed');
  const waking = error instanceof InstanceWaking ? { wakeTimeoutMs: error.wakeTimeoutMs } : {};
  return { result: failedResult(record, error), ...waking, wokenTooLate: error instanceof WokenTooLate };
}

async function executeHere(deps: AttemptDeps, record: ActionRecord, signal: AbortSignal): Promise<AttemptOutcome> {
  const capability = deps.local.get(record.capability_id);
  if (!capability)
    throw new AipError('runtime.handler_failed', 'the capability has no handler here', { retryable: false });
  const output = await capability.run(record.request, signal);
  return { result: { action_id: record.action_id, status: 'completed', output } };
}

async function executeRemotely(deps: AttemptDeps, record: ActionRecord, signal: AbortSignal): Promise<AttemptOutcome> {
  if (!deps.dispatcher || record.tenant_id === null)
    throw new AipError('runtime.handler_failed', 'the capability cannot be reached from here', { retryable: false });
  const { approval } = record.request;
  const work = {
    action: record.request,
    ...(approval && {
      approvalAuthorization: await readApproval(deps, { approvalId: approval.approval_id, tenantId: record.tenant_id }),
    }),
    tenantId: record.tenant_id,
    originalMode: record.mode,
    again: record.attempts > 1,
    maxDocumentBytes: record.plan.max_document_bytes,
    repeatable: record.attempts <= record.plan.max_attempts,
    ...(record.session_id === null ? {} : { sessionId: record.session_id }),
    ...(inBackground(record) ? {} : { wakeBy: deps.clock() + wakeWaitMs(record.plan.timeout_ms) }),
  };
  const dispatched = await deps.dispatcher.execute(work, signal);
  if (dispatched.kind === 'refused') return failedAttempt(deps, record, dispatched.error, signal);
  const { place, journaled } = dispatched;
  const result = dispatched.kind === 'result' ? dispatched.result : failedResult(record, dispatched.error);
  return { result, place, journaled };
}

/** How long a waiting caller's action waits for the host of an idle instance: nearly its timeout, so that the reason is reported instead. */
function wakeWaitMs(timeoutMs: number): number {
  return timeoutMs - Math.min(500, timeoutMs / 10);
}

/** The record by which the host of an approved action verifies the approval. */
function readApproval({ pool }: AttemptDeps, ref: ApprovalRef): Promise<unknown> {
  return retryWhileUnavailable(() => approvalAuthorization(pool, ref));
}

/** Holds what a handler returned against the rules of a result and the capability's output schema. */
async function checkedResult(deps: AttemptDeps, record: ActionRecord, result: ActionResult): Promise<ActionResult> {
  if (result.status === 'failed' || result.status === 'cancelled') return result;
  if (result.status !== 'completed')
    return failedResult(
      record,
      new AipError('runtime.handler_failed', 'the connector requested a decision, which only the gateway may request', {
        retryable: false,
      }),
    );
  // The output schema is about the effect, not about a plan of it or a question after it.
  if (!isEffective(record.request.transaction?.mode)) return result;
  const known = await retryWhileUnavailable(() => deps.capabilities.find(record.tenant_id, record.capability_id));
  const party = record.tenant_id ?? record.principal_id;
  const refusal = known && (await outputRefusal(deps.schemas, known.capability, result.output, party));
  return refusal ? failedResult(record, refusal) : result;
}

async function cancelRemotely(deps: AttemptDeps, record: ActionRecord, reason: Stop): Promise<string | undefined> {
  const { action_id: actionId, tenant_id: tenantId, plan } = record;
  if (plan.placement !== 'remote' || !plan.supports_cancel || !deps.dispatcher || tenantId === null) return undefined;
  const text = reason === 'cancel' ? (record.cancel_reason ?? 'cancelled by the caller') : 'the action timed out';
  try {
    await within(REMOTE_CANCEL_MS, deps.dispatcher.cancel({ actionId, tenantId }, text), () => {
      throw new AipError('runtime.handler_failed', 'no answer in time');
    });
    return undefined;
  } catch (error) {
    deps.log.info({ err: error, action_id: record.action_id }, 'remote cancellation failed');
    return protocolErrorOf(error).code;
  }
}

function timedOut(record: ActionRecord, remoteCancelError: string | undefined): ActionResult {
  const { action_id, capability_id, plan, request } = record;
  const committing = request.transaction?.mode === 'commit' || request.transaction?.mode === 'execute';
  const cancelError = remoteCancelError === undefined ? {} : { remote_cancel_error: remoteCancelError };
  const details = { action_id, capability_id, timeout_ms: plan.timeout_ms, ...cancelError };
  return failedResult(
    record,
    new TimeoutExceeded(undefined, { details, retryable: plan.supports_retry && !committing }),
  );
}

function failedResult(record: ActionRecord, error: unknown): ActionResult {
  return { action_id: record.action_id, status: 'failed', error: protocolErrorOf(error, 'aip-runtime') };
}

function nothing(): void {}
