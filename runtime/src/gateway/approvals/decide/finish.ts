import type { Queryable } from '../../../postgres/pool.js';
import { AipError } from '../../../protocol/errors.js';
import type { ActionResult, ApprovalDecision, Principal } from '../../../protocol/types.js';
import { approvalEvent } from '../../actions/approval/events.js';
import type { ApprovalRow } from '../../actions/approval/record.js';
import { cancelledResult } from '../../actions/execute/attempt.js';
import { settlementOf } from '../../actions/finish/compose.js';
import { type Settlement, settleBatch } from '../../actions/finish/write.js';
import type { ActionRecord } from '../../actions/record/record.js';
import { nextState, type TerminalState } from '../../actions/record/states.js';
import { appendEvents, type NewEvent } from '../../events/log/append.js';
import { approvalChainId, type ReceiptFact } from '../../records/receipts/action-chain.js';
import { appendReceipts } from '../../records/receipts/append.js';
import { resumeAction } from './resume.js';

// Ends a pending approval with the vote that decided it.
const END = `
UPDATE runtime.approvals SET status = $2, decision = $3::json, updated_at = $4 WHERE approval_id = $1
  AND tenant_id IS NOT DISTINCT FROM $5 AND status = 'pending'`;

/** How an approval ends. */
export type Ending = 'approved' | 'denied' | 'expired' | 'revoked';

const ENDINGS = {
  approved: { event: 'aip.approval.granted', receipt: 'approval_granted' },
  denied: { event: 'aip.approval.denied', receipt: 'approval_denied' },
  expired: { event: 'aip.approval.expired', receipt: 'approval_expired' },
  revoked: { event: 'aip.approval.revoked', receipt: 'approval_revoked' },
} as const;

const REFUSALS = {
  denied: 'policy.approval_denied',
  expired: 'policy.approval_expired',
  revoked: 'policy.approval_revoked',
} as const;

/** An approval with the vote that ends it, and the action that waits for it, all of them locked. */
export interface EndedApproval {
  readonly approval: ApprovalRow;
  readonly status: Ending;
  readonly decision: ApprovalDecision;
  readonly action: ActionRecord | undefined;
}

/** What the end of an approval leaves to be done after its commit. */
export interface FinishedApproval {
  /** The events of the approval, for its decider. */
  readonly events: NewEvent[];
  /** The end of the action, when the approval was not granted. */
  readonly settlement?: Settlement;
}

/**
 * Ends an approval in the transaction of `client`: its row, its last receipt, and its action, which is queued when it was approved and
 * otherwise failed. Appends their events and returns those of the approval, with the end of the action that failed.
 */
export async function finishApproval(
  client: Queryable,
  ended: EndedApproval,
  gateway: Principal,
  nowMs: number,
): Promise<FinishedApproval> {
  const { approval, status, decision, action } = ended;
  await client.query({
    name: 'runtime.approval.end',
    text: END,
    values: [approval.approval_id, status, JSON.stringify(decision), nowMs, approval.tenant_id],
  });
  await appendLastReceipt(client, ended, nowMs);
  const events = [decidedEvent(ended, nowMs), ...(action ? [followingEvent(ended, action, gateway, nowMs)] : [])];
  if (action && status !== 'approved') {
    const end = action.cancel_requested
      ? ({ state: 'cancelled', result: cancelledResult(action) } as const)
      : { state: endStateOf(status), result: refusedResult(action, approval.approval_id, status) };
    const settlement = settlementOf(action, end, gateway, nowMs);
    const [settled] = await settleBatch(client, [{ ...settlement, events: [...events, ...settlement.events] }]);
    if (!settled?.written)
      throw new AipError('policy.approval_action_mismatch', 'the action no longer waits for this approval');
    return { events, settlement };
  }
  if (action) await resumeAction(client, action, decision, decision.approver, nowMs);
  await appendEvents(client, events);
  return { events };
}

async function appendLastReceipt(client: Queryable, ended: EndedApproval, nowMs: number): Promise<void> {
  const { approval, status, decision } = ended;
  const chainId = approvalChainId(approval.approval_id);
  const fact: ReceiptFact = {
    chainId,
    subject: approval.approval_id,
    type: ENDINGS[status].receipt,
    actor: decision.approver,
    atMs: nowMs,
    data: {
      decision: decision.decision,
      reason: decision.reason ?? null,
      constraints: decision.constraints ?? [],
      evidence: decision.evidence ?? [],
    },
  };
  await appendReceipts(client, { tenantId: approval.tenant_id, principalId: approval.requester_id }, [fact]);
}

function decidedEvent({ approval, action, status, decision }: EndedApproval, nowMs: number): NewEvent {
  const data = {
    approval_id: approval.approval_id,
    decision: decision.decision,
    approver: decision.approver,
    decided_at: decision.decided_at,
    ...(decision.reason === undefined ? {} : { reason: decision.reason }),
  };
  const { event } = ENDINGS[status];
  return approvalEvent({ approval, action }, event, decision.approver, data, nowMs, `${status}_decision`);
}

/** What the end of the approval means for the action that waited. */
function followingEvent({ approval, status }: EndedApproval, action: ActionRecord, gateway: Principal, nowMs: number) {
  const kind = status === 'approved' ? 'aip.approval.resumed_action' : 'aip.action.approval_terminal';
  const data = { approval_id: approval.approval_id, action_id: action.action_id, status };
  return approvalEvent({ approval, action }, kind, gateway, data, nowMs, `${status}_result`);
}

function endStateOf(status: keyof typeof REFUSALS): TerminalState {
  return nextState('pending_approval', status === 'expired' ? 'approval_expired' : 'denied') as TerminalState;
}

function refusedResult(action: ActionRecord, approvalId: string, status: keyof typeof REFUSALS): ActionResult {
  const error = new AipError(REFUSALS[status], undefined, { details: { approval_id: approvalId } });
  return { action_id: action.action_id, status: 'failed', error: error.toProtocolError('aip-runtime') };
}
