import type { BodyKey } from '../../../protocol/envelope.js';
import type { Bodies } from '../../../protocol/types.js';

/** How a received body is recorded: the kind of its event and what of it the event shows. */
interface Observation<K extends BodyKey> {
  readonly kind: string;
  readonly data: (body: Bodies[K]) => unknown;
}

const whole = <T>(body: T): T => body;

/**
 * The bodies that a peer may report and that change nothing here: each is recorded as one event, visible to its sender
 * and to who may see the sender's events. Text and provider payloads of channel messages are not copied.
 */
export const OBSERVED: { readonly [K in BodyKey]?: Observation<K> } = {
  channel_message: {
    kind: 'aip.channel.message_created',
    data: ({ conversation, sender, delivery }) => ({
      conversation_id: conversation.id,
      sender: { id: sender.id, kind: sender.kind },
      ...(delivery !== undefined && { delivery }),
    }),
  },
  conversation: {
    kind: 'aip.channel.conversation_updated',
    data: ({ conversation, changed_fields }) => ({
      conversation_id: conversation.id,
      status: conversation.status,
      changed_fields,
    }),
  },
  handshake_response: { kind: 'aip.handshake.response', data: whole },
  ack: { kind: 'aip.action.ack', data: whole },
  error: { kind: 'aip.error.received', data: whole },
  heartbeat_ack: { kind: 'aip.heartbeat.ack', data: whole },
  action_status: { kind: 'aip.lifecycle.action_status_received', data: whole },
  action_list: { kind: 'aip.lifecycle.action_list_received', data: whole },
  action_events: { kind: 'aip.lifecycle.action_events_received', data: whole },
  session_view: { kind: 'aip.session.view_received', data: whole },
  session_list: { kind: 'aip.session.list_received', data: whole },
  session_resume: { kind: 'aip.session.resume_received', data: whole },
  transaction_result: { kind: 'aip.transaction.result_received', data: whole },
  transaction_view: { kind: 'aip.transaction.view_received', data: whole },
  approval_record_view: { kind: 'aip.approval.view_received', data: whole },
  approval_list: { kind: 'aip.approval.list_received', data: whole },
  callback_delivery_record: { kind: 'aip.callback.delivery_record_received', data: whole },
  callback_delivery_list: { kind: 'aip.callback.delivery_list_received', data: whole },
  audit_query_result: { kind: 'aip.audit.query_result_received', data: whole },
  resource_list: { kind: 'aip.resource.list_received', data: whole },
  resource_read_result: { kind: 'aip.resource.read_result_received', data: whole },
  manifest: {
    kind: 'aip.discovery.manifest_received',
    data: ({ agent, capabilities, profiles }) => ({ agent, capability_count: capabilities?.length ?? 0, profiles }),
  },
  event_stream: {
    kind: 'aip.discovery.event_stream_received',
    data: ({ events, next_cursor }) => ({
      event_count: events.length,
      ...(next_cursor !== undefined && { next_cursor }),
    }),
  },
};
