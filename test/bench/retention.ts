import pg from 'pg';
import { retentionPass } from '#runtime/gateway/maintenance/retention.js';
import { openMetrics } from '#runtime/gateway/metrics/metrics.js';
import { openJournal } from '#runtime/host/journal/journal.js';
import { openPool, type Pool } from '#runtime/postgres/pool.js';
import { openRegistry } from '#runtime/registry/registry.js';
import type { LoadReport } from './load/run-load.ts';
import { startSignedFleet } from './load/signed-fleet.ts';
import { cpuBetween, processCosts } from './measure/costs.ts';
import { scaled } from './measure/scaled.ts';

const ROWS = scaled(Number(process.argv[3] ?? 1_000_000));
const SECONDS = scaled(Number(process.env.AIP_BENCH_SECONDS ?? 8));
const IN_FLIGHT = 16;
const DAY_MS = 86_400_000;
/** Rows that one statement adds. */
const SEEDED_TOGETHER = 50_000;

/** An instance of the demo fleet's host schema that no host serves. */
const INSTANCE = 'cinst_bench';

/** A kind of row: how expired ones are added ($1 and $2: the first and the last number), before younger ones of their log, and what removes them all. */
interface Kind {
  readonly table: string;
  /** Its time; that of an added row is its number. */
  readonly at: string;
  readonly seed: string;
  remove(): Promise<unknown>;
}

function kindsOf(pool: Pool, hostPool: Pool, host: string): Kind[] {
  const clock = Date.now;
  const rules = { eventsMs: 30 * DAY_MS, actionsMs: 30 * DAY_MS };
  const pass = () => retentionPass({ pool, rules, metrics: openMetrics(), clock });
  const numbers = 'generate_series($1::int, $2::int) n';
  return [
    {
      table: 'runtime.replay_claims',
      at: 'expires_at',
      seed: `(message_id, expires_at) SELECT 'msg_' || md5(n::text), n FROM ${numbers}`,
      remove: pass,
    },
    {
      table: 'runtime.events',
      at: 'occurred_at',
      seed: `(xid, event_id, kind, tenant_id, occurred_at, record)
        SELECT '1', 'evt_' || md5(n::text), 'bench.old', 'demo', n, json_build_object('id', n, 'data', repeat('x', 300)) FROM ${numbers}`,
      remove: pass,
    },
    {
      table: 'runtime.actions',
      at: 'completed_at',
      seed: `(action_id, tenant_id, principal_id, principal_kind, capability_id, message_id, mode, state, request, plan, accepted_at, updated_at,
          completed_at, receipts)
        SELECT 'act_' || md5(n::text), 'bench', 'agent:a', 'agent', 'cap:x', 'msg_' || n, 'sync', 'completed', '{}', '{}', n, n, n, ARRAY[
          json_build_object('position', 0, 'record', json_build_object('id', 'rcpt_' || n, 'hash', md5(n::text), 'body', repeat('x', 600)))]
        FROM ${numbers}`,
      remove: pass,
    },
    {
      table: 'registry.assignments',
      at: 'updated_at',
      seed: `(action_id, capability_id, tenant_id, instance_id, replica_id, version_id, manifest_digest, endpoint, peer_principal_id,
          peer_principal_kind, peer_did, trust_domain, transport_profile, catalog_revision, binding_policy_revision, replica_health_revision,
          fence_token, assigned_at, admission, reserved, held, updated_at)
        SELECT 'act_' || md5(n::text), 'c', 'demo', 'i', 'r', 'v', 'd', 'e', 'p', 'k', 'd', 't', 'x', 1, 1, 1, 'f_' || md5(n::text), n, '{}', false,
          '[]', n FROM ${numbers}`,
      remove: () => openRegistry({ data: pool, clock }).maintenance.prune(clock() - 30 * DAY_MS),
    },
    {
      table: `${host}.executions`,
      at: 'started_at',
      seed: `(instance_id, action_id, replica_id, capability_id, request_digest, state, started_at, message_id, result)
        SELECT '${INSTANCE}', 'act_' || md5(n::text), 'crepl_a', 'cap:x', 'd', 'finished', n, 'msg_bench' || n, '{}' FROM ${numbers}`,
      remove: () => removeExecutions(hostPool, clock),
    },
  ];
}

/** Prunes the journal slice by slice, as a host does once a minute, until nothing old is left. */
async function removeExecutions(pool: Pool, clock: () => number): Promise<void> {
  const journal = openJournal({ pool, instanceId: INSTANCE, replicaId: 'crepl_a', clock, durability: 'relaxed' });
  const before = clock() - 7 * DAY_MS;
  const isLeft = async (): Promise<boolean> =>
    (await pool.query('SELECT FROM executions WHERE started_at < $1 LIMIT 1', [before])).rowCount > 0;
  while (await isLeft()) await journal.prune(clock(), before);
}

/**
 * `npm run bench -- retention [1000000]`: so many expired rows of each kind are removed by one pass while signed actions run; beside what the same
 * actions do without it.
 */
export async function retentionBench(): Promise<void> {
  const fleet = await startSignedFleet();
  const url = Object.assign(new URL(fleet.dev.ready.database_url), { username: 'postgres' });
  const database = new pg.Client({ connectionString: url.href });
  const pool = openPool({ url: fleet.dev.ready.database_url, max: 2 });
  await database.connect();
  const { rows: hosts } = await database.query<{ host: string }>(
    `SELECT quote_ident(schemaname) AS host FROM pg_tables WHERE tablename = 'executions'`,
  );
  const host = hosts[0]?.host as string;
  const hostUrl = new URL(url);
  hostUrl.searchParams.set('options', `-c search_path=${host}`);
  const hostPool = openPool({ url: hostUrl.href, max: 2, keepPlans: true });
  try {
    await fleet.load(IN_FLIGHT, 2);
    process.stdout.write(`without retention: ${textOf(await fleet.load(IN_FLIGHT, SECONDS))}\n`);
    await database.query('SET synchronous_commit = off');
    for (const { table, at, seed, remove } of kindsOf(pool, hostPool, host)) {
      for (let from = 1; from <= ROWS; from += SEEDED_TOGETHER)
        await database.query(`INSERT INTO ${table} ${seed}`, [from, Math.min(ROWS, from + SEEDED_TOGETHER - 1)]);
      const before = await processCosts(fleet.dev);
      const own = process.cpuUsage();
      const begun = performance.now();
      let seconds = 0;
      const removal = remove().then(() => {
        seconds = (performance.now() - begun) / 1000;
      });
      const beside = await fleet.load(IN_FLIGHT, SECONDS);
      const overlapped = seconds === 0 ? 'all the while' : 'part of the time';
      await removal;
      const { user, system } = process.cpuUsage(own);
      const ofFleet = cpuBetween(before, await processCosts(fleet.dev));
      const cpu = [...ofFleet, beside.cpuMs, (user + system) / 1000].map((ms) => (ms / 1000).toFixed(1)).join(', ');
      const { rows } = await database.query<{ left: number }>(
        `SELECT count(*)::int AS left FROM ${table} WHERE ${at} <= $1`,
        [ROWS],
      );
      const left = rows[0]?.left ?? 0;
      const removed = ROWS - left;
      process.stdout.write(
        `${table.replace(host, 'host')}: ${removed} removed, ${left} left, in ${seconds.toFixed(1)} s, ${(removed / seconds).toFixed(0)} a second\n` +
          `  actions beside it (${overlapped}): ${textOf(beside)}\n` +
          `  CPU s of both: gateway, hosts, PostgreSQL, client, this process, which removes: ${cpu}\n`,
      );
    }
  } finally {
    await hostPool.close();
    await pool.close();
    await database.end();
    await fleet.stop();
  }
}

function textOf({ perSecond, p50, p99, failed }: LoadReport): string {
  return `${perSecond.toFixed(0)} actions a second, p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms, ${failed} failed`;
}
