import { createHmac, randomUUID } from 'node:crypto';
import { parseArgs } from 'node:util';
import type { HonestAnswer } from './behavior.ts';
import { type ProviderRequest, runSimulator } from './simulator.ts';

/**
 * Chatwoot as far as its public facts go: account, conversations, messages, and account webhooks that are signed, sent once and given up
 * after 5 seconds. Messages keep their content attributes. Start it with
 * `node test/simulators/chatwoot.ts --port 3000 --token T --webhook-secret S [--webhook-url URL]`.
 *
 * POST /__simulator/incoming {conversation_id, content}: a contact writes. POST /__simulator/webhook {url}: where deliveries go.
 * POST /__simulator/deliver {payload}: sends any delivery. POST /__simulator/deliveries: what was sent, and the answers.
 */
const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '0' },
    account: { type: 'string', default: '1' },
    token: { type: 'string', default: 'token-1' },
    'webhook-secret': { type: 'string', default: '0123456789abcdef' },
    'webhook-url': { type: 'string' },
  },
});
const account = { id: Number(values.account), name: 'Shop' };
const inbox = { id: 5, name: 'Shop' };
const agent = { id: 3, name: 'Lee', email: 'lee@shop.example', type: 'user' };
const WEBHOOK_TIMEOUT_MS = 5000;
const PAGE = 20;

interface Message {
  id: number;
  content: string;
  account_id: number;
  inbox_id: number;
  conversation_id: number;
  message_type: 0 | 1;
  created_at: number;
  private: boolean;
  status: string;
  content_type: string;
  content_attributes: Record<string, unknown>;
  sender: Record<string, unknown>;
}

interface Delivery {
  id: string;
  event: string;
  status: number | null;
  answer: string;
  ms: number;
}

let webhookUrl = values['webhook-url'];
let nextMessage = 9001;
const statuses = new Map<number, string>();
const messages = new Map<number, Message[]>();
const deliveries: Delivery[] = [];
const contactOf = (conversation: number) => ({ id: 1000 + conversation, name: 'Noor', type: 'contact' });

function conversationOf(id: number): Record<string, unknown> {
  const contact = contactOf(id);
  const last = messages.get(id)?.at(-1);
  return {
    id,
    account_id: account.id,
    inbox_id: inbox.id,
    status: statuses.get(id) ?? 'open',
    can_reply: true,
    contact_inbox: { id: 8, contact_id: contact.id, inbox_id: inbox.id, source_id: `s-${id}` },
    messages: last ? [last] : [],
    labels: [],
    meta: { sender: contact, assignee: agent },
    unread_count: 0,
  };
}

/** The payload of a message event: the members of the message are at the top level. */
function messagePayload(event: string, message: Message): Record<string, unknown> {
  const { id, content, content_type, content_attributes, sender } = message;
  return {
    event,
    id,
    content,
    content_type,
    content_attributes,
    additional_attributes: {},
    message_type: message.message_type === 0 ? 'incoming' : 'outgoing',
    private: message.private,
    source_id: null,
    created_at: new Date(message.created_at * 1000).toISOString(),
    sender,
    inbox,
    conversation: conversationOf(message.conversation_id),
    account,
  };
}

/** Sends one delivery, once. */
async function deliver(payload: Record<string, unknown>): Promise<Delivery | undefined> {
  if (webhookUrl === undefined) return undefined;
  const body = JSON.stringify(payload);
  const timestamp = String(Math.floor(Date.now() / 1000));
  const hex = createHmac('sha256', values['webhook-secret']).update(`${timestamp}.${body}`).digest('hex');
  const delivery: Delivery = { id: randomUUID(), event: String(payload.event), status: null, answer: '', ms: 0 };
  const begun = performance.now();
  try {
    const response = await fetch(webhookUrl, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-chatwoot-delivery': delivery.id,
        'x-chatwoot-timestamp': timestamp,
        'x-chatwoot-signature': `sha256=${hex}`,
      },
      body,
      signal: AbortSignal.timeout(WEBHOOK_TIMEOUT_MS),
    });
    delivery.status = response.status;
    delivery.answer = await response.text();
  } catch (error) {
    delivery.answer = (error as Error).message;
  }
  delivery.ms = Math.round(performance.now() - begun);
  deliveries.push(delivery);
  return delivery;
}

function add(conversation: number, type: 0 | 1, members: Partial<Message>): Message {
  const message: Message = {
    id: nextMessage,
    content: '',
    account_id: account.id,
    inbox_id: inbox.id,
    conversation_id: conversation,
    message_type: type,
    created_at: Math.floor(Date.now() / 1000),
    private: false,
    status: 'sent',
    content_type: 'text',
    content_attributes: {},
    sender: type === 0 ? contactOf(conversation) : agent,
    ...members,
  };
  nextMessage += 1;
  messages.set(conversation, [...(messages.get(conversation) ?? []), message]);
  void deliver(messagePayload('message_created', message));
  return message;
}

const NOT_FOUND: HonestAnswer = { status: 404, body: { error: 'Resource could not be found' } };

function handle({ method, path, query, credential, body: given }: ProviderRequest): HonestAnswer {
  // The two forms of its refusals: without a credential that of the session, else that of the access token.
  if (credential === 'absent')
    return { status: 401, body: { errors: ['You need to sign in or sign up before continuing.'] } };
  if (credential === 'refused') return { status: 401, body: { error: 'Invalid Access Token' } };
  const body = (given ?? {}) as Record<string, unknown>;
  const [, owner, rest = ''] = /^\/api\/v1\/accounts\/([^/]+)(\/.*)?$/.exec(path) ?? [];
  if (owner !== String(account.id)) return NOT_FOUND;
  if (method === 'GET' && rest === '') return { status: 200, body: account };
  const [, id, action] = /^\/conversations\/(\d+)(?:\/(messages|toggle_status))?$/.exec(rest) ?? [];
  const conversation = Number(id);
  if (id === undefined || conversation > 1000) return NOT_FOUND;
  if (method === 'GET' && action === undefined) return { status: 200, body: conversationOf(conversation) };
  if (method === 'POST' && action === 'messages') {
    if (typeof body.content !== 'string' || body.content === '')
      return { status: 422, body: { error: 'Validation failed: Content is missing' } };
    const { content, private: isPrivate = false, content_attributes = {} } = body as unknown as Message;
    return { status: 200, body: add(conversation, 1, { content, private: isPrivate, content_attributes }) };
  }
  if (method === 'GET' && action === 'messages') {
    const before = Number(query.get('before') ?? Number.POSITIVE_INFINITY);
    const older = (messages.get(conversation) ?? []).filter((message) => message.id < before);
    return { status: 200, body: { meta: conversationOf(conversation), payload: older.slice(-PAGE) } };
  }
  if (method === 'POST' && action === 'toggle_status') {
    const status = String(body.status);
    statuses.set(conversation, status);
    const payload = { success: true, current_status: status, conversation_id: conversation };
    return { status: 200, body: { meta: {}, payload } };
  }
  return NOT_FOUND;
}

runSimulator(
  {
    credential: { header: 'api_access_token', value: values.token },
    handle,
    control: (name, given) => {
      const body = (given ?? {}) as { conversation_id?: number; content?: string; url?: string; payload?: object };
      switch (name) {
        case 'webhook':
          webhookUrl = body.url;
          return { url: webhookUrl ?? null };
        case 'incoming':
          return add(body.conversation_id ?? 31, 0, { content: body.content ?? '' });
        case 'deliver':
          return deliver(body.payload as Record<string, unknown>);
        case 'deliveries':
          return { deliveries };
        case 'messages':
          return { messages: messages.get(body.conversation_id ?? 31) ?? [] };
        case 'forget':
          messages.clear();
          return {};
        default:
          return undefined;
      }
    },
  },
  Number(values.port),
);
