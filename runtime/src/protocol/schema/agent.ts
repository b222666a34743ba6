import { ReceiptChain } from './audit.js';
import { Action, ActionResult, Callback, Principal, ProtocolError } from './core.js';
import { O, oneOf, opaque, R, record, string } from './dsl/dsl.js';

export const DelegationStatus = oneOf(
  'DelegationStatus',
  'State of a delegation.',
  'accepted running completed failed cancelled requires_human',
);
export const DelegationRequest = record('DelegationRequest', 'Hands work to another principal.', {
  delegation_id: R(string),
  parent_action_id: R(string),
  child_action: R(Action),
  requested_by: R(Principal),
  delegate: R(Principal),
  scope: R(string),
  callback: O(Callback),
  metadata: O(opaque),
});
export const DelegationResult = record('DelegationResult', 'Outcome of a delegation.', {
  delegation_id: R(string),
  parent_action_id: R(string),
  child_action_id: R(string),
  status: R(DelegationStatus),
  result: O(ActionResult),
  error: O(ProtocolError),
  receipt_chain: O(ReceiptChain),
  callback: O(opaque),
});
