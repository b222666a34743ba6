import * as agent from './agent.js';
import * as audit from './audit.js';
import * as callback from './callback.js';
import * as channel from './channel.js';
import * as core from './core.js';
import * as discovery from './discovery.js';
import { choice, type Definition, is, O, oneOf, opaque, opaqueObject, R, record, string, time } from './dsl/dsl.js';
import * as economic from './economic.js';
import * as lifecycle from './lifecycle.js';
import * as policy from './policy.js';
import * as resource from './resource.js';
import * as session from './session.js';
import * as transaction from './transaction.js';

/** Every body key with its message type and content (docs/protocol/envelope.md#message-types). */
export const BODIES = {
  handshake: ['aip.core.v1.handshake', core.Handshake],
  handshake_response: ['aip.core.v1.handshake_response', core.HandshakeResponse],
  action: ['aip.core.v1.action', core.Action],
  ack: ['aip.core.v1.ack', core.Ack],
  stream_chunk: ['aip.core.v1.stream_chunk', core.StreamChunk],
  action_result: ['aip.core.v1.action_result', core.ActionResult],
  error: ['aip.core.v1.error', core.ErrorBody],
  cancel: ['aip.core.v1.cancel', core.Cancel],
  heartbeat: ['aip.core.v1.heartbeat', core.Heartbeat],
  heartbeat_ack: ['aip.core.v1.heartbeat_ack', core.HeartbeatAck],
  escalation: ['aip.core.v1.escalation', core.Escalation],
  escalation_resolution: ['aip.core.v1.escalation_resolution', core.EscalationResolution],
  action_status_request: ['aip.lifecycle.v1.action_status_request', lifecycle.ActionStatusRequest],
  action_status: ['aip.lifecycle.v1.action_status', lifecycle.ActionStatus],
  action_result_request: ['aip.lifecycle.v1.action_result_request', lifecycle.ActionResultRequest],
  action_list_request: ['aip.lifecycle.v1.action_list_request', lifecycle.ActionListRequest],
  action_list: ['aip.lifecycle.v1.action_list', lifecycle.ActionList],
  action_events_request: ['aip.lifecycle.v1.action_events_request', lifecycle.ActionEventsRequest],
  action_events: ['aip.lifecycle.v1.action_events', lifecycle.ActionEvents],
  approval_request: ['aip.policy.v1.approval_request', policy.ApprovalRequest],
  approval_decision: ['aip.policy.v1.approval_decision', core.ApprovalDecision],
  approval_query_request: ['aip.policy.v1.approval_query_request', policy.ApprovalQueryRequest],
  approval_list_request: ['aip.policy.v1.approval_list_request', policy.ApprovalListRequest],
  approval_record_view: ['aip.policy.v1.approval_record_view', policy.ApprovalRecordView],
  approval_list: ['aip.policy.v1.approval_list', policy.ApprovalList],
  callback_delivery_query_request: ['aip.callback.v1.delivery_query_request', callback.CallbackDeliveryQueryRequest],
  callback_delivery_list_request: ['aip.callback.v1.delivery_list_request', callback.CallbackDeliveryListRequest],
  callback_delivery_record: ['aip.callback.v1.delivery_record', callback.CallbackDeliveryRecord],
  callback_delivery_list: ['aip.callback.v1.delivery_list', callback.CallbackDeliveryList],
  session_request: ['aip.session.v1.session_request', session.SessionRequest],
  session_view: ['aip.session.v1.session_view', session.SessionView],
  session_list_request: ['aip.session.v1.session_list_request', session.SessionListRequest],
  session_list: ['aip.session.v1.session_list', session.SessionList],
  session_close_request: ['aip.session.v1.session_close_request', session.SessionCloseRequest],
  session_resume_request: ['aip.session.v1.session_resume_request', session.SessionResumeRequest],
  session_resume: ['aip.session.v1.session_resume', session.SessionResume],
  delegation_request: ['aip.agent.v1.delegation_request', agent.DelegationRequest],
  delegation_result: ['aip.agent.v1.delegation_result', agent.DelegationResult],
  transaction_request: ['aip.transaction.v1.request', transaction.TransactionRequest],
  transaction_result: ['aip.transaction.v1.result', transaction.TransactionResult],
  transaction_query_request: ['aip.transaction.v1.query_request', transaction.TransactionQueryRequest],
  transaction_view: ['aip.transaction.v1.view', transaction.TransactionView],
  manifest_request: ['aip.discovery.v1.manifest_request', discovery.ManifestRequest],
  manifest: ['aip.discovery.v1.manifest_response', discovery.Manifest],
  event_stream_request: ['aip.discovery.v1.event_stream_request', discovery.EventStreamRequest],
  event_stream: ['aip.discovery.v1.event_stream_response', discovery.EventStream],
  channel_message: ['aip.channel.v1.message_created', channel.ChannelMessage],
  conversation: ['aip.channel.v1.conversation_updated', channel.ConversationUpdated],
  receipt_chain: ['aip.audit.v1.receipt_chain', audit.ReceiptChain],
  receipt_query_request: ['aip.audit.v1.receipt_query_request', audit.ReceiptQueryRequest],
  audit_event: ['aip.audit.v1.audit_event', audit.AuditEvent],
  audit_query_request: ['aip.audit.v1.audit_query_request', audit.AuditQueryRequest],
  audit_query_result: ['aip.audit.v1.audit_query_result', audit.AuditQueryResult],
  resource_list_request: ['aip.resource.v1.resource_list_request', resource.ResourceListRequest],
  resource_list: ['aip.resource.v1.resource_list', resource.ResourceList],
  resource_read_request: ['aip.resource.v1.resource_read_request', resource.ResourceReadRequest],
  resource_read_result: ['aip.resource.v1.resource_read_result', resource.ResourceReadResult],
  batch_settlement: ['aip.economic.v1.batch_settlement', economic.BatchSettlement],
} as const satisfies Record<string, readonly [messageType: string, content: Definition]>;

const contents = Object.entries(BODIES).map(([key, [, content]]) => [key, content] as const);
const messageTypes = Object.values(BODIES).map(([messageType]) => messageType);

export const MessageType = oneOf(
  'MessageType',
  'Type of an envelope; agrees with its body key.',
  messageTypes.join(' '),
);
export const Body = choice(
  'Body',
  'Payload of an envelope; the member’s name selects the type.',
  Object.fromEntries(contents),
);
export const Envelope = record('Envelope', 'What travels.', {
  aip_version: R(is('1.0')),
  message_type: R(MessageType),
  message_id: R(string),
  sent_at: R(time),
  body: R(Body),
  session_id: O(string),
  correlation_id: O(string),
  in_response_to: O(string),
  idempotency_key: O(string),
  from: O(core.Principal),
  to: O(core.Principal),
  trace: O(opaque),
  security: O(opaqueObject),
  extensions: O(opaque),
});
