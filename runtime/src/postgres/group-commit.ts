import { setImmediate as nextTurn } from 'node:timers/promises';
import { StorageUnavailable } from '../protocol/errors.js';
import { waited } from '../time/wait.js';
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
  /** Waits so many milliseconds; default: `waited`. */
  wait?(ms: number): Promise<unknown>;
}

/** The longest wait of a writer with several items at a time for more of them, in milliseconds. */
const GATHERING_MS = 15;
/** Turns of the event loop that it waits for after that, and the milliseconds that they may take. */
const GATHERING_TURNS = 8;
const TURNS_MS = 20;

/**
 * Writes items in few commits: what arrives while a commit is in flight is written by the next one. While several come at a time, it waits for
 * more as long as the last commit took, so that the wait is short where commits are, and processes that share a database make fewer of them. It also takes
 * what the next turns of the event loop bring: they last as long as the process is busy, and an idle one is through with them immediately. A batch that fails as a whole is
 * written again item by item, so that a bad item harms no other; when the database is away all of it fails with StorageUnavailable.
 */
export function groupCommit<I, O>(options: GroupCommitOptions<I, O>): (item: I) => Promise<O> {
  const { pool, name, maxBatch, run, single, now = () => performance.now(), wait = waited } = options;
  let tookMs = 0;
  return batched<I, O>({
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
    gather: async (full) => {
      if (!full()) await wait(Math.min(tookMs, GATHERING_MS));
      const since = now();
      for (let turn = 0; turn < GATHERING_TURNS && !full(); turn += 1) {
        await nextTurn();
        if (now() - since > TURNS_MS) return;
      }
    },
  });
}

/** How items that arrive one by one are put together. */
export interface BatchOptions<I, O> {
  /** Names the work in errors. */
  readonly name: string;
  /** Items of one run at most. */
  readonly maxBatch: number;
  /** Does the work of the items and answers each in order; an Error among the answers rejects that item alone. */
  run(items: readonly I[]): Promise<readonly (O | Error)[]>;
  /** Whether a run that failed as a whole is repeated item by item, so that a bad item harms no other; default: all of its items are rejected. */
  alone?(error: unknown): boolean;
  /** Waits for more items after a run of several; `full` says whether there are enough for the next one. */
  gather?(full: () => boolean): Promise<void>;
}

interface Waiting<I, O> extends PromiseWithResolvers<O> {
  readonly item: I;
}

/** Gathers items that arrive while a run is under way into the next one: one run at a time, the first at the next turn of the event loop. */
export function batched<I, O>(options: BatchOptions<I, O>): (item: I) => Promise<O> {
  const { maxBatch, alone, gather } = options;
  let waiting: Waiting<I, O>[] = [];
  let running = false;

  const run = async (batch: readonly Waiting<I, O>[]): Promise<void> => {
    try {
      const answers = await answersOf(
        options,
        batch.map(({ item }) => item),
      );
      batch.forEach((each, index) => {
        const answer = answers[index] as O | Error;
        if (answer instanceof Error) each.reject(answer);
        else each.resolve(answer);
      });
    } catch (error) {
      if (batch.length > 1 && alone?.(error)) for (const each of batch) await run([each]);
      else for (const each of batch) each.reject(error);
    }
  };
  const runAll = async (): Promise<void> => {
    while (waiting.length > 0) {
      const batch = waiting.slice(0, maxBatch);
      waiting = waiting.slice(maxBatch);
      await run(batch);
      if (batch.length > 1) await gather?.(() => waiting.length >= maxBatch);
    }
    running = false;
  };
  return (item) => {
    const entry: Waiting<I, O> = { ...Promise.withResolvers<O>(), item };
    waiting.push(entry);
    if (!running) {
      running = true;
      setImmediate(() => void runAll());
    }
    return entry.promise;
  };
}

async function answersOf<I, O>(
  { name, run }: BatchOptions<I, O>,
  items: readonly I[],
): Promise<readonly (O | Error)[]> {
  const answers = await run(items);
  if (answers.length !== items.length)
    throw new RangeError(`${name} answered ${answers.length} of ${items.length} items`);
  return answers;
}
