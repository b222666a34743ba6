import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { countStatements, superuserUrl } from '../../bench/measure/costs.ts';
import { clientOf, type TestClient } from '../../support/client.ts';
import { type Dev, startDev } from '../../support/dev.ts';
import { until } from '../../support/until.ts';

/** Actions of one measurement, and the old ones that the tables are filled with. */
const ACTIONS = 60;
const OLD = 50_000;

/** Calls an action of what belongs to it; what the fleet does rarely besides, as for its leases, stays far below. */
const ONCE = 0.9;

/**
 * What the database may do for one signed action that is alone and declares no side effects: statements that write, each a commit of its own, and those
 * whose commits wait for the disk; WAL records of their rows and indexes; blocks read by them and by what they read first.
 */
const BUDGET = { writes: 4, waits: 2, walRecords: 25, blocks: 250 };

/** One statement since the statistics began. */
interface Statement {
  readonly query: string;
  readonly calls: number;
  readonly blocks: number;
  readonly records: number;
}

let dev: Dev;
let client: TestClient;
/** The database of the fleet, and the one that has the statistics, as the superuser. */
let fleet: pg.Client;
let statistics: pg.Client;
/** What the fleet does also without work. */
let background: ReadonlySet<string>;

beforeAll(async () => {
  dev = await startDev();
  client = clientOf(dev);
  const url = superuserUrl(dev);
  await countStatements(dev, url);
  statistics = new pg.Client({ connectionString: url });
  fleet = new pg.Client({ connectionString: dev.ready.database_url });
  await Promise.all([statistics.connect(), fleet.connect()]);
  await until('the fleet has worked for a while', async () => (await statements()).some(({ calls }) => calls >= 5));
  background = new Set((await statements()).map(({ query }) => query));
});
afterAll(async () => {
  await Promise.all([statistics?.end(), fleet?.end()]);
  await dev?.stop();
});

test('the programs of aip dev reach PostgreSQL over its socket', async () => {
  const { rows } = await fleet.query<{ program: string; over_tcp: boolean }>(
    `SELECT application_name AS program, bool_or(client_addr IS NOT NULL) AS over_tcp FROM pg_stat_activity
     WHERE backend_type = 'client backend' AND application_name LIKE 'aip-%' GROUP BY 1`,
  );
  expect(rows.length).toBeGreaterThan(2);
  expect(rows.filter(({ over_tcp }) => over_tcp)).toEqual([]);
});

const STATEMENTS = `
SELECT query, sum(calls)::float8 AS calls, sum(shared_blks_hit + shared_blks_read)::float8 AS blocks, sum(wal_records)::float8 AS records
FROM pg_stat_statements JOIN pg_database d ON d.oid = dbid WHERE toplevel AND d.datname <> current_database() GROUP BY query`;

async function statements(): Promise<Statement[]> {
  return (await statistics.query<Statement>(STATEMENTS)).rows;
}

/** What each statement did for one action; those that the fleet runs also without work are left out. */
async function perAction(work: () => Promise<void>): Promise<Statement[]> {
  const before = new Map((await statements()).map((each) => [each.query, each]));
  await work();
  return (await statements())
    .filter(({ query }) => !background.has(query))
    .map(({ query, calls, blocks, records }) => {
      const known = before.get(query);
      const per = (now: number, then = 0): number => (now - then) / ACTIONS;
      return {
        query,
        calls: per(calls, known?.calls),
        blocks: per(blocks, known?.blocks),
        records: per(records, known?.records),
      };
    })
    .filter(({ calls }) => calls >= ONCE);
}

/** One action after the other. */
async function actions(): Promise<void> {
  for (let n = 0; n < ACTIONS; n += 1) {
    const answer = await client.submit({ capability_id: 'cap:demo:echo', mode: 'sync', input: { text: 'hello' } });
    expect(answer.status).toBe(200);
  }
}

const sum = (list: readonly Statement[], what: 'calls' | 'blocks' | 'records'): number =>
  list.reduce((total, each) => total + each[what], 0);
const writing = ({ query }: Statement): boolean => /\b(INSERT|UPDATE|DELETE)\b/.test(query);
const shown = (list: readonly Statement[]): string =>
  list.map((each) => JSON.stringify({ ...each, query: each.query.trim().slice(0, 200) })).join('\n');

test('a signed action alone keeps to its budget of statements, commits and WAL records', async () => {
  await actions();
  const done = await perAction(actions);
  const writes = done.filter(writing);
  expect(sum(writes, 'calls'), shown(done)).toBeLessThanOrEqual(BUDGET.writes + 0.2);
  // A host says in the statement that its commit waits for nothing.
  const waiting = writes.filter(({ query }) => !/\brelaxed\b/.test(query));
  expect(sum(waiting, 'calls'), shown(done)).toBeLessThanOrEqual(BUDGET.waits + 0.2);
  expect(sum(writes, 'records') + sum(writes, 'calls'), shown(done)).toBeLessThanOrEqual(BUDGET.walRecords);
  // No transaction of several statements: each of the writes is one commit.
  expect(done.filter(({ query }) => /^(BEGIN|COMMIT)/.test(query))).toEqual([]);
});

test('an action reads few blocks also from full tables, with the plans that were made while they were empty', async () => {
  await actions();
  await claimAtHost();
  // Its route stays.
  const stream = { capability_id: 'cap:demo:count', mode: 'streaming', input: { n: 1, interval_ms: 1 } } as const;
  expect((await client.submit(stream)).status).toBe(200);
  for (const table of await filledTables()) await fill(table);
  const done = await perAction(actions);
  expect(sum(done, 'blocks'), shown(done)).toBeLessThanOrEqual(BUDGET.blocks);
});

/** Messages that begin no execution, as those that cancel one, have claims at the host. */
async function claimAtHost(): Promise<void> {
  const { rows } = await fleet.query<{ host: string }>(
    `SELECT quote_ident(schemaname) AS host FROM pg_tables WHERE tablename = 'executions'`,
  );
  for (const { host } of rows)
    await fleet.query(`INSERT INTO ${host}.replay_claims (message_id, signature, expires_at) VALUES ('msg', 's', 1)`);
}

/** The tables that an action writes, and the columns of their rows that name one action. */
async function filledTables(): Promise<{ name: string; key: string[]; columns: string[] }[]> {
  const { rows } = await fleet.query<{ name: string; key: string[]; columns: string[] }>(
    `SELECT format('%I.%I', table_schema, table_name) AS name,
       array_agg(column_name::text) FILTER (WHERE column_name = ANY($1)) AS key, array_agg(column_name::text) AS columns
     FROM information_schema.columns
     WHERE (table_name = ANY($2) OR (table_schema, table_name) = ('runtime', 'events')) AND is_generated = 'NEVER' AND is_identity = 'NO' GROUP BY table_schema, table_name`,
    [
      ['action_id', 'message_id', 'event_id', 'chain_id', 'receipt_id', 'fence_token'],
      ['actions', 'replay_claims', 'assignments', 'executions'],
    ],
  );
  return rows;
}

/** Copies one row so often, each with ids of its own; the plans of other connections stay as they are. */
async function fill({ name, key, columns }: { name: string; key: string[]; columns: string[] }): Promise<void> {
  const values = columns.map((column) => (key.includes(column) ? `r.${column} || '_' || n` : `r.${column}`));
  const { rowCount } = await fleet.query(
    `INSERT INTO ${name} (${columns.join(', ')}) SELECT ${values.join(', ')}
     FROM (SELECT * FROM ${name} LIMIT 1) r, generate_series(1, ${OLD}) n`,
  );
  expect(rowCount, name).toBe(OLD);
}
