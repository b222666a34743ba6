import type { Logger } from 'pino';
import type { Pool } from '../../postgres/pool.js';
import type { Clock } from '../../protocol/clock.js';
import { actionRef } from '../../protocol/content/action-ref.js';
import { AipError } from '../../protocol/errors.js';
import type { ActionResult, Principal } from '../../protocol/types.js';
import type { Identity } from '../edge/identity.js';
import { authorizeQuery } from '../edge/query-authorization.js';
import { actionEvent, submitterOf } from '../events/log/action-event.js';
import { appendEvents } from '../events/log/append.js';
import { withdrawalOf } from './approval/withdraw.js';
import { cancelledResult } from './execute/attempt.js';
import type { LeaseKeeper } from './execute/lease-keeper.js';
import { settlementOf } from './finish/compose.js';
import type { Settlement } from './finish/write.js';
import { reachedAction } from './record/read.js';
import type { ActionRecord } from './record/record.js';
import { isTerminal, nextState } from './record/states.js';
import { cancelNotice, WORK_CHANNEL } from './record/work-channel.js';

// Asks the owner of a running execution to stop. The first request's reason stays. A terminal row is never touched.
const REQUEST_CANCEL = `
UPDATE runtime.actions SET state = 'cancelling', cancel_requested = true, cancel_reason = $3, updated_at = $2
WHERE action_id = $1 AND tenant_id IS NOT DISTINCT FROM $4 AND state IN ('running', 'streaming') AND NOT cancel_requested
RETURNING action_id`;

// Keeps the reason with an action that is cancelled before it runs.
const KEEP_REASON = `
UPDATE runtime.actions SET cancel_requested = true, cancel_reason = $2
WHERE action_id = $1 AND tenant_id IS NOT DISTINCT FROM $3 AND completed_at IS NULL AND lease_id IS NULL AND NOT cancel_requested`;

// Notifies every gateway that an execution must stop, when the transaction commits.
const NOTIFY = `SELECT pg_notify($1, $2)`;

/** What cancellations need. */
export interface CancelDeps {
  readonly pool: Pool;
  readonly clock: Clock;
  readonly log: Logger;
  readonly gateway: Principal;
  readonly keeper: LeaseKeeper;
  readonly settle: (settlement: Settlement) => Promise<boolean>;
}

/** A request to cancel one action. */
export interface CancelRequest {
  readonly actionId: string;
  readonly tenantId?: string | undefined;
  readonly reason?: string | undefined;
}

/** `cancelAction` over what cancellations need. */
export type CancelAction = (identity: Identity, request: CancelRequest) => Promise<ActionResult>;

/**
 * Cancels an action for its owner (docs/protocol/actions.md#cancellation): one that waits ends at once; a running one is asked to stop and can
 * end only as cancelled; a terminal one is left as it is and its own result is the answer. Needs action:write. Throws
 * NotAuthorized, or `resource.not_found` when the caller may see no action of this id.
 */
export async function cancelAction(
  deps: CancelDeps,
  identity: Identity,
  request: CancelRequest,
): Promise<ActionResult> {
  const query = { object: 'action', operation: 'write', tenantId: request.tenantId } as const;
  const access = authorizeQuery(identity, query, deps.clock());
  for (;;) {
    const record = await reachedAction(deps.pool, access, request.actionId);
    if (!record) throw new AipError('resource.not_found', 'no such action');
    const done = await cancelFrom(deps, record, request.reason);
    if (done) return done;
  }
}

/** One try from the state just read; undefined when the action has moved on meanwhile. */
async function cancelFrom(
  deps: CancelDeps,
  record: ActionRecord,
  reason: string | undefined,
): Promise<ActionResult | undefined> {
  if (isTerminal(record.state)) return record.result ?? { action_id: record.action_id, status: 'cancelled' };
  const next = nextState(record.state, 'cancel');
  const reasoned = record.cancel_requested ? record : { ...record, cancel_reason: reason ?? null };
  if (next === 'cancelled') return endNow(deps, reasoned);
  if (record.state !== 'cancelling' && !(await requestStop(deps, reasoned))) return undefined;
  if (record.state !== 'cancelling') deps.keeper.cancel(actionRef(record));
  return cancelledResult(reasoned);
}

async function endNow(deps: CancelDeps, record: ActionRecord): Promise<ActionResult | undefined> {
  const nowMs = deps.clock();
  if (record.cancel_reason !== null)
    await deps.pool.query({
      name: 'runtime.action.cancel_reason',
      text: KEEP_REASON,
      values: [record.action_id, record.cancel_reason, record.tenant_id],
    });
  const result = cancelledResult(record);
  const settlement = settlementOf(record, { state: 'cancelled', result }, deps.gateway, nowMs);
  const withdrawn = record.approval_id === null ? undefined : await withdrawalOf(deps.pool, record, nowMs);
  const events = [cancelledEvent(record, nowMs), ...(withdrawn?.events ?? []), ...settlement.events];
  return (await deps.settle({ ...settlement, ...withdrawn, events })) ? result : undefined;
}

async function requestStop(deps: CancelDeps, record: ActionRecord): Promise<boolean> {
  const nowMs = deps.clock();
  return deps.pool.tx(async (client) => {
    const changed = await client.query({
      name: 'runtime.action.cancel',
      text: REQUEST_CANCEL,
      values: [record.action_id, nowMs, record.cancel_reason, record.tenant_id],
    });
    if (changed.rows.length === 0) return false;
    await appendEvents(client, [cancelledEvent(record, nowMs)]);
    await client.query({
      name: 'runtime.action.notify',
      text: NOTIFY,
      values: [WORK_CHANNEL, cancelNotice(actionRef(record))],
    });
    return true;
  });
}

function cancelledEvent(record: ActionRecord, nowMs: number): ReturnType<typeof actionEvent> {
  const reason = record.cancel_reason === null ? {} : { reason: record.cancel_reason };
  const data = { target: 'action', action_id: record.action_id, ...reason };
  return actionEvent(record, 'aip.action.cancelled', submitterOf(record), data, nowMs);
}
