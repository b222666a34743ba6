import { failure } from './aip-error.js';

/** The contract excludes the transaction mode. */
export class TransactionModeUnsupported extends failure('transaction.mode_unsupported') {}

/** The capability cannot be rolled back. */
export class TransactionRollbackNotSupported extends failure('transaction.rollback_not_supported') {}

/** The capability has no transaction contract. */
export class TransactionUnsupported extends failure('transaction.unsupported') {}

/** The capability has no compensation. */
export class TransactionCompensationUnsupported extends failure('transaction.compensation_unsupported') {}

/** The contract demands a plan before commit. */
export class TransactionPlanRequired extends failure('transaction.plan_required') {}

/** No such plan. */
export class TransactionPlanNotFound extends failure('transaction.plan_not_found') {}

/** The plan is for another capability. */
export class TransactionPlanCapabilityMismatch extends failure('transaction.plan_capability_mismatch') {}

/** The plan is not in state planned. */
export class TransactionPlanNotCommittable extends failure('transaction.plan_not_committable') {}

/** Another commit holds the plan. */
export class TransactionPlanAlreadyClaimed extends failure('transaction.plan_already_claimed') {}

/** The record has no plan. */
export class TransactionPlanMissingPayload extends failure('transaction.plan_missing_payload') {}

/** The plan is another principal’s. */
export class TransactionPlanPrincipalMismatch extends failure('transaction.plan_principal_mismatch') {}

/** The plan ran out. */
export class TransactionPlanExpired extends failure('transaction.plan_expired') {}

/** The plan is of another transaction. */
export class TransactionPlanTransactionMismatch extends failure('transaction.plan_transaction_mismatch') {}

/** The input differs from the planned one. */
export class TransactionPlanInputHashMismatch extends failure('transaction.plan_input_hash_mismatch') {}

/** Another commit runs. */
export class TransactionCommitAlreadyClaimed extends failure('transaction.commit_already_claimed') {}

/** The transaction is in no state to execute. */
export class TransactionExecuteStateInvalid extends failure('transaction.execute_state_invalid') {}

/** The failed transaction may not be tried again. */
export class TransactionRetryDenied extends failure('transaction.retry_denied') {}

/** The outcome is unknown; reconcile first. */
export class TransactionReconciliationRequired extends failure('transaction.reconciliation_required') {}

/** A reconcile without a transaction id. */
export class TransactionReconciliationIdRequired extends failure('transaction.reconciliation_id_required') {}

/** The target did not complete. */
export class TransactionCompensationTargetNotCompleted extends failure(
  'transaction.compensation_target_not_completed',
) {}

/** The target’s transaction is not committed. */
export class TransactionCompensationTargetNotCommitted extends failure(
  'transaction.compensation_target_not_committed',
) {}

/** Too late to compensate. */
export class TransactionCompensationWindowExpired extends failure('transaction.compensation_window_expired') {}

/** No such transaction, or none that the caller may see. */
export class TransactionNotFound extends failure('transaction.not_found') {}
