import { chunkEventId } from '../../../protocol/content/chunk-ids.js';
import { formatTime } from '../../../protocol/time.js';
import type { Event, StreamChunk } from '../../../protocol/types.js';

/** The event `aip.stream.chunk` of a stored chunk; `now` in ms since the epoch. */
export function chunkEvent(
  chunk: StreamChunk,
  action: { session_id: string | null; correlation_id: string | null },
  now: number,
): Event {
  return {
    id: chunkEventId(chunk.action_id, chunk.sequence),
    kind: 'aip.stream.chunk',
    occurred_at: formatTime(now),
    ...(action.session_id !== null && { session_id: action.session_id }),
    action_id: chunk.action_id,
    ...(action.correlation_id !== null && { correlation_id: action.correlation_id }),
    data: { action_id: chunk.action_id, sequence: chunk.sequence, kind: chunk.kind },
  };
}
