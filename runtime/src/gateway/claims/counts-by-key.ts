/** How many works run now, by a key; a key without work is not held. */
export interface CountsByKey {
  readonly counts: ReadonlyMap<string, number>;
  /** Counts a work that begins; the returned function counts its end, once. */
  add(key: string): () => void;
}

/** Counts by key, empty at first. */
export function countsByKey(): CountsByKey {
  const counts = new Map<string, number>();
  return {
    counts,
    add: (key) => {
      counts.set(key, (counts.get(key) ?? 0) + 1);
      let ended = false;
      return () => {
        if (ended) return;
        ended = true;
        const left = (counts.get(key) ?? 1) - 1;
        if (left === 0) counts.delete(key);
        else counts.set(key, left);
      };
    },
  };
}
