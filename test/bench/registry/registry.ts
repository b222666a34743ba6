import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbedded } from '#runtime/postgres/embedded/embedded.js';
import { batched } from '#runtime/postgres/lane.js';
import { openPool, type Pool } from '#runtime/postgres/pool.js';
import { newId } from '#runtime/protocol/ids.js';
import { openRegistry, type Registry } from '#runtime/registry/registry.js';
import type { RouteAssignment, RouteRequest } from '#runtime/registry/routes/assignment.js';
import { treeCpuMs } from '../measure/costs.ts';
import { percentile } from '../measure/percentile.ts';
import { capabilityOf, seed, tenantOf } from './data.ts';
import { heartbeats } from './heartbeats.ts';

const ROUNDS = 10;
const AT_ONCE = 500;
const SECONDS = Number(process.env.AIP_BENCH_SECONDS ?? 8);

/**
 * The registry (docs/protocol/registry.md) over 100,000 bindings in a durable PostgreSQL of its own: 500 routes at once as a gateway asks for them,
 * catalog pages, signed heartbeats through a control plane process, memory and database growth; beside the thresholds of the reference.
 */
export async function registryBench(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'aip-bench-'));
  const server = await startEmbedded({ dataDir: join(folder, 'data') });
  const pool = openPool({ url: server.url, max: 32 });
  try {
    const registry = openRegistry({ data: pool, clock: Date.now });
    await registry.migrate();
    const before = await databaseBytes(pool);
    const begun = performance.now();
    const keys = await seed(pool);
    row('seeding, set-based statements', `${((performance.now() - begun) / 1000).toFixed(1)} s`, '<= 60 s');

    const pages = await catalogPages(registry);
    row('catalog page p99, 32 tenants at once', `${percentile(pages, 99).toFixed(1)} ms`, '<= 2000 ms');

    const cold = await resolves(registry);
    row('500 routes at once, first time', routesText(cold), 'p99 <= 3000 ms, >= 100/s');
    row('  replicas used, most - fewest', `${cold.used}, ${cold.apart}`, '100, <= 3');
    const warm = [];
    const own = process.cpuUsage();
    const database = await treeCpuMs(server.pid);
    for (let round = 0; round < ROUNDS; round += 1) warm.push(await resolves(registry));
    const best = [...warm].sort((a, b) => a.wallMs - b.wallMs)[Math.floor(ROUNDS / 2)] as Resolves;
    const routed = ROUNDS * AT_ONCE;
    const { user, system } = process.cpuUsage(own);
    const costs = [(user + system) / 1000, (await treeCpuMs(server.pid)) - database].map((ms) => ms / routed);
    row(`500 routes at once, median of ${ROUNDS}`, routesText(best), 'p99 <= 300 ms, >= 2000/s');
    row(
      '  CPU a route and its release',
      `${costs.map((ms) => ms.toFixed(3)).join(' + ')} ms (process, PostgreSQL)`,
      'none',
    );
    row('  refused', String(cold.refused + warm.reduce((sum, each) => sum + each.refused, 0)), '0');

    let beforeBeats = 0;
    const beats = await heartbeats(folder, server.url, keys, SECONDS, async () => {
      beforeBeats = await treeCpuMs(server.pid);
    });
    const beatsDatabase = ((await treeCpuMs(server.pid)) - beforeBeats) / beats.committed;
    row(
      'signed heartbeats, 128 in flight',
      `${beats.perSecond.toFixed(0)}/s, p50 ${beats.p50.toFixed(1)} ms, p99 ${beats.p99.toFixed(1)} ms, ${beats.refused} refused`,
      '>= 1500/s',
    );
    row(
      '  CPU a heartbeat',
      `${[beats.cpuMs, beatsDatabase, beats.senderMs].map((ms) => ms.toFixed(3)).join(' + ')} ms (control plane, PostgreSQL, senders)`,
      'none',
    );
    const counted = await pool.query<{ sum: number }>('SELECT sum(active)::int AS sum FROM registry.replicas');
    row('places taken at the end', String(counted.rows[0]?.sum), '0');
    row('peak memory of this process', `${(process.resourceUsage().maxRSS / 1024).toFixed(0)} MiB`, '<= 512 MiB');
    row('database growth', `${(((await databaseBytes(pool)) - before) / 2 ** 20).toFixed(0)} MiB`, '<= 1024 MiB');
  } finally {
    await pool.close();
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

interface Resolves {
  times: number[];
  wallMs: number;
  refused: number;
  used: number;
  apart: number;
}

/** 500 routes of one tenant and capability at once, in batches as the dispatcher of a gateway makes them; settled afterwards. */
async function resolves(registry: Registry): Promise<Resolves> {
  const assign = batched<RouteRequest, RouteAssignment>({
    name: 'registry.assign',
    maxBatch: 256,
    run: (requests) => registry.routes.assign(requests),
  });
  const times: number[] = [];
  const begun = performance.now();
  const outcomes = await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      const start = performance.now();
      const route = await assign({
        actionId: newId('action'),
        capabilityId: capabilityOf(0),
        tenantId: tenantOf(0),
      }).catch(() => undefined);
      times.push(performance.now() - start);
      return route;
    }),
  );
  const wallMs = performance.now() - begun;
  const routes = outcomes.filter((route) => route !== undefined);
  const counts = new Map<string, number>();
  for (const { replicaId } of routes) counts.set(replicaId, (counts.get(replicaId) ?? 0) + 1);
  await registry.routes.settle(
    routes.map(({ actionId, fenceToken }) => ({ actionId, fenceToken, settlement: 'completed' })),
  );
  const numbers = [...counts.values()];
  return {
    times,
    wallMs,
    refused: AT_ONCE - routes.length,
    used: counts.size,
    apart: Math.max(...numbers) - Math.min(...numbers),
  };
}

/** Times of one page of 50 for each of 32 tenants, all at once. */
function catalogPages(registry: Registry): Promise<number[]> {
  return Promise.all(
    Array.from({ length: 32 }, async (_, n) => {
      const start = performance.now();
      await registry.catalog.page({ tenantId: tenantOf(n), limit: 50 });
      return performance.now() - start;
    }),
  );
}

function routesText({ times, wallMs }: Resolves): string {
  const rate = (AT_ONCE / wallMs) * 1000;
  return `p50 ${percentile(times, 50).toFixed(1)} ms, p99 ${percentile(times, 99).toFixed(1)} ms, ${rate.toFixed(0)}/s`;
}

async function databaseBytes(pool: Pool): Promise<number> {
  const { rows } = await pool.query<{ size: number }>('SELECT pg_database_size(current_database()) AS size');
  return Number(rows[0]?.size);
}

function row(what: string, found: string, reference: string): void {
  process.stdout.write(`${what.padEnd(38)} | ${found.padEnd(58)} | reference ${reference}\n`);
}
