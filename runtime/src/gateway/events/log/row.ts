import type { Position } from './position.js';

/** A stored event: `record` is its JSON text. */
export interface StoredEvent {
  readonly position: Position;
  readonly eventId: string;
  readonly kind: string;
  readonly record: string;
}

/** A stored stream chunk: `record` is its JSON text. */
export interface StoredChunk {
  readonly sequence: number;
  readonly record: string;
}

/** One event of the log as the tail reads it, shared by every follower. */
export interface LogRow extends StoredEvent {
  readonly actionId: string | null;
  readonly tenantId: string | null;
  readonly principalId: string | null;
  /**
   * The chunk that an aip.stream.chunk event announces; `previous` is the sequence of the chunk before it, null for
   * the first.
   */
  readonly chunk?: (StoredChunk & { readonly previous: number | null }) | undefined;
  /** The action is terminal and this is its last event. */
  readonly ended: boolean;
}
