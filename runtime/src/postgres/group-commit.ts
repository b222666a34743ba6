import { setImmediate as nextTurn } from 'node:timers/promises';
import { StorageUnavailable } from '../protocol/errors.js';
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

interface Waiting<I, O> extends PromiseWithResolvers<O> {
  readonly item: I;
}

/**
 * Writes items in few commits: what arrives while a commit is in flight is written by the next one. While several come at a time, it also takes
 * what the next turns of the event loop bring: they last as long as the process is busy, and an idle one is through with them immediately. A batch that fails as a whole is
 * written again item by item, so that a bad item harms no other; when the database is away all of it fails with StorageUnavailable.
 */
export function groupCommit<I, O>(options: GroupCommitOptions<I, O>): (item: I) => Promise<O> {
  const now = options.now ?? (() => performance.now());
  let waiting: Waiting<I, O>[] = [];
  let writing = false;

  const write = async (batch: readonly Waiting<I, O>[]): Promise<void> => {
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
      if (error instanceof StorageUnavailable || batch.length === 1) for (const each of batch) each.reject(error);
      else for (const each of batch) await write([each]);
    }
  };
  const gathering = async (): Promise<void> => {
    const since = now();
    for (let turn = 0; turn < GATHERING_TURNS && waiting.length < options.maxBatch; turn += 1) {
      await nextTurn();
      if (now() - since > GATHERING_MS) return;
    }
  };
  const pump = async (): Promise<void> => {
    while (waiting.length > 0) {
      const batch = waiting.slice(0, options.maxBatch);
      waiting = waiting.slice(options.maxBatch);
      await write(batch);
      if (batch.length > 1) await gathering();
    }
    writing = false;
  };
  return (item) => {
    const entry: Waiting<I, O> = { ...Promise.withResolvers<O>(), item };
    waiting.push(entry);
    if (!writing) {
      writing = true;
      setImmediate(() => void pump());
    }
    return entry.promise;
  };
}

async function answersOf<I, O>(
  { pool, name, run, single }: GroupCommitOptions<I, O>,
  items: readonly I[],
): Promise<readonly (O | Error)[]> {
  const answers = single?.(items) ? await run(pool, items) : await pool.tx((client) => run(client, items));
  if (answers.length !== items.length)
    throw new RangeError(`the writer ${name} answered ${answers.length} of ${items.length} items`);
  return answers;
}
