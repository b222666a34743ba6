import type { Principal, Receipt } from '../../../../protocol/types.js';
import { type ReceiptFact, transactionChainId } from '../../../records/receipts/action-chain.js';
import type { DurableStatus, TransactionRecord } from '../record.js';

/** The receipt of each state: the end of its id and its type (docs/protocol/records.md#transactions). */
const RECEIPTS: Record<DurableStatus, readonly [string, Receipt['receipt_type']]> = {
  dry_run_completed: ['dry_run_completed', 'transaction_dry_run_completed'],
  planned: ['planned', 'transaction_planned'],
  prepared: ['planned', 'transaction_planned'],
  committing: ['commit_started', 'transaction_commit_started'],
  compensating: ['commit_started', 'transaction_commit_started'],
  committed: ['committed', 'transaction_committed'],
  compensated: ['compensated', 'transaction_compensated'],
  rollback_not_supported: ['rollback_unsupported', 'transaction_rollback_unsupported'],
  failed: ['failed', 'transaction_failed'],
  outcome_unknown: ['outcome_pending', 'policy_decision'],
  reconciling: ['outcome_pending', 'policy_decision'],
  reconciled: ['reconciled', 'result_returned'],
};

/** The receipt of a transaction's present state. Each is written once; a state that comes again leaves no second one. */
export function receiptOf(record: TransactionRecord, actor: Principal, correlationId: string | null): ReceiptFact {
  const { transaction_id, status, plan_id, result, revision } = record;
  const [suffix, type] = RECEIPTS[status];
  const begins = type === 'transaction_planned' || type === 'transaction_commit_started';
  return {
    chainId: transactionChainId(transaction_id),
    subject: transaction_id,
    receiptId: `rcpt_${transaction_id}_${suffix}`,
    type,
    actor,
    atMs: record.updated_at,
    correlationId,
    data: begins
      ? { transaction_id, plan_id, status }
      : { transaction_id, status, result_status: result?.status ?? null, revision },
  };
}
