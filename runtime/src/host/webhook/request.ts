import { isUtf8 } from 'node:buffer';
import type { IncomingHttpHeaders } from 'node:http';
import type { WebhookNames } from '../../protocol/wire/webhook.js';
import { WebhookRefused } from './refusal.js';

/** The three headers of a delivery, checked as far as that needs no body. */
export interface DeliveryHeaders {
  deliveryId: string;
  /** Seconds since the epoch. */
  timestamp: number;
  /** The timestamp as it is signed: in decimal without a plus sign or leading zeros. */
  signedTimestamp: string;
  signature: string;
}

const TEXT = /^[\x20-\x7e]+$/;
const INTEGER = /^[+-]?\d+$/;
const [MIN_INT64, MAX_INT64] = [-(2n ** 63n), 2n ** 63n - 1n];

/** Steps 1 and 2: the headers, then the timestamp. Throws WebhookRefused. */
export function readHeaders(
  headers: NodeJS.Dict<string[]> | IncomingHttpHeaders,
  names: WebhookNames,
): DeliveryHeaders {
  const [deliveryId, timestamp, signature] = [
    names.headers.delivery,
    names.headers.timestamp,
    names.headers.signature,
  ].map((name) => {
    const given = headers[name];
    const value = Array.isArray(given) ? given[0] : given;
    if (value === undefined || !TEXT.test(value))
      throw new WebhookRefused('webhook.missing_header', `the header ${name} is missing, empty or not text`);
    return value;
  }) as [string, string, string];
  const seconds = INTEGER.test(timestamp) ? BigInt(timestamp.replace(/^\+/, '')) : undefined;
  if (seconds === undefined || seconds < MIN_INT64 || seconds > MAX_INT64)
    throw new WebhookRefused('webhook.invalid_timestamp', 'the timestamp is not a signed 64-bit integer');
  return { deliveryId, timestamp: Number(seconds), signedTimestamp: String(seconds), signature };
}

/** Step 3: the body as text. Throws WebhookRefused. */
export function readText(body: Buffer): string {
  if (!isUtf8(body)) throw new WebhookRefused('webhook.invalid_utf8', 'the body is not valid UTF-8');
  return body.toString('utf8');
}
