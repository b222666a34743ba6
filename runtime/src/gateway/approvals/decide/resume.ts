import type { Queryable } from '../../../postgres/pool.js';
import { AipError } from '../../../protocol/errors.js';
import type { ApprovalDecision, Principal } from '../../../protocol/types.js';
import type { ActionRecord } from '../../actions/record/record.js';
import { nextState } from '../../actions/record/states.js';
import { WORK_CHANNEL } from '../../actions/record/work-channel.js';
import { actionChainId, linkOf, nextReceipt, type ReceiptFact } from '../../records/receipts/action-chain.js';

// Puts a waiting action with its approval into the queue. Its receipt chain must still have the length that was read, so that whoever
// ends a waiting action from an older read does not end this one.
const RESUME = `
UPDATE runtime.actions SET state = $2, request = $3::json, result = NULL, error_code = NULL, next_attempt_at = $4, resumed_at = $4,
  updated_at = $4, receipt_head = $5, receipt_count = receipt_count + 1,
  receipts = array_append(receipts, $8::json)
WHERE action_id = $1 AND tenant_id IS NOT DISTINCT FROM $7 AND state = 'pending_approval' AND receipt_count = $6
RETURNING action_id`;

// Wakes the workers of every gateway when the transaction commits.
const NOTIFY_WORK = `SELECT pg_notify($1, 'work')`;

/** Queues the action that waited for `decision`, in the transaction that makes the decision: any worker runs it, once. */
export async function resumeAction(
  client: Queryable,
  action: ActionRecord,
  decision: ApprovalDecision,
  actor: Principal,
  nowMs: number,
): Promise<void> {
  const granted: ReceiptFact = {
    chainId: actionChainId(action.action_id),
    subject: action.action_id,
    type: 'approval_granted',
    actor,
    atMs: nowMs,
    correlationId: action.correlation_id,
    data: {
      approval_id: decision.approval_id,
      action_id: action.action_id,
      capability_id: action.capability_id,
      decision_id: decision.decision_id,
    },
  };
  const { head, stored } = nextReceipt({ hash: action.receipt_head, count: action.receipt_count }, granted);
  const request = { ...action.request, approval: decision };
  const resumed = await client.query({
    name: 'runtime.action.resume',
    text: RESUME,
    values: [
      action.action_id,
      nextState('pending_approval', 'approved'),
      JSON.stringify(request),
      nowMs,
      head.hash,
      action.receipt_count,
      action.tenant_id,
      JSON.stringify(linkOf(stored)),
    ],
  });
  if (resumed.rows.length === 0)
    throw new AipError('policy.approval_action_mismatch', 'the action no longer waits for this approval');
  await client.query({ name: 'runtime.action.notify_work', text: NOTIFY_WORK, values: [WORK_CHANNEL] });
  client.announce?.(WORK_CHANNEL);
}
