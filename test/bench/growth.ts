import pg from 'pg';
import { clientOf, type TestClient } from '../support/client.ts';
import { growTo } from './grow.ts';
import { type SignedFleet, startSignedFleet } from './load/signed-fleet.ts';
import { cpuOfEach, processCosts } from './measure/costs.ts';
import { percentile } from './measure/percentile.ts';
import { scaled } from './measure/scaled.ts';

const LEVELS = (process.argv[3] ?? '10000,100000,1000000').split(',').map((level) => scaled(Number(level)));
const SECONDS = scaled(Number(process.env.AIP_BENCH_SECONDS ?? 8));
const IN_FLIGHT = 16;
/** Measurements at each size. */
const TURNS = 3;
const PAGES = {
  newest: '/aip/v1/actions?order=newest&limit=50',
  oldest: '/aip/v1/actions?limit=50',
  failed: '/aip/v1/actions?order=newest&limit=50&state=failed',
  events: '/aip/v1/events?limit=50',
};

/**
 * `npm run bench -- growth [10000,100000,1000000]`: what an action costs among so many others, what these take on disk, how long a vacuum of
 * them takes and how long pages of lists: all but the vacuum should stay flat. The others are copies of a real action, with all its rows.
 */
export async function growthBench(): Promise<void> {
  const fleet = await startSignedFleet();
  const url = Object.assign(new URL(fleet.dev.ready.database_url), { username: 'postgres' });
  const database = new pg.Client({ connectionString: url.href });
  try {
    await database.connect();
    const client = clientOf(fleet.dev);
    const { id } = await client.submit({ capability_id: 'cap:demo:echo', input: { text: 'hello' }, mode: 'sync' });
    await fleet.load(IN_FLIGHT, 2);
    const empty = await bytesOf(database);
    process.stdout.write(
      '  actions | KiB an action | vacuum s | actions/s | p50 ms | CPU ms an action: gateway, hosts, postgres, client; sum | pages ms | rows added in s\n',
    );
    for (const level of LEVELS) {
      const added = performance.now();
      await growTo(database, url.href, id, level);
      const addedSeconds = (performance.now() - added) / 1000;
      const begun = performance.now();
      await database.query('VACUUM (ANALYZE)');
      const vacuumSeconds = (performance.now() - begun) / 1000;
      // What the vacuum wrote is on the disk before actions are measured beside it.
      await database.query('CHECKPOINT');
      const kib = ((await bytesOf(database)) - empty) / 1024 / level;
      const figures = await actionCosts(fleet);
      const pages = await pageTimes(client);
      process.stdout.write(
        `${String(level).padStart(9)} | ${kib.toFixed(2).padStart(13)} | ${vacuumSeconds.toFixed(1).padStart(8)} | ${figures} | ${pages} | ${addedSeconds.toFixed(0)}\n`,
      );
    }
  } finally {
    await database.end();
    await fleet.stop();
  }
}

async function bytesOf(database: pg.Client): Promise<number> {
  const { rows } = await database.query<{ bytes: number }>(
    'SELECT pg_database_size(current_database())::float8 AS bytes',
  );
  return rows[0]?.bytes ?? 0;
}

/** Medians of several turns: rate, p50 and what an action cost. */
async function actionCosts(fleet: SignedFleet): Promise<string> {
  const turns: number[][] = [];
  for (let turn = 0; turn < TURNS; turn += 1) {
    const before = await processCosts(fleet.dev);
    const report = await fleet.load(IN_FLIGHT, SECONDS);
    const cpu = cpuOfEach(report, before, await processCosts(fleet.dev));
    turns.push([report.perSecond, report.p50, ...cpu, cpu.reduce((total, part) => total + part, 0)]);
  }
  const [perSecond = 0, p50 = 0, ...cpu] = (turns[0] ?? []).map((_, n) =>
    percentile(
      turns.map((turn) => turn[n] as number),
      50,
    ),
  );
  const sum = cpu.pop() ?? 0;
  return `${perSecond.toFixed(0).padStart(9)} | ${p50.toFixed(2).padStart(6)} | ${cpu.map((part) => part.toFixed(2)).join(', ')}; ${sum.toFixed(2)}`;
}

async function pageTimes(client: TestClient): Promise<string> {
  const parts: string[] = [];
  for (const [name, path] of Object.entries(PAGES)) {
    const times: number[] = [];
    for (let n = 0; n < 9; n += 1) {
      const begun = performance.now();
      const { status } = await client.get(path);
      if (status !== 200) throw new Error(`${path} answered ${status}`);
      times.push(performance.now() - begun);
    }
    parts.push(`${name} ${percentile(times, 50).toFixed(1)}`);
  }
  return parts.join(', ');
}
