import { createHmac } from 'node:crypto';
import type { DurableState } from '../../connectors/sdk/durable-state.js';
import { type SecretReader, SecretUnavailable } from '../../connectors/sdk/secrets.js';
import type { Clock } from '../../protocol/clock.js';
import { PREVIOUS_WEBHOOK_SECRET, WEBHOOK_SECRET } from '../../protocol/wire/webhook.js';
import { WebhookRefused } from './refusal.js';

/** The keys that deliveries may be signed with now. */
export interface WebhookKeys {
  /** Reads them again, so that a rotated secret is in force with the next delivery. Throws WebhookRefused. */
  current(): Promise<Buffer[]>;
}

/** What the keys are made of. */
export interface WebhookKeysOptions {
  secret: SecretReader;
  /** Names of the secrets that the instance was given. */
  names: readonly string[];
  state: DurableState;
  /** How long the previous secret counts after a replica first saw it, in milliseconds. */
  previousMs: number;
  clock: Clock;
}

/** Opens the keys of an ingress: the secret, and the previous one for a bounded time. */
export function openWebhookKeys({ secret, names, state, previousMs, clock }: WebhookKeysOptions): WebhookKeys {
  const ends = new Map<string, number>();
  /** Until when this previous secret counts; kept with the instance, so that no restart and no other replica begins again. */
  const endOf = async (previous: Buffer): Promise<number> => {
    const mark = createHmac('sha256', previous).update('aip previous webhook secret').digest('hex').slice(0, 32);
    const known = ends.get(mark);
    if (known !== undefined) return known;
    const { value } = await state.once(`webhook.previous_secret:${mark}`, clock());
    const end = (value as number) + previousMs;
    ends.clear();
    ends.set(mark, end);
    return end;
  };
  return {
    current: async () => {
      try {
        const key = secret.bytes(WEBHOOK_SECRET);
        if (!names.includes(PREVIOUS_WEBHOOK_SECRET)) return [key];
        const previous = secret.bytes(PREVIOUS_WEBHOOK_SECRET);
        return (await endOf(previous)) > clock() ? [key, previous] : [key];
      } catch (error) {
        const code = error instanceof SecretUnavailable ? 'webhook.invalid_delivery' : 'webhook.storage_unavailable';
        throw new WebhookRefused(code, (error as Error).message, error);
      }
    },
  };
}
