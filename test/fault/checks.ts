import { isDeepStrictEqual } from 'node:util';
import type { Pool } from '@aip/runtime/postgres/pool.js';
import { verifyReceiptChain } from '@aip/runtime/protocol/receipts.js';
import type { ActionEvents, ActionResult, EventStream } from '@aip/runtime/protocol/types.js';
import type { TestClient } from '../support/client.ts';
import type { Provider } from '../support/provider.ts';
import { until } from '../support/until.ts';
import { leaseProblems } from './leases.ts';
import type { Sent } from './load.ts';

/** One check of a run: what it looked at, and what is wrong. */
export interface Check {
  readonly name: string;
  readonly looked: number;
  readonly problems: readonly string[];
}

/** What the checks look at after a run. */
export interface Aftermath {
  readonly sent: readonly Sent[];
  readonly clients: readonly TestClient[];
  readonly provider: Provider;
  readonly pool: Pool;
}

interface Row {
  action_id: string;
  state: string;
  result: ActionResult;
  results: number;
}

/** All actions that the gateways know, once each has ended; throws when one has not within `ms`. */
async function endedActions(pool: Pool, ms: number): Promise<Map<string, Row>> {
  const open =
    "SELECT action_id, state, attempts, last_error ->> 'code' AS code FROM runtime.actions WHERE completed_at IS NULL";
  let left: unknown[] = [];
  await until(
    'every action has ended',
    async () => {
      left = (await pool.query(open)).rows;
      return left.length === 0;
    },
    ms,
  ).catch((error) => {
    throw new Error(`${error.message}: ${JSON.stringify(left.slice(0, 5))} of ${left.length}`);
  });
  const { rows } = await pool.query<Row>(
    `SELECT a.action_id, a.state, a.result, (SELECT count(*)::int FROM runtime.events e
       WHERE e.action_id = a.action_id AND e.kind = 'aip.action.result') AS results FROM runtime.actions a`,
  );
  return new Map(rows.map((row) => [row.action_id, row]));
}

/** Checks everything that a fault must not break. */
export async function checkAll(after: Aftermath): Promise<Check[]> {
  const rows = await endedActions(after.pool, 150_000);
  return [
    accepted(after, rows),
    await receipts(after, rows),
    await chunks(after, rows),
    await events(after, rows),
    effects(after, rows),
    await released(after),
    { name: 'leases follow each other one by one', ...lookedAt(await leaseProblems(after.pool)) },
  ];
}

const lookedAt = ({ changes, problems }: { changes: number; problems: string[] }) => ({ looked: changes, problems });

function accepted({ sent }: Aftermath, rows: Map<string, Row>): Check {
  const problems: string[] = [];
  for (const { action, acknowledged, result } of sent) {
    const row = rows.get(action.id);
    if (!row) {
      if (acknowledged) problems.push(`${action.id} was accepted and is gone`);
      continue;
    }
    if (row.results !== 1) problems.push(`${action.id} has ${row.results} terminal events`);
    if (result && !isDeepStrictEqual(result, row.result))
      problems.push(`${action.id} was answered ${JSON.stringify(result)} and stored as ${JSON.stringify(row.result)}`);
  }
  return { name: 'every accepted action has one terminal state', looked: sent.length, problems };
}

async function receipts({ clients, sent }: Aftermath, rows: Map<string, Row>): Promise<Check> {
  const known = sent.filter(({ action }) => rows.has(action.id));
  const problems: string[] = [];
  await eachOf(known, async ({ action }, n) => {
    const chain = await (clients[n % clients.length] as TestClient).receipts(action.id);
    const verified = verifyReceiptChain(chain);
    if (!verified.ok) problems.push(`the receipts of ${action.id} do not verify: ${JSON.stringify(verified)}`);
    const ends = chain.receipts.filter(({ receipt_type }) => receipt_type === 'result_returned').length;
    if (ends !== 1) problems.push(`${action.id} has ${ends} receipts of its end`);
  });
  return { name: 'receipt chains verify and end once', looked: known.length, problems };
}

async function chunks({ clients, sent }: Aftermath, rows: Map<string, Row>): Promise<Check> {
  const streamed = sent.filter(
    ({ action }) => action.capability_id === 'cap:demo:count' && rows.get(action.id)?.state === 'completed',
  );
  const problems: string[] = [];
  await eachOf(streamed, async ({ action }, n) => {
    const answer = await (clients[n % clients.length] as TestClient).get(
      `/aip/v1/actions/${action.id}/chunks?limit=1000`,
    );
    const found = (answer.body as ActionEvents).chunks?.map(({ sequence }) => Number(sequence));
    const wanted = Array.from({ length: 9 }, (_, index) => index);
    const first = found?.[0] ?? 0;
    if (
      !isDeepStrictEqual(
        found?.map((sequence) => sequence - first),
        wanted,
      )
    )
      problems.push(`the chunks of ${action.id} are ${JSON.stringify(found)}`);
  });
  return { name: 'streams that completed are whole and in order', looked: streamed.length, problems };
}

async function events({ clients, sent }: Aftermath, rows: Map<string, Row>): Promise<Check> {
  const wanted = sent.flatMap(({ action }) => {
    const event = (action.input as { publish_event?: { id: string } }).publish_event;
    return event && rows.get(action.id)?.state === 'completed' ? [event.id] : [];
  });
  let counts = new Map<string, number>();
  const missing = (): string[] => wanted.filter((id) => !counts.has(id));
  await until(
    'the staged events are in the log',
    async () => {
      counts = await readLog(clients[0] as TestClient);
      return missing().length === 0;
    },
    90_000,
  ).catch(() => undefined);
  const twice = [...counts].filter(([, count]) => count !== 1);
  return {
    name: 'every acknowledged event is readable once',
    looked: counts.size,
    problems: [
      ...missing().map((id) => `the event ${id} is not in the log`),
      ...twice.map(([id, count]) => `the event ${id} was read ${count} times`),
    ],
  };
}

/** Reads the whole log in pages; how often each event came. */
async function readLog(client: TestClient): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  let cursor: string | undefined;
  for (;;) {
    const from = cursor === undefined ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const page = (await client.get(`/aip/v1/events?limit=1000${from}`)).body as EventStream;
    for (const { id } of page.events) counts.set(id, (counts.get(id) ?? 0) + 1);
    if (page.events.length === 0 || page.next_cursor === undefined || page.next_cursor === cursor) return counts;
    cursor = page.next_cursor;
  }
}

function effects({ sent, provider }: Aftermath, rows: Map<string, Row>): Check {
  const counts = new Map<string, number>();
  for (const { key } of provider.payments) counts.set(key, (counts.get(key) ?? 0) + 1);
  const problems = [...counts].filter(([, count]) => count > 1).map(([key, count]) => `${key} was paid ${count} times`);
  for (const { action } of sent) {
    const paying = action.capability_id.startsWith('cap:payments:');
    if (!paying || rows.get(action.id)?.state !== 'completed') continue;
    if (!counts.has(action.idempotency_key ?? action.id)) problems.push(`${action.id} completed and was never paid`);
  }
  return { name: 'no provider effect happened twice, and none is missing', looked: provider.payments.length, problems };
}

/** Slots and counters come back to zero once nothing runs any more. */
async function released({ pool }: Aftermath): Promise<Check> {
  const text = `SELECT 'replica' AS of, id, active FROM registry.replicas WHERE active <> 0
    UNION ALL SELECT scope, key, active FROM registry.policy_counters WHERE active <> 0
    UNION ALL SELECT 'assignment', action_id, 1 FROM registry.assignments WHERE reserved`;
  let rows: unknown[] = [];
  await until(
    'every slot is free',
    async () => {
      rows = (await pool.query(text)).rows;
      return rows.length === 0;
    },
    45_000,
  ).catch(() => undefined);
  return {
    name: 'slots and counters are free at the end',
    looked: rows.length,
    problems: rows.map((row) => `still taken: ${JSON.stringify(row)}`),
  };
}

/** Runs `work` for each item, eight at a time. */
async function eachOf<T>(items: readonly T[], work: (item: T, index: number) => Promise<void>): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let index = next++; index < items.length; index = next++) await work(items[index] as T, index);
  };
  await Promise.all(Array.from({ length: 8 }, worker));
}
