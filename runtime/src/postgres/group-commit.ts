import { StorageUnavailable } from '../protocol/errors.js';
import type { Pool, Queryable } from './pool.js';

export interface GroupCommitOptions<I, O> {
  readonly pool: Pool;
  /** Names the writer in errors. */
  readonly name: string;
  /** Items of one commit at most. */
  readonly maxBatch: number;
  /** Commits in flight at most; default 1: everything that arrives meanwhile goes into the next. */
  readonly lanes?: number;
  /** Writes the items in one transaction and answers each in order; an Error among the answers rejects that item alone. */
  run(client: Queryable, items: readonly I[]): Promise<readonly (O | Error)[]>;
}

/**
 * Writes items in few commits: what arrives while a commit is in flight is written by the next one. A batch that fails as a whole is
 * written again item by item, so that a bad item harms no other; when the database is away all of it fails with StorageUnavailable.
 */
export function groupCommit<I, O>(options: GroupCommitOptions<I, O>): (item: I) => Promise<O> {
  const { pool, name, maxBatch, lanes = 1, run } = options;
  interface Waiting {
    item: I;
    resolve(value: O): void;
    reject(error: unknown): void;
  }
  let waiting: Waiting[] = [];
  let inFlight = 0;

  const write = (batch: readonly Waiting[]): Promise<readonly (O | Error)[]> =>
    pool.tx((client) =>
      run(
        client,
        batch.map((each) => each.item),
      ),
    );
  const settle = (batch: readonly Waiting[], answers: readonly (O | Error)[]): void => {
    batch.forEach((each, index) => {
      const answer = answers[index] as O | Error;
      if (answer instanceof Error) each.reject(answer);
      else each.resolve(answer);
    });
  };
  const commit = async (batch: readonly Waiting[]): Promise<void> => {
    try {
      const answers = await write(batch);
      if (answers.length !== batch.length)
        throw new RangeError(`the writer ${name} answered ${answers.length} of ${batch.length} items`);
      settle(batch, answers);
    } catch (error) {
      if (batch.length === 1 || error instanceof StorageUnavailable) for (const each of batch) each.reject(error);
      else for (const each of batch) await commit([each]);
    }
  };
  const pump = (): void => {
    while (inFlight < lanes && waiting.length > 0) {
      const batch = waiting.slice(0, maxBatch);
      waiting = waiting.slice(maxBatch);
      inFlight += 1;
      void commit(batch).finally(() => {
        inFlight -= 1;
        pump();
      });
    }
  };
  return (item) =>
    new Promise<O>((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      if (inFlight < lanes) setImmediate(pump);
    });
}
