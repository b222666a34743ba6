import { StorageUnavailable } from '../protocol/errors.js';
import type { Pool, Queryable } from './pool.js';

/** One kind of write that a lane carries. */
export interface Writer<I, O> {
  /** Names the writer in errors. */
  readonly name: string;
  /** In a commit, writers of a lower order write first. */
  readonly order: number;
  /** Writes the items and answers each in order; an Error among the answers rejects that item alone. */
  run(client: Queryable, items: readonly I[]): Promise<readonly (O | Error)[]>;
  /** Whether `run` is one statement for these items: alone in a commit they then need no transaction around them. */
  single?(items: readonly I[]): boolean;
}

/** Carries all writes of one process that touch the same rows: one commit after the other, so that they never wait for each other's locks. */
export interface WriteLane {
  /** Adds a writer. */
  writer<I, O>(writer: Writer<I, O>): (item: I) => Promise<O>;
}

interface Waiting {
  readonly item: unknown;
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

interface Queue {
  readonly writer: Writer<unknown, unknown>;
  waiting: Waiting[];
}

/** One writer's share of a commit. */
type Share = readonly [Writer<unknown, unknown>, readonly Waiting[]];

/**
 * Opens a lane: what arrives while a commit is in flight is written by the next one, at most `maxBatch` items of each writer. A commit that
 * fails is written again share by share and item by item, so that a bad item harms no other; when the database is away all of it fails with
 * StorageUnavailable.
 */
export function openWriteLane({ pool, maxBatch }: { pool: Pool; maxBatch: number }): WriteLane {
  const queues: Queue[] = [];
  let writing = false;

  const write = async (shares: readonly Share[]): Promise<void> => {
    try {
      const answers = await answersOf(pool, shares);
      shares.forEach(([, waiting], share) => {
        waiting.forEach((each, index) => {
          const answer = answers[share]?.[index];
          if (answer instanceof Error) each.reject(answer);
          else each.resolve(answer);
        });
      });
    } catch (error) {
      const smaller = smallerShares(shares);
      if (error instanceof StorageUnavailable || smaller.length === 0) rejectAll(shares, error);
      else for (const share of smaller) await write([share]);
    }
  };
  const pump = async (): Promise<void> => {
    writing = true;
    for (;;) {
      const shares = queues.flatMap((queue): Share[] => {
        const taken = queue.waiting.slice(0, maxBatch);
        queue.waiting = queue.waiting.slice(maxBatch);
        return taken.length > 0 ? [[queue.writer, taken]] : [];
      });
      if (shares.length === 0) break;
      await write(shares);
    }
    writing = false;
  };
  return {
    writer: <I, O>(writer: Writer<I, O>) => {
      const queue: Queue = { writer: writer as Writer<unknown, unknown>, waiting: [] };
      queues.push(queue);
      queues.sort((a, b) => a.writer.order - b.writer.order);
      return (item: I) =>
        new Promise<O>((resolve, reject) => {
          queue.waiting.push({ item, resolve: resolve as Waiting['resolve'], reject });
          if (!writing) {
            writing = true;
            setImmediate(() => void pump());
          }
        });
    },
  };
}

async function answersOf(pool: Pool, shares: readonly Share[]): Promise<readonly (readonly unknown[])[]> {
  const run = async (client: Queryable): Promise<(readonly unknown[])[]> => {
    const answers: (readonly unknown[])[] = [];
    for (const [writer, waiting] of shares) {
      const given = await writer.run(
        client,
        waiting.map(({ item }) => item),
      );
      if (given.length !== waiting.length)
        throw new RangeError(`the writer ${writer.name} answered ${given.length} of ${waiting.length} items`);
      answers.push(given);
    }
    return answers;
  };
  const [only, more] = shares;
  const single = only && !more && only[0].single?.(only[1].map(({ item }) => item));
  return single ? run(pool) : pool.tx(run);
}

/** The next smaller parts of a failed commit: its shares, then the items of the only one. */
function smallerShares(shares: readonly Share[]): Share[] {
  if (shares.length > 1) return [...shares];
  const [writer, waiting] = shares[0] as Share;
  return waiting.length > 1 ? waiting.map((each): Share => [writer, [each]]) : [];
}

function rejectAll(shares: readonly Share[], error: unknown): void {
  for (const [, waiting] of shares) for (const each of waiting) each.reject(error);
}
