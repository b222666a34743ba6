/**
 * A place in the event log: after the event that transaction `xid` wrote with number `seq`. Readers order by (xid, seq)
 * and stop at the oldest transaction still in flight, so that a place once passed never gains an event.
 */
export interface Position {
  readonly xid: number;
  readonly seq: number;
}

/** A place in a stream of events and chunks; `chunk` is the last chunk sequence delivered, or null before the first. */
export interface StreamPosition {
  readonly event: Position;
  readonly chunk: number | null;
}

/** Before the first event. */
export const LOG_START: Position = { xid: 0, seq: 0 };

/** Before the first event and chunk. */
export const STREAM_START: StreamPosition = { event: LOG_START, chunk: null };

/** Negative, zero or positive as `a` lies before, at or after `b`. */
export function comparePositions(a: Position, b: Position): number {
  return a.xid - b.xid || a.seq - b.seq;
}

/** The later of two places. */
export function laterPosition(a: Position, b: Position): Position {
  return comparePositions(a, b) < 0 ? b : a;
}
