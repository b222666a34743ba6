import type { Pool } from './pool.js';
import { openWriteLane, type Writer } from './write-lane.js';

/** A writer with a lane of its own. */
export interface GroupCommitOptions<I, O> extends Omit<Writer<I, O>, 'order'> {
  readonly pool: Pool;
  /** Items of one commit at most. */
  readonly maxBatch: number;
}

/**
 * Writes items in few commits: what arrives while a commit is in flight is written by the next one. A batch that fails as a whole is
 * written again item by item, so that a bad item harms no other; when the database is away all of it fails with StorageUnavailable.
 */
export function groupCommit<I, O>({ pool, maxBatch, ...writer }: GroupCommitOptions<I, O>): (item: I) => Promise<O> {
  return openWriteLane({ pool, maxBatch }).writer({ ...writer, order: 0 });
}
