/** How many works run now, or how much they take, by a key; a key without work is not held. */
export interface CountsByKey {
  readonly counts: ReadonlyMap<string, number>;
  /** Counts a work that begins, as one or as the positive amount that it takes; the returned function counts its end, once. */
  add(key: string, amount?: number): () => void;
}

/** Counts by key, empty at first. */
export function countsByKey(): CountsByKey {
  const counts = new Map<string, number>();
  return {
    counts,
    add: (key, amount = 1) => {
      counts.set(key, (counts.get(key) ?? 0) + amount);
      let ended = false;
      return () => {
        if (ended) return;
        ended = true;
        const left = (counts.get(key) ?? amount) - amount;
        if (left === 0) counts.delete(key);
        else counts.set(key, left);
      };
    },
  };
}
