import { actionRef } from '../../../protocol/content/action-ref.js';
import { AipError } from '../../../protocol/errors.js';
import type { ActionResult } from '../../../protocol/types.js';
import { retryWhileUnavailable } from '../../../transport/process/retry-while-unavailable.js';
import { traced } from '../../../transport/telemetry/telemetry.js';
import type { HeldPlace } from '../../dispatch/dispatcher.js';
import { actionEvent, submitterOf } from '../../events/log/action-event.js';
import { type ActionEnd, settlementOf } from '../finish/compose.js';
import type { Settlement } from '../finish/write.js';
import { readAction } from '../record/read.js';
import type { ActionRecord } from '../record/record.js';
import { isTerminal } from '../record/states.js';
import { cancelledResult } from './attempt.js';
import type { ExecutionDeps } from './execution-deps.js';

/** One attempt: the leased action, and the worker that claimed it where one did. */
export interface Execution {
  readonly record: ActionRecord;
  readonly workerId: string | undefined;
}

/**
 * Writes how an execution ended, with the release of its route, and returns the result: that of an end that was written before, where there is one.
 * A cancellation that was requested meanwhile wins. Throws `runtime.handler_failed` when another worker has the action, StorageUnavailable.
 */
export async function endExecution(
  deps: ExecutionDeps,
  { record, workerId }: Execution,
  how: ActionEnd,
  place?: HeldPlace,
): Promise<ActionResult> {
  let current = record;
  let wanted = how;
  for (let attempt = 0; attempt < 3; attempt += 1) {
    const settlement = {
      ...settlementWithEvents(deps, current, wanted, workerId),
      release: place?.release,
      spendsRoute: spendsRoute(current, wanted),
    };
    const written = await traced('aip.action.finish', { attributes: { 'aip.outcome': settlement.state } }, () =>
      retryWhileUnavailable(() => deps.settle(settlement)),
    );
    if (written) {
      place?.leave();
      return wanted.result;
    }
    const found = await retryWhileUnavailable(() => readAction(deps.pool, actionRef(record)));
    if (!found) break;
    // It may be this end, whose answer was lost: the place keeps its release, which changes nothing where it was written before.
    if (isTerminal(found.state) && found.result) return found.result;
    if (found.lease_id !== record.lease_id) break;
    if (found.cancel_requested) wanted = cancelledEnd(found);
    current = found;
  }
  throw new AipError('runtime.handler_failed', 'the action was taken over by another worker');
}

/**
 * Whether nothing reads the route of an action after this end. A later attempt has taken it over from a worker that may still dispatch and must then
 * find it; chunks that are sent again are compared with it; and a step of a transaction may be reconciled.
 */
function spendsRoute({ attempts, mode, request, plan, restored }: ActionRecord, { state }: ActionEnd): boolean {
  const isPlain = mode !== 'streaming' && request.transaction === undefined && plan.keeps_route !== true;
  return state === 'completed' && attempts === 1 && isPlain && !restored;
}

/** The end of an action because its cancellation was requested. */
export function cancelledEnd(record: ActionRecord): ActionEnd {
  return { state: 'cancelled', result: cancelledResult(record) };
}

/** What is written at an end, with the events of a resumed action and of the worker. */
function settlementWithEvents(
  deps: ExecutionDeps,
  record: ActionRecord,
  how: ActionEnd,
  workerId: string | undefined,
): Settlement {
  const nowMs = deps.clock();
  const settlement = settlementOf(record, how, deps.gateway, nowMs);
  const { approval_id, action_id } = record;
  const { status } = how.result;
  const event = (kind: string, data: Record<string, unknown>) =>
    actionEvent(record, kind, submitterOf(record), data, nowMs);
  // The result stays the last event of an action.
  const events = [
    ...(record.resumed_at === null ? [] : [event('aip.action.resumed_result', { approval_id, action_id, status })]),
    ...(workerId === undefined ? [] : [event('aip.action.worker_result', { action_id, status, worker_id: workerId })]),
    ...settlement.events,
  ];
  return { ...settlement, events };
}
