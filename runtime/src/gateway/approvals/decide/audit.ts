import type { Queryable } from '../../../postgres/pool.js';
import { formatTime } from '../../../protocol/time.js';
import type { AuditEvent } from '../../../protocol/types.js';
import type { ApprovalState, Vote } from '../../actions/approval/record.js';
import { approvalChainId } from '../../records/receipts/action-chain.js';
import type { HeldApproval } from './hold.js';

// Written once for each vote, in the transaction that admits it.
const INSERT = `
INSERT INTO runtime.audit (audit_id, tenant_id, principal_id, action_id, session_id, transaction_id, action, occurred_at, record)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9::json)`;

/** Appends the audit event of an admitted vote, whose actor is the approver, in the transaction of `client`. */
export async function auditVote(
  client: Queryable,
  held: HeldApproval,
  vote: Vote,
  status: ApprovalState,
): Promise<void> {
  const { approval, action } = held;
  const event = voteAudit(held, vote, status);
  await client.query({
    name: 'runtime.audit.approval',
    text: INSERT,
    values: [
      event.id,
      approval.tenant_id,
      event.actor.id,
      approval.action_id,
      action?.session_id ?? null,
      action?.transaction_id ?? null,
      event.action,
      vote.recorded_at,
      JSON.stringify(event),
    ],
  });
}

/** The audit event of a vote (docs/protocol/records.md#receipts-and-audit). `status` is what the vote makes of the approval. */
function voteAudit({ approval, action, votes }: HeldApproval, { decision, recorded_at }: Vote, status: ApprovalState) {
  const event: AuditEvent = {
    id: `audit:approval:${approval.approval_id}:${votes.length + 1}`,
    actor: { id: decision.approver.id, kind: decision.approver.kind },
    action: 'aip.approval.decision',
    occurred_at: formatTime(recorded_at),
    data: {
      approval_id: approval.approval_id,
      action_id: approval.action_id,
      capability_id: approval.capability_id,
      session_id: action?.session_id ?? null,
      ...(action?.transaction_id == null ? {} : { transaction_id: action.transaction_id }),
      decision_id: decision.decision_id,
      decision: decision.decision,
      reason: decision.reason ?? null,
      status,
      receipt_chain_id: approvalChainId(approval.approval_id),
    },
  };
  return event;
}
