import type { Envelope } from '../../../protocol/envelope.js';
import { AipError } from '../../../protocol/errors.js';
import { isPlainId } from '../../../protocol/ids.js';
import { FUTURE_SKEW_MS, REPLAY_WINDOW_MS } from '../../../protocol/limits.js';
import { parseTime } from '../../../protocol/time.js';
import type { Identity } from '../../edge/identity.js';

/** The claim that keeps a message from being accepted twice; `expiresAt` in ms since the epoch. */
export interface ReplayClaim {
  readonly messageId: string;
  /** The id within the tenant of its sender: no tenant learns which ids another one uses, or takes them in advance. */
  readonly key: string;
  readonly expiresAt: number;
}

/**
 * The claim a fresh envelope of a caller makes. Throws `envelope.decode.invalid` for an id that cannot be a key, and `replay.message_id` when its
 * sent_at lies outside the window; the edges pass.
 */
export function replayClaimOf(
  { tenantId }: Pick<Identity, 'tenantId'>,
  envelope: Envelope,
  nowMs: number,
): ReplayClaim {
  if (!isPlainId(envelope.message_id))
    throw new AipError('envelope.decode.invalid', 'message_id must be 1 to 256 bytes without control characters');
  const sentAt = parseTime(envelope.sent_at);
  if (sentAt < nowMs - REPLAY_WINDOW_MS || sentAt > nowMs + FUTURE_SKEW_MS)
    throw new AipError('replay.message_id', 'the message was not sent within the accepted window');
  const { message_id: messageId } = envelope;
  // A message id holds no line break, so no two pairs of tenant and id have one key.
  const key = tenantId === undefined ? messageId : `${tenantId}\n${messageId}`;
  return { messageId, key, expiresAt: sentAt + REPLAY_WINDOW_MS };
}
