import { actionRef } from '../../../protocol/content/action-ref.js';
import { formatTime } from '../../../protocol/time.js';
import type { ActionResult } from '../../../protocol/types.js';
import { WokenTooLate } from '../../../registry/scaling.js';
import { retryWhileUnavailable } from '../../../transport/process/retry-while-unavailable.js';
import { actionEvent, submitterOf } from '../../events/log/action-event.js';
import { appendEvents } from '../../events/log/append.js';
import { withPlainCode } from '../finish/plain-code.js';
import { type ActionRecord, inBackground } from '../record/record.js';
import { decide } from './decide.js';
import { cancelledEnd, type Execution, endExecution } from './end.js';
import type { ExecutionDeps } from './execution-deps.js';
import { requeue } from './requeue.js';
import type { StepOutcome } from './step.js';

/** Writes what follows from an attempt: the end of its action, whose result is returned, or that it is tried again, which returns undefined. */
export async function conclude(
  deps: ExecutionDeps,
  execution: Execution,
  attempt: StepOutcome,
): Promise<ActionResult | undefined> {
  const { record } = execution;
  const { mode, attempts, plan } = record;
  const { place, journaled, plan: made, wakeTimeoutMs } = attempt;
  const background = inBackground(record);
  const waitedMs = deps.clock() - (record.resumed_at ?? record.accepted_at);
  const waking = wakeTimeoutMs === undefined ? undefined : { waitedMs, timeoutMs: wakeTimeoutMs };
  const given = withPlainCode(attempt.result);
  const decision = decide({ mode, background, attempts, plan, result: given, journaled, waking });
  if (decision.kind === 'wait') {
    const waits = await retryWhileUnavailable(() => waitAgain(deps, record, attempt, decision.delayMs));
    return waits ? undefined : endExecution(deps, execution, cancelledEnd(record), place);
  }
  const result = waking ? { ...given, error: new WokenTooLate().toProtocolError('aip-runtime') } : given;
  if (decision.kind === 'retry') {
    const queued = await retryWhileUnavailable(() =>
      tryAgain(deps, record, attempt, decision.delayMs, decision.maxAttempts),
    );
    if (!queued) return endExecution(deps, execution, cancelledEnd(record), place);
    if (place?.release) deps.storedRoutes?.committed([place.release]);
    place?.leave();
    return undefined;
  }
  const deadLetterReason = decision.state === 'dead_lettered' ? (result.error?.code ?? 'failed') : undefined;
  return endExecution(deps, execution, { state: decision.state, result, deadLetterReason, plan: made }, place);
}

/** Queues an action for its next attempt, with its event and the release of its route; false when its lease was lost. */
async function tryAgain(
  deps: ExecutionDeps,
  record: ActionRecord,
  { result, place }: StepOutcome,
  delayMs: number,
  maxAttempts: number,
): Promise<boolean> {
  const nowMs = deps.clock();
  const nextAttemptAt = nowMs + delayMs;
  return deps.pool.tx(async (client) => {
    const { action_id: actionId, lease_id } = record;
    const lease = { ...actionRef(record), leaseId: lease_id as string };
    if (!(await requeue(client, { ...lease, nextAttemptAt, error: result.error, nowMs }))) return false;
    const data = {
      action_id: actionId,
      status: result.status,
      attempts: record.attempts,
      max_attempts: maxAttempts,
      retry_after_ms: delayMs,
      next_attempt_at: formatTime(nextAttemptAt),
      error: result.error,
    };
    if (place?.release) await deps.releaseRoutes?.([place.release], client);
    await appendEvents(client, [actionEvent(record, 'aip.action.retry_scheduled', submitterOf(record), data, nowMs)]);
    return true;
  });
}

/** Queues an action that waits for a host; the attempt does not count. False when its lease was lost. */
function waitAgain(
  deps: ExecutionDeps,
  record: ActionRecord,
  { result }: StepOutcome,
  delayMs: number,
): Promise<boolean> {
  const nowMs = deps.clock();
  const lease = { ...actionRef(record), leaseId: record.lease_id as string };
  const { error } = result;
  return requeue(deps.pool, { ...lease, nextAttemptAt: nowMs + delayMs, error, nowMs, waited: true });
}
