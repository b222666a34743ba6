import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { chatwootShape } from '#runtime/connectors/chatwoot/delivery.js';
import { readDelivery } from '#runtime/connectors/webhook/shape.js';
import { eventOf } from '#runtime/host/webhook/mapping.js';
import { parseJson } from '#runtime/protocol/json.js';
import { check } from '#runtime/protocol/validate.js';
import { webhookNames } from '#runtime/protocol/wire/webhook.js';

const NOW = Date.UTC(2026, 0, 1);
const names = webhookNames('chatwoot');
const read = (payload: unknown) => readDelivery(payload, 'chatwoot', chatwootShape);
function mapped(payload: unknown, id = 'd-1') {
  const reading = read(payload);
  if (reading.kind !== 'message') throw new Error(`it is ${reading.kind}`);
  const event = eventOf(reading.message, id, names, () => NOW);
  expect(check('Event', event)).toEqual([]);
  const { channel_message: message } = event.data as { channel_message: Record<string, unknown> };
  expect(check('ChannelMessage', message)).toEqual([]);
  return { event, message };
}

/** What Chatwoot sends for a message: its members are at the top level. */
const real = (over: Record<string, unknown> = {}) => ({
  event: 'message_created',
  id: 9001,
  content: 'Where is my parcel?',
  message_type: 'incoming',
  content_type: 'text',
  content_attributes: {},
  private: false,
  source_id: null,
  created_at: '2026-01-01T00:00:00.000Z',
  sender: { id: 77, name: 'Noor', type: 'contact' },
  inbox: { id: 5, name: 'Shop' },
  conversation: {
    id: 31,
    inbox_id: 5,
    status: 'open',
    contact_inbox: { id: 8, contact_id: 78, inbox_id: 5, source_id: 's-1' },
    messages: [{ id: 8999, content_attributes: { aip: { connector_id: 'chatwoot', loop_prevention: true } } }],
    meta: { sender: { id: 79 } },
  },
  account: { id: 1, name: 'Shop' },
  ...over,
});
const contract = (over: Record<string, unknown> = {}) => ({
  event: 'message_created',
  account: { id: 1 },
  conversation: { id: 31 },
  message: { id: 9001, content: 'Where is my parcel?', content_attributes: {} },
  contact: { id: 77 },
  ...over,
});

test('P-020 P-021 P-022 P-023 P-024 P-025 P-026 P-027 P-028 P-029 the event of a delivery holds what the contract names, and no more of the payload', () => {
  for (const name of ['message_created', 'message_updated', 'conversation_updated', 'something_new']) {
    const { event, message } = mapped(contract({ event: name, secret_member: 'private words' }));
    expect(event).toMatchObject({
      id: `evt_chatwoot_${createHash('sha256').update('d-1').digest('hex')}`,
      kind: 'chatwoot.channel_message',
      occurred_at: '2026-01-01T00:00:00Z',
      actor: { id: 'principal:chatwoot:account-1:contact-77', kind: 'contact' },
    });
    expect(Object.keys(event.data as object)).toEqual(['channel_message']);
    expect(message).toEqual({
      conversation: {
        id: expect.stringMatching(/^conv_[0-9a-f]{32}$/),
        channel: { system: 'chatwoot', account_id: '1' },
        status: 'open',
        external_refs: [{ system: 'chatwoot', type: 'conversation', id: '31' }],
        contact: { id: 'principal:chatwoot:account-1:contact-77', kind: 'contact' },
      },
      message: { id: 9001, content: 'Where is my parcel?', content_attributes: {} },
      sender: { id: 'principal:chatwoot:account-1:contact-77', kind: 'contact' },
      parts: [{ type: 'text', text: 'Where is my parcel?', format: 'plain' }],
      delivery: { delivery_id: 'd-1' },
      raw_payload: { event: name },
    });
    expect(JSON.stringify(event)).not.toContain('private words');
  }
});

const notIntegers = [undefined, null, '1', 1.5, 1e21, true, {}, [1]];

test('P-030 P-031 P-032 identifiers that are missing or no integers are unknown', () => {
  for (const id of notIntegers) {
    const { message } = mapped(contract({ account: { id }, conversation: { id }, contact: { id } }));
    expect(message).toMatchObject({
      conversation: { channel: { account_id: 'unknown' }, external_refs: [{ id: 'unknown' }] },
      sender: { id: 'principal:chatwoot:account-unknown:contact-unknown' },
    });
  }
  for (const owner of [null, 7, 'text', []])
    expect(mapped(contract({ account: owner })).message).toMatchObject({
      conversation: { channel: { account_id: 'unknown' } },
    });
});

test('an identifier of 64 bits is kept to the digit, and one more is unknown', () => {
  const idOf = (digits: string): unknown => {
    const payload = parseJson(`{"event":"e","account":{"id":${digits}},"conversation":{"id":2}}`);
    return (mapped(payload).message.conversation as { channel: { account_id: string } }).channel.account_id;
  };
  expect(idOf('9223372036854775807')).toBe('9223372036854775807');
  expect(idOf('-9223372036854775808')).toBe('-9223372036854775808');
  expect(idOf('9223372036854775808')).toBe('unknown');
  expect(idOf('1.0')).toBe('unknown');
  expect(idOf('0')).toBe('0');
});

test('a real incoming message maps to its text, contact and conversation', () => {
  const { event, message } = mapped(real());
  expect(event.actor?.id).toBe('principal:chatwoot:account-1:contact-77');
  expect(message).toMatchObject({
    conversation: { external_refs: [{ id: '31' }] },
    message: { id: 9001, content: 'Where is my parcel?', inbox: { id: 5 } },
    parts: [{ text: 'Where is my parcel?' }],
  });
  expect(Object.keys(message.message as object)).not.toContain('conversation');
});

test('a message of an agent belongs to the contact of the conversation', () => {
  const agent = { message_type: 'outgoing', sender: { id: 3, type: 'user' } };
  expect(mapped(real(agent)).event.actor?.id).toBe('principal:chatwoot:account-1:contact-78');
  const { contact_inbox: _, ...conversation } = real().conversation;
  expect(mapped(real({ ...agent, conversation })).event.actor?.id).toBe('principal:chatwoot:account-1:contact-79');
  expect(mapped(real({ ...agent, conversation: { id: 31 } })).event.actor?.id).toBe(
    'principal:chatwoot:account-1:contact-unknown',
  );
});

test('private notes and messages without text become events, and attachments go with the message', () => {
  expect(mapped(real({ private: true })).message).toMatchObject({ message: { private: true } });
  const attachments = [{ id: 1, file_type: 'image', data_url: 'https://chat.example/1.png' }];
  expect(mapped(real({ content: null, attachments })).message).toMatchObject({
    message: { attachments },
    parts: [{ text: '' }],
  });
});

const marker = { aip: { connector_id: 'chatwoot', loop_prevention: true, action_id: 'act_1' } };

test('the marker counts in the attributes of the delivered message alone', () => {
  expect(read(real({ content_attributes: marker }))).toEqual({ kind: 'suppressed', why: 'loop' });
  expect(read(real()).kind).toBe('message');
  expect(read(real({ message: { content: 'x' }, content_attributes: marker })).kind).toBe('message');
  expect(read(contract({ message: { content_attributes: marker } }))).toEqual({ kind: 'suppressed', why: 'loop' });
});

test('a deletion of our own message is an event: it replaces the attributes', () => {
  const deleted = real({
    event: 'message_updated',
    content: 'This message was deleted',
    content_attributes: { deleted: true },
  });
  expect(mapped(deleted).message).toMatchObject({ raw_payload: { event: 'message_updated' } });
});

test.each([
  'conversation_created',
  'conversation_status_changed',
  'conversation_updated',
  'conversation_typing_on',
  'conversation_typing_off',
  'contact_created',
  'contact_updated',
  'webwidget_triggered',
  'inbox_created',
  'inbox_updated',
  'an_unknown_event',
])('%s without account or conversation has no message; with both it is one event without text', (event) => {
  expect(read({ event, id: 31, status: 'open' })).toEqual({ kind: 'suppressed', why: 'without_message' });
  expect(read({ event, account: { id: 1 }, id: 77 })).toEqual({ kind: 'suppressed', why: 'without_message' });
  const { message } = mapped({ event, account: { id: 1 }, conversation: { id: 31 }, content: 'not a message' });
  expect(message).toMatchObject({ message: {}, parts: [{ text: '' }] });
});

test('message events without event, account or conversation are invalid', () => {
  for (const member of ['event', 'account', 'conversation'])
    for (const event of ['message_created', 'message_updated']) {
      const { [member]: _, ...rest } = { ...real({ event }) } as Record<string, unknown>;
      expect(read(rest)).toMatchObject({ kind: 'invalid' });
    }
});

test('the same machinery takes another provider by its name', () => {
  const other = webhookNames('helpdesk');
  const reading = readDelivery(contract(), 'helpdesk', (payload) => payload);
  if (reading.kind !== 'message') throw new Error(reading.kind);
  const event = eventOf(reading.message, 'd-1', other, () => NOW);
  expect([event.kind, event.id.slice(0, 13), other.path, other.headers.delivery]).toEqual([
    'helpdesk.channel_message',
    'evt_helpdesk_',
    '/webhooks/helpdesk',
    'x-helpdesk-delivery',
  ]);
  const own = contract({ message: { content_attributes: { aip: { connector_id: 'helpdesk' } } } });
  expect(readDelivery(own, 'helpdesk', (payload) => payload).kind).toBe('suppressed');
  expect(read(own).kind).toBe('message');
});
