import type { Pool } from '../../postgres/pool.js';
import { queryWithin } from '../../postgres/query-within.js';
import { removalByAge, removeExpired } from '../../postgres/retention/expired-rows.js';
import type { RoutedAction } from '../routes/assignment.js';

/** An assignment that holds a place on its replica. */
export interface HeldAssignment extends RoutedAction {
  readonly fenceToken: string;
  /** Since when, in ms since the epoch. */
  readonly heldSince: number;
}

/** What HELD may take, in milliseconds: it visits what is held and the index entries of what was. */
const HELD_MS = 30_000;

// What has held its place since before a time, longest first, after one of them.
const HELD = `
SELECT action_id AS "actionId", tenant_id AS "tenantId", fence_token AS "fenceToken", updated_at AS "heldSince" FROM registry.assignments
WHERE reserved AND updated_at < $1 AND (updated_at, fence_token) > ($3, $4) ORDER BY updated_at, fence_token LIMIT $2`;

// What was settled and not touched since, oldest first, past rows that somebody works on.
const PRUNE = removalByAge({ table: 'registry.assignments', at: 'updated_at', where: 'NOT reserved' });

/** At most `limit` assignments that have held their place since before `beforeMs`, longest first, from behind `after` on. */
export async function heldAssignments(
  pool: Pool,
  beforeMs: number,
  limit: number,
  after?: HeldAssignment,
): Promise<HeldAssignment[]> {
  const values = [beforeMs, limit, after?.heldSince ?? -1, after?.fenceToken ?? ''];
  const { rows } = await queryWithin<HeldAssignment>(
    pool,
    { name: 'registry.assignments.held', text: HELD, values },
    HELD_MS,
  );
  return rows;
}

/**
 * Removes all assignments that were settled before `beforeMs`, in batches whose rows it reports to `removed`; returns how many. Their actions
 * cannot be pinned again.
 */
export function pruneAssignments(
  pool: Pool,
  beforeMs: number,
  removed?: (rows: number) => void,
  signal?: AbortSignal,
): Promise<number> {
  return removeExpired(pool, { text: PRUNE, before: beforeMs }, signal, removed);
}
