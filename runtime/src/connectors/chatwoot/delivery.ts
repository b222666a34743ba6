import { type DeliveryShape, isGiven, isObject } from '../webhook/shape.js';

const MESSAGE_EVENTS: readonly unknown[] = ['message_created', 'message_updated'];
/** Top-level members of a message event that are not the message's own. */
const AROUND_MESSAGE = new Set(['event', 'account', 'conversation', 'contact', 'message']);

/**
 * Brings what Chatwoot sends into the shared shape. Its message events hold the message's members at the top level and no contact; a
 * delivery that has a `message` member is left as it is. Other events without account or conversation carry no message.
 */
export function chatwootShape(payload: DeliveryShape): DeliveryShape | 'without_message' {
  const complete = Object.hasOwn(payload, 'account') && Object.hasOwn(payload, 'conversation');
  if (!MESSAGE_EVENTS.includes(payload.event)) return complete ? payload : 'without_message';
  if (!complete || isGiven(payload.message)) return payload;
  const message = Object.fromEntries(Object.entries(payload).filter(([name]) => !AROUND_MESSAGE.has(name)));
  return { ...payload, message, contact: isGiven(payload.contact) ? payload.contact : contactOf(payload) };
}

/** The sender of an incoming message; for others the contact of the conversation, whose latest message may be from another sender. */
function contactOf({ message_type: type, sender, conversation }: DeliveryShape): unknown {
  if (type === 'incoming' && isObject(sender)) return { id: sender.id };
  const { contact_inbox: inbox, meta } = isObject(conversation) ? conversation : {};
  if (isObject(inbox) && isGiven(inbox.contact_id)) return { id: inbox.contact_id };
  const contact = isObject(meta) ? meta.sender : undefined;
  return isObject(contact) ? { id: contact.id } : undefined;
}
