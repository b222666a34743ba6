import type { Envelope } from '../../protocol/envelope.js';
import { EnvelopeDecodeInvalid, ReplayedMessage } from '../../protocol/errors.js';
import { isPlainId } from '../../protocol/ids.js';
import { parseTime } from '../../protocol/time.js';

/** How old a message may be, and how long its id stays claimed, counted from sent_at (docs/protocol/signing.md#who-checks-what). */
export const REPLAY_WINDOW_MS = 300_000;
/** How far ahead of the server's clock a message may be dated. */
export const FUTURE_SKEW_MS = 30_000;

/** The claim that keeps a message from being accepted twice; `expiresAt` in ms since the epoch. */
export interface ReplayClaim {
  readonly messageId: string;
  readonly expiresAt: number;
}

/**
 * The claim a fresh envelope makes. Throws EnvelopeDecodeInvalid for an id that cannot be a key, and ReplayedMessage when its sent_at lies outside the window; the edges pass.
 */
export function replayClaimOf(envelope: Envelope, nowMs: number): ReplayClaim {
  if (!isPlainId(envelope.message_id))
    throw new EnvelopeDecodeInvalid('message_id must be 1 to 256 bytes without control characters');
  const sentAt = parseTime(envelope.sent_at);
  if (sentAt < nowMs - REPLAY_WINDOW_MS || sentAt > nowMs + FUTURE_SKEW_MS)
    throw new ReplayedMessage('the message was not sent within the accepted window');
  return { messageId: envelope.message_id, expiresAt: sentAt + REPLAY_WINDOW_MS };
}
