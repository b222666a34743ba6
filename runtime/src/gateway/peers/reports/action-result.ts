import type { Pool, Queryable } from '../../../postgres/pool.js';
import { canonicalJson } from '../../../protocol/canonical.js';
import type { Clock } from '../../../protocol/clock.js';
import { AipError } from '../../../protocol/errors.js';
import type { ActionResult, Event, Principal } from '../../../protocol/types.js';
import { settlementOf } from '../../actions/finish/compose.js';
import { withPlainCode } from '../../actions/finish/plain-code.js';
import type { Settlement } from '../../actions/finish/write.js';
import { reachedAction } from '../../actions/record/read.js';
import type { ActionRecord } from '../../actions/record/record.js';
import { isTerminal, nextState, type TerminalState, type Trigger } from '../../actions/record/states.js';
import type { Identity } from '../../edge/identity.js';
import { authorizeQuery } from '../../edge/query-authorization.js';

// Whether an action is the child of a delegation, whose result comes as a delegation_result.
const IS_DELEGATED = `
SELECT EXISTS (SELECT FROM runtime.delegations d WHERE d.child_action_id = $1 AND d.tenant_id IS NOT DISTINCT FROM $2) AS delegated`;

/** What taking a result needs. */
export interface ResultReportDeps {
  readonly pool: Pool;
  readonly clock: Clock;
  readonly gateway: Principal;
  /** The group commit of ends; false: the action is being executed, or has ended. */
  readonly settle: (settlement: Settlement) => Promise<boolean>;
}

/** What a reported status does to an action that waits. */
const TRIGGERS: Partial<Record<ActionResult['status'], Trigger>> = {
  completed: 'report_completed',
  failed: 'fail',
  cancelled: 'cancel',
};

/**
 * Ends an action that waits in the queue with the result that a peer reports (docs/protocol/actions.md#results-of-peers), and returns the
 * event; the result that the action has already changes nothing. Needs action:write on the action. Throws NotAuthorized, `resource.not_found` for
 * an action that the caller may not see, and `action.result_refused` for one that is executed here, waits for an approval, was delegated, or
 * ended otherwise.
 */
export async function reportResult(
  deps: ResultReportDeps,
  identity: Identity,
  reported: ActionResult,
): Promise<Event[]> {
  const result = withPlainCode(reported);
  const { action_id: actionId } = result;
  const access = authorizeQuery(identity, { object: 'action', operation: 'write' }, deps.clock());
  const record = await reachedAction(deps.pool, access, actionId);
  if (!record) throw new AipError('resource.not_found', 'no such action', { details: { action_id: actionId } });
  if (isTerminal(record.state)) {
    if (record.result && canonicalJson(record.result) === canonicalJson(result)) return [];
    throw refused(record, 'the action has ended with another result');
  }
  const state = await endStateOf(deps.pool, record, result);
  const settlement = settlementOf(record, { state, result }, deps.gateway, deps.clock());
  if (!(await deps.settle(settlement))) throw refused(record, 'the action is being executed');
  return settlement.events.map(({ event }) => event);
}

async function endStateOf(db: Queryable, record: ActionRecord, { status }: ActionResult): Promise<TerminalState> {
  if (record.state === 'pending_approval') throw refused(record, 'the action waits for an approval');
  if (record.lease_id !== null) throw refused(record, 'the action is being executed');
  const trigger = TRIGGERS[status];
  const state = trigger && nextState(record.state, trigger);
  if (!state || !isTerminal(state)) throw refused(record, `an action that is ${record.state} cannot end as ${status}`);
  const { rows } = await db.query<{ delegated: boolean }>({
    name: 'runtime.delegations.is_child',
    text: IS_DELEGATED,
    values: [record.action_id, record.tenant_id],
  });
  if (rows[0]?.delegated) throw refused(record, 'the action was delegated: its result must come as delegation_result');
  return state;
}

function refused({ action_id }: ActionRecord, why: string): AipError {
  return new AipError('action.result_refused', why, { details: { action_id } });
}
