import type { Queryable } from '../../../postgres/pool.js';
import type { LogRow } from '../log/row.js';
import type { Subscription, TakeDelivery } from '../log/subscription.js';
import type { Tail } from '../log/tail.js';
import { readPage } from '../page.js';
import { channelOf } from './channel.js';
import type { FollowerPlace } from './followers.js';
import { liveParts } from './live-parts.js';
import type { Stream, StreamPart } from './stream.js';

/** Where the parts of a stream go, in the form that `FormPart` gives them. */
export interface StreamSink<Form> {
  /** Aborted when nobody takes parts any more; its reason ends the stream. */
  readonly gone: AbortSignal;
  /**
   * Takes a part; a promise resolves when more may be written, or when `drop` was called, and is absent when that is so
   * already. Throws or rejects when the peer is gone or does not read.
   */
  write(part: Form): Promise<void> | undefined;
  /** Ends a write that waits for the peer. */
  drop(): void;
}

/** Gives a part of a stream the form in which its sink takes it. */
export type FormPart<Form> = (part: StreamPart, stream: Stream) => Form;

/** A stream that is followed, and where its parts go. */
interface Following<Form> {
  readonly stream: Stream;
  readonly form: FormPart<Form>;
  readonly sink: StreamSink<Form>;
}

/**
 * Follows a stream until it is terminal: reads pages from the database, each in its `turn`, up to the newest event, then
 * continues with the tail, so that nothing is lost or repeated between. Only parts with data or the end are written. A
 * stream of the whole log is never terminal. Throws whatever ends it early: FollowerTooSlow, StorageUnavailable, the
 * reason of the tail's close, the sink's failure.
 */
export async function follow<Form>(
  deps: { pool: Queryable; tail: Tail },
  { stream, form, sink }: Following<Form>,
  turn: FollowerPlace['turn'],
): Promise<void> {
  const { selection } = stream;
  let { at } = stream;
  for (;;) {
    sink.gone.throwIfAborted();
    const { events, chunks, next, terminal, more } = await turn(() => readPage(deps.pool, selection, at));
    const part: StreamPart = { items: [...events, ...chunks], next, terminal };
    at = next;
    if (part.items.length > 0 || terminal) await sink.write(form(part, stream));
    if (terminal) return;
    if (more) continue;
    const { action } = selection;
    const followed = action ? { actionId: action.id, tenantId: action.tenantId } : channelOf(stream);
    const subscription = deps.tail.join(at.event, followed);
    if (subscription) return followTail({ stream: { ...stream, at }, form, sink }, subscription);
  }
}

async function followTail<Form>(following: Following<Form>, subscription: Subscription): Promise<void> {
  const { stream, sink } = following;
  const leave = (): void => subscription.close(sink.gone.reason);
  subscription.onDropped(sink.drop);
  sink.gone.addEventListener('abort', leave, { once: true });
  try {
    sink.gone.throwIfAborted();
    await subscription.each(stream.selection.action ? takeOfAction(following) : takeOfLog(following));
  } finally {
    sink.gone.removeEventListener('abort', leave);
    subscription.close();
  }
}

function takeOfAction<Form>({ stream, form, sink }: Following<Form>): TakeDelivery {
  const partOf = liveParts(stream);
  return (delivery) => {
    const part = partOf(delivery);
    const written = part.items.length > 0 || part.terminal ? sink.write(form(part, stream)) : undefined;
    return written ? written.then(() => !part.terminal) : !part.terminal;
  };
}

/**
 * What comes was selected for the stream's channel; the whole log has no chunks and no end. Thousands take each event: all that they share is made
 * elsewhere, and a follower has few objects of its own here, each of which is a read of memory that no cache holds.
 */
function takeOfLog<Form>({ stream, form, sink: { write } }: Following<Form>): TakeDelivery {
  return ({ rows }) => {
    const next = { event: (rows.at(-1) as LogRow).position, chunk: null };
    const written = write(form({ items: rows, next, terminal: false }, stream));
    return written ? written.then(() => true) : true;
  };
}
