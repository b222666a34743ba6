import { comparePositions, type StreamPosition } from '../log/position.js';
import { partFrames } from './frames.js';
import type { Stream, StreamPart } from './stream.js';

/** Bindings whose newest frames are kept, and how long frames are kept at all, in bytes. */
const KEPT_BINDINGS = 256;
const KEPT_BYTES = 64 * 1024;

interface Written {
  readonly part: StreamPart;
  readonly frames: Buffer;
}

/** Writes the frames of parts, once for all streams of one binding that take the same part: as bytes, so that no socket encodes them again. */
export type WriteFrames = (part: StreamPart, stream: Stream) => Buffer;

/** Frames for the streams of a process: of each binding the newest are kept, so that a thousand followers of one caller cost one cursor. */
export function sharedFrames(): WriteFrames {
  const newest = new Map<string, Written>();
  return (part, stream) => {
    const { binding } = stream.cursors;
    const known = newest.get(binding);
    if (known && isSame(known.part, part)) return known.frames;
    const frames = Buffer.from(partFrames(part, stream));
    if (part.terminal || frames.length > KEPT_BYTES) return frames;
    if (newest.size >= KEPT_BINDINGS && !known) newest.clear();
    newest.set(binding, { part, frames });
    return frames;
  };
}

// What a stream shows also depends on its caller's scopes, which no binding holds: the very items decide.
function isSame(a: StreamPart, b: StreamPart): boolean {
  return (
    !b.terminal &&
    samePlace(a.next, b.next) &&
    (a.items === b.items || (a.items.length === b.items.length && a.items.every((item, n) => item === b.items[n])))
  );
}

function samePlace(a: StreamPosition, b: StreamPosition): boolean {
  return a.chunk === b.chunk && comparePositions(a.event, b.event) === 0;
}
