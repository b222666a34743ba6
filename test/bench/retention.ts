import pg from 'pg';
import { retentionPass } from '#runtime/gateway/maintenance/retention.js';
import { openMetrics } from '#runtime/gateway/metrics/metrics.js';
import { openPool } from '#runtime/postgres/pool.js';
import { type SignedFleet, startSignedFleet } from './load/signed-fleet.ts';
import { processCosts } from './measure/costs.ts';
import { scaled } from './measure/scaled.ts';

const ROWS = scaled(Number(process.argv[3] ?? 1_000_000));
const SECONDS = scaled(Number(process.env.AIP_BENCH_SECONDS ?? 8));
const IN_FLIGHT = 16;
const DAY_MS = 86_400_000;
/** Rows that one statement adds. */
const SEEDED_TOGETHER = 50_000;

/** Events are larger than claims, so that a tenth of them is a comparable amount of work. */
const COUNTS: Record<string, number> = { replay_claims: ROWS, events: Math.ceil(ROWS / 10) };

// $1 and $2: the first and the last number. All expired long ago.
const SEEDS: Record<string, string> = {
  replay_claims: `INSERT INTO runtime.replay_claims (message_id, expires_at) SELECT 'msg_' || md5(n::text), n FROM generate_series($1::int, $2::int) n`,
  events: `INSERT INTO runtime.events (event_id, kind, tenant_id, occurred_at, record)
    SELECT 'evt_' || md5(n::text), 'bench.old', 'demo', n, json_build_object('id', 'evt_' || md5(n::text), 'kind', 'bench.old', 'data', repeat('x', 300))
    FROM generate_series($1::int, $2::int) n`,
};

/**
 * `npm run bench -- retention [1000000]`: so many expired replay claims, and then a tenth as many expired events, are removed by one pass of retention
 * each, while signed actions run; beside what the same actions do without it.
 */
export async function retentionBench(): Promise<void> {
  const fleet = await startSignedFleet();
  const url = Object.assign(new URL(fleet.dev.ready.database_url), { username: 'postgres' });
  const database = new pg.Client({ connectionString: url.href });
  const pool = openPool({ url: fleet.dev.ready.database_url, max: 2 });
  try {
    await database.connect();
    await fleet.load(IN_FLIGHT, 2);
    process.stdout.write(`without retention: ${await loaded(fleet)}\n`);
    for (const [table, seed] of Object.entries(SEEDS)) {
      const count = COUNTS[table] as number;
      await database.query('SET synchronous_commit = off');
      for (let from = 1; from <= count; from += SEEDED_TOGETHER)
        await database.query(seed, [from, Math.min(count, from + SEEDED_TOGETHER - 1)]);
      await database.query(`ANALYZE runtime.${table}`);
      const metrics = openMetrics();
      const before = (await processCosts(fleet.dev)).postgres.cpuMs;
      const begun = performance.now();
      let running = true;
      const deps = { pool, rules: { eventsMs: 30 * DAY_MS }, metrics, clock: Date.now };
      const removal = retentionPass(deps).finally(() => {
        running = false;
      });
      const beside = await loaded(fleet);
      const overlapped = running ? 'all the while' : 'part of the time';
      const removed = await removal;
      const seconds = (performance.now() - begun) / 1000;
      const cpu = (await processCosts(fleet.dev)).postgres.cpuMs - before;
      const { rows } = await database.query<{ left: number }>(
        `SELECT count(*)::int AS left FROM runtime.${table} WHERE ${table === 'events' ? 'occurred_at' : 'expires_at'} <= $1`,
        [count],
      );
      process.stdout.write(
        `${table}: ${removed[table]} removed in ${seconds.toFixed(1)} s, ${rows[0]?.left} of the expired left, PostgreSQL ${(cpu / 1000).toFixed(1)} s of CPU with the actions\n` +
          `  actions beside it (${overlapped}): ${beside}\n`,
      );
    }
  } finally {
    await pool.close();
    await database.end();
    await fleet.stop();
  }
}

async function loaded(fleet: SignedFleet): Promise<string> {
  const { perSecond, p50, p99, failed } = await fleet.load(IN_FLIGHT, SECONDS);
  return `${perSecond.toFixed(0)} actions a second, p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms, ${failed} failed`;
}
