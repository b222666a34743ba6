import { ReceiptChain } from './audit.js';
import { ActionResult, Principal, ResultStatus, StreamChunk } from './core.js';
import { bool, flag, L, list, O, oneOf, opaque, R, record, string, stringMap, time, u32, u64 } from './dsl/dsl.js';

export const ActionState = oneOf(
  'ActionState',
  'State of an action. Terminal: cancelled, completed, failed, expired, dead_lettered.',
  'unknown accepted queued running streaming pending_approval cancelling cancelled completed failed expired dead_lettered',
);

export const Event = record('Event', 'Something that happened.', {
  id: R(string),
  kind: R(string),
  occurred_at: R(time),
  session_id: O(string),
  action_id: O(string),
  correlation_id: O(string),
  actor: O(Principal),
  data: O(opaque),
});

export const ActionStatus = record('ActionStatus', 'The view of an action.', {
  action_id: R(string),
  capability_id: O(string),
  session_id: O(string),
  correlation_id: O(string),
  state: R(ActionState),
  queued_state: O(string),
  result_status: O(ResultStatus),
  approval_id: O(string),
  transaction_id: O(string),
  delegation_id: O(string),
  started_at: O(time),
  updated_at: R(time),
  completed_at: O(time),
  retry: O(opaque),
  lease: O(opaque),
  result: O(ActionResult),
  receipt_chain: O(ReceiptChain),
  chunks: L(StreamChunk),
  links: stringMap,
});
export const ActionStatusRequest = record('ActionStatusRequest', 'Asks for the view of an action.', {
  action_id: R(string),
  tenant_id: O(string),
  include_result: flag,
  include_receipts: flag,
  include_chunks: flag,
  wait_ms: O(u64),
});
export const ActionResultRequest = record('ActionResultRequest', 'Asks for the terminal result of an action.', {
  action_id: R(string),
  tenant_id: O(string),
  wait_ms: O(u64),
  include_receipt: flag,
  include_terminal_events: flag,
});
export const ActionListRequest = record('ActionListRequest', 'Asks for a page of actions.', {
  state: O(ActionState),
  capability_id: O(string),
  session_id: O(string),
  principal_id: O(string),
  approval_id: O(string),
  transaction_id: O(string),
  tenant_id: O(string),
  cursor: O(string),
  limit: O(u32),
  include_results: flag,
  include_receipts: flag,
});
export const ActionList = record('ActionList', 'A page of actions; total_size counts before paging.', {
  actions: R(list(ActionStatus)),
  total_size: R(u64),
  cursor: O(string),
});
export const ActionEventsRequest = record('ActionEventsRequest', 'Asks for the events of an action.', {
  action_id: R(string),
  tenant_id: O(string),
  cursor: O(string),
  limit: O(u32),
  kinds: L(string),
  include_chunks: flag,
  follow: flag,
});
export const ActionEvents = record('ActionEvents', 'A page of an action’s events; terminal when no more will come.', {
  action_id: R(string),
  events: R(list(Event)),
  chunks: L(StreamChunk),
  cursor: O(string),
  terminal: R(bool),
});
