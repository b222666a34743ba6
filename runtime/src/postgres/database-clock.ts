import type { Clock } from '../protocol/clock.js';
import { openWaker, pollLoop } from '../time/wait.js';
import type { Queryable } from './pool.js';

/** How often the difference is measured, and how soon again after a measurement that failed, in milliseconds. */
const MEASURE_EVERY_MS = 60_000;
const MEASURE_AGAIN_MS = 1000;
/** Readings of one measurement; the one with the shortest way to the database and back counts. */
const READINGS = 3;

// The time of the database at this moment, not that of the transaction.
const READ = 'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::int8 AS now';

/** The time of a database, and how far this process's own clock is from it. */
export interface DatabaseClock {
  /**
   * The database's time in milliseconds since the epoch: as it was measured last, moved on by what has passed since. A
   * change of this process's own clock does not move it. Before the first measurement it is the process's own.
   */
  readonly now: Clock;
  /** How far this process's own clock is ahead of the database's, in milliseconds; negative when it is behind. */
  skewMs(): number;
  /** Resolves after the first measurement, whether it succeeded or not. */
  readonly measured: Promise<void>;
  stop(): void;
}

/**
 * Measures the database's clock, now and every minute. What several processes judge, as leases, is written and compared
 * by it, so that a process with a wrong clock ends the lease of no other.
 */
export function openDatabaseClock(options: { db: Queryable; clock: Clock; everyMs?: number }): DatabaseClock {
  const { db, clock, everyMs = MEASURE_EVERY_MS } = options;
  let last: Measurement | undefined;
  let againMs = everyMs;
  const stopping = new AbortController();
  const first = Promise.withResolvers<void>();

  const now = (): number => (last ? Math.floor(last.databaseMs + performance.now() - last.atMs) : clock());
  const run = async (): Promise<void> => {
    try {
      last = await measure(db);
      againMs = everyMs;
    } catch {
      // The statement that could not be run says nothing about time; others report that the database is away.
      againMs = Math.min(everyMs, MEASURE_AGAIN_MS);
    }
    first.resolve();
  };
  const { pause } = openWaker({ ref: false });
  void pollLoop(run, { signal: stopping.signal, everyMs: () => againMs, pause });
  return {
    now,
    skewMs: () => clock() - now(),
    measured: first.promise,
    stop: () => stopping.abort(),
  };
}

/** The database's time at a moment of this process's monotonic clock. */
interface Measurement {
  readonly databaseMs: number;
  readonly atMs: number;
}

async function measure(db: Queryable): Promise<Measurement> {
  let best: (Measurement & { tookMs: number }) | undefined;
  for (let n = 0; n < READINGS; n += 1) {
    const startedAt = performance.now();
    const { rows } = await db.query<{ now: number }>({ name: 'database.clock', text: READ });
    const tookMs = performance.now() - startedAt;
    const databaseMs = rows[0]?.now as number;
    if (!best || tookMs < best.tookMs) best = { databaseMs, atMs: startedAt + tookMs / 2, tookMs };
  }
  return best as Measurement;
}
