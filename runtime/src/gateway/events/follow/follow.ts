import type { Queryable } from '../../../postgres/pool.js';
import type { LogRow } from '../log/row.js';
import type { Subscription, TakeDelivery } from '../log/subscription.js';
import type { Tail } from '../log/tail.js';
import { readPage } from '../page.js';
import { channelOf } from './channel.js';
import type { FollowerPlace } from './followers.js';
import { liveParts } from './live-parts.js';
import type { Stream, StreamPart } from './stream.js';

/** Where the parts of a stream go. */
export interface StreamSink {
  /** Aborted when nobody takes parts any more; its reason ends the stream. */
  readonly gone: AbortSignal;
  /**
   * Takes a part; a promise resolves when more may be written, or when `drop` was called, and is absent when that is so
   * already. Throws or rejects when the peer is gone or does not read.
   */
  write(part: StreamPart): Promise<void> | undefined;
  /** Ends a write that waits for the peer. */
  drop(): void;
}

/**
 * Follows a stream until it is terminal: reads pages from the database, each in its `turn`, up to the newest event, then
 * continues with the tail, so that nothing is lost or repeated between. Only parts with data or the end are written. A
 * stream of the whole log is never terminal. Throws whatever ends it early: FollowerTooSlow, StorageUnavailable, the
 * reason of the tail's close, the sink's failure.
 */
export async function follow(
  deps: { pool: Queryable; tail: Tail },
  stream: Stream,
  sink: StreamSink,
  turn: FollowerPlace['turn'],
): Promise<void> {
  const { selection } = stream;
  let { at } = stream;
  for (;;) {
    sink.gone.throwIfAborted();
    const { events, chunks, next, terminal, more } = await turn(() => readPage(deps.pool, selection, at));
    const part: StreamPart = { items: [...events, ...chunks], next, terminal };
    at = next;
    if (part.items.length > 0 || terminal) await sink.write(part);
    if (terminal) return;
    if (more) continue;
    const { action } = selection;
    const followed = action ? { actionId: action.id, tenantId: action.tenantId } : channelOf(stream);
    const subscription = deps.tail.join(at.event, followed);
    if (subscription) return followTail({ ...stream, at }, subscription, sink);
  }
}

async function followTail(stream: Stream, subscription: Subscription, sink: StreamSink): Promise<void> {
  const leave = (): void => subscription.close(sink.gone.reason);
  subscription.onDropped(sink.drop);
  sink.gone.addEventListener('abort', leave, { once: true });
  try {
    sink.gone.throwIfAborted();
    await subscription.each(stream.selection.action ? takeOfAction(stream, sink) : takeOfLog(sink));
  } finally {
    sink.gone.removeEventListener('abort', leave);
    subscription.close();
  }
}

function takeOfAction(stream: Stream, sink: StreamSink): TakeDelivery {
  const partOf = liveParts(stream);
  return (delivery) => {
    const part = partOf(delivery);
    const written = part.items.length > 0 || part.terminal ? sink.write(part) : undefined;
    return written ? written.then(() => !part.terminal) : !part.terminal;
  };
}

/** What comes was selected for the stream's channel; the whole log has no chunks and no end. Thousands take each event: all that they share is made elsewhere. */
function takeOfLog({ write }: StreamSink): TakeDelivery {
  return ({ rows }) => {
    const next = { event: (rows.at(-1) as LogRow).position, chunk: null };
    const written = write({ items: rows, next, terminal: false });
    return written ? written.then(() => true) : true;
  };
}
