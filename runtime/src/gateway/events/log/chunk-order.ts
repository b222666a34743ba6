import type { LogRow, StoredChunk } from './row.js';

type AnnouncedChunk = NonNullable<LogRow['chunk']>;

/**
 * Brings chunks into the order of their sequence. The log orders by transaction, and a later chunk may have been
 * written by an older transaction that waited: such a chunk is held until the one before it has come.
 */
export interface ChunkOrder {
  /** The last sequence handed on; null before the first. */
  last(): number | null;
  /** Takes a chunk and returns what may be handed on now; a chunk that was handed on before is dropped. */
  take(chunk: AnnouncedChunk): StoredChunk[];
  /** Everything still held, in order. */
  rest(): StoredChunk[];
}

/** Starts after sequence `handedOn`. */
export function chunkOrder(handedOn: number | null): ChunkOrder {
  let last = handedOn ?? -1;
  const held = new Map<number, AnnouncedChunk>();
  const pass = (chunk: AnnouncedChunk): StoredChunk => {
    held.delete(chunk.sequence);
    last = chunk.sequence;
    return chunk;
  };
  const inOrder = (): AnnouncedChunk[] => [...held.values()].sort((a, b) => a.sequence - b.sequence);
  return {
    last: () => (last < 0 ? null : last),
    take: (chunk) => {
      if (chunk.sequence <= last) return [];
      if (held.size === 0 && (chunk.previous ?? -1) <= last) return [pass(chunk)];
      held.set(chunk.sequence, chunk);
      const ready: StoredChunk[] = [];
      for (const each of inOrder()) {
        if ((each.previous ?? -1) > last) break;
        ready.push(pass(each));
      }
      return ready;
    },
    rest: () => inOrder().map(pass),
  };
}
