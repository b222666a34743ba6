import { afterAll, beforeAll, expect, test } from 'vitest';
import { openPool, type Pool } from '#runtime/postgres/pool.js';
import { newId } from '#runtime/protocol/ids.js';
import { openRegistry, type Registry } from '#runtime/registry/registry.js';
import type { RouteAssignment } from '#runtime/registry/routes/assignment.js';
import { capabilityOf, seed, tenantOf } from '../../bench/registry/data.ts';
import { CONNECT_MS, freshDatabase } from '../../support/database.ts';

let pool: Pool;
let registry: Registry;
let end: () => Promise<void>;
beforeAll(async () => {
  const database = await freshDatabase();
  // One connection, so that its statistics can be written out where they are read.
  pool = openPool({ url: database.url, max: 1, acquireTimeoutMs: CONNECT_MS });
  registry = openRegistry({ data: pool, clock: Date.now });
  await registry.migrate();
  await seed(pool);
  end = async () => {
    await pool.close();
    await database.drop();
  };
});
afterAll(() => end?.());

const count = async (table: string): Promise<number> =>
  (await pool.query<{ n: number }>(`SELECT count(*)::int AS n FROM registry.${table}`)).rows[0]?.n as number;

/** How often a table was read from its beginning to its end, and how many of its rows were read in all. */
async function reads(table: string): Promise<{ whole: number; rows: number }> {
  await pool.query('SELECT pg_stat_force_next_flush()');
  const { rows } = await pool.query<{ whole: number; rows: number }>(
    `SELECT seq_scan AS whole, seq_tup_read + idx_tup_fetch AS rows FROM pg_stat_user_tables
     WHERE schemaname = 'registry' AND relname = $1`,
    [table],
  );
  return rows[0] as { whole: number; rows: number };
}

const request = () => ({ actionId: newId('action'), capabilityId: capabilityOf(0), tenantId: tenantOf(0) });

test('the data set has the sizes of a large fleet: 100 tenants, 10000 replicas, 100000 bindings', async () => {
  const tables = ['types', 'versions', 'capabilities', 'version_capabilities', 'instances', 'replicas', 'bindings'];
  const counts = Object.fromEntries(
    await Promise.all(tables.map(async (table) => [table, await count(table)] as const)),
  );
  expect(counts).toEqual({
    types: 1000,
    versions: 1000,
    capabilities: 1000,
    version_capabilities: 100_000,
    instances: 10_000,
    replicas: 10_000,
    bindings: 100_000,
  });
  const { rows } = await pool.query('SELECT count(DISTINCT tenant_id)::int AS tenants FROM registry.instances');
  expect(rows).toEqual([{ tenants: 100 }]);
  expect((await registry.catalog.page({ tenantId: tenantOf(0), limit: 50 })).total).toBe(10);
});

test('500 routes use each of the 100 eligible replicas, at most 3 apart, none is refused, and settled they leave nothing taken', async () => {
  const outcomes = await registry.routes.assign(Array.from({ length: 500 }, request));
  const routes = outcomes.filter((outcome): outcome is RouteAssignment => !(outcome instanceof Error));
  expect(routes).toHaveLength(500);
  const used = new Map<string, number>();
  for (const { replicaId } of routes) used.set(replicaId, (used.get(replicaId) ?? 0) + 1);
  expect(used.size).toBe(100);
  expect(Math.max(...used.values()) - Math.min(...used.values())).toBeLessThanOrEqual(3);
  const settled = await registry.routes.settle(
    routes.map(({ actionId, fenceToken }) => ({ actionId, fenceToken, settlement: 'completed' })),
  );
  expect(settled).toBe(500);
  const { rows } = await pool.query(
    'SELECT (SELECT sum(active)::int FROM registry.replicas) AS replicas, (SELECT count(*)::int FROM registry.policy_counters WHERE active <> 0) AS counters',
  );
  expect(rows).toEqual([{ replicas: 0, counters: 0 }]);
});

test('routing reads the bindings and replicas of one tenant and capability by index, of the whole tables nothing', async () => {
  const rounds = 12;
  const before = { bindings: await reads('bindings'), replicas: await reads('replicas') };
  for (let n = 0; n < rounds; n += 1) {
    // A process that knows nothing yet, so that everything is read.
    const { routes } = openRegistry({ data: pool, clock: Date.now });
    const first = request();
    for (let attempt = 0; attempt < 2; attempt += 1) {
      const [route] = (await routes.assign([first])) as [RouteAssignment];
      await routes.settle([{ ...route, settlement: 'completed' }]);
    }
  }
  const after = { bindings: await reads('bindings'), replicas: await reads('replicas') };
  for (const table of ['bindings', 'replicas'] as const) {
    expect([table, after[table].whole]).toEqual([table, before[table].whole]);
    const each = (after[table].rows - before[table].rows) / rounds;
    expect([table, each >= 100, each < 200]).toEqual([table, true, true]);
  }
});
