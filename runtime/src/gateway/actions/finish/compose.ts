import type { ActionResult, Principal, TransactionPlan } from '../../../protocol/types.js';
import { resultDelivery } from '../../callbacks/delivery.js';
import { actionEvent, submitterOf } from '../../events/log/action-event.js';
import { resultAudit } from '../../records/audit/result-audit.js';
import { actionChainId, nextReceipt } from '../../records/receipts/action-chain.js';
import type { ActionRecord } from '../record/record.js';
import type { TerminalState } from '../record/states.js';
import { transactionEnd } from '../transaction/step/end.js';
import type { Settlement } from './write.js';

/** What a record must have for its settlement. */
export type SettledRecord = Pick<
  ActionRecord,
  | 'action_id'
  | 'tenant_id'
  | 'principal_id'
  | 'principal_kind'
  | 'session_id'
  | 'correlation_id'
  | 'transaction_id'
  | 'capability_id'
  | 'accepted_at'
  | 'request'
  | 'mode'
  | 'approval_id'
  | 'idempotency_key'
  | 'lease_id'
  | 'receipt_head'
  | 'receipt_count'
>;

/** The end of an action: its terminal state, its result and, where it was given up, why. */
export interface ActionEnd {
  readonly state: TerminalState;
  readonly result: ActionResult;
  readonly deadLetterReason?: string | undefined;
  /** The plan that the action made. */
  readonly plan?: TransactionPlan | undefined;
}

/**
 * Everything that is written when `record` ends so: the row, receipt result_returned, event aip.action.result and
 * audit event.
 */
export function settlementOf(record: SettledRecord, end: ActionEnd, gateway: Principal, nowMs: number): Settlement {
  const chainId = actionChainId(record.action_id);
  const { state, result } = end;
  const receipt = nextReceipt(
    { hash: record.receipt_head, count: record.receipt_count },
    {
      chainId,
      subject: record.action_id,
      type: 'result_returned',
      actor: gateway,
      atMs: nowMs,
      correlationId: record.correlation_id,
      data: { action_id: record.action_id, status: result.status, error_code: result.error?.code ?? null },
    },
  ).stored;
  const actor = submitterOf(record);
  const data = { action_id: record.action_id, status: result.status, state, error_code: result.error?.code ?? null };
  return {
    action_id: record.action_id,
    tenant_id: record.tenant_id,
    lease_id: record.lease_id,
    state,
    result,
    completed_at: nowMs,
    measured: { acceptedAt: record.accepted_at, capabilityId: record.capability_id },
    dead_letter_reason: end.deadLetterReason ?? null,
    key: result.status === 'failed' && result.error?.retryable === true ? 'release' : 'keep',
    holds: { key: record.idempotency_key, approval: record.approval_id },
    receipts: [receipt],
    audit: resultAudit(record, actor, result, chainId, nowMs),
    events: [actionEvent(record, 'aip.action.result', actor, data, nowMs)],
    transaction: transactionEnd(record, end, nowMs),
    delivery: resultDelivery(record, result, nowMs),
  };
}
