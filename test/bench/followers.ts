import { readFile } from 'node:fs/promises';
import { appendEvents, EVENTS_CHANNEL } from '#runtime/gateway/events/log/append.js';
import { openPool, type Pool } from '#runtime/postgres/pool.js';
import { newId } from '#runtime/protocol/ids.js';
import { formatTime } from '#runtime/protocol/time.js';
import { type Dev, startDev } from '../support/dev.ts';
import { allTimes, openFollowers } from './load/followers.ts';
import { cpuOfEach, processCosts } from './measure/costs.ts';
import { percentile } from './measure/percentile.ts';
import { scaled } from './measure/scaled.ts';
import { writeFloor } from './measure/write-floor.ts';

const SECONDS = scaled(Number(process.env.AIP_BENCH_SECONDS ?? 20));
const EVERY_MS = 500;
/** Sessions of PostgreSQL that are idle report what they did after ten seconds. */
const SETTLE_MS = scaled(11_000);

/** Figures of one run. */
interface Figures {
  deliveries: number;
  expected: number;
  /** Seconds until every stream was open. */
  openedIn: number;
  p50: number;
  p99: number;
  /** CPU ms a delivery: gateway, hosts, PostgreSQL, followers. */
  cpu: readonly number[];
  memoryMiB: number;
  queriesPerSecond: number;
}

/**
 * `npm run bench -- followers [1000]`: followers of one gateway's events over SSE while two events a second are stored (AIP_BENCH_SECONDS, default 20 s),
 * first with one follower, then with all; then the same bytes from a process that does nothing but write them. The time of an event is from before its
 * commit until its client has read it.
 */
export async function followersBench(): Promise<void> {
  const count = Number(process.argv[3] ?? 1000);
  if (!Number.isInteger(count) || count < 1)
    throw new Error(`followers: "${process.argv[3]}" is not a positive integer`);
  const most = scaled(count);
  const limit = String(most + 1);
  const dev = await startDev({
    env: {
      AIP_GATEWAY_MAX_FOLLOWERS: limit,
      AIP_GATEWAY_MAX_FOLLOWERS_PER_TENANT: limit,
      AIP_GATEWAY_MAX_FOLLOWERS_PER_PRINCIPAL: limit,
    },
  });
  const pool = openPool({ url: dev.ready.database_url, max: 2 });
  try {
    for (const followers of [1, most]) print(followers, await measure(dev, pool, followers));
  } finally {
    await pool.close();
    await dev.stop();
  }
  const floor = await writeFloor(most, (SECONDS * 1000) / EVERY_MS, EVERY_MS);
  process.stdout.write(
    `floor on this machine: a process that only writes as much to ${most} sockets, ${floor.toFixed(3)} CPU ms a write\n`,
  );
}

async function measure(dev: Dev, pool: Pool, followers: number): Promise<Figures> {
  // Of its own, so that no follower is sent the events of an earlier run.
  const kind = `bench.tick.${followers}`;
  const path = `/aip/v1/events?follow=true&kinds=${kind}`;
  const begunAt = performance.now();
  const clients = await openFollowers({ url: dev.ready.gateway_url, token: dev.token, path, count: followers });
  const openedIn = (performance.now() - begunAt) / 1000;
  try {
    // Sessions of the database report late what opening the streams asked.
    await new Promise((done) => setTimeout(done, SETTLE_MS));
    const before = await processCosts(dev);
    const ofClients = await clients.cpuMs();
    const statements = await transactions(pool);
    const begun = performance.now();
    const rounds = (SECONDS * 1000) / EVERY_MS;
    for (let round = 0; round < rounds; round += 1) {
      const data = { round, sent_ns: String(process.hrtime.bigint()) };
      const event = { id: newId('event'), kind, occurred_at: formatTime(Date.now()), data };
      await pool.tx(async (client) => {
        await appendEvents(client, [{ event, tenantId: dev.ready.instances[0]?.tenant_id }]);
        // As another gateway of the deployment does.
        await client.query(`SELECT pg_notify('${EVENTS_CHANNEL}', 'events bench')`);
      });
      await new Promise((done) => setTimeout(done, Math.max(0, begun + (round + 1) * EVERY_MS - performance.now())));
    }
    const times = await allTimes(clients, rounds * followers);
    const seconds = (performance.now() - begun) / 1000;
    const used = { done: times.length, cpuMs: (await clients.cpuMs()) - ofClients };
    const cpu = cpuOfEach(used, before, await processCosts(dev));
    // The bench's own transaction for each event is not the gateway's.
    const queries = (await transactions(pool)) - statements - rounds;
    return {
      deliveries: times.length,
      expected: rounds * followers,
      openedIn,
      p50: percentile(times, 50),
      p99: percentile(times, 99),
      cpu,
      memoryMiB: await gatewayMemory(dev),
      queriesPerSecond: queries / seconds,
    };
  } finally {
    await clients.stop();
  }
}

/** Transactions that the database has ended: a query outside of one counts as one. Sessions report theirs at most a second late. */
async function transactions(pool: Pool): Promise<number> {
  const { rows } = await pool.query<{ n: number }>(
    'SELECT (xact_commit + xact_rollback)::float8 AS n FROM pg_stat_database WHERE datname = current_database()',
  );
  return rows[0]?.n ?? 0;
}

/** Resident memory of the gateway, in MiB. */
async function gatewayMemory(dev: Dev): Promise<number> {
  const [pid] = await dev.pids('aip-runtime', 'gateway');
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024;
}

function print(followers: number, figures: Figures): void {
  const { deliveries, expected, openedIn, p50, p99, cpu, memoryMiB, queriesPerSecond } = figures;
  process.stdout.write(
    `${followers} followers, open after ${openedIn.toFixed(1)} s: ${deliveries} of ${expected} deliveries, event to client p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms, ` +
      `CPU ms a delivery of gateway, hosts, PostgreSQL, followers: ${cpu.map((ms) => ms.toFixed(4)).join(', ')}, ` +
      `gateway ${memoryMiB.toFixed(0)} MiB, ${queriesPerSecond.toFixed(1)} database transactions a second\n`,
  );
}
