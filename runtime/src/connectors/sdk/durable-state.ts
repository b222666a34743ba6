/** Key-value store of an instance in the host's own database. Keys: 1 to 512 bytes; values: JSON up to 256 KiB, no secrets. */
export interface DurableState {
  get(key: string): Promise<unknown>;
  put(key: string, value: unknown): Promise<void>;
  /** Stores the value unless the key has one; returns what is stored and whether this call stored it. Atomic over all replicas. */
  once(key: string, value: unknown): Promise<{ created: boolean; value: unknown }>;
  /** Adds one to a counter that begins at 0 and returns the new value. Atomic over all replicas. */
  increment(key: string): Promise<number>;
}
