import { setImmediate as nextTurn } from 'node:timers/promises';
import { StorageUnavailable } from '../protocol/errors.js';
import { waited } from '../time/wait.js';
import { type BatchOptions, openLane } from './lane.js';
import type { Pool, Queryable } from './pool.js';

/** What writes batches of items. */
export interface CommitWriter<I, O> extends Pick<BatchOptions<I, O>, 'maxBatch' | 'name'> {
  readonly pool: Pool;
  /** Writes the items and answers each in order; an Error among the answers rejects that item alone. */
  run(client: Queryable, items: readonly I[]): Promise<readonly (O | Error)[]>;
  /** Whether `run` is one statement for these items: it then needs no transaction around it. */
  single?(items: readonly I[]): boolean;
}

/** How long a lane waits, and by which clock. */
export interface CommitTiming {
  /** The longest wait for as many items as the last commit held, in times that commit's duration; default 1. It is 15 ms at most. */
  readonly patience?: number;
  /** Milliseconds that only pass; default: the process's own. */
  now?(): number;
  /** Waits so many milliseconds, or until the signal aborts; default: `waited`. */
  wait?(ms: number, signal: AbortSignal): Promise<unknown>;
}

/** Writers that commit at the same time. */
export interface CommitLane {
  /** Adds a writer and gives what takes its items. */
  writer<I, O>(writer: CommitWriter<I, O>): (item: I) => Promise<O>;
}

/** The longest wait of a writer with several items at a time for more of them, in milliseconds. */
const GATHERING_MS = 15;
/** Turns of the event loop that it waits for after that, and the milliseconds that they may take. */
const GATHERING_TURNS = 8;
const TURNS_MS = 20;

/**
 * Opens a lane of writers that write items in few commits: what arrives while they commit is written by the next commits, and those of all writers
 * begin together, so that they share flushes of the disk and wake this process and the database at once. While several items of a writer come at a
 * time, the lane waits for as many as the last commit held, at most `patience` times as long as that took, so that the wait is short where commits
 * are, and processes that share a database make fewer of them. It also takes what the next turns of the event loop bring: they last as long as the
 * process is busy, and an idle one is through with them immediately. A batch that fails as a whole is written again item by item, so that a bad
 * item harms no other, and none of another writer; when the database is away all of it fails with StorageUnavailable.
 */
export function openCommitLane({
  patience = 1,
  now = () => performance.now(),
  wait = waited,
}: CommitTiming = {}): CommitLane {
  let tookMs = 0;
  const lane = openLane(async ({ full, enough }) => {
    if (!enough.aborted) await wait(Math.min(tookMs * patience, GATHERING_MS), enough);
    const since = now();
    for (let turn = 0; turn < GATHERING_TURNS && !full(); turn += 1) {
      await nextTurn();
      if (now() - since > TURNS_MS) return;
    }
  });
  return {
    writer: ({ pool, name, maxBatch, run, single }) =>
      lane.add({
        name,
        maxBatch,
        run: async (items) => {
          const begunAt = now();
          try {
            return await (single?.(items) ? run(pool, items) : pool.tx((client) => run(client, items)));
          } finally {
            tookMs = now() - begunAt;
          }
        },
        alone: (error) => !(error instanceof StorageUnavailable),
      }),
  };
}

/** A writer in a lane of its own (see openCommitLane): one commit at a time. */
export function groupCommit<I, O>(options: CommitWriter<I, O> & CommitTiming): (item: I) => Promise<O> {
  return openCommitLane(options).writer(options);
}
