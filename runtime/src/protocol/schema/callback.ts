import { ReceiptChain } from './audit.js';
import { Callback } from './core.js';
import { bool, flag, L, list, O, oneOf, R, record, string, time, u32, u64 } from './dsl/dsl.js';

export const DeliveryStatus = oneOf(
  'DeliveryStatus',
  'State of a callback delivery.',
  'pending running delivered failed dead_lettered',
);
export const CallbackDeliveryPolicy = record('CallbackDeliveryPolicy', 'How a callback is delivered.', {
  delivery_id: R(string),
  target: R(Callback),
  max_attempts: R(u32),
  timeout_ms: R(u64),
  retry_backoff_ms: L(u64),
  idempotency_key: R(string),
  sign_payload: R(bool),
  terminal_only: R(bool),
});
export const CallbackDeliveryAttempt = record('CallbackDeliveryAttempt', 'One attempt, counted from 1.', {
  attempt: R(u32),
  started_at: R(time),
  finished_at: O(time),
  error: O(string),
});
export const CallbackDeliveryRecord = record('CallbackDeliveryRecord', 'The view of a callback delivery.', {
  delivery_id: R(string),
  policy: R(CallbackDeliveryPolicy),
  message_id: R(string),
  message_type: R(string),
  action_id: O(string),
  session_id: O(string),
  correlation_id: O(string),
  tenant_id: O(string),
  status: R(DeliveryStatus),
  attempts: L(CallbackDeliveryAttempt),
  next_attempt_at: O(time),
  leased_by: O(string),
  lease_expires_at: O(time),
  last_error: O(string),
  dead_letter_reason: O(string),
  receipt_chain: O(ReceiptChain),
  created_at: R(time),
  updated_at: R(time),
  completed_at: O(time),
});
export const CallbackDeliveryQueryRequest = record('CallbackDeliveryQueryRequest', 'Asks for a delivery.', {
  delivery_id: R(string),
  tenant_id: O(string),
  include_receipts: flag,
});
export const CallbackDeliveryListRequest = record('CallbackDeliveryListRequest', 'Asks for a page of deliveries.', {
  action_id: O(string),
  status: O(DeliveryStatus),
  profile: O(string),
  target: O(string),
  tenant_id: O(string),
  cursor: O(string),
  limit: O(u32),
  include_receipts: flag,
});
export const CallbackDeliveryList = record('CallbackDeliveryList', 'A page of deliveries.', {
  deliveries: R(list(CallbackDeliveryRecord)),
  cursor: O(string),
});
