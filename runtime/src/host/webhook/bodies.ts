import type { IncomingMessage } from 'node:http';
import { after } from '../../time/timer.js';
import { readBytes } from '../../transport/http/body.js';

/** Largest body of a delivery, in bytes. */
export const WEBHOOK_BODY_BYTES = 1_048_576;
/** Bytes of bodies that are in memory at once. */
const HELD_BYTES = 64 * WEBHOOK_BODY_BYTES;
/** A body must be complete after this time, in milliseconds; providers wait for less. */
const COMPLETE_MS = 10_000;

/** Reads bodies of strangers within bounds of size, time and memory. */
export interface BodyReader {
  /**
   * Reads one body and runs `use` with it; its bytes count as held until that ends. `keep` false reads and drops it. Throws BodyTooLarge and
   * RequestAborted, the latter also for a body that was too slow or had to give way.
   */
  read<T>(request: IncomingMessage, keep: boolean, use: (body: Buffer) => Promise<T>): Promise<T>;
}

/** Opens a reader. When too many bytes are held, the body that has been incomplete for longest is dropped: a sender that stalls blocks no other. */
export function openBodyReader(completeMs = COMPLETE_MS): BodyReader {
  const incomplete = new Set<IncomingMessage>();
  let held = 0;
  return {
    read: async (request, keep, use) => {
      let own = 0;
      const count = (part: Buffer): void => {
        own += part.length;
        held += part.length;
        if (held > HELD_BYTES) incomplete.values().next().value?.destroy();
      };
      const cancelLimit = after(completeMs, () => request.destroy());
      if (keep) {
        incomplete.add(request);
        request.on('data', count);
      }
      try {
        const body = await readBytes(request, WEBHOOK_BODY_BYTES, { drop: !keep }).finally(() => {
          cancelLimit();
          incomplete.delete(request);
        });
        return await use(body);
      } finally {
        held -= own;
      }
    },
  };
}
