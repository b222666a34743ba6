import { setImmediate as nextTurn } from 'node:timers/promises';
import { StorageUnavailable } from '../protocol/errors.js';
import { batched } from './batched.js';
import type { Pool, Queryable } from './pool.js';

/** What writes batches of items. */
export interface GroupCommitOptions<I, O> {
  readonly pool: Pool;
  /** Names the writer in errors. */
  readonly name: string;
  /** Items of one commit at most. */
  readonly maxBatch: number;
  /** Writes the items and answers each in order; an Error among the answers rejects that item alone. */
  run(client: Queryable, items: readonly I[]): Promise<readonly (O | Error)[]>;
  /** Whether `run` is one statement for these items: it then needs no transaction around it. */
  single?(items: readonly I[]): boolean;
  /** Milliseconds that only pass; default: the process's own. */
  now?(): number;
}

/** Turns of the event loop, and milliseconds, that a writer with several items at a time waits for more of them before its next commit. */
const GATHERING_TURNS = 8;
const GATHERING_MS = 20;

/**
 * Writes items in few commits: what arrives while a commit is in flight is written by the next one. While several come at a time, it also takes
 * what the next turns of the event loop bring: they last as long as the process is busy, and an idle one is through with them immediately. A batch that fails as a whole is
 * written again item by item, so that a bad item harms no other; when the database is away all of it fails with StorageUnavailable.
 */
export function groupCommit<I, O>(options: GroupCommitOptions<I, O>): (item: I) => Promise<O> {
  const { pool, name, maxBatch, run, single, now = () => performance.now() } = options;
  return batched<I, O>({
    name,
    maxBatch,
    run: (items) => (single?.(items) ? run(pool, items) : pool.tx((client) => run(client, items))),
    alone: (error) => !(error instanceof StorageUnavailable),
    gather: async (full) => {
      const since = now();
      for (let turn = 0; turn < GATHERING_TURNS && !full(); turn += 1) {
        await nextTurn();
        if (now() - since > GATHERING_MS) return;
      }
    },
  });
}
