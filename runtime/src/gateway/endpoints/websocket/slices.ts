import { MAX_PAGE_BYTES } from '../../../protocol/limits.js';
import type { StreamPart } from '../../events/follow/stream.js';
import type { StreamPosition } from '../../events/log/position.js';
import type { StoredChunk, StoredEvent } from '../../events/log/row.js';

/** What one response of a subscription shows, with the place behind it. */
export interface Slice {
  readonly events: readonly StoredEvent[];
  readonly chunks: readonly StoredChunk[];
  readonly next: StreamPosition;
  readonly terminal: boolean;
}

/**
 * Cuts a part that begins at `start` into slices of at most `limit` rows and 4 MiB, each of which a cursor continues without loss or repeat.
 * Always at least one slice, which may be empty; the last one ends where the part ends.
 */
export function slicesOf(part: StreamPart, start: StreamPosition, limit: number): Slice[] {
  const slices: Slice[] = [];
  let at = start;
  let rest = part.items;
  do {
    const taken = rest.slice(0, sizeOf(rest, limit));
    rest = rest.slice(taken.length);
    const events = taken.filter((item) => 'eventId' in item);
    const chunks = taken.filter((item) => 'sequence' in item);
    const behind = { event: events.at(-1)?.position ?? at.event, chunk: chunks.at(-1)?.sequence ?? at.chunk };
    const last = rest.length === 0;
    const next = last ? part.next : behind;
    slices.push({ events, chunks, next, terminal: last && part.terminal });
    at = next;
  } while (rest.length > 0);
  return slices;
}

/** How many of the first items fit; at least one. */
function sizeOf(items: StreamPart['items'], limit: number): number {
  let bytes = 0;
  for (const [index, { record }] of items.entries()) {
    bytes += Buffer.byteLength(record);
    if (index > 0 && (index >= limit || bytes > MAX_PAGE_BYTES)) return index;
  }
  return items.length;
}
