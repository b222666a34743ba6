import { AipError } from '../../protocol/errors.js';
import { FUTURE_SKEW_MS, REPLAY_WINDOW_MS } from '../../protocol/limits.js';
import { parseTime } from '../../protocol/time.js';
import type { Facts } from './facts.js';

/** The envelope was sent at most 300 s ago and at most 30 s ahead; within that time its message id is remembered. */
export function freshness({ envelope, now }: Facts): AipError | undefined {
  const sentAt = parseTime(envelope.sent_at);
  if (sentAt < now - REPLAY_WINDOW_MS) return new AipError('connector_host.replay', 'sent_at is too old');
  return sentAt > now + FUTURE_SKEW_MS
    ? new AipError('connector_host.replay', 'sent_at lies in the future')
    : undefined;
}
