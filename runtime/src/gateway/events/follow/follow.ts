import type { Queryable } from '../../../postgres/pool.js';
import type { Cursors } from '../cursor.js';
import { chunkOrder } from '../log/chunk-order.js';
import type { StreamPosition } from '../log/position.js';
import type { Tail } from '../log/tail.js';
import { type Page, readPage } from '../page.js';
import { type Selection, selectsChunk, selectsEvent } from '../selection.js';
import { chunkFrame, cursorFrame, eventFrame, terminalFrame } from './frames.js';
import type { Delivery, Subscription } from './subscription.js';

/** One stream: what it shows, its cursors, and where it begins. */
export interface Stream {
  readonly selection: Selection;
  readonly cursors: Cursors;
  readonly at: StreamPosition;
}

/** Where frames go. */
export interface FrameSink {
  /** Aborted when nobody takes frames any more; its reason ends the stream. */
  readonly gone: AbortSignal;
  /**
   * Takes frames and resolves when more may be written, or when `drop` was called. Throws when the peer is gone or
   * does not read.
   */
  write(frames: string): Promise<void>;
  /** Ends a write that waits for the peer. */
  drop(): void;
}

/**
 * Follows a stream until it is terminal: reads pages from the database up to the newest event, then goes on with the
 * tail, so that nothing is lost or repeated between. A stream of the whole log is never terminal. Throws whatever ends
 * it early: FollowerTooSlow, StorageUnavailable, the reason of the tail's close, the sink's failure.
 */
export async function follow(deps: { pool: Queryable; tail: Tail }, stream: Stream, sink: FrameSink): Promise<void> {
  const { selection, cursors } = stream;
  let { at } = stream;
  for (;;) {
    sink.gone.throwIfAborted();
    const page = await readPage(deps.pool, selection, at);
    at = page.next;
    const frames = pageFrames(page, stream);
    if (frames !== '') await sink.write(frames);
    if (page.terminal) return;
    if (page.more) continue;
    const subscription = deps.tail.join(at.event, selection.action?.id);
    if (subscription) return goOn({ selection, cursors, at }, subscription, sink);
  }
}

async function goOn(stream: Stream, subscription: Subscription, sink: FrameSink): Promise<void> {
  const write = liveFrames(stream);
  const leave = (): void => subscription.close(sink.gone.reason);
  subscription.onDropped(sink.drop);
  sink.gone.addEventListener('abort', leave, { once: true });
  try {
    sink.gone.throwIfAborted();
    for (;;) {
      const { frames, terminal } = write(await subscription.next());
      if (frames !== '') await sink.write(frames);
      if (terminal) return;
    }
  } finally {
    sink.gone.removeEventListener('abort', leave);
    subscription.close();
  }
}

/** The frames of a page: events, chunks, then the cursor when there was data, then the end when the action is over. */
function pageFrames(page: Page, { selection, cursors }: Stream): string {
  const data = page.events.map(eventFrame).join('') + page.chunks.map(chunkFrame).join('');
  const cursor = cursors.write(page.next);
  return ended(data, cursor, page.terminal ? selection.action?.id : undefined);
}

/** Turns deliveries of the tail into frames and keeps the stream's place. */
function liveFrames({ selection, cursors, at }: Stream): (delivery: Delivery) => { frames: string; terminal: boolean } {
  const order = chunkOrder(at.chunk);
  let place = at.event;
  return ({ rows, ended: over }) => {
    let data = '';
    for (const row of rows) {
      place = row.position;
      if (selectsEvent(selection, row)) data += eventFrame(row);
      if (row.chunk && selectsChunk(selection, row)) data += order.take(row.chunk).map(chunkFrame).join('');
    }
    const terminal = selection.action !== undefined && (over || rows.some((row) => row.ended));
    if (terminal) data += order.rest().map(chunkFrame).join('');
    if (data === '' && !terminal) return { frames: '', terminal };
    const cursor = cursors.write({ event: place, chunk: order.last() });
    return { frames: ended(data, cursor, terminal ? selection.action?.id : undefined), terminal };
  };
}

function ended(data: string, cursor: string, actionId: string | undefined): string {
  const cursorPart = data === '' ? '' : cursorFrame(cursor);
  return data + cursorPart + (actionId === undefined ? '' : terminalFrame(actionId, cursor));
}
