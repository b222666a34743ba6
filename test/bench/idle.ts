import pg from 'pg';
import { startDev } from '../support/dev.ts';
import { costsOf, openCostMeter, superuserUrl } from './measure/costs.ts';
import { scaled } from './measure/scaled.ts';

const SECONDS = scaled(Number(process.env.AIP_BENCH_SECONDS ?? 30));
const GATEWAYS = Number(process.env.AIP_BENCH_GATEWAYS ?? 1);
/** What starting leaves behind ends by then: first leases, first plans, the last of the compiler. */
const SETTLE_MS = scaled(15_000);
const TOP = 12;

const PROGRAMS: Record<string, readonly string[]> = {
  gateway: ['aip-runtime', 'gateway'],
  hosts: ['aip-runtime', 'host'],
  'control plane': ['control-plane'],
  postgres: ['postgres'],
};

/**
 * `npm run bench -- idle`: what an `aip dev` costs that nobody uses (AIP_BENCH_SECONDS, default 30 s; AIP_BENCH_GATEWAYS): CPU time and voluntary
 * context switches of each program, commits, WAL and the statements that run most.
 */
export async function idleBench(): Promise<void> {
  const dev = await startDev({ args: ['--gateways', String(GATEWAYS)] });
  try {
    const meter = await openCostMeter(dev);
    await meter.close();
    const database = new pg.Client({ connectionString: superuserUrl(dev) });
    await database.connect();
    try {
      await pause(SETTLE_MS);
      const { rows: own } = await database.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
      const read = async () => ({
        at: performance.now(),
        counts: (await database.query<Counts>(COUNTS)).rows[0] as Counts,
        calls: new Map((await database.query<Calls>(CALLS)).rows.map(({ query, calls }) => [query, calls])),
        programs: await programCosts(dev, own[0]?.pid),
      });
      const before = await read();
      await pause(SECONDS * 1000);
      const after = await read();
      const seconds = (after.at - before.at) / 1000;
      let cpu = 0;
      for (const [name, { cpuMs, switches }] of after.programs) {
        const earlier = before.programs.get(name);
        const share = (cpuMs - (earlier?.cpuMs ?? 0)) / seconds / 10;
        cpu += share;
        const woken = (switches - (earlier?.switches ?? 0)) / seconds;
        print(name, `${share.toFixed(2)} % of a core, ${woken.toFixed(1)} voluntary switches a second`);
      }
      print('all', `${cpu.toFixed(2)} % of a core`);
      const per = (name: keyof Counts): string => ((after.counts[name] - before.counts[name]) / seconds).toFixed(1);
      print('database', `${per('commits')} commits, ${per('walBytes')} WAL bytes a second`);
      const rates = [...after.calls]
        .map(([query, calls]) => ({ query, rate: (calls - (before.calls.get(query) ?? 0)) / seconds }))
        .filter(({ query, rate }) => rate > 0 && !query.includes('pg_stat_'))
        .sort((a, b) => b.rate - a.rate);
      print('statements', `${rates.reduce((sum, { rate }) => sum + rate, 0).toFixed(1)} a second, the most frequent:`);
      for (const { query, rate } of rates.slice(0, TOP)) print('', `${rate.toFixed(2)} ${oneLine(query)}`);
    } finally {
      await database.end();
    }
  } finally {
    await dev.stop();
  }
}

interface Counts {
  commits: number;
  walBytes: number;
}

interface Calls {
  query: string;
  calls: number;
}

const COUNTS = `
SELECT (SELECT sum(xact_commit)::float8 FROM pg_stat_database) AS commits,
  (pg_current_wal_insert_lsn() - '0/0')::float8 AS "walBytes"`;

const CALLS = 'SELECT query, sum(calls)::float8 AS calls FROM pg_stat_statements WHERE toplevel GROUP BY query';

async function programCosts(dev: Awaited<ReturnType<typeof startDev>>, except: number | undefined) {
  const costs = new Map([['aip dev', await costsOf([dev.process.pid as number])]]);
  for (const [name, words] of Object.entries(PROGRAMS)) {
    const pids = await dev.pids(...words);
    costs.set(name, await costsOf(pids.filter((pid) => pid !== except)));
  }
  return costs;
}

function oneLine(query: string): string {
  return query.replace(/\s+/g, ' ').trim().slice(0, 110);
}

function print(what: string, found: string): void {
  process.stdout.write(`${what.padEnd(13)} | ${found}\n`);
}

const pause = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms));
