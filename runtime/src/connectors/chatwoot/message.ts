import { NATIVE_HTTP_PROFILE } from '../../protocol/wire/native-http.js';
import { capability, type LostOperation, type ReconcileResult } from '../sdk/capability.js';
import type { CapabilityContext } from '../sdk/context.js';
import { ConnectorFailure } from '../sdk/failure.js';
import { loopMarker } from '../webhook/loop-marker.js';
import { isObject } from '../webhook/shape.js';
import type { ChatwootConfig } from './config.js';
import { approvedWrite } from './contract.js';
import { accountPath, chatwootClient } from './provider.js';

/** What a call of message:create gives. */
type Sent = {
  conversation_id: string | number;
  sent: true;
  message_id?: number;
};

type MessageInput = {
  conversation_id: string | number;
  content: string;
  private?: boolean | undefined;
};

/** A request that was on its way may still have its effect this long after it was begun, in milliseconds. */
const LATE_MS = 60_000;
/** Pages of a conversation that are read at most when a message is looked for; a page has 20 messages. */
const MAX_PAGES = 25;

/** Id of a conversation: the number that Chatwoot shows, as a number or as text. */
export const CONVERSATION_ID = {
  anyOf: [
    { type: 'integer', minimum: 1, maximum: 9_007_199_254_740_991 },
    { type: 'string', minLength: 1, maxLength: 20, pattern: '^[0-9]+$' },
  ],
} as const;

/** `cap:chatwoot:message:create`: sends a message into a conversation, with the marker by which its echo is known. */
export const createMessage = capability({
  id: 'cap:chatwoot:message:create',
  name: 'Chatwoot: Send a message',
  description: 'Sends a message or a private note into a conversation.',
  risk: 'medium',
  stability: 'stable',
  requiresHumanApproval: true,
  bindings: [
    { profile: NATIVE_HTTP_PROFILE, method: 'POST', message_type: 'aip.core.v1.action' },
    { profile: 'aip.connector.chatwoot.v1', provider_method: 'POST', operation: 'message:create' },
  ],
  auth: { type: 'chatwoot_api_access_token' },
  input: {
    type: 'object',
    additionalProperties: false,
    required: ['conversation_id', 'content'],
    properties: {
      conversation_id: CONVERSATION_ID,
      content: { type: 'string', minLength: 1, maxLength: 150_000 },
      private: { type: 'boolean', default: false },
    },
  },
  output: {
    type: 'object',
    required: ['conversation_id', 'sent'],
    properties: { conversation_id: CONVERSATION_ID, sent: { type: 'boolean' }, message_id: { type: 'integer' } },
  },
  contract: approvedWrite(['send_message', 'write'], 'unsafe'),
  run: async (input, ctx: CapabilityContext<ChatwootConfig>) => send(input, ctx),
  reconcile: async (lost, ctx: CapabilityContext<ChatwootConfig>) => findSent(lost, ctx),
});

async function send(input: MessageInput, ctx: CapabilityContext<ChatwootConfig>): Promise<Sent> {
  const { conversation_id, content, private: isPrivate = false } = input;
  // Whoever looks for the message after a crash must know whether, and since when, a request may have been on its way.
  await ctx.state.put(begunKey(ctx.action.id), Date.now());
  try {
    const { body: answer } = await chatwootClient(ctx).json({
      method: 'POST',
      path: accountPath(ctx.config, 'conversations', conversation_id, 'messages'),
      body: { content, private: isPrivate, content_attributes: { aip: loopMarker('chatwoot', ctx.action.id) } },
      signal: ctx.signal,
    });
    const id = isObject(answer) && typeof answer.id === 'number' ? answer.id : undefined;
    await ctx.checkpoint.effectCommitted({ message_id: id ?? null });
    return sent(conversation_id, id);
  } catch (error) {
    if (!(error instanceof ConnectorFailure) || !error.init.uncertainOutcome) throw error;
    const found = await find(conversation_id, ctx).catch(() => undefined);
    if (found?.message === undefined) throw error;
    return sent(conversation_id, found.message);
  }
}

/** Did a message of this action reach the conversation? Not found counts as not sent only once no request can be on its way any more. */
async function findSent(
  { input, action }: LostOperation<MessageInput>,
  ctx: CapabilityContext<ChatwootConfig>,
): Promise<ReconcileResult<Sent>> {
  const { conversation_id } = input;
  const begun = (await ctx.state.get(begunKey(action.id))) as number | undefined;
  if (begun === undefined) return { terminal: true, committed: false };
  const { message, complete } = await find(conversation_id, ctx, begun);
  if (message !== undefined) return { terminal: true, committed: true, output: sent(conversation_id, message) };
  return complete && Date.now() - begun > LATE_MS ? { terminal: true, committed: false } : { terminal: false };
}

/** The id of the message that carries this action's marker, reading back until messages are older than `since` (milliseconds). */
async function find(
  conversationId: string | number,
  ctx: CapabilityContext<ChatwootConfig>,
  since = 0,
): Promise<{ message?: number; complete: boolean }> {
  let before: number | undefined;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const path = accountPath(ctx.config, 'conversations', conversationId, 'messages');
    const { body: answer } = await chatwootClient(ctx).json({
      method: 'GET',
      path: before === undefined ? path : `${path}?before=${before}`,
      signal: ctx.signal,
    });
    const messages = isObject(answer) && Array.isArray(answer.payload) ? answer.payload.filter(isObject) : [];
    const own = messages.find((each) => actionOf(each) === ctx.action.id);
    if (own) return { ...(typeof own.id === 'number' && { message: own.id }), complete: true };
    const ids = messages.map(({ id }) => Number(id)).filter(Number.isSafeInteger);
    const times = messages.map(({ created_at }) => Number(created_at) * 1000).filter((time) => time > 0);
    const oldest = Math.min(...ids);
    if (messages.length === 0 || oldest === before || Math.min(...times) < since - LATE_MS) return { complete: true };
    before = oldest;
  }
  return { complete: false };
}

function actionOf({ content_attributes: attributes }: Record<string, unknown>): unknown {
  const marker = isObject(attributes) ? attributes.aip : undefined;
  return isObject(marker) ? marker.action_id : undefined;
}

function sent(conversation_id: string | number, id: number | undefined): Sent {
  return { conversation_id, sent: true, ...(id !== undefined && { message_id: id }) };
}

const begunKey = (actionId: string): string => `chatwoot.message:${actionId}`;
