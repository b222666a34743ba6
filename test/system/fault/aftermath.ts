import type { Pool } from '#runtime/postgres/pool.js';
import type { ActionEvents, ActionResult, Event, EventStream, ReceiptChain } from '#runtime/protocol/types.js';
import type { TestClient } from '../../support/client.ts';
import type { Payment, Provider } from '../../support/provider.ts';
import { until } from '../../support/until.ts';
import { type LeaseHistory, readLeaseHistory } from './leases.ts';
import type { Sent } from './load.ts';

/** An action as the gateways stored it. */
export interface StoredAction {
  readonly state: string;
  readonly result: ActionResult | null;
}

/** What a run left behind: everything that the checks check. */
export interface Aftermath {
  readonly sent: readonly Sent[];
  /** By action id. */
  readonly actions: ReadonlyMap<string, StoredAction>;
  readonly chains: ReadonlyMap<string, ReceiptChain>;
  /** Sequences of the stored chunks of each streaming action, as its reader gets them. */
  readonly chunks: ReadonlyMap<string, readonly number[]>;
  /** The whole event log, as a reader gets it page by page. */
  readonly log: readonly Event[];
  readonly payments: readonly Payment[];
  /** How many routes were assigned, and what of them still holds a place or a counter. */
  readonly assignments: number;
  readonly taken: readonly unknown[];
  readonly leases: LeaseHistory;
}

/** How long the fleet may take to end what it accepted, to deliver what its hosts staged, and to release what it reserved. */
const SETTLING_MS = { actions: 150_000, events: 90_000, places: 45_000 } as const;

/** Waits until the fleet has settled, and reads what is left. What has not settled in time is for the checks to tell. */
export async function readAftermath(from: {
  sent: readonly Sent[];
  clients: readonly TestClient[];
  provider: Provider;
  pool: Pool;
}): Promise<Aftermath> {
  const { sent, clients, provider, pool } = from;
  const any = (n: number): TestClient => clients[n % clients.length] as TestClient;
  await settled(SETTLING_MS.actions, async () => {
    const { rows } = await pool.query('SELECT FROM runtime.actions WHERE completed_at IS NULL LIMIT 1');
    return rows.length === 0;
  });
  const stored = await pool.query<StoredAction & { action_id: string }>(
    'SELECT action_id, state, result FROM runtime.actions',
  );
  const actions = new Map(stored.rows.map(({ action_id, ...action }) => [action_id, action]));
  const known = sent.filter(({ action }) => actions.has(action.id));
  const ids = known.map(({ action }) => action.id);
  const streams = known.filter(({ action }) => action.mode === 'streaming').map(({ action }) => action.id);
  const staged = stagedEvents(sent, actions);
  let log: readonly Event[] = [];
  await settled(SETTLING_MS.events, async () => {
    log = await readLog(any(0));
    const seen = new Set(log.map(({ id }) => id));
    return staged.every((id) => seen.has(id));
  });
  let taken: readonly unknown[] = [];
  await settled(SETTLING_MS.places, async () => {
    taken = (await pool.query(TAKEN)).rows;
    return taken.length === 0;
  });
  const counted = await pool.query<{ n: number }>('SELECT count(*)::int AS n FROM registry.assignments');
  return {
    sent,
    actions,
    chains: await mapOf(ids, (id, n) => any(n).receipts(id)),
    chunks: await mapOf(streams, (id, n) => readChunks(any(n), id)),
    log,
    payments: provider.payments,
    assignments: counted.rows[0]?.n ?? 0,
    taken,
    leases: await readLeaseHistory(pool),
  };
}

/** Ids of the events that hosts staged for actions that completed. */
export function stagedEvents(sent: readonly Sent[], actions: ReadonlyMap<string, StoredAction>): string[] {
  return sent.flatMap(({ action }) => {
    const event = (action.input as { publish_event?: { id: string } }).publish_event;
    return event && actions.get(action.id)?.state === 'completed' ? [event.id] : [];
  });
}

// What holds a place on a replica, a counter or an assignment.
const TAKEN = `
SELECT 'replica' AS of, id, active FROM registry.replicas WHERE active <> 0
UNION ALL SELECT scope, key, active FROM registry.policy_counters WHERE active <> 0
UNION ALL SELECT 'assignment', action_id, 1 FROM registry.assignments WHERE reserved`;

/** Waits for a state for so long; whether it came is seen by what is read afterwards. */
async function settled(ms: number, state: () => Promise<boolean>): Promise<void> {
  await until('the fleet has settled', state, ms).catch(() => undefined);
}

async function readLog(client: TestClient): Promise<Event[]> {
  const log: Event[] = [];
  let cursor: string | undefined;
  for (;;) {
    const from = cursor === undefined ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const page = (await client.get(`/aip/v1/events?limit=1000${from}`)).body as EventStream;
    log.push(...page.events);
    if (page.events.length === 0 || page.next_cursor === undefined || page.next_cursor === cursor) return log;
    cursor = page.next_cursor;
  }
}

async function readChunks(client: TestClient, actionId: string): Promise<number[]> {
  const { body } = await client.get(`/aip/v1/actions/${actionId}/chunks?limit=1000`);
  return ((body as ActionEvents).chunks ?? []).map(({ sequence }) => Number(sequence));
}

/** What `read` gives for each id, eight at a time. */
async function mapOf<T>(
  ids: readonly string[],
  read: (id: string, index: number) => Promise<T>,
): Promise<Map<string, T>> {
  const found = new Map<string, T>();
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let index = next++; index < ids.length; index = next++) {
      const id = ids[index] as string;
      found.set(id, await read(id, index));
    }
  };
  await Promise.all(Array.from({ length: 8 }, worker));
  return found;
}
