import type { Logger } from 'pino';
import type { Queryable } from '../../../postgres/pool.js';

/** How often a process reads all leases behind the stored place, in milliseconds. */
const SWEEP_MS = 60_000;
/** Leases that lapsed so long ago are settled between two sweeps, where clocks differ or a commit is late. In milliseconds. */
const SLACK_MS = 5000;
/** The stored place stays so far behind: longer than a lease may be late without moving it back (migration ends-without-indexes). */
const BEHIND_MS = 60_000;

/** The condition for actions that have not ended and do not wait for an approval. */
export const STILL_OPEN = `completed_at IS NULL AND state <> 'pending_approval'`;

// Moves the place to next_place, but never past the lease of an open action, and chooses the next next_place, BEHIND_MS in the past. A lease that is stored
// later ends after it, or comes late and moves the place back. A transaction that is still running may have stored an earlier one, so next_place becomes the
// place only when all that ran at that time have ended. Nothing is written where no lease ended between the two.
const SWEEP = `
WITH kept AS MATERIALIZED (
  SELECT place, next_place, revision, horizon <= pg_snapshot_xmin(pg_current_snapshot()) AS settled,
    LEAST($1::bigint, (extract(epoch FROM now()) * 1000)::bigint) - ${BEHIND_MS} AS candidate FROM runtime.settled_leases
), open AS MATERIALIZED (
  SELECT (SELECT lease_expires_at FROM runtime.actions
    WHERE lease_expires_at > (SELECT place FROM kept) AND lease_expires_at <= $1 AND ${STILL_OPEN} ORDER BY lease_expires_at LIMIT 1) AS at
), moved AS (
  UPDATE runtime.settled_leases p SET place = GREATEST(k.place, LEAST(k.next_place, o.at - 1)), next_place = GREATEST(k.next_place, k.candidate),
    horizon = pg_current_xact_id(), revision = k.revision + 1
  FROM kept k, open o WHERE p.revision = k.revision AND k.settled AND EXISTS (
    SELECT FROM runtime.actions WHERE lease_expires_at > (SELECT place FROM kept) AND lease_expires_at <= (SELECT candidate FROM kept))
)
SELECT LEAST($1 - ${SLACK_MS}, o.at - 1) AS after FROM open o`;

/** Where one process begins to read lapsed leases: an action keeps its last one when it ends, so those before are passed over. */
export interface LapsedLeases {
  /**
   * The time after which leases may have lapsed under an open action. Once a minute it is found in the database; where that fails, as while another
   * transaction keeps the place back for hours, the last one counts for a minute more. Throws StorageUnavailable when there is none yet.
   */
  after(nowMs: number): Promise<number>;
  /** No lease that lapsed up to now is left under an open action. */
  noneLeft(nowMs: number): void;
  /** Begins at the stored place again. */
  again(): void;
}

/** Opens the place of one process over `db`. */
export function openLapsedLeases(db: Queryable, log: Pick<Logger, 'warn'>): LapsedLeases {
  let after = Number.NEGATIVE_INFINITY;
  let sweptAt = Number.NEGATIVE_INFINITY;
  return {
    after: async (nowMs) => {
      if (Math.abs(nowMs - sweptAt) < SWEEP_MS) return after;
      sweptAt = nowMs;
      try {
        // Without a name: planned for what is stored now.
        const { rows } = await db.query<{ after: number }>({ text: SWEEP, values: [nowMs] });
        after = rows[0]?.after ?? after;
        return after;
      } catch (error) {
        if (after !== Number.NEGATIVE_INFINITY) {
          log.warn({ err: error }, 'leases that lapsed long ago were not checked');
          return after;
        }
        sweptAt = Number.NEGATIVE_INFINITY;
        throw error;
      }
    },
    noneLeft: (nowMs) => {
      after = Math.max(after, nowMs - SLACK_MS);
    },
    again: () => {
      sweptAt = Number.NEGATIVE_INFINITY;
    },
  };
}
