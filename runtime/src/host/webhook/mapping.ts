import type { ProviderMessage } from '../../connectors/webhook/shape.js';
import type { Clock } from '../../protocol/clock.js';
import { sha256Hex } from '../../protocol/digest.js';
import { newId } from '../../protocol/ids.js';
import { isRawJson, MAX_JSON_DEPTH } from '../../protocol/json.js';
import { formatTime } from '../../protocol/time.js';
import type { ChannelMessage, Event, Principal } from '../../protocol/types.js';
import type { WebhookNames } from '../../protocol/wire/webhook.js';
import { WebhookRefused } from './refusal.js';

/** Levels that the event and its envelope put around a provider's message. */
const LEVELS_AROUND = 16;

/** Id of the event that a delivery becomes, the same for every mapping of it. */
export function deliveryEventId(deliveryId: string, { eventIdPrefix }: WebhookNames): string {
  return eventIdPrefix + sha256Hex(deliveryId);
}

/** Step 8: the one event of a delivery. A second mapping of it differs in conversation id and time. Throws WebhookRefused (500). */
export function eventOf(message: ProviderMessage, deliveryId: string, names: WebhookNames, clock: Clock): Event {
  const problem = unstorable(message, MAX_JSON_DEPTH - LEVELS_AROUND);
  if (problem !== undefined) throw new WebhookRefused('webhook.invalid_mapping', `the message ${problem}`);
  const channelMessage = channelMessageOf(message, deliveryId, names, clock);
  return {
    id: deliveryEventId(deliveryId, names),
    kind: names.eventKind,
    occurred_at: formatTime(clock()),
    actor: channelMessage.sender,
    data: { channel_message: channelMessage },
  };
}

function channelMessageOf(
  { event, accountId, conversationId, contactId, message, text }: ProviderMessage,
  deliveryId: string,
  { provider }: WebhookNames,
  clock: Clock,
): ChannelMessage {
  const sender: Principal = { id: `principal:${provider}:account-${accountId}:contact-${contactId}`, kind: 'contact' };
  return {
    conversation: {
      id: newId('conversation', clock),
      channel: { system: provider, account_id: accountId },
      status: 'open',
      external_refs: [{ system: provider, type: 'conversation', id: conversationId }],
      contact: sender,
    },
    message,
    sender,
    parts: [{ type: 'text', text, format: 'plain' }],
    delivery: { delivery_id: deliveryId },
    raw_payload: { event },
  };
}

/** Why a value can't be stored or signed; undefined when it can. */
function unstorable(value: unknown, levels: number): string | undefined {
  if (typeof value === 'string') {
    if (value.includes('\0')) return 'holds a NUL character';
    return value.isWellFormed() ? undefined : 'holds half of a surrogate pair';
  }
  if (typeof value !== 'object' || value === null || isRawJson(value)) return undefined;
  if (levels === 0) return 'is nested too deeply';
  for (const [name, member] of Object.entries(value)) {
    const problem = unstorable(name, levels) ?? unstorable(member, levels - 1);
    if (problem !== undefined) return problem;
  }
  return undefined;
}
