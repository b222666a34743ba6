import { chunkOrder } from '../log/chunk-order.js';
import type { StoredChunk, StoredEvent } from '../log/row.js';
import type { Delivery } from '../log/subscription.js';
import { selectsChunk, selectsEvent } from '../selection.js';
import type { Stream, StreamPart } from './stream.js';

/** Turns deliveries of the tail into parts of a stream of one action, and keeps the stream's place. */
export function liveParts({ selection, at }: Stream): (delivery: Delivery) => StreamPart {
  const order = chunkOrder(at.chunk);
  let place = at.event;
  return ({ rows, ended }) => {
    const items: (StoredEvent | StoredChunk)[] = [];
    for (const row of rows) {
      place = row.position;
      if (selectsEvent(selection, row)) items.push(row);
      if (row.chunk && selectsChunk(selection, row)) items.push(...order.take(row.chunk));
    }
    const terminal = ended || rows.some((row) => row.ended);
    if (terminal) items.push(...order.rest());
    return { items, next: { event: place, chunk: order.last() }, terminal };
  };
}
