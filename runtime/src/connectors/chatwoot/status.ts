import { NATIVE_HTTP_PROFILE } from '../../protocol/wire/native-http.js';
import { capability } from '../sdk/capability.js';
import type { CapabilityContext } from '../sdk/context.js';
import type { ChatwootConfig } from './config.js';
import { approvedWrite } from './contract.js';
import { CONVERSATION_ID } from './message.js';
import { accountPath, chatwootClient } from './provider.js';

/** `cap:chatwoot:conversation:status`: sets the status of a conversation; doing it again changes nothing. */
export const setStatus = capability({
  id: 'cap:chatwoot:conversation:status',
  name: 'Chatwoot: Set a conversation status',
  description: 'Opens, resolves or sets a conversation to pending.',
  risk: 'medium',
  stability: 'stable',
  requiresHumanApproval: true,
  bindings: [
    { profile: NATIVE_HTTP_PROFILE, method: 'POST', message_type: 'aip.core.v1.action' },
    { profile: 'aip.connector.chatwoot.v1', provider_method: 'POST', operation: 'conversation:status' },
  ],
  auth: { type: 'chatwoot_api_access_token' },
  input: {
    type: 'object',
    additionalProperties: false,
    required: ['conversation_id', 'status'],
    properties: { conversation_id: CONVERSATION_ID, status: { type: 'string', enum: ['open', 'resolved', 'pending'] } },
  },
  output: {
    type: 'object',
    required: ['conversation_id', 'sent'],
    properties: { conversation_id: CONVERSATION_ID, sent: { type: 'boolean' } },
  },
  contract: approvedWrite(['write'], 'safe'),
  run: async (input, ctx: CapabilityContext<ChatwootConfig>) => {
    const { conversation_id, status } = input;
    await chatwootClient(ctx).probe({
      method: 'POST',
      path: accountPath(ctx.config, 'conversations', conversation_id, 'toggle_status'),
      body: { status },
      signal: ctx.signal,
    });
    await ctx.checkpoint.effectCommitted();
    return { conversation_id, sent: true };
  },
});
