/** A map that holds at most so many entries and forgets those that were used longest ago. */
export interface RecentMap<V> {
  get(key: string): V | undefined;
  set(key: string, value: V): void;
}

/** An empty map of at most `capacity` entries. */
export function createRecentMap<V>(capacity: number): RecentMap<V> {
  const entries = new Map<string, V>();
  const put = (key: string, value: V): void => {
    entries.delete(key);
    entries.set(key, value);
  };
  return {
    get: (key) => {
      const value = entries.get(key);
      if (value !== undefined) put(key, value);
      return value;
    },
    set: (key, value) => {
      put(key, value);
      if (entries.size > capacity) entries.delete(entries.keys().next().value as string);
    },
  };
}
