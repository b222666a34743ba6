import { timingSafeEqual } from 'node:crypto';
import { webhookSignature } from '../../protocol/wire/webhook.js';
import type { DeliveryHeaders } from './request.js';

/** How far a timestamp may lie in the past or the future, in seconds. */
export const FRESHNESS_S = 300;

const PREFIX = 'sha256=';
const HEX = /^(?:[0-9a-fA-F]{2})*$/;

/**
 * Step 4: why the delivery is not authentic; undefined when it is. `now` is in milliseconds. Freshness first, then form, then the keys, each
 * compared in constant time once the lengths match.
 */
export function authenticationProblem(
  { timestamp, signedTimestamp, signature }: DeliveryHeaders,
  body: Buffer,
  keys: readonly Buffer[],
  now: number,
): string | undefined {
  const age = Math.floor(now / 1000) - timestamp;
  if (Math.abs(age) > FRESHNESS_S)
    return `the timestamp is ${Math.abs(age)} s ${age > 0 ? 'old' : 'ahead'}; at most ${FRESHNESS_S} s are accepted`;
  if (!signature.startsWith(PREFIX)) return `the signature does not begin with ${PREFIX}`;
  const hex = signature.slice(PREFIX.length);
  if (!HEX.test(hex)) return 'the signature is not hexadecimal';
  const given = Buffer.from(hex, 'hex');
  const matches = keys.map((key) => {
    const expected = webhookSignature(key, signedTimestamp, body);
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
  return matches.includes(true) ? undefined : 'the signature is not made with the webhook secret over this body';
}
