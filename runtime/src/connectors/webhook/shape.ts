import { isRawJson } from '../../protocol/json.js';

/** A delivery in the shape that all providers share: `event`, `account` and `conversation`, with `message` and `contact` where there are some. */
export type DeliveryShape = Readonly<Record<string, unknown>>;

/**
 * Brings a provider's own delivery into the shared shape. `without_message`: an authentic delivery that can't become a channel message and
 * is not a mistake of the provider's.
 */
export type DeliveryShaper = (payload: DeliveryShape) => DeliveryShape | 'without_message';

/** What a delivery says. Identifiers are `unknown` where the provider gave no integer. */
export interface ProviderMessage {
  event: string;
  accountId: string;
  conversationId: string;
  contactId: string;
  /** The provider's message as it came; empty when there is none. */
  message: unknown;
  text: string;
}

/** What becomes of a delivery: a message, nothing because of its kind or its loop marker, or a refusal. */
export type DeliveryReading =
  | { kind: 'message'; message: ProviderMessage }
  | { kind: 'suppressed'; why: 'loop' | 'without_message' }
  | { kind: 'invalid'; why: string };

const UNKNOWN = 'unknown';
const REQUIRED = ['account', 'conversation'] as const;
const INTEGER = /^(?:0|-?[1-9]\d*)$/;
const [MIN_INT64, MAX_INT64] = [-(2n ** 63n), 2n ** 63n - 1n];

/** Reads a parsed delivery of the provider `name`. Pure. */
export function readDelivery(payload: unknown, name: string, shaper: DeliveryShaper): DeliveryReading {
  if (!isObject(payload)) return { kind: 'invalid', why: 'the payload is not an object' };
  const { event } = payload;
  if (typeof event !== 'string' || event === '') return { kind: 'invalid', why: 'event is missing' };
  const shape = shaper(payload);
  if (shape === 'without_message') return { kind: 'suppressed', why: 'without_message' };
  const missing = REQUIRED.find((member) => !Object.hasOwn(shape, member));
  if (missing !== undefined) return { kind: 'invalid', why: `${missing} is missing` };
  const message = isGiven(shape.message) ? shape.message : {};
  if (isOwnMessage(message, name)) return { kind: 'suppressed', why: 'loop' };
  const { content } = isObject(message) ? message : {};
  return {
    kind: 'message',
    message: {
      event,
      accountId: idOf(shape.account),
      conversationId: idOf(shape.conversation),
      contactId: idOf(shape.contact),
      message,
      text: typeof content === 'string' ? content : '',
    },
  };
}

/** Whether the message carries the marker of a connector: either of the two members is enough, and nothing else counts. */
function isOwnMessage(message: unknown, name: string): boolean {
  const attributes = isObject(message) ? message.content_attributes : undefined;
  const marker = isObject(attributes) ? attributes.aip : undefined;
  return isObject(marker) && (marker.loop_prevention === true || marker.connector_id === name);
}

/** The `id` of an object as decimal text, when it is an integer of 64 bits. */
function idOf(owner: unknown): string {
  const id = isObject(owner) ? owner.id : undefined;
  const text = isRawJson(id) ? id.rawJSON : typeof id === 'number' ? String(id) : '';
  return INTEGER.test(text) && BigInt(text) >= MIN_INT64 && BigInt(text) <= MAX_INT64 ? text : UNKNOWN;
}

/** Whether an optional member is there: null counts as absent. */
export function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}

/** Whether the value is a JSON object; a number that is kept as text is not. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isRawJson(value);
}
