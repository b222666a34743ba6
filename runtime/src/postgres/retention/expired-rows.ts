import { StorageUnavailable } from '../../protocol/errors.js';
import type { Pool, Queryable } from '../pool.js';

/** Rows that one statement removes: it never holds many locks. */
export const REMOVED_TOGETHER = 1000;

/** Milliseconds that one batch may take: it removes rows from tables of any size. The client waits longer: the batch must have ended at the server. */
const BATCH_MS = 60_000;
const LATER_MS = 5000;
/** A batch that took longer is tried again with so many times fewer rows. */
const FEWER = 10;
/** SQLSTATE of a statement that the server ended, as after its time. */
const CANCELED = '57014';

/** What one kind of expired row is removed by. */
export interface Removal {
  /**
   * Takes $1, the time before which rows are expired, $2, how many rows it removes at most, and $3 and following, the place it continues from. Returns
   * how many rows it removed and the place that it read up to; null: nothing that is expired is left behind it.
   */
  readonly text: string;
  /** Milliseconds since the epoch. */
  readonly before: number;
  /** The place before all rows; default: that of removalByAge. */
  readonly start?: Place;
  /** Values of the parameters that follow the place. */
  readonly values?: readonly unknown[];
}

/** What one batch removed, and where the next one continues; without a place there is none. */
export interface RemovedBatch {
  readonly removed: number;
  readonly place: Place | null;
}

/** Where a batch begins: values of the columns by which its rows are in order. */
export type Place = readonly (string | null)[];

/** The place before all rows of removalByAge. */
const OLDEST: Place = ['0'];

// For the statements of a removal, until its transaction ends. A table that filled since it was analyzed is taken for small, and a plan that sorts would read
// every expired row for each batch; one that reads the whole table may begin in its middle, where another reads it. The commit waits for no disk, which actions wait for: what a crash of the database brings back is removed again.
const SETTINGS = `
SELECT set_config('enable_bitmapscan', 'off', true), set_config('enable_sort', 'off', true), set_config('enable_seqscan', 'off', true),
  set_config('synchronous_commit', 'off', true), set_config('statement_timeout', $1, true)`;

/**
 * SQL of a Removal of rows whose column `at` lies before $1, oldest first, past rows that another transaction holds. A batch begins at the time where the
 * one before it ended: the index keeps removed rows until it is vacuumed, and a batch that began at the oldest would read all of them again.
 */
export function removalByAge({
  table,
  at,
  where = 'true',
  returning = '1',
  also = '',
}: {
  table: string;
  /** A column with an index that serves its order. */
  at: string;
  where?: string;
  /** What `also`, further common table expressions, reads of the removed rows from `gone`. */
  returning?: string;
  also?: string;
}): string {
  return `
WITH expired AS MATERIALIZED (
  SELECT ctid AS row_id, ${at} AS at FROM ${table} WHERE ${at} >= $3::bigint AND ${at} < $1::bigint AND ${where}
  ORDER BY ${at} LIMIT $2 FOR UPDATE SKIP LOCKED
), gone AS (
  DELETE FROM ${table} WHERE ctid = ANY (ARRAY(SELECT row_id FROM expired)) RETURNING ${returning}
)${also}
SELECT (SELECT count(*) FROM gone)::int AS removed, CASE WHEN count(*) = $2 THEN ARRAY[max(at)::text] END AS place
FROM expired`;
}

/** The place before all rows of removalByScan. */
export const FIRST_PLACE: Place = ['(0,0)'];

/** Pages that one batch of removalByScan reads at most: 8 MiB of a table in which nothing is expired. */
export const SCANNED_PAGES = 1024;

/**
 * SQL of a Removal of rows whose column `at` lies before $1, in the order in which they lie in the table, past rows that another transaction holds:
 * for times that have no index. A batch ends after SCANNED_PAGES, also where little is expired. Starts from FIRST_PLACE.
 */
export function removalByScan({ table, at, where = 'true' }: { table: string; at: string; where?: string }): string {
  const expired = `${at} < $1::bigint AND ${where}`;
  // The condition is tested outside of the rows that are read, so that no index of its columns may give another order.
  return `
WITH pages AS MATERIALIZED (
  SELECT format('(%s,0)', stop)::tid AS stop, stop < pg_relation_size('${table}') / current_setting('block_size')::bigint AS more
  FROM (SELECT ($3::text::point)[0]::bigint + ${SCANNED_PAGES} AS stop) slice
), found AS MATERIALIZED (
  SELECT row_id FROM (
    SELECT ctid AS row_id, ${expired} AS expired FROM ${table} WHERE ctid > $3::text::tid AND ctid < (SELECT stop FROM pages) OFFSET 0
  ) slice WHERE expired LIMIT $2
), free AS MATERIALIZED (
  SELECT ctid AS row_id FROM ${table} WHERE ctid = ANY (ARRAY(SELECT row_id FROM found)) AND ${expired} FOR UPDATE SKIP LOCKED
), gone AS (
  DELETE FROM ${table} WHERE ctid = ANY (ARRAY(SELECT row_id FROM free)) RETURNING 1
)
SELECT (SELECT count(*) FROM gone)::int AS removed,
  CASE WHEN count(*) = $2 THEN ARRAY[max(row_id)::text] ELSE (SELECT ARRAY[stop::text] FROM pages WHERE more) END AS place
FROM found`;
}

/** Removes one batch that begins at `place`, in the transaction of `client`. Throws StorageUnavailable. */
export async function removeBatch(
  client: Queryable,
  { text, before, start = OLDEST, values = [] }: Removal,
  place: Place = start,
  { rows = REMOVED_TOGETHER, ms = BATCH_MS }: { rows?: number; ms?: number | undefined } = {},
): Promise<RemovedBatch> {
  const [, done] = await Promise.all([
    client.query(SETTINGS, [String(ms)]),
    client.query<{ removed: number; place: Place | null }>({
      text,
      values: [before, rows, ...place, ...values],
      timeoutMs: ms + LATER_MS,
    }),
  ]);
  const { removed, place: next } = done.rows[0] as RemovedBatch;
  return { removed, place: next };
}

const TOO_LONG = 'too long';

function tookTooLong(error: unknown): boolean {
  return error instanceof StorageUnavailable && (error.cause as { code?: string } | undefined)?.code === CANCELED;
}

/**
 * Removes batches by `batch`, each from where the one before it ended, until nothing expired is left, a batch finds that another process is at it
 * (undefined), or `signal` fires. A batch that took too long is tried again with a tenth of its rows, as are those after it. Returns how many rows it
 * removed; undefined when another process is at it.
 */
export async function removeBatches(
  batch: (place: Place | undefined, rows: number) => Promise<RemovedBatch | undefined>,
  signal?: AbortSignal,
  rows: number = REMOVED_TOGETHER,
): Promise<number | undefined> {
  let total = 0;
  let place: Place | undefined;
  let together = rows;
  while (!signal?.aborted) {
    const done = await batch(place, together).catch((error): typeof TOO_LONG => {
      if (together === 1 || !tookTooLong(error)) throw error;
      return TOO_LONG;
    });
    if (!done) return undefined;
    if (done === TOO_LONG) {
      together = Math.max(1, Math.floor(together / FEWER));
      continue;
    }
    total += done.removed;
    if (!done.place) break;
    place = done.place;
  }
  return total;
}

/**
 * Removes what is expired of a slice of a table, a removalByScan: so many pages from a place on, each batch in a transaction of its own, and reports to
 * `reached` where the next slice begins; undefined: at the start. Throws StorageUnavailable.
 */
export async function removeSlice(
  pool: Pick<Pool, 'tx'>,
  removal: Removal,
  { from, pages, reached }: { from: Place | undefined; pages: number; reached: (place: Place | undefined) => void },
  signal?: AbortSignal,
): Promise<void> {
  const end = pageOf(from) + pages;
  let place = from;
  do {
    const batch = await pool.tx((client) => removeBatch(client, removal, place));
    place = batch.place ?? undefined;
    reached(place);
  } while (place && pageOf(place) < end && !signal?.aborted);
}

/** The page of a place of removalByScan, whose text is that of a row's: its page and its number in it. */
function pageOf(place: Place = FIRST_PLACE): number {
  return Number(place[0]?.slice(1, place[0].indexOf(',')));
}

/**
 * Removes all rows that are expired, each batch in a transaction of its own, and reports the rows of each to `removed`. Returns how many. Throws
 * StorageUnavailable.
 */
export async function removeExpired(
  pool: Pick<Pool, 'tx'>,
  removal: Removal,
  signal?: AbortSignal,
  removed?: (rows: number) => void,
): Promise<number> {
  const total = await removeBatches(async (place, rows) => {
    const batch = await pool.tx((client) => removeBatch(client, removal, place, { rows }));
    removed?.(batch.removed);
    return batch;
  }, signal);
  return total ?? 0;
}
