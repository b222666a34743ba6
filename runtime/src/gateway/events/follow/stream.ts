import type { Cursors } from '../cursor.js';
import type { StreamPosition } from '../log/position.js';
import type { StoredChunk, StoredEvent } from '../log/row.js';
import type { Selection } from '../selection.js';

/** One stream: what it shows, its cursors, and where it begins. */
export interface Stream {
  readonly selection: Selection;
  readonly cursors: Cursors;
  readonly at: StreamPosition;
}

/** What a stream delivers at once. */
export interface StreamPart {
  /** Events and chunks in the order of delivery. */
  readonly items: readonly (StoredEvent | StoredChunk)[];
  /** The place behind it. */
  readonly next: StreamPosition;
  /** The action is terminal and nothing follows. */
  readonly terminal: boolean;
}
