import { NamedError } from '../../../protocol/errors/named-error.js';
import { FollowerTooSlow } from '../../../protocol/errors.js';
import { WEBSOCKET_BUFFER_FRAMES } from '../../../protocol/limits.js';
import { after } from '../../../time/timer.js';

/** How long a frame may wait for a peer that does not read, in milliseconds (D-16). */
const MAX_WAIT_MS = 30_000;

/** The connection is closed; no frame reaches the peer any more. */
export class ConnectionGone extends NamedError {}

/** Writes one frame and calls `written` when it left this process. */
export type WriteFrame = (text: string, written: () => void) => void;

/** The outbound buffer of one connection: at most 8 frames that have not left yet (docs/protocol/limits.md). */
export interface Outbox {
  /**
   * Waits for room, then makes and writes a frame; frames leave in the order of the calls. Throws FollowerTooSlow after
   * 30 seconds without room, the reason of `signal`, and ConnectionGone.
   */
  send(make: () => string, signal?: AbortSignal): Promise<void>;
  /** Writes by `write` when there is room now; false when there is none. */
  offer(write: (written: () => void) => void): boolean;
  close(): void;
}

/** Opens the buffer in front of `write`. */
export function openOutbox(write: WriteFrame, maxWaitMs = MAX_WAIT_MS): Outbox {
  let buffered = 0;
  let closed = false;
  const waiting: ((error?: unknown) => void)[] = [];

  const left = (): void => {
    buffered -= 1;
    if (buffered < WEBSOCKET_BUFFER_FRAMES) waiting.shift()?.();
  };
  const room = (signal: AbortSignal | undefined): Promise<void> =>
    new Promise((resolve, reject) => {
      const finish = (error?: unknown): void => {
        cancel();
        signal?.removeEventListener('abort', aborted);
        if (error === undefined) resolve();
        else reject(error);
      };
      const leave = (error: unknown): void => {
        const at = waiting.indexOf(finish);
        if (at >= 0) waiting.splice(at, 1);
        finish(error);
      };
      const aborted = (): void => leave(signal?.reason);
      const cancel = after(maxWaitMs, () => leave(new FollowerTooSlow()));
      signal?.addEventListener('abort', aborted, { once: true });
      waiting.push(finish);
    });

  return {
    send: async (make, signal) => {
      signal?.throwIfAborted();
      while (!closed && (buffered >= WEBSOCKET_BUFFER_FRAMES || waiting.length > 0)) {
        await room(signal);
        if (buffered < WEBSOCKET_BUFFER_FRAMES) break;
      }
      if (closed) throw new ConnectionGone();
      buffered += 1;
      write(make(), left);
    },
    offer: (now) => {
      if (closed || buffered >= WEBSOCKET_BUFFER_FRAMES) return false;
      buffered += 1;
      now(left);
      return true;
    },
    close: () => {
      closed = true;
      for (const finish of waiting.splice(0)) finish(new ConnectionGone());
    },
  };
}
