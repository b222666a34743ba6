import type { Queryable } from '../../../postgres/pool.js';
import { formatTime } from '../../../protocol/time.js';
import { approvalChainId, nextReceipt } from '../../records/receipts/action-chain.js';
import { readHead } from '../../records/receipts/append.js';
import type { Settlement } from '../finish/write.js';
import type { ActionRecord } from '../record/record.js';
import { systemVote } from './decision/vote.js';
import { approvalEvent } from './events.js';
import { readApproval } from './record.js';

const REASON = 'the action was cancelled';

/** What is written about the approval of a waiting action that its caller cancels; undefined when it is decided already. */
export async function withdrawalOf(
  db: Queryable,
  action: ActionRecord,
  nowMs: number,
): Promise<Pick<Settlement, 'withdrawal' | 'furtherReceipts' | 'events'> | undefined> {
  const { approval_id: approvalId, tenant_id: tenantId } = action;
  const approval = approvalId === null ? undefined : await readApproval(db, { approvalId, tenantId });
  if (approval?.status !== 'pending') return undefined;
  const chainId = approvalChainId(approval.approval_id);
  const decidedAt = formatTime(nowMs);
  const { decision } = systemVote(approval, decidedAt, nowMs, REASON);
  const { approver } = decision;
  const receipt = nextReceipt(await readHead(db, chainId, approval.tenant_id), {
    chainId,
    subject: approval.approval_id,
    type: 'approval_expired',
    actor: approver,
    atMs: nowMs,
    data: { decision: 'expired', reason: REASON, constraints: [], evidence: [] },
  });
  const data = {
    approval_id: approval.approval_id,
    decision: 'expired',
    approver,
    decided_at: decidedAt,
    reason: REASON,
  };
  return {
    withdrawal: decision,
    furtherReceipts: [receipt.stored],
    events: [approvalEvent({ approval, action }, 'aip.approval.expired', approver, data, nowMs, 'expired_decision')],
  };
}
