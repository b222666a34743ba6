import { canonicalJson } from '../../../protocol/canonical.js';
import { chunkOrder } from '../log/chunk-order.js';
import type { LogRow, StoredChunk, StoredEvent } from '../log/row.js';
import type { Delivery } from '../log/subscription.js';
import { type Selection, selectsChunk, selectsEvent } from '../selection.js';
import type { Stream, StreamPart } from './stream.js';

/** Turns deliveries of the tail into parts and keeps the stream's place. */
export function liveParts(stream: Stream): (delivery: Delivery) => StreamPart {
  return stream.selection.action === undefined ? partsOfLog(stream) : partsOfAction(stream);
}

/** The parts of the whole log, which has no chunks and no end. */
function partsOfLog({ selection, at }: Stream): (delivery: Delivery) => StreamPart {
  const select = selector(selection);
  let place = at;
  return ({ rows }) => {
    const from = place;
    const last = rows.at(-1);
    if (last) place = { event: last.position, chunk: from.chunk };
    return { items: select(rows), from, next: place, terminal: false };
  };
}

function partsOfAction({ selection, at }: Stream): (delivery: Delivery) => StreamPart {
  const order = chunkOrder(at.chunk);
  let place = at.event;
  return ({ rows, ended }) => {
    const items: (StoredEvent | StoredChunk)[] = [];
    const from: StreamPart['from'] = { event: place, chunk: order.last() };
    for (const row of rows) {
      place = row.position;
      if (selectsEvent(selection, row)) items.push(row);
      if (row.chunk && selectsChunk(selection, row)) items.push(...order.take(row.chunk));
    }
    const terminal = ended || rows.some((row) => row.ended);
    if (terminal) items.push(...order.rest());
    return { items, from, next: { event: place, chunk: order.last() }, terminal };
  };
}

const selected = new WeakMap<readonly LogRow[], Map<string, readonly LogRow[]>>();

/** Selects the events of rows, once for all streams that take the same rows and show the same of them. */
function selector(selection: Selection): (rows: readonly LogRow[]) => readonly LogRow[] {
  const { access, kinds, events } = selection;
  const shown = canonicalJson({ access, kinds: kinds ?? null, events });
  return (rows) => {
    let known = selected.get(rows);
    if (!known) {
      known = new Map();
      selected.set(rows, known);
    }
    const found = known.get(shown);
    if (found) return found;
    const chosen = rows.filter((row) => selectsEvent(selection, row));
    known.set(shown, chosen);
    return chosen;
  };
}
