import { ReceiptChain } from './audit.js';
import { Action, ActionResult, ActionTransaction, IdentityContext, Principal, ProtocolError } from './core.js';
import { CompensationContract, DryRunFidelity, SideEffect } from './discovery.js';
import { bool, flag, L, O, oneOf, opaque, R, record, string, time } from './dsl/dsl.js';
import { ApprovalPolicy } from './policy.js';

export const TransactionStatus = oneOf(
  'TransactionStatus',
  'Status of a transaction.',
  'dry_run_completed planned prepared committing committed compensating compensated requires_human cancelled rollback_not_supported failed outcome_unknown reconciling reconciled',
);
export const ProviderOperationRef = record('ProviderOperationRef', 'An operation at the provider.', {
  provider: R(string),
  operation_id: R(string),
  request_id: O(string),
});
export const TransactionPlan = record('TransactionPlan', 'What a commit will do.', {
  plan_id: R(string),
  transaction_id: R(string),
  action_id: R(string),
  capability_id: R(string),
  transaction: R(ActionTransaction),
  planned_by: R(Principal),
  input_hash: R(string),
  input_snapshot: O(opaque),
  predicted_side_effects: L(SideEffect),
  approval_required: R(bool),
  approval_policy: O(ApprovalPolicy),
  compensation: O(CompensationContract),
  dry_run_fidelity: O(DryRunFidelity),
  identity: O(IdentityContext),
  created_at: R(time),
  expires_at: O(time),
  metadata: O(opaque),
});
export const TransactionRequest = record('TransactionRequest', 'Asks for a step of a transaction.', {
  transaction_id: R(string),
  action: R(Action),
  requested_by: R(Principal),
  reason: O(string),
  metadata: O(opaque),
  provider_operation: O(ProviderOperationRef),
  reconciliation_cursor: O(string),
});
export const TransactionResult = record('TransactionResult', 'Outcome of a step of a transaction.', {
  transaction_id: R(string),
  action_id: R(string),
  capability_id: R(string),
  transaction: R(ActionTransaction),
  status: R(TransactionStatus),
  plan: O(TransactionPlan),
  result: O(ActionResult),
  error: O(ProtocolError),
  receipt_chain: O(ReceiptChain),
  provider_operation: O(ProviderOperationRef),
  reconciliation_cursor: O(string),
  reconcile_after: O(time),
});
export const TransactionQueryRequest = record('TransactionQueryRequest', 'Asks for a transaction by one of its ids.', {
  transaction_id: O(string),
  plan_id: O(string),
  action_id: O(string),
  tenant_id: O(string),
  include_result: flag,
  include_receipts: flag,
});
export const TransactionView = record('TransactionView', 'The view of a transaction.', {
  transaction_id: R(string),
  action_id: R(string),
  capability_id: R(string),
  transaction: R(ActionTransaction),
  status: R(string),
  plan: O(TransactionPlan),
  result: O(ActionResult),
  receipt_chain: O(ReceiptChain),
  created_at: R(time),
  updated_at: R(time),
});
