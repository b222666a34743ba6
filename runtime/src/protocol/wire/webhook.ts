import { createHmac } from 'node:crypto';

/** Secret that turns the ingress of a provider on; what it holds is the key of its signatures. */
export const WEBHOOK_SECRET = 'webhook-secret';
/** The key that was in force before; accepted for a bounded time after it was first seen. */
export const PREVIOUS_WEBHOOK_SECRET = 'webhook-secret-previous';

/** Everything about a webhook ingress that is named after its provider. */
export interface WebhookNames {
  provider: string;
  path: string;
  /** Header names in lower case. */
  headers: { delivery: string; timestamp: string; signature: string };
  /** Channel of the published events, declared by the manifest. */
  channel: string;
  /** Namespace of the replay set. */
  replayNamespace: string;
  /** Beginning of event ids; the hash of the delivery id follows. */
  eventIdPrefix: string;
  eventKind: string;
}

/** The names of the provider `chatwoot` and its like. */
export function webhookNames(provider: string): WebhookNames {
  const header = (name: string): string => `x-${provider}-${name}`;
  return {
    provider,
    path: `/webhooks/${provider}`,
    headers: { delivery: header('delivery'), timestamp: header('timestamp'), signature: header('signature') },
    channel: webhookChannel(provider),
    replayNamespace: `aip.connector.${provider}.webhook_replay.v1`,
    eventIdPrefix: `evt_${provider}_`,
    eventKind: `${provider}.channel_message`,
  };
}

/** Channel that a provider's webhook events are published on. */
export function webhookChannel(provider: string): string {
  return `${provider}-webhooks`;
}

/** HMAC-SHA256 over the decimal timestamp, a dot and the raw body. */
export function webhookSignature(key: Buffer, signedTimestamp: string, body: Buffer): Buffer {
  return createHmac('sha256', key).update(`${signedTimestamp}.`).update(body).digest();
}
