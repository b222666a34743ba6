import { type DeliveryReading, type DeliveryShaper, readDelivery } from '../../connectors/webhook/shape.js';
import type { Clock } from '../../protocol/clock.js';
import { AipError, JsonInvalid } from '../../protocol/errors.js';
import { parseJson } from '../../protocol/json.js';
import type { Event } from '../../protocol/types.js';
import type { WebhookNames } from '../../protocol/wire/webhook.js';
import type { EventLog } from '../event-log/event-log.js';
import { EventTooLarge, EventUnpublishable } from '../outbox/normalize.js';
import type { CentralDelivery, EventPublisher } from '../outbox/publisher.js';
import type { WebhookKeys } from './keys.js';
import { eventOf } from './mapping.js';
import { WebhookRefused } from './refusal.js';
import type { ReplaySet } from './replay-set.js';
import { type DeliveryHeaders, readText } from './request.js';
import { authenticationProblem } from './signature.js';

/** Body of an answer to an accepted delivery. */
export interface WebhookOutcome {
  accepted_events: 0 | 1;
  central_delivery: CentralDelivery | null;
}

/** What an ingress is made of. */
export interface WebhookIngressOptions {
  names: WebhookNames;
  shaper: DeliveryShaper;
  keys: WebhookKeys;
  replay: ReplaySet;
  events: EventLog;
  publisher: Pick<EventPublisher, 'check' | 'submit'>;
  clock: Clock;
}

/** A delivery on its way through the steps. `authentic` becomes true with step 4. */
export interface Delivery {
  headers: DeliveryHeaders;
  body: Buffer;
  authentic: boolean;
}

const NOTHING: WebhookOutcome = { accepted_events: 0, central_delivery: null };

/**
 * Takes one delivery through the steps that follow its headers: text, freshness and signature, replay set, JSON, loop marker, mapping, event
 * log, outbox (docs/webhooks.md#steps). Every step before the event log leaves nothing that a repeat would meet. Throws WebhookRefused.
 */
export async function acceptDelivery(delivery: Delivery, options: WebhookIngressOptions): Promise<WebhookOutcome> {
  const { names, clock, publisher } = options;
  const { headers, body } = delivery;
  const text = readText(body);
  const problem = authenticationProblem(headers, body, await options.keys.current(), clock());
  if (problem !== undefined) throw new WebhookRefused('webhook.authentication_failed', problem);
  delivery.authentic = true;
  await stored('the replay set', options.replay.observe(headers.deliveryId, headers.timestamp));

  const reading = readingOf(text, names.provider, options.shaper);
  if (reading.kind === 'invalid') throw new WebhookRefused('webhook.authentication_failed', reading.why);
  if (reading.kind === 'suppressed') return NOTHING;
  const event = eventOf(reading.message, headers.deliveryId, names, clock);
  mustBePublishable(event, options);

  const kept = await stored('the event log', options.events.append(event));
  return {
    accepted_events: 1,
    central_delivery: await stored('the outbox', publisher.submit(names.channel, [kept])),
  };
}

/**
 * Reads the payload with its numbers as they were written. Text that is JSON but holds what can't be kept (half a surrogate pair, a member
 * twice, numbers out of range) is judged by its plain reading and refused only when a message would have to be made of it.
 */
function readingOf(text: string, provider: string, shaper: DeliveryShaper): DeliveryReading {
  try {
    return readDelivery(parseJson(text), provider, shaper);
  } catch (error) {
    if (!(error instanceof JsonInvalid)) throw error;
    const plain = plainReading(text);
    if (plain === undefined) return { kind: 'invalid', why: 'the body is not JSON' };
    const reading = readDelivery(plain.value, provider, shaper);
    if (reading.kind !== 'message') return reading;
    throw new WebhookRefused('webhook.invalid_mapping', `the message can't be kept: ${error.message}`, error);
  }
}

function plainReading(text: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

/** Refuses an event that the publisher would refuse, before it is anywhere. */
function mustBePublishable(event: Event, { names, publisher }: WebhookIngressOptions): void {
  try {
    publisher.check(names.channel, [event]);
  } catch (error) {
    if (error instanceof EventTooLarge) throw new WebhookRefused('webhook.invalid_delivery', error.message, error);
    if (error instanceof AipError) throw new WebhookRefused('webhook.invalid_mapping', error.message, error);
    throw error;
  }
}

/** The result of a durable step; a failure is reported to the provider as a storage that is unavailable. */
async function stored<T>(what: string, step: Promise<T>): Promise<T> {
  try {
    return await step;
  } catch (error) {
    const code = error instanceof EventUnpublishable ? 'webhook.invalid_mapping' : 'webhook.storage_unavailable';
    throw new WebhookRefused(code, `${what} failed: ${(error as Error).message}`, error);
  }
}
