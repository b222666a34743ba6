import { Conversation, IdentityContext, MessagePart, Principal } from './core.js';
import { list, O, opaque, R, record, string } from './dsl/dsl.js';

export const ChannelMessage = record('ChannelMessage', 'A message in a channel.', {
  conversation: R(Conversation),
  identity: O(IdentityContext),
  message: R(opaque),
  sender: R(Principal),
  parts: R(list(MessagePart)),
  delivery: O(opaque),
  raw_payload: O(opaque),
});
export const ConversationUpdated = record('ConversationUpdated', 'A conversation changed.', {
  conversation: R(Conversation),
  identity: O(IdentityContext),
  changed_fields: R(list(string)),
});
