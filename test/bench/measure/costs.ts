import { readdir, readFile } from 'node:fs/promises';
import pg from 'pg';
import type { Dev } from '../../support/dev.ts';
import { until } from '../../support/until.ts';
import type { LoadReport } from '../load/run-load.ts';
import { openWalReader } from './wal.ts';

/** How often the waits for locks are sampled. */
const SAMPLE_MS = 50;

/** What the programs of one kind have used so far, over all of their threads. */
export interface ProcessCosts {
  readonly cpuMs: number;
  /** Voluntary context switches: a thread went to sleep. */
  readonly switches: number;
}

/** What the database has done so far. */
export interface DatabaseCosts {
  readonly commits: number;
  /** Of the WAL. */
  readonly fsyncs: number;
  readonly statements: number;
  readonly walBytes: number;
  readonly walRecords: number;
  /** Milliseconds that sessions waited for a lock of a row, a transaction or a notification, by samples. */
  readonly lockWaitMs: number;
}

/** What a fleet has used so far. */
export interface Costs {
  readonly gateway: ProcessCosts;
  readonly hosts: ProcessCosts;
  readonly postgres: ProcessCosts;
  readonly database: DatabaseCosts;
}

/** CPU ms of gateways, hosts and PostgreSQL, in this order, between two readings. */
export function cpuBetween(before: Omit<Costs, 'database'>, after: Omit<Costs, 'database'>): number[] {
  return (['gateway', 'hosts', 'postgres'] as const).map((name) => after[name].cpuMs - before[name].cpuMs);
}

/** CPU ms an action, or what else was done, of gateways, hosts, PostgreSQL and client, in this order, for a load between two readings. */
export function cpuOfEach(
  { done, cpuMs }: Pick<LoadReport, 'done' | 'cpuMs'>,
  before: Omit<Costs, 'database'>,
  after: Omit<Costs, 'database'>,
): number[] {
  return [...cpuBetween(before, after), cpuMs].map((ms) => ms / Math.max(1, done));
}

/** Reads the costs of a fleet. */
export interface CostMeter {
  read(): Promise<Costs>;
  close(): Promise<void>;
}

/** Loads the statement counter into the fleet's PostgreSQL, which restarts for that, and starts to sample lock waits. */
export async function openCostMeter(dev: Dev): Promise<CostMeter> {
  const connectionString = superuserUrl(dev);
  await countStatements(dev, connectionString);
  const client = new pg.Client({ connectionString });
  await client.connect();
  const wal = await openWalReader(client);
  let walRecords = 0;
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  const own = rows[0]?.pid;
  let samples = 0;
  let lockWaitMs = 0;
  let sampledAt = performance.now();
  let sampling = Promise.resolve();
  const timer = setInterval(() => {
    sampling = sampling.then(async () => {
      const waiting = await client.query<{ n: number }>(LOCK_WAITS);
      samples += 1;
      lockWaitMs += (waiting.rows[0]?.n ?? 0) * (performance.now() - sampledAt);
      sampledAt = performance.now();
    });
    sampling.catch(() => undefined);
  }, SAMPLE_MS);
  return {
    read: async () => {
      await sampling;
      const processes = await processCosts(dev, own);
      walRecords += (await wal.next()).reduce((sum, { records }) => sum + records, 0);
      const counted = await client.query<Counted>(COUNTERS);
      // With the two statements of the reader.
      samples += 3;
      const database = counted.rows[0] as Counted;
      const { commits, statements } = database;
      return {
        ...processes,
        database: {
          ...database,
          walRecords,
          commits: commits - samples,
          statements: statements - samples,
          lockWaitMs,
        },
      };
    },
    close: async () => {
      clearInterval(timer);
      await sampling.catch(() => undefined);
      await client.end();
    },
  };
}

/** CPU time and voluntary context switches of the fleet's programs; the database's CPU with sessions that ended, and without its session `exceptPid`. */
export async function processCosts(dev: Dev, exceptPid?: number): Promise<Omit<Costs, 'database'>> {
  const sum = async (...words: string[]): Promise<ProcessCosts> =>
    await costsOf((await dev.pids(...words)).filter((pid) => pid !== exceptPid));
  const [server] = await dev.pids('postgres', '-D');
  const running = await sum('postgres');
  return {
    gateway: await sum('aip-runtime', 'gateway'),
    hosts: await sum('aip-runtime', 'host'),
    postgres: { ...running, cpuMs: running.cpuMs + (await endedCpuMs(server as number)) },
  };
}

/** Milliseconds of a tick in /proc. */
const TICK_MS = 10;

/** CPU time of a process and of its children, ended ones included, in milliseconds. */
export async function treeCpuMs(pid: number): Promise<number> {
  const children = (await textOf(`/proc/${pid}/task/${pid}/children`)).trim();
  const { cpuMs } = await costsOf([pid, ...(children === '' ? [] : children.split(' ').map(Number))]);
  return cpuMs + (await endedCpuMs(pid));
}

/** CPU time of a process's children that have ended, in milliseconds. */
async function endedCpuMs(pid: number): Promise<number> {
  const stat = await textOf(`/proc/${pid}/stat`);
  const [user = 0, system = 0] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(13, 15)
    .map(Number);
  return (user + system) * TICK_MS;
}

/** What these processes have used so far. */
export async function costsOf(pids: readonly number[]): Promise<ProcessCosts> {
  const threads = (await Promise.all(pids.map(threadsOf))).flat();
  const each = await Promise.all(threads.map(threadCosts));
  return {
    cpuMs: each.reduce((total, { cpuMs }) => total + cpuMs, 0),
    switches: each.reduce((total, { switches }) => total + switches, 0),
  };
}

/** Without sessions that take turns to add pages to a table, which is a lock of nothing that is stored. */
const LOCK_WAITS = `
SELECT count(*)::int AS n FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND wait_event <> 'extend'`;

const COUNTERS = `
SELECT (SELECT sum(xact_commit)::float8 FROM pg_stat_database) AS commits,
  (SELECT sum(fsyncs)::float8 FROM pg_stat_io WHERE object = 'wal') AS fsyncs,
  (SELECT sum(calls)::float8 FROM pg_stat_statements WHERE toplevel) AS statements,
  (pg_current_wal_insert_lsn() - '0/0')::float8 AS "walBytes"`;

type Counted = Omit<DatabaseCosts, 'walRecords' | 'lockWaitMs'>;

/** The fleet's PostgreSQL as its superuser. */
export function superuserUrl(dev: Dev): string {
  return Object.assign(new URL(dev.ready.database_url), { username: 'postgres', pathname: '/postgres' }).href;
}

/** Restarts PostgreSQL with the statement counter; `aip dev` starts it again when it ends. */
export async function countStatements(dev: Dev, connectionString: string): Promise<void> {
  const [server] = await dev.pids('postgres', '-D');
  await once(connectionString, `ALTER SYSTEM SET shared_preload_libraries = 'pg_stat_statements'`);
  process.kill(server as number, 'SIGINT');
  await until(
    'PostgreSQL counts statements',
    () =>
      once(connectionString, 'CREATE EXTENSION IF NOT EXISTS pg_stat_statements').then(
        () => true,
        () => false,
      ),
    60_000,
  );
  await until(
    'the gateway is ready again',
    () =>
      fetch(`${dev.ready.gateway_url}/ready`).then(
        ({ ok }) => ok,
        () => false,
      ),
    60_000,
  );
}

async function once(connectionString: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString });
  client.on('error', () => undefined);
  await client.connect();
  await client.query(sql).finally(() => client.end());
}

async function threadsOf(pid: number): Promise<string[]> {
  const threads = await readdir(`/proc/${pid}/task`).catch(() => []);
  return threads.map((thread) => `/proc/${pid}/task/${thread}`);
}

async function threadCosts(folder: string): Promise<ProcessCosts> {
  const [times, status] = await Promise.all([textOf(`${folder}/schedstat`), textOf(`${folder}/status`)]);
  const switches = [...status.matchAll(/^voluntary_ctxt_switches:\s+(\d+)/gm)].reduce(
    (sum, [, n]) => sum + Number(n),
    0,
  );
  return { cpuMs: Number(times.split(' ')[0] ?? 0) / 1e6, switches };
}

function textOf(path: string): Promise<string> {
  return readFile(path, 'utf8').catch(() => '');
}
