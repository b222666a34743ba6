/** Parts up to this size are copied together behind the first one; larger ones are kept as they came. */
const SMALL_BYTES = 4096;
const LARGEST_BLOCK_BYTES = 65_536;

/** Collects what arrives of a body. */
export interface ByteCollector {
  add(part: Buffer): void;
  /** Everything that was added, as one buffer. */
  all(): Buffer;
  /** Forgets everything that was added. */
  clear(): void;
}

/**
 * Collects parts of any size at the cost of their bytes: a buffer of its own takes a hundred times as much as the one byte that a sender may
 * put into it.
 */
export function collectBytes(): ByteCollector {
  let parts: Buffer[] = [];
  let block = Buffer.alloc(0);
  let filled = 0;
  const finishBlock = (): void => {
    if (filled > 0) parts.push(block.subarray(0, filled));
    block = block.subarray(filled);
    filled = 0;
  };
  return {
    add: (part) => {
      if (part.length > SMALL_BYTES || (parts.length === 0 && filled === 0)) {
        finishBlock();
        parts.push(part);
        return;
      }
      if (part.length > block.length - filled) {
        const bytes = Math.min(LARGEST_BLOCK_BYTES, Math.max(SMALL_BYTES, 2 * filled));
        finishBlock();
        block = Buffer.allocUnsafe(bytes);
      }
      filled += part.copy(block, filled);
    },
    all: () => {
      finishBlock();
      return parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts);
    },
    clear: () => {
      parts = [];
      block = Buffer.alloc(0);
      filled = 0;
    },
  };
}
