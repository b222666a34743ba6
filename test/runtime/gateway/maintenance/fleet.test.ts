import { afterEach, expect, onTestFinished, test } from 'vitest';
import { FLEET_RULE, restMs, startFleetMaintenance } from '#runtime/gateway/maintenance/fleet.js';
import { pauseMs } from '#runtime/gateway/maintenance/loop.js';
import { type Metrics, openMetrics } from '#runtime/gateway/metrics/metrics.js';
import { RUNTIME_SCHEMA, runtimeMigrations } from '#runtime/gateway/schema/migrations.js';
import { migrate } from '#runtime/postgres/migrate.js';
import { openRegistry } from '#runtime/registry/registry.js';
import { openLogger } from '#runtime/transport/process/logger.js';
import { until } from '../../../support/until.ts';
import { assigned, type Fleet, startFleet } from '../../registry/fleet.ts';

let fleet: Fleet;
afterEach(async () => {
  await fleet?.close();
});

type Deps = Parameters<typeof startFleetMaintenance>[0];

/** The maintenance of one gateway process, over its own registry. */
function maintain(over: Partial<Deps> = {}) {
  const metrics = openMetrics();
  const { pool, registry } = fleet.another(4);
  const log = openLogger({ component: 'test', level: 'silent' });
  const maintenance = startFleetMaintenance({ pool, registry, metrics, clock: fleet.clock, log, ...over });
  onTestFinished(() => maintenance.stop());
  return { maintenance, metrics, registry };
}

async function sample(metrics: Metrics, name: string): Promise<number> {
  const match = new RegExp(`^aip_connector_fleet_${name} (\\d+)$`, 'm').exec((await metrics.render()).text);
  return Number(match?.[1] ?? 0);
}

/** Sets one replica up so many times more, all of them with the same lease. */
async function copies(count: number): Promise<void> {
  const { id } = await fleet.ready();
  await fleet.pool.query(
    `INSERT INTO registry.replicas SELECT (jsonb_populate_record(r, jsonb_build_object('id', 'crepl_copy_' || n))).*
     FROM registry.replicas r, generate_series(1, $2::int) n WHERE r.id = $1`,
    [id, count],
  );
}

test('after work the pause is a second; after failures it doubles from a second to 30; each is moved by up to a fifth', () => {
  const middle = [1000, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000];
  for (const [failures, ms] of middle.entries()) {
    const pauses = Array.from({ length: 500 }, () => pauseMs(FLEET_RULE, failures));
    expect(Math.min(...pauses)).toBeGreaterThanOrEqual(ms * 0.8);
    expect(Math.max(...pauses)).toBeLessThanOrEqual(ms * 1.2);
    expect(Math.max(...pauses) - Math.min(...pauses)).toBeGreaterThan(ms * 0.3);
  }
});

test('the pause lasts until the next lease ends: at least a second, at most about ten, and a second after work', () => {
  expect(restMs(5000, 0)).toBeGreaterThan(5000);
  expect(restMs(5000, 0)).toBeLessThan(5100);
  const pauses = (nextAt: number | undefined) => Array.from({ length: 200 }, () => restMs(nextAt, 1_000_000));
  for (const [nextAt, least, most] of [
    [Infinity, 8000, 12_000],
    [1_060_000, 8000, 12_000],
    [1_000_001, 800, 1200],
    [0, 800, 1200],
    [undefined, 800, 1200],
  ] as const) {
    expect(Math.min(...pauses(nextAt))).toBeGreaterThanOrEqual(least);
    expect(Math.max(...pauses(nextAt))).toBeLessThanOrEqual(most);
  }
});

test('F-111 part: a lease that ends while nothing else happens is noticed at its end, not at the next poll', async () => {
  fleet = await startFleet();
  const replica = await fleet.ready();
  const end = async (ms: number) => {
    const at = fleet.clock() + ms;
    await fleet.pool.query('UPDATE registry.replicas SET lease_expires_at = $2 WHERE id = $1', [replica.id, at]);
    return at;
  };
  const at = await end(5000);
  const asked: { nextLeaseEnd: number | null }[] = [];
  const { registry } = fleet;
  const summary = async () => {
    const found = await registry.maintenance.summary();
    asked.push(found);
    return found;
  };
  const { maintenance } = maintain({
    registry: { ...registry, maintenance: { ...registry.maintenance, summary } },
  });
  await until('it is offline', async () => (await registry.replicas.get(replica.id))?.status === 'offline');
  await until('the cycle has ended', () => maintenance.state().expired_last_cycle === 1);
  // One cycle before the end, unless the machine was too slow for it, and one at the end, which counts again after its work.
  expect([at, null]).toContain(asked[0]?.nextLeaseEnd);
  expect(asked.length).toBeLessThanOrEqual(3);
});

test('the state that is read a second after a cycle is counted again, once for all who read it together', async () => {
  fleet = await startFleet();
  const [first, second] = [await fleet.ready(), await fleet.ready()];
  const { registry } = fleet;
  let asked = 0;
  const summary = async () => {
    asked += 1;
    return registry.maintenance.summary();
  };
  const { maintenance, metrics } = maintain({
    registry: { ...registry, maintenance: { ...registry.maintenance, summary } },
  });
  const offline = (id: string) =>
    fleet.commit({ operation: 'offline', payload: { replica_id: id, previous_sequence: 1 } });
  await until('a cycle has run', () => maintenance.state().summary?.ready === 2);
  await offline(first.id);
  await until('it is shown', async () => (await maintenance.fresh()).summary?.ready === 1);
  await offline(second.id);
  expect(await until('the gauge follows', async () => (await sample(metrics, 'ready_replicas')) === 0)).toBe(true);
  const before = asked;
  await Promise.all(Array.from({ length: 50 }, () => maintenance.fresh()));
  expect(asked - before).toBeLessThanOrEqual(1);
});

test('a cycle expires in batches of 500, at most 8 of them, and fewer when the last one was not full', async () => {
  fleet = await startFleet();
  for (const { full, batches, expired } of [
    { full: 100, batches: 8, expired: 4000 },
    { full: 2, batches: 3, expired: 1007 },
  ]) {
    const asked: number[] = [];
    const { registry } = fleet;
    const expire = async (limit: number): Promise<number> => {
      asked.push(limit);
      return asked.length > full ? 7 : limit;
    };
    const summary = async () => ({ ...(await registry.maintenance.summary()), expiredLeases: 1 });
    const { maintenance, metrics } = maintain({
      registry: { ...registry, maintenance: { ...registry.maintenance, expire, summary } },
    });
    await until('a cycle has run', () => maintenance.state().last_success_at);
    expect(asked).toEqual(Array(batches).fill(500));
    expect(maintenance.state().expired_last_cycle).toBe(expired);
    expect(await sample(metrics, 'expired_replicas_total')).toBe(expired);
    await maintenance.stop();
  }
});

test('three gateways share 1201 lapsed leases: each is expired once and counted by one of them', async () => {
  fleet = await startFleet();
  await copies(1200);
  fleet.time.ahead += 600_000;
  const gateways = [maintain(), maintain(), maintain()];
  await until('all are offline', async () => {
    const { rows } = await fleet.pool.query("SELECT FROM registry.replicas WHERE status <> 'offline' LIMIT 1");
    return rows.length === 0;
  });
  await Promise.all(gateways.map(({ maintenance }) => maintenance.stop()));
  const counted = await Promise.all(gateways.map(({ metrics }) => sample(metrics, 'expired_replicas_total')));
  expect(counted.reduce((sum, count) => sum + count)).toBe(1201);
  const { rows } = await fleet.pool.query('SELECT DISTINCT status, health_revision FROM registry.replicas');
  expect(rows).toEqual([{ status: 'offline', health_revision: 2 }]);
});

test('three gateways give the place of an ended action back once, and count it once', async () => {
  fleet = await startFleet();
  await migrate(fleet.pool, { schema: RUNTIME_SCHEMA, migrations: runtimeMigrations });
  const replica = await fleet.ready();
  const routes = await Promise.all(Array.from({ length: 20 }, () => assigned(fleet.registry)));
  await fleet.pool.query(
    `INSERT INTO runtime.actions (action_id, tenant_id, principal_id, principal_kind, capability_id, message_id, mode, state, request, plan, attempts,
       receipt_count, accepted_at, updated_at, completed_at)
     SELECT id, tenant, 'agent:a', 'agent', 'cap:a', id, 'sync', 'failed', '{}', '{}', 1, 0, 0, 0, 1
     FROM unnest($1::text[], $2::text[]) AS i(id, tenant)`,
    [routes.map(({ actionId }) => actionId), routes.map(({ tenantId }) => tenantId)],
  );
  await fleet.pool.query('UPDATE registry.assignments SET updated_at = updated_at - 60000');
  const gateways = [maintain(), maintain(), maintain()];
  for (const { maintenance } of gateways) await until('a cycle has run', () => maintenance.state().last_success_at);
  await Promise.all(gateways.map(({ maintenance }) => maintenance.stop()));
  const counted = await Promise.all(gateways.map(({ metrics }) => sample(metrics, 'stranded_assignments_total')));
  expect(counted.reduce((sum, count) => sum + count)).toBe(20);
  expect((await fleet.registry.replicas.get(replica.id))?.activeAssignments).toBe(0);
});

test('the places that a lost gateway held unused come back with a cycle of another one', async () => {
  fleet = await startFleet({ quotaPolicyRef: 'quota:test' });
  const limits = { circuit_failure_threshold: 5, circuit_open_ms: 30_000, max_tenant_in_flight: 10 };
  await fleet.registry.policies.put({ ref: 'quota:test', revision: 2, enabled: true, limits });
  const replica = await fleet.ready();
  const sharing = () => {
    const { pool } = fleet.another(4);
    return openRegistry({ data: pool, clock: fleet.clock, shares: pool, allowLoopbackHttp: true });
  };
  const [lost, other] = [sharing(), sharing()];
  const routes = await Promise.all(Array.from({ length: 6 }, () => assigned(lost)));
  const ended = routes.map(({ actionId, fenceToken }) => ({ actionId, fenceToken, settlement: 'completed' as const }));
  await lost.routes.settle(ended);
  const taken = async () => (await fleet.registry.replicas.get(replica.id))?.activeAssignments;
  expect(await taken()).toBeGreaterThan(0);
  fleet.time.ahead += 25_000;
  const { maintenance } = maintain({ registry: other });
  expect(await until('its places are free', async () => (await taken()) === 0)).toBeTruthy();
  await maintenance.stop();
  for (const { allotments } of [lost, other]) await allotments?.close();
});

test('the state shows the fleet in the names of the protocol, and an error cut to 1024 bytes', async () => {
  fleet = await startFleet();
  const [ready, draining] = [await fleet.ready({ capacity: 10 }), await fleet.ready()];
  await fleet.commit({ operation: 'drain', payload: { replica_id: draining.id, previous_sequence: 1 } });
  await fleet.provision();
  await assigned(fleet.registry);
  let broken = false;
  const { registry } = fleet;
  const summary = async () => {
    if (broken) throw new Error('ä'.repeat(2000));
    return registry.maintenance.summary();
  };
  const { maintenance, metrics } = maintain({
    registry: { ...registry, maintenance: { ...registry.maintenance, summary } },
  });
  await until('a cycle has run', () => maintenance.state().last_success_at);
  expect(maintenance.state()).toEqual({
    worker_running: true,
    consecutive_failures: 0,
    expired_last_cycle: 0,
    last_success_at: expect.stringMatching(/^\d{4}-.*Z$/),
    summary: {
      catalog_revision: await registry.catalogRevision(),
      connector_types: 1,
      active_versions: 1,
      enabled_instances: 1,
      replicas: 3,
      ready: 1,
      draining: 1,
      offline: 1,
      expired_leases: 0,
      ready_capacity: 10,
      active_assignments: 1,
      observed_at: expect.stringMatching(/^\d{4}-.*Z$/),
    },
  });
  expect(await sample(metrics, 'ready_replicas')).toBe(1);
  await fleet.commit({ operation: 'offline', payload: { replica_id: ready.id, previous_sequence: 1 } });
  await until('the gauge follows', async () => (await sample(metrics, 'ready_replicas')) === 0);
  broken = true;
  await until('a cycle failed', () => maintenance.state().last_error);
  expect(maintenance.state()).toMatchObject({ consecutive_failures: 1, last_error: 'ä'.repeat(512) });
  expect(await sample(metrics, 'maintenance_failures_total')).toBe(1);
});

/** The port, and the names of what was called on it in order. */
function noting<T extends object>(port: T): { asked: string[]; noted: T } {
  const asked: string[] = [];
  const noted = Object.fromEntries(
    Object.entries(port).map(([name, call]) => [
      name,
      (...args: unknown[]) => {
        asked.push(name);
        return (call as (...values: unknown[]) => unknown)(...args);
      },
    ]),
  ) as T;
  return { asked, noted };
}

test('a cycle over a fleet in which nothing has lapsed is one statement; held places are read every ten seconds beside it', async () => {
  fleet = await startFleet();
  await migrate(fleet.pool, { schema: RUNTIME_SCHEMA, migrations: runtimeMigrations });
  await fleet.ready();
  await assigned(fleet.registry);
  await fleet.pool.query('UPDATE registry.assignments SET updated_at = updated_at - 60000');
  const { registry } = fleet;
  const { asked, noted } = noting(registry.maintenance);
  const { maintenance } = maintain({ registry: { ...registry, maintenance: noted } });
  const cycles = () => asked.filter((name) => name === 'summary').length;
  await until('three cycles have run', async () => (await maintenance.fresh()) && cycles() >= 3, 20_000);
  await maintenance.stop();
  expect(asked.filter((name) => name !== 'summary')).toEqual(['held']);
  expect(maintenance.state().consecutive_failures).toBe(0);
});

test('leases end and shares are taken back although the fleet cannot be counted, and one although the other fails', async () => {
  fleet = await startFleet();
  const { registry } = fleet;
  const fails = (what: string) => async (): Promise<never> => {
    throw new Error(`no ${what}`);
  };
  for (const broken of [['summary'], ['summary', 'expire'], ['summary', 'takeBack']]) {
    const ports = { summary: registry.maintenance.summary, expire: async () => 1, takeBack: async () => 1 };
    const given = Object.fromEntries(
      Object.entries(ports).map(([name, port]) => [name, broken.includes(name) ? fails(name) : port]),
    ) as typeof ports;
    const { asked, noted } = noting(given);
    const { takeBack, ...rest } = noted;
    const { maintenance } = maintain({
      registry: { ...registry, maintenance: { ...registry.maintenance, ...rest }, allotments: { takeBack } as never },
    });
    await until('a cycle failed', () => maintenance.state().consecutive_failures > 0, 20_000);
    await maintenance.stop();
    expect(asked.slice(0, 3)).toEqual(['summary', 'expire', 'takeBack']);
    expect(maintenance.state()).toMatchObject({
      expired_last_cycle: broken.includes('expire') ? 0 : 1,
      last_error: broken.map((name) => `no ${name}`).join('; '),
    });
  }
});

test('a lease ends in time although the places that are held are not read yet, or not at all', async () => {
  fleet = await startFleet();
  const replica = await fleet.ready();
  await assigned(fleet.registry);
  await fleet.pool.query('UPDATE registry.assignments SET updated_at = updated_at - 60000');
  const { registry } = fleet;
  const read = Promise.withResolvers<never>();
  let asked = false;
  const held = () => {
    asked = true;
    return read.promise;
  };
  const { maintenance, metrics } = maintain({
    registry: { ...registry, maintenance: { ...registry.maintenance, held } },
  });
  const offline = async () => (await registry.replicas.get(replica.id))?.status === 'offline';
  try {
    await until('it asked', () => asked, 20_000);
    fleet.time.ahead += 600_000;
    expect(await until('it is offline', async () => (await maintenance.fresh()) && offline(), 20_000)).toBe(true);
  } finally {
    read.reject(new Error('no places'));
  }
  await until('the failure is shown', () => maintenance.state().last_error === 'no places', 20_000);
  expect(maintenance.state().consecutive_failures).toBe(1);
  expect(await sample(metrics, 'maintenance_failures_total')).toBe(1);
});
