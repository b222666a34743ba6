import { comparePositions, type StreamPosition } from '../log/position.js';
import { partFrames } from './frames.js';
import type { Stream, StreamPart } from './stream.js';

/** Bindings whose newest frames are kept, and how long frames are kept at all, in bytes. */
const KEPT_BINDINGS = 256;
const KEPT_BYTES = 64 * 1024;

/** Writes the frames of a part of a stream. */
export type WriteFrames = (part: StreamPart, stream: Stream) => Buffer;

/**
 * Writes frames once for all streams of the process that are bound to the same and take the same part, and as bytes, so that no socket encodes
 * them again. A thousand followers of one caller so cost one cursor.
 */
export function sharedFrames(): WriteFrames {
  /** The frames of the rows that a channel hands over: found by their array, which no other channel gets. */
  const ofRows = new WeakMap<StreamPart['items'], Buffer>();
  const ofAction = newestFrames();
  return (part, stream) => {
    const known = ofRows.get(part.items);
    if (known) return known;
    if (stream.selection.action) return ofAction(part, stream);
    const frames = Buffer.from(partFrames(part, stream));
    ofRows.set(part.items, frames);
    return frames;
  };
}

/** The frames of parts that streams of one action make each for itself: the newest of each binding are kept. */
function newestFrames(): WriteFrames {
  const newest = new Map<string, { readonly part: StreamPart; readonly frames: Buffer }>();
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
    a.items.length === b.items.length &&
    a.items.every((item, n) => item === b.items[n])
  );
}

function samePlace(a: StreamPosition, b: StreamPosition): boolean {
  return a.chunk === b.chunk && comparePositions(a.event, b.event) === 0;
}
