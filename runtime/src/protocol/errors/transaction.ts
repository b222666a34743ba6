import { failure } from './aip-error.js';

/** The contract excludes the transaction mode. */
export class TransactionModeUnsupported extends failure({
  code: 'transaction.mode_unsupported',
  category: 'policy',
  message: 'the capability does not support this transaction mode',
}) {}

/** The capability cannot be rolled back. */
export class TransactionRollbackNotSupported extends failure({
  code: 'transaction.rollback_not_supported',
  category: 'policy',
  message: 'the capability does not support rollback',
}) {}

/** The capability has no transaction contract. */
export class TransactionUnsupported extends failure({
  code: 'transaction.unsupported',
  category: 'policy',
  message: 'the capability does not support transactions',
}) {}

/** The capability has no compensation. */
export class TransactionCompensationUnsupported extends failure({
  code: 'transaction.compensation_unsupported',
  category: 'policy',
  message: 'the capability does not support compensation',
}) {}

/** The contract demands a plan before commit. */
export class TransactionPlanRequired extends failure({
  code: 'transaction.plan_required',
  category: 'policy',
  message: 'the capability needs a plan before commit',
}) {}

/** No such plan. */
export class TransactionPlanNotFound extends failure({
  code: 'transaction.plan_not_found',
  category: 'policy',
  message: 'no such plan',
}) {}

/** The plan is for another capability. */
export class TransactionPlanCapabilityMismatch extends failure({
  code: 'transaction.plan_capability_mismatch',
  category: 'policy',
  message: 'the plan is for another capability',
}) {}

/** The plan is not in state planned. */
export class TransactionPlanNotCommittable extends failure({
  code: 'transaction.plan_not_committable',
  category: 'policy',
  message: 'the plan is not in a state that can be committed',
}) {}

/** Another commit holds the plan. */
export class TransactionPlanAlreadyClaimed extends failure({
  code: 'transaction.plan_already_claimed',
  category: 'policy',
  message: 'the plan was already committed',
}) {}

/** The record has no plan. */
export class TransactionPlanMissingPayload extends failure({
  code: 'transaction.plan_missing_payload',
  category: 'policy',
  message: 'the transaction record holds no plan',
}) {}

/** The plan is another principal’s. */
export class TransactionPlanPrincipalMismatch extends failure({
  code: 'transaction.plan_principal_mismatch',
  category: 'policy',
  message: 'the plan was made by another principal',
}) {}

/** The plan ran out. */
export class TransactionPlanExpired extends failure({
  code: 'transaction.plan_expired',
  category: 'policy',
  message: 'the plan has expired; plan again',
}) {}

/** The plan is of another transaction. */
export class TransactionPlanTransactionMismatch extends failure({
  code: 'transaction.plan_transaction_mismatch',
  category: 'policy',
  message: 'the plan belongs to another transaction',
}) {}

/** The input differs from the planned one. */
export class TransactionPlanInputHashMismatch extends failure({
  code: 'transaction.plan_input_hash_mismatch',
  category: 'policy',
  message: 'the input differs from the planned one',
}) {}

/** Identity context on one side only. */
export class TransactionPlanIdentityMissing extends failure({
  code: 'transaction.plan_identity_missing',
  category: 'policy',
  message: 'the plan and the commit must both carry an identity, or neither',
}) {}

/** The plan is another tenant’s. */
export class TransactionPlanTenantMismatch extends failure({
  code: 'transaction.plan_tenant_mismatch',
  category: 'policy',
  message: 'the plan belongs to another tenant',
}) {}

/** The plan is for another account. */
export class TransactionPlanExternalAccountMismatch extends failure({
  code: 'transaction.plan_external_account_mismatch',
  category: 'policy',
  message: 'the plan is for another external account',
}) {}

/** The handler cannot validate plans. */
export class TransactionPlanHandlerUnsupported extends failure({
  code: 'transaction.plan_handler_unsupported',
  category: 'policy',
  message: 'the connector cannot validate plans',
}) {}

/** Another commit runs. */
export class TransactionCommitAlreadyClaimed extends failure({
  code: 'transaction.commit_already_claimed',
  category: 'policy',
  message: 'the transaction is already being committed',
}) {}

/** The transaction is in no state to execute. */
export class TransactionExecuteStateInvalid extends failure({
  code: 'transaction.execute_state_invalid',
  category: 'policy',
  message: 'the transaction is in a state that cannot be executed',
}) {}

/** The failed transaction may not be tried again. */
export class TransactionRetryDenied extends failure({
  code: 'transaction.retry_denied',
  category: 'policy',
  message: 'the failed transaction may not be tried again',
}) {}

/** The outcome is unknown; reconcile first. */
export class TransactionReconciliationRequired extends failure({
  code: 'transaction.reconciliation_required',
  category: 'policy',
  message: 'the outcome of the transaction is unknown; reconcile it first',
}) {}

/** A reconcile without a transaction id. */
export class TransactionReconciliationIdRequired extends failure({
  code: 'transaction.reconciliation_id_required',
  category: 'policy',
  message: 'reconcile needs a transaction_id',
}) {}

/** A reconcile without provider operation. */
export class TransactionProviderOperationRequired extends failure({
  code: 'transaction.provider_operation_required',
  category: 'policy',
  message: 'reconcile needs a provider_operation',
}) {}

/** A compensate without a target. */
export class TransactionCompensationTargetRequired extends failure({
  code: 'transaction.compensation_target_required',
  category: 'policy',
  message: 'compensate needs compensation_for',
}) {}

/** The target did not complete. */
export class TransactionCompensationTargetNotCompleted extends failure({
  code: 'transaction.compensation_target_not_completed',
  category: 'policy',
  message: 'the action to compensate has not completed',
}) {}

/** The target’s transaction is not committed. */
export class TransactionCompensationTargetNotCommitted extends failure({
  code: 'transaction.compensation_target_not_committed',
  category: 'policy',
  message: 'the transaction to compensate is not committed',
}) {}

/** Too late to compensate. */
export class TransactionCompensationWindowExpired extends failure({
  code: 'transaction.compensation_window_expired',
  category: 'policy',
  message: 'the time to compensate is over',
}) {}

/** No such transaction, or none that the caller may see. */
export class TransactionNotFound extends failure({
  code: 'transaction.not_found',
  category: 'permanent',
  message: 'no such transaction',
}) {}

/** 32 reconciliations run already. */
export class ReconciliationCapacity extends failure({
  code: 'transaction.reconciliation_capacity',
  category: 'temporary',
  retryable: true,
  retryAfterMs: 100,
  message: 'too many reconciliations run; try again',
}) {}
