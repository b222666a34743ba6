import type { Logger } from 'pino';
import type { Pool } from '../../../postgres/pool.js';
import { oneAtATime } from '../../../time/one-at-a-time.js';
import { openWaker, pollLoop, waited } from '../../../time/wait.js';
import { stockExceeded } from './admit.js';

// The last place that was given to an action, of any tenant: no tenant can have more further actions than places were given.
const LAST_PLACE = 'SELECT last_value AS place FROM runtime.actions_seq_seq';

// Some of the actions of a tenant behind a place, from the index of tenant and place alone.
const countPage = (ofTenant: string): string => `
SELECT count(*)::bigint AS actions, max(seq) AS place FROM (
  SELECT seq FROM runtime.actions WHERE tenant_id ${ofTenant} AND seq > $1 ORDER BY seq LIMIT $2
) page`;
const COUNT_OF_TENANT = countPage('= $3');
const COUNT_OUTSIDE = countPage('IS NULL');
const PAGE = 50_000;

// An action that is known already, by its id or by its idempotency key, is answered with where it stands.
const IS_KNOWN = `
SELECT EXISTS (SELECT FROM runtime.actions WHERE action_id = $1 AND tenant_id IS NOT DISTINCT FROM $2)
  OR EXISTS (SELECT FROM runtime.idempotency WHERE stored_key = $3) AS known`;

/** Pause between two counts, and the shortest one where a tenant may reach its bound before. */
const COUNT_MS = 5000;
const SHORTEST_MS = 250;
/** A tenant that has its bound is counted again after so many times what counting it took. */
const RECOUNT_PAUSES = 20;

/** An action that is about to be stored. */
export interface ArrivingAction {
  readonly action_id: string;
  readonly tenant_id: string | null;
  readonly idempotency_key: string | null;
}

/** Bounds the actions that one tenant has stored. */
export interface ActionStock {
  /**
   * Notes that a tenant stores an action. Throws StockExceeded when it had its bound at the last count and the action is not known. Nothing is
   * read for any other tenant.
   */
  check(action: ArrivingAction): Promise<void>;
  /** Counts the tenants that may have reached their bound since they were counted, after a count that is under way. */
  count(): Promise<void>;
  stop(): Promise<void>;
}

/** How many actions of a tenant were counted, and the place of the last of them. */
interface Place {
  readonly actions: number;
  readonly behind: number;
}
const NOTHING: Place = { actions: 0, behind: 0 };

/** What is known of one tenant. */
interface Counted extends Place {
  /** The last place that was given when it was counted. */
  given: number;
  /** Actions that arrived here since. */
  arrived: number;
  isFull: boolean;
  recountAt: number;
}

/**
 * Opens the bound of `limit` actions; 0 is none. A background loop counts, so that storing an action costs no further statement: what all
 * gateways store between two counts may exceed the bound.
 */
export function openActionStock({ pool, log, limit }: { pool: Pool; log: Logger; limit: number }): ActionStock {
  if (limit === 0) return { check: async () => undefined, count: async () => undefined, stop: async () => undefined };
  const tenants = new Map<string | null, Counted>();
  let active = new Set<string | null>();
  const alone = oneAtATime();
  const stopping = new AbortController();
  const waker = openWaker({ ref: false });

  const countedOf = (tenantId: string | null): Counted => {
    const known = tenants.get(tenantId);
    if (known) return known;
    const none: Counted = { ...NOTHING, given: 0, arrived: 0, isFull: false, recountAt: 0 };
    tenants.set(tenantId, none);
    return none;
  };
  /** Counts the actions of a tenant behind a place, on top of what was counted, until the bound. */
  const countOn = async (tenantId: string | null, from: Place): Promise<Place> => {
    let { actions, behind } = from;
    while (actions < limit && !stopping.signal.aborted) {
      const most = Math.min(PAGE, limit - actions);
      const { rows } = await pool.query<{ actions: number; place: number | null }>(
        tenantId === null
          ? { name: 'runtime.stock.count_outside', text: COUNT_OUTSIDE, values: [behind, most] }
          : { name: 'runtime.stock.count', text: COUNT_OF_TENANT, values: [behind, most, tenantId] },
      );
      const found = rows[0]?.actions ?? 0;
      actions += found;
      behind = rows[0]?.place ?? behind;
      if (found < most) break;
    }
    return { actions, behind };
  };
  /** What was removed is not seen by counting on, so a tenant is full only by a count of everything. */
  const countTenant = async (tenantId: string | null, given: number): Promise<void> => {
    const counted = countedOf(tenantId);
    const began = performance.now();
    if (counted.isFull ? began < counted.recountAt : counted.actions + given - counted.given < limit) return;
    counted.arrived = 0;
    const more = counted.isFull ? undefined : await countOn(tenantId, counted);
    const isEverything = counted.behind === 0;
    const now = more && (more.actions < limit || isEverything) ? more : await countOn(tenantId, NOTHING);
    const recountAt = performance.now() + RECOUNT_PAUSES * (performance.now() - began);
    Object.assign(counted, now, { given, isFull: now.actions >= limit, recountAt });
  };
  const countActive = async (): Promise<void> => {
    waker.forget();
    // An action that arrives from here on may have a place behind the one that is read.
    const uncounted = active;
    active = new Set();
    try {
      const { rows } = await pool.query<{ place: number }>({
        name: 'runtime.stock.place',
        text: LAST_PLACE,
        values: [],
      });
      for (const tenantId of uncounted) {
        uncounted.delete(tenantId);
        await countTenant(tenantId, rows[0]?.place ?? 0);
      }
    } finally {
      for (const tenantId of uncounted) active.add(tenantId);
    }
  };
  const count = (): Promise<void> => alone(countActive);
  const counting = pollLoop(() => (active.size > 0 ? count() : Promise.resolve()), {
    signal: stopping.signal,
    everyMs: () => COUNT_MS,
    pauseFirst: true,
    pause: async (ms, signal) => {
      await waited(SHORTEST_MS, signal);
      await waker.pause(ms - SHORTEST_MS, signal);
    },
    failed: (error) => log.warn({ err: error }, 'the stored actions could not be counted'),
  });

  return {
    check: async (action) => {
      const counted = countedOf(action.tenant_id);
      active.add(action.tenant_id);
      counted.arrived += 1;
      if (!counted.isFull) {
        if (counted.actions + counted.arrived >= limit) waker.wake();
        return;
      }
      const values = [action.action_id, action.tenant_id, action.idempotency_key];
      const { rows } = await pool.query<{ known: boolean }>({ name: 'runtime.stock.known', text: IS_KNOWN, values });
      if (!rows[0]?.known) throw stockExceeded('actions', 'records', limit);
    },
    count,
    stop: async () => {
      stopping.abort();
      await counting;
    },
  };
}
