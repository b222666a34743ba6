import { actionRef } from '../../../protocol/content/action-ref.js';
import { HandlerFailed, OutcomeUnknown, protocolErrorOf, QueueDelayExceeded } from '../../../protocol/errors.js';
import { formatTime } from '../../../protocol/time.js';
import type { ActionResult } from '../../../protocol/types.js';
import type { RouteSettlement } from '../../../registry/routes/settle.js';
import { WokenTooLate } from '../../../registry/scaling.js';
import { retryWhileUnavailable } from '../../../transport/process/retry-while-unavailable.js';
import { recordSpan, type SpanStart, traced } from '../../../transport/telemetry/telemetry.js';
import { traceOfAction } from '../../../transport/telemetry/trace-context.js';
import { appendEvents } from '../../events/log/append.js';
import { type ActionEnd, actionEvent, settlementOf, submitterOf } from '../finish/compose.js';
import type { Settlement } from '../finish/write.js';
import { readAction } from '../record/read.js';
import { type ActionRecord, inBackground } from '../record/record.js';
import { isTerminal } from '../record/states.js';
import { cancelledResult } from './attempt.js';
import { decide } from './decide.js';
import type { ExecutionDeps } from './execution-deps.js';
import { requeue } from './requeue.js';
import { runStep, type StepOutcome } from './step.js';

/** Executions of one action after which its taker gives up: it seems to end every process that runs it. */
const MAX_EXECUTIONS = 25;

/** The work on one leased action. */
export interface Executor {
  /**
   * Drives an action whose lease this process holds one attempt further and writes what came of it. `workerId` names the
   * worker that claimed it; none runs it for a caller who waits. Returns the terminal result, or undefined when the action
   * will be tried again. Throws StorageUnavailable or HandlerFailed when its outcome could not be written here: another
   * worker then takes the action over.
   */
  run(record: ActionRecord, workerId?: string): Promise<ActionResult | undefined>;
}

/** One attempt: the leased action, and the worker that claimed it where one did. */
interface Execution {
  readonly record: ActionRecord;
  readonly workerId: string | undefined;
}

/** Builds the executor. */
export function executor(deps: ExecutionDeps): Executor {
  const endOf = (record: ActionRecord, how: ActionEnd, workerId: string | undefined): Settlement => {
    const nowMs = deps.clock();
    const settlement = settlementOf(record, how, deps.gateway, nowMs);
    const { approval_id, action_id } = record;
    const { status } = how.result;
    const event = (kind: string, data: Record<string, unknown>) =>
      actionEvent(record, kind, submitterOf(record), data, nowMs);
    // The result stays the last event of an action.
    const events = [
      ...(record.resumed_at === null ? [] : [event('aip.action.resumed_result', { approval_id, action_id, status })]),
      ...(workerId === undefined
        ? []
        : [event('aip.action.worker_result', { action_id, status, worker_id: workerId })]),
      ...settlement.events,
    ];
    return { ...settlement, events };
  };

  const end = async (
    { record, workerId }: Execution,
    how: ActionEnd,
    release?: RouteSettlement,
  ): Promise<ActionResult> => {
    let current = record;
    let wanted = how;
    for (let round = 0; round < 3; round += 1) {
      const settlement = { ...endOf(current, wanted, workerId), release };
      const written = await traced('aip.action.finish', { attributes: { 'aip.outcome': settlement.state } }, () =>
        retryWhileUnavailable(() => deps.settle(settlement)),
      );
      if (written) return wanted.result;
      const found = await retryWhileUnavailable(() => readAction(deps.pool, actionRef(record)));
      if (!found) break;
      if (isTerminal(found.state) && found.result) {
        // It may be this end, whose answer was lost; a route that was released before stays as it is.
        await deps.release(release);
        return found.result;
      }
      if (found.lease_id !== record.lease_id) break;
      if (found.cancel_requested) wanted = cancelledEnd(found);
      current = found;
    }
    throw new HandlerFailed('the action was taken over by another worker');
  };

  const tryAgain = async (
    record: ActionRecord,
    { result, release }: StepOutcome,
    delayMs: number,
    maxAttempts: number,
  ): Promise<boolean> => {
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
      if (release) await deps.releaseRoutes?.([release], client);
      await appendEvents(client, [actionEvent(record, 'aip.action.retry_scheduled', submitterOf(record), data, nowMs)]);
      return true;
    });
  };

  const waitAgain = (record: ActionRecord, { result }: StepOutcome, delayMs: number): Promise<boolean> => {
    const nowMs = deps.clock();
    const lease = { ...actionRef(record), leaseId: record.lease_id as string };
    const { error } = result;
    return requeue(deps.pool, { ...lease, nextAttemptAt: nowMs + delayMs, error, nowMs, waited: true });
  };

  const conclude = async (execution: Execution, attempt: StepOutcome): Promise<ActionResult | undefined> => {
    const { record } = execution;
    const { mode, attempts, plan } = record;
    const { release, journaled, plan: made, wakeTimeoutMs } = attempt;
    const background = inBackground(record);
    const waitedMs = deps.clock() - (record.resumed_at ?? record.accepted_at);
    const waking = wakeTimeoutMs === undefined ? undefined : { waitedMs, timeoutMs: wakeTimeoutMs };
    const decision = decide({ mode, background, attempts, plan, result: attempt.result, journaled, waking });
    if (decision.kind === 'wait') {
      const waits = await retryWhileUnavailable(() => waitAgain(record, attempt, decision.delayMs));
      return waits ? undefined : end(execution, cancelledEnd(record), release);
    }
    const result = waking
      ? { ...attempt.result, error: new WokenTooLate().toProtocolError('aip-runtime') }
      : attempt.result;
    if (decision.kind === 'retry') {
      const queued = await retryWhileUnavailable(() =>
        tryAgain(record, attempt, decision.delayMs, decision.maxAttempts),
      );
      return queued ? undefined : end(execution, cancelledEnd(record), release);
    }
    const deadLetterReason = decision.state === 'dead_lettered' ? (result.error?.code ?? 'failed') : undefined;
    return end(execution, { state: decision.state, result, deadLetterReason, plan: made }, release);
  };

  const refusedBeforeStart = (record: ActionRecord): ActionEnd | undefined => {
    const waited = (record.started_at ?? deps.clock()) - (record.resumed_at ?? record.accepted_at);
    const bound = record.plan.max_queue_delay_ms;
    const failed = (error: unknown, deadLetterReason: string): ActionEnd => ({
      state: record.mode === 'async' ? 'dead_lettered' : 'failed',
      result: { action_id: record.action_id, status: 'failed', error: protocolErrorOf(error, 'aip-runtime') },
      ...(record.mode === 'async' ? { deadLetterReason } : {}),
    });
    if (bound !== undefined && record.attempts === 1 && record.mode === 'async' && waited > bound)
      return failed(
        new QueueDelayExceeded(undefined, { details: { max_queue_delay_ms: bound } }),
        'sla.queue_delay_exceeded',
      );
    if (record.restored && record.attempts > (record.mode === 'streaming' ? 1 : record.plan.max_attempts)) {
      const unknown = new OutcomeUnknown('it may have run after the backup that the database was restored from', {
        details: { restored: true },
      });
      return failed(unknown, unknown.code);
    }
    if (record.attempts > MAX_EXECUTIONS)
      return failed(
        new HandlerFailed('every worker that ran the action ended', {
          retryable: false,
          details: { uncertain_outcome: true },
        }),
        'executions_exhausted',
      );
    return undefined;
  };

  const perform = async (execution: Execution): Promise<ActionResult | undefined> => {
    const { record } = execution;
    const refused = record.state === 'cancelling' ? undefined : refusedBeforeStart(record);
    if (refused) return end(execution, refused);
    const attempt = await runStep(deps, record);
    try {
      return await conclude(execution, attempt);
    } finally {
      attempt.done();
    }
  };

  return {
    run: async (record, workerId) => {
      const { action_id, tenant_id } = record;
      try {
        recordQueueWait(record);
        const result = await traced('aip.action.execute', executionSpan(record), async (span) => {
          const ended = await perform({ record, workerId });
          span.set({ 'aip.outcome': ended?.status ?? 'retry' });
          if (ended?.error) span.fail(ended.error.code);
          return ended;
        });
        const status = result?.status ?? 'retry';
        deps.log.debug({ action_id, tenant_id, status, attempts: record.attempts }, 'action executed');
        return result;
      } catch (error) {
        deps.log.warn({ err: error, action_id, tenant_id }, 'the outcome of an action was not written here');
        deps.keeper.abandon({ ...actionRef(record), leaseId: record.lease_id as string });
        throw error;
      }
    },
  };
}

/** The wait of a queued action for its first worker: from its acceptance, or from the decision that it waited for. */
function recordQueueWait(record: ActionRecord): void {
  const { accepted_at, resumed_at, started_at, attempts } = record;
  if (!inBackground(record) || attempts !== 1 || started_at === null) return;
  recordSpan('aip.action.queue', {
    ...executionSpan(record),
    startedAt: resumed_at ?? accepted_at,
    endedAt: started_at,
  });
}

/** One attempt continues the trace that the action keeps, on whatever gateway its worker runs. */
function executionSpan(record: ActionRecord): SpanStart {
  return {
    kind: inBackground(record) ? 'consumer' : 'internal',
    parent: traceOfAction(record.request),
    attributes: {
      'aip.action_id': record.action_id,
      'aip.capability_id': record.capability_id,
      'aip.attempt': record.attempts,
    },
  };
}

function cancelledEnd(record: ActionRecord): ActionEnd {
  return { state: 'cancelled', result: cancelledResult(record) };
}
