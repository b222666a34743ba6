import { actionRef } from '../../../protocol/content/action-ref.js';
import type { ActionResult } from '../../../protocol/types.js';
import { recordSpan, type SpanStart, traced } from '../../../transport/telemetry/telemetry.js';
import { traceOfAction } from '../../../transport/telemetry/trace-context.js';
import { type ActionRecord, inBackground } from '../record/record.js';
import { conclude } from './conclude.js';
import { type Execution, endExecution } from './end.js';
import type { ExecutionDeps } from './execution-deps.js';
import { refusedBeforeStart } from './refuse.js';
import { runStep } from './step.js';

/** The work on one leased action. */
export interface Executor {
  /**
   * Drives an action whose lease this process holds one attempt further and writes what came of it. `workerId` names the
   * worker that claimed it; none runs it for a caller who waits. Returns the terminal result, or undefined when the action
   * will be tried again. Throws StorageUnavailable or `runtime.handler_failed` when its outcome could not be written here: another
   * worker then takes the action over.
   */
  run(record: ActionRecord, workerId?: string): Promise<ActionResult | undefined>;
}

/** Builds the executor. */
export function executor(deps: ExecutionDeps): Executor {
  return {
    run: async (record, workerId) => {
      const { action_id, tenant_id } = record;
      try {
        recordQueueWait(record);
        const result = await traced('aip.action.execute', executionSpan(record), async (span) => {
          const ended = await perform(deps, { record, workerId });
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

/** Makes one attempt, unless the action must not run, and writes what came of it. */
async function perform(deps: ExecutionDeps, execution: Execution): Promise<ActionResult | undefined> {
  const { record } = execution;
  const refused = record.state === 'cancelling' ? undefined : refusedBeforeStart(record, deps.clock());
  if (refused) return endExecution(deps, execution, refused);
  const attempt = await runStep(deps, record);
  await using place = attempt.place;
  try {
    return await conclude(deps, execution, attempt);
  } catch (error) {
    // The worker that continues the action does so under the same assignment.
    place?.leave();
    throw error;
  }
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
