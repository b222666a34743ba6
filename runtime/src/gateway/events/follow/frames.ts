import { protocolErrorOf } from '../../../protocol/errors.js';
import { sseFrame } from '../../../transport/http/sse.js';
import type { StoredChunk, StoredEvent } from '../log/row.js';
import type { Stream, StreamPart } from './stream.js';

/** Name of the part that fails, written into the errors of streams. */
const COMPONENT = 'aip.server.sse';

const eventFrames = new WeakMap<StoredEvent, string>();
const chunkFrames = new WeakMap<StoredChunk, string>();

/** The frame of an event: named by its kind, with its id (docs/protocol/client-api.md#following). Written once for all followers. */
export function eventFrame(event: StoredEvent): string {
  return once(eventFrames, event, () =>
    sseFrame({ event: event.kind, id: event.eventId, data: `{"event":${event.record}}` }),
  );
}

/** The frame of a chunk, with id chunk:<sequence>. Written once for all followers. */
export function chunkFrame(chunk: StoredChunk): string {
  return once(chunkFrames, chunk, () =>
    sseFrame({ event: 'aip.stream.chunk', id: `chunk:${chunk.sequence}`, data: `{"chunk":${chunk.record}}` }),
  );
}

/** The frame that carries a cursor; it follows data only. */
export function cursorFrame(cursor: string): string {
  return sseFrame({ event: 'aip.stream.cursor', id: cursor, data: { next_cursor: cursor } });
}

/** The frame that ends the stream of one action. */
export function terminalFrame(actionId: string, cursor: string): string {
  return sseFrame({ event: 'aip.stream.terminal', id: cursor, data: { terminal: true, action_id: actionId } });
}

/** The frames of one part: its events and chunks, the cursor when there were any, and the end of the action. */
export function partFrames(part: StreamPart, { cursors, selection }: Stream): string {
  let frames = '';
  for (const item of part.items) frames += 'eventId' in item ? eventFrame(item) : chunkFrame(item);
  const cursor = cursors.write(part.next);
  if (part.items.length > 0) frames += cursorFrame(cursor);
  return part.terminal && selection.action ? frames + terminalFrame(selection.action.id, cursor) : frames;
}

/** The frame after which a failed stream ends; it has no id. */
export function errorFrame(error: unknown): string {
  return sseFrame({ event: 'aip.error', data: { error: protocolErrorOf(error, COMPONENT) } });
}

function once<K extends object>(known: WeakMap<K, string>, key: K, write: () => string): string {
  const found = known.get(key);
  if (found !== undefined) return found;
  const frame = write();
  known.set(key, frame);
  return frame;
}
