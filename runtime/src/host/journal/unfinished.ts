import type { Pool } from '../../postgres/pool.js';
import { queryWithin } from '../../postgres/query-within.js';
import { SCANNED_PAGES } from '../../postgres/retention/expired-rows.js';
import { StorageUnavailable } from '../../protocol/errors.js';
import { doubling, retry } from '../../time/retry.js';

/** The count ends after so long, in milliseconds: it reads the whole journal, which has no index of what is unfinished. */
const LONGEST_MS = 60_000;
/** What one slice may take, in milliseconds. */
const SLICE_MS = 4000;
const ATTEMPTS = 8;
const pauseMs = doubling(500, 10_000);

// The conditions are tested outside of the pages that are read, so that no index of their columns takes the place of the walk.
const COUNT = `
SELECT count(*) AS unfinished FROM (
  SELECT instance_id, state, started_at FROM executions WHERE ctid >= $1::text::tid AND ctid < $2::text::tid OFFSET 0
) slice WHERE instance_id = $3 AND state = 'started' AND started_at < $4`;

/** How many pages the journal has. */
export async function journalPages(pool: Pool): Promise<number> {
  const { rows } = await pool.query<{ pages: number }>(
    `SELECT pg_relation_size('executions') / current_setting('block_size')::bigint AS pages`,
  );
  return rows[0]?.pages ?? 0;
}

/**
 * Counts the executions of the instance that began before a time (milliseconds since the epoch) and have no result, and reports to `counted` how many
 * it found so far. Reads the journal in slices, for a minute at most or until `signal` fires. Throws StorageUnavailable when that lasts.
 */
export async function countUnfinished(
  { pool, instanceId, before }: { pool: Pool; instanceId: string; before: number },
  counted: (found: number) => void,
  signal: AbortSignal,
): Promise<void> {
  const asked = <T>(ask: () => Promise<T>): Promise<T> =>
    retry(ask, {
      attempts: ATTEMPTS,
      delayMs: pauseMs,
      retryable: (error) => error instanceof StorageUnavailable && !signal.aborted,
      signal,
    });
  const endAt = performance.now() + LONGEST_MS;
  const pages = await asked(() => journalPages(pool));
  let found = 0;
  for (let page = 0; page < pages && performance.now() < endAt && !signal.aborted; page += SCANNED_PAGES) {
    const values = [`(${page},0)`, `(${page + SCANNED_PAGES},0)`, instanceId, before];
    const { rows } = await asked(() => queryWithin<{ unfinished: number }>(pool, { text: COUNT, values }, SLICE_MS));
    found += rows[0]?.unfinished ?? 0;
    counted(found);
  }
}
