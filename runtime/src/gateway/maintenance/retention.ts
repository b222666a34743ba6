import type { Pool, Queryable } from '../../postgres/pool.js';
import {
  type Place,
  REMOVED_TOGETHER,
  type RemovedBatch,
  removeBatch,
  removeBatches,
} from '../../postgres/retention/expired-rows.js';
import type { Clock } from '../../protocol/clock.js';
import type { Registry } from '../../registry/registry.js';
import type { Logger } from '../../transport/process/logger.js';
import type { FamilyName } from '../metrics/families.js';
import type { Metrics } from '../metrics/metrics.js';
import { type Loop, type LoopRule, startLoop } from './loop.js';
import { type NamedRemoval, removals } from './removals.js';
import type { RetentionRules } from './retention-rules.js';
import { openSteps } from './steps.js';

/** When passes run, in milliseconds: hourly, moved by the jitter of loops. */
export const RETENTION_RULE: LoopRule = { intervalMs: 3_600_000, firstBackoffMs: 60_000, maxBackoffMs: 3_600_000 };

// The right to remove rows, until the transaction ends: one gateway of a deployment at a time.
const TAKE_TURN = `SELECT pg_try_advisory_xact_lock(hashtextextended('aip.runtime.retention', 0)) AS mine`;

/** What a retention pass works on. */
export interface RetentionDeps {
  pool: Pool;
  rules: RetentionRules;
  /** Absent: a gateway without a fleet. */
  registry?: Pick<Registry, 'maintenance'> | undefined;
  metrics: Metrics;
  clock: Clock;
  /** Rows that one transaction removes; default 1000. */
  batchRows?: number;
  /** Milliseconds that it may take until it is tried again with fewer; default 60 s. */
  batchMs?: number;
}

/**
 * One retention pass: removes what the rules no longer keep, in small transactions, and counts it. Ends early when another gateway is at
 * it. Returns the rows removed by kind; a kind that fails keeps no other one from being removed, and is thrown at the end.
 */
export async function retentionPass(deps: RetentionDeps, signal?: AbortSignal): Promise<Record<string, number>> {
  const { pool, registry, rules, metrics, clock, batchRows = REMOVED_TOGETHER, batchMs } = deps;
  const removed: Record<string, number> = {};
  const counted = (counter: FamilyName | undefined, rows: number): void => {
    if (counter) metrics.count(counter, rows);
  };
  const { run, end } = openSteps(signal);
  let isElsewhere = false;
  const remove = async (removal: NamedRemoval): Promise<void> => {
    const batch = async (place: Place | undefined, rows: number): Promise<RemovedBatch | undefined> => {
      const done = await inTurn(pool, (client) => removeBatch(client, removal, place, { rows, ms: batchMs }));
      counted(removal.counter, done?.removed ?? 0);
      return done;
    };
    const total = await removeBatches(batch, signal, batchRows);
    if (total === undefined) isElsewhere = true;
    else removed[removal.name] = (removed[removal.name] ?? 0) + total;
  };
  for (const removal of removals(rules, clock())) if (!isElsewhere) await run(() => remove(removal));
  const { assignmentsMs } = rules;
  if (registry && assignmentsMs !== undefined && !isElsewhere) {
    // The registry may lie in another database and serve further deployments, so its batches need no turn: they pass over each other's rows.
    const before = clock() - assignmentsMs;
    const pruned = (rows: number) => counted('aip_retention_route_assignments_deleted_total', rows);
    await run(async () => {
      removed.assignments = await registry.maintenance.prune(before, pruned, signal);
    });
  }
  end();
  return removed;
}

/** Starts the retention pass: at once, then hourly (docs/protocol/client-api.md#metrics, group Retention). */
export function startRetention(deps: RetentionDeps & { log: Logger }, rule: LoopRule = RETENTION_RULE): Loop {
  const pass = async (signal: AbortSignal): Promise<void> => {
    const removed = await retentionPass(deps, signal);
    if (Object.values(removed).some((count) => count > 0)) deps.log.info({ removed }, 'retention removed rows');
  };
  return startLoop(pass, rule, (error) => deps.log.warn({ err: error }, 'the retention pass failed'));
}

/** Runs `work` in a transaction that has the right to remove rows; undefined when another gateway has it. */
function inTurn<T>(pool: Pool, work: (client: Queryable) => Promise<T>): Promise<T | undefined> {
  return pool.tx(async (client) => {
    const turn = await client.query<{ mine: boolean }>(TAKE_TURN);
    return turn.rows[0]?.mine ? await work(client) : undefined;
  });
}
