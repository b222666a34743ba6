import { IdentityContext, Principal } from './core.js';
import { flag, L, list, O, oneOf, opaque, R, record, string, time, u32 } from './dsl/dsl.js';

export const ReceiptType = oneOf(
  'ReceiptType',
  'What a receipt proves.',
  'request_received action_accepted policy_decision approval_requested approval_granted approval_denied approval_expired approval_revoked tool_executed delegation_made human_approved result_returned settlement_recorded transaction_planned transaction_commit_started transaction_committed transaction_compensated transaction_dry_run_completed transaction_rollback_unsupported transaction_failed callback_delivery_attempted callback_delivered callback_delivery_failed',
);
export const Receipt = record('Receipt', 'One link of a hash chain.', {
  id: R(string),
  receipt_type: R(ReceiptType),
  actor: R(Principal),
  occurred_at: R(time),
  correlation_id: O(string),
  data: O(opaque),
  previous_hash: O(string),
  hash: O(string),
});
export const ReceiptChain = record('ReceiptChain', 'Receipts in order, bound by their hashes.', {
  chain_id: R(string),
  receipts: R(list(Receipt)),
  root_hash: O(string),
});
export const ReceiptQueryRequest = record(
  'ReceiptQueryRequest',
  'Asks for a chain, by its id or one of its receipts.',
  {
    chain_id: O(string),
    receipt_id: O(string),
  },
);

export const AuditEvent = record('AuditEvent', 'Who did what when.', {
  id: R(string),
  actor: R(Principal),
  identity: O(IdentityContext),
  action: R(string),
  occurred_at: R(time),
  data: O(opaque),
});
export const AuditQueryRequest = record('AuditQueryRequest', 'Asks for audit events.', {
  action_id: O(string),
  session_id: O(string),
  principal_id: O(string),
  transaction_id: O(string),
  tenant_id: O(string),
  from: O(time),
  to: O(time),
  cursor: O(string),
  limit: O(u32),
  include_receipts: flag,
  export: flag,
});
export const AuditQueryResult = record('AuditQueryResult', 'A page of audit events.', {
  events: R(list(AuditEvent)),
  receipt_chains: L(ReceiptChain),
  cursor: O(string),
});
