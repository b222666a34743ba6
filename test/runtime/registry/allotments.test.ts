import pg from 'pg';
import { afterEach, expect, test } from 'vitest';
import { connectionsName, openPool, type Pool } from '#runtime/postgres/pool.js';
import { StorageUnavailable } from '#runtime/protocol/errors.js';
import type { Allotments } from '#runtime/registry/allotments/allotments.js';
import type { PolicyLimits } from '#runtime/registry/policies.js';
import { openRegistry, type Registry } from '#runtime/registry/registry.js';
import type { RouteAssignment } from '#runtime/registry/routes/assignment.js';
import { until } from '../../support/until.ts';
import { assigned, type Fleet, outcomeOf, startFleet, wanted } from './fleet.ts';

let fleet: Fleet;
const open: Allotments[] = [];
const pools: Pool[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((each) => each.close()));
  await Promise.all(pools.splice(0).map((pool) => pool.close()));
  await fleet.close();
});

const LIMITS: PolicyLimits = { circuit_failure_threshold: 5, circuit_open_ms: 30_000 };

/** A gateway's registry: it places in shares of its own. */
function gateway(pool = fleet.another(4).pool): Registry & { readonly allotments: Allotments } {
  const registry = openRegistry({ data: pool, clock: fleet.clock, shares: pool, allowLoopbackHttp: true });
  open.push(registry.allotments as Allotments);
  return registry as Registry & { readonly allotments: Allotments };
}
/** A gateway whose connections have a name of their own, and can be cut off from the database. */
function connectedGateway() {
  const name = connectionsName('aip-gateway');
  let isCut = false;
  const url = () => ({ url: isCut ? 'postgres://127.0.0.1:1/none' : fleet.url });
  const pool = openPool({ url, max: 4, applicationName: name });
  pools.push(pool);
  const end = () =>
    fleet.pool.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name IN ($1, $1 || ' listen')`,
      [name],
    );
  return Object.assign(gateway(pool), {
    name,
    cut: async () => {
      isCut = true;
      await until('no connection is left', async () => (await end()).rowCount === 0 || undefined);
    },
    connect: () => {
      isCut = false;
    },
  });
}
async function own(limits: Partial<PolicyLimits> = {}): Promise<void> {
  fleet = await startFleet({ quotaPolicyRef: 'quota:test' });
  await limit(2, limits);
}
const limit = (revision: number, limits: Partial<PolicyLimits>) =>
  fleet.registry.policies.put({ ref: 'quota:test', revision, enabled: true, limits: { ...LIMITS, ...limits } });
const isRoute = (outcome: unknown): outcome is RouteAssignment => !(outcome instanceof Error);
const settle = ({ routes }: Registry, assignments: readonly RouteAssignment[], settlement = 'completed' as const) =>
  routes.settle(assignments.map(({ actionId, fenceToken }) => ({ actionId, fenceToken, settlement })));
const assign = async ({ routes }: Registry, count: number): Promise<RouteAssignment[]> =>
  (await routes.assign(Array.from({ length: count }, () => wanted()))).filter(isRoute);
const reserved = async () =>
  (await fleet.pool.query<{ n: number }>('SELECT count(*)::int AS n FROM registry.assignments WHERE reserved')).rows[0]
    ?.n as number;
const active = async (id: string) => (await fleet.registry.replicas.get(id))?.activeAssignments;
const counters = async () =>
  (
    await fleet.pool.query<{ scope: string; active: number }>(
      'SELECT scope, active FROM registry.policy_counters WHERE active <> 0 ORDER BY scope',
    )
  ).rows;
const givenBack = async (...gateways: { allotments: Allotments }[]) => {
  // What was unused since the last tick goes back with the next one.
  for (let n = 0; n < 2; n += 1) for (const { allotments } of gateways) await allotments.tick();
};

test('work that follows other work writes no row that gateways share, and what is unused goes back', async () => {
  await own({ max_tenant_in_flight: 100, max_binding_in_flight: 100 });
  const replica = await fleet.ready();
  const one = gateway();
  const versions = async () =>
    (
      await fleet.pool.query(
        `SELECT id, xmin::text, ctid::text FROM registry.replicas
         UNION ALL SELECT scope || key, xmin::text, ctid::text FROM registry.policy_counters ORDER BY 1`,
      )
    ).rows;
  await settle(one, await assign(one, 4));
  const before = await versions();
  expect(before).toHaveLength(3);
  for (let n = 0; n < 20; n += 1) await settle(one, await assign(one, 4));
  expect(await versions()).toEqual(before);
  expect(await active(replica.id)).toBe(4);
  await givenBack(one);
  expect(await active(replica.id)).toBe(0);
  expect(await counters()).toEqual([]);
});

test('an assignment in a share is the same record, with the same errors, as one without', async () => {
  await own({ max_tenant_in_flight: 2 });
  const one = gateway();
  expect(await outcomeOf(one)).toBe('connector.replica_unavailable');
  const replica = await fleet.ready({ capacity: 3 });
  const request = wanted();
  const route = await assigned(one, request);
  expect(route.replicaId).toBe(replica.id);
  expect(await fleet.registry.routes.find(request)).toEqual(route);
  expect(await assigned(one, request)).toEqual(route);
  const otherWork = wanted({ actionId: request.actionId, capabilityId: 'cap:probe:none' });
  expect(await outcomeOf(one, otherWork)).toBe('action.id_conflict');
  const second = await assigned(one);
  expect(await outcomeOf(one)).toBe('connector.admission_capacity');
  await limit(3, { max_tenant_in_flight: 10 });
  await assigned(one);
  expect(await outcomeOf(one)).toBe('connector.replica_unavailable');
  // Pinned work gets the place that its gateway keeps unused, under the limit of its time.
  await settle(one, [route]);
  expect(await outcomeOf(one, request)).toBe('connector.admission_capacity');
  await settle(one, [second]);
  expect(await assigned(one, request)).toEqual(route);
  await limit(4, { max_tenant_in_flight: 2 });
  expect(await outcomeOf(one)).toBe('connector.admission_capacity');
  expect(await assigned(one, request)).toEqual(route);
});

test('gateways that race for the last places and the last of a counter get them all, and never one more', async () => {
  await own({ max_tenant_in_flight: 7 });
  await fleet.ready({ capacity: 5 });
  await fleet.ready({ capacity: 5 });
  const gateways = [gateway(), gateway(), fleet.another(4).registry];
  for (let round = 0; round < 12; round += 1) {
    const got = await Promise.all(gateways.map((each) => assign(each, 4)));
    expect(await reserved()).toBe(got.flat().length);
    expect(got.flat().length).toBeLessThanOrEqual(7);
    await Promise.all(gateways.map((each, index) => settle(each, got[index] ?? [])));
  }
  const full = async () => {
    const got = (await Promise.all(gateways.map((each) => assign(each, 7)))).flat();
    const count = await reserved();
    await settle(fleet.registry, got);
    for (const { allotments } of open.map((allotments) => ({ allotments }))) await givenBack({ allotments });
    return count === 7 ? [count] : undefined;
  };
  expect(await until('all seven are used', full)).toEqual([7]);
});

test('a gateway gets what another keeps unused', async () => {
  await own({ max_tenant_in_flight: 4 });
  await fleet.ready();
  const [one, other] = [gateway(), gateway()];
  await assigned(other).then((route) => settle(other, [route]));
  // On a busy machine a gateway gives back later than another one waits for.
  const all = (of: Registry): Promise<RouteAssignment[]> =>
    until('a gateway has them all', async () => {
      const routes = await assign(of, 4);
      if (routes.length === 4) return routes;
      await settle(of, routes);
      return undefined;
    });
  await settle(one, await all(one));
  expect(await counters()).toEqual([{ scope: 'tenant', active: 4 }]);
  expect(await all(other)).toHaveLength(4);
  expect(await outcomeOf(one)).toBe('connector.admission_capacity');
});

test('a gateway gets the places of a full replica that another keeps unused', async () => {
  await own();
  await fleet.ready({ capacity: 4 });
  const [one, other] = [gateway(), gateway()];
  await settle(one, await assign(one, 4));
  const got: RouteAssignment[] = [];
  await until('the other has them all', async () => got.push(...(await assign(other, 4 - got.length))) === 4);
  const [refused] = await one.routes.assign([wanted()]);
  expect(refused).toMatchObject({ code: 'connector.replica_unavailable', message: expect.stringContaining('a place') });
});

test('actions that are planned while others are placed take nothing from under them', async () => {
  await own({ max_tenant_in_flight: 1000 });
  await fleet.ready({ capacity: 200 });
  const one = gateway();
  for (let round = 0; round < 20; round += 1) {
    const planning = async () => {
      // At each moment of a placement under way.
      for (let n = 0; n < 50; n += 1) {
        (await one.routes.plan(wanted()))?.notStored('refused');
        await new Promise((done) => setImmediate(done));
      }
    };
    const [outcomes] = await Promise.all([one.routes.assign([wanted(), wanted(), wanted()]), planning(), planning()]);
    expect(outcomes.map((outcome) => (isRoute(outcome) ? 'assigned' : outcome.code))).toEqual(
      Array.from({ length: 3 }, () => 'assigned'),
    );
    await settle(one, outcomes.filter(isRoute));
    await givenBack(one);
  }
});

test('a lowered limit counts for shares at once: what becomes free is not used again', async () => {
  await own({ max_tenant_in_flight: 20 });
  await fleet.ready();
  const one = gateway();
  const routes = await assign(one, 6);
  expect(routes).toHaveLength(6);
  await limit(3, { max_tenant_in_flight: 4 });
  for (let left = 5; left >= 4; left -= 1) {
    await settle(one, routes.splice(0, 1));
    expect(await outcomeOf(one)).toBe('connector.admission_capacity');
    expect(await reserved()).toBe(left);
  }
  await settle(one, routes.splice(0, 1));
  expect(await assign(one, 3)).toHaveLength(1);
  expect(await reserved()).toBe(4);
});

test('what a killed gateway held comes back when its lease ends; what it had assigned stays counted until it is settled', async () => {
  await own({ max_tenant_in_flight: 10 });
  const replica = await fleet.ready();
  const [killed, other] = [gateway(), gateway()];
  const routes = await assign(killed, 6);
  await settle(killed, routes.splice(0, 3));
  expect(await active(replica.id)).toBe(6);
  expect(await other.allotments.takeBack()).toBe(0);
  fleet.time.ahead += 25_000;
  expect(await other.allotments.takeBack()).toBe(1);
  expect(await active(replica.id)).toBe(3);
  expect(await counters()).toEqual([{ scope: 'tenant', active: 3 }]);
  expect(await settle(other, routes)).toBe(3);
  expect(await active(replica.id)).toBe(0);
  expect(await counters()).toEqual([]);
});

test('what a killed gateway held comes back once it has no connection left, when somebody needs it', async () => {
  await own({ max_tenant_in_flight: 6 });
  const replica = await fleet.ready({ capacity: 6 });
  const [killed, other] = [connectedGateway(), gateway()];
  const routes = await assign(killed, 6);
  await settle(killed, routes.splice(0, 3));
  expect(await other.allotments.takeBack()).toBe(0);
  expect((await fleet.registry.maintenance.summary()).lapsedHolders).toBe(0);
  await killed.cut();
  expect((await fleet.registry.maintenance.summary()).lapsedHolders).toBe(1);
  expect(await assign(other, 4)).toHaveLength(3);
  expect(await active(replica.id)).toBe(6);
  expect(await counters()).toEqual([{ scope: 'tenant', active: 6 }]);
  expect(await settle(other, routes)).toBe(3);
  expect(await assign(other, 4)).toHaveLength(3);
  killed.connect();
});

test('a gateway that lost its connections, and its shares with them, places again within the limits', async () => {
  await own({ max_tenant_in_flight: 6 });
  await fleet.ready();
  const [lost, other] = [connectedGateway(), gateway()];
  await settle(lost, (await assign(lost, 6)).slice(0, 3));
  await lost.cut();
  expect(await other.allotments.takeBack()).toBe(1);
  lost.connect();
  expect(await assign(lost, 6)).toHaveLength(3);
  expect(await outcomeOf(other)).toBe('connector.admission_capacity');
  expect(await reserved()).toBe(6);
});

test('shares are taken back only when what began before, and may not have seen that, has ended', async () => {
  await own({ max_tenant_in_flight: 6 });
  await fleet.ready();
  const [cut, other] = [connectedGateway(), gateway()];
  await settle(cut, await assign(cut, 6));
  // A statement of the gateway that its database still runs.
  const running = new pg.Client({ connectionString: fleet.url, application_name: cut.name });
  await running.connect();
  await running.query('BEGIN; SELECT 1');
  await fleet.pool.query('UPDATE registry.holders SET seq = -1');
  expect(await other.allotments.takeBack()).toBe(0);
  expect(await outcomeOf(other)).toBe('connector.admission_capacity');
  await running.query('COMMIT');
  expect(await other.allotments.takeBack()).toBe(1);
  await running.end();
  expect(await assign(other, 7)).toHaveLength(6);
  expect(await reserved()).toBe(6);
});

test('a gateway whose database was away has its places back, also those of the lease that it gave up', async () => {
  await own({ max_tenant_in_flight: 6 });
  const replica = await fleet.ready({ capacity: 6 });
  const one = connectedGateway();
  const routes = await assign(one, 6);
  await settle(one, routes.slice(2));
  await one.cut();
  await expect(one.allotments.makeRoom()).rejects.toBeInstanceOf(StorageUnavailable);
  one.connect();
  expect(await assign(one, 6)).toHaveLength(4);
  expect(await active(replica.id)).toBe(6);
  expect(await settle(one, routes.slice(0, 2))).toBe(2);
  expect(await assign(one, 6)).toHaveLength(2);
  expect(await reserved()).toBe(6);
});

test('the place of a commit that nobody answered comes back as soon as the database answers again', async () => {
  await own({ max_tenant_in_flight: 6 });
  const replica = await fleet.ready({ capacity: 6 });
  const one = connectedGateway();
  const kept = await assign(one, 1);
  const locking = new pg.Client({ connectionString: fleet.url });
  await locking.connect();
  await locking.query('BEGIN; LOCK TABLE registry.assignments IN SHARE MODE');
  const lost = assign(one, 3);
  lost.catch(() => undefined);
  const waiting = `SELECT pid FROM pg_stat_activity WHERE application_name = $1 AND wait_event_type = 'Lock'`;
  await until('the assignments wait', async () => (await fleet.pool.query(waiting, [one.name])).rowCount);
  await one.cut();
  await expect(lost).rejects.toBeInstanceOf(StorageUnavailable);
  await locking.query('ROLLBACK');
  await locking.end();
  one.connect();
  fleet.time.ahead += 2500;
  await one.allotments.tick();
  expect(await active(replica.id)).toBe(1);
  expect(await counters()).toEqual([{ scope: 'tenant', active: 1 }]);
  expect(await settle(one, kept)).toBe(1);
  expect(await active(replica.id)).toBe(0);
  expect(await assign(one, 6)).toHaveLength(6);
});

test('connections that the address of the database names do not speak for a gateway', async () => {
  await own();
  await fleet.ready();
  const url = new URL(fleet.url);
  url.searchParams.set('application_name', 'elsewhere');
  pools.push(openPool({ url: url.href, max: 2, applicationName: connectionsName('aip-gateway') }));
  await assign(gateway(pools[0]), 2);
  expect((await fleet.registry.maintenance.summary()).lapsedHolders).toBe(0);
});

test('a gateway whose lease ended while it was stopped uses nothing that others may have, and places again', async () => {
  await own({ max_tenant_in_flight: 4 });
  await fleet.ready();
  const [stopped, other] = [gateway(), gateway()];
  await settle(stopped, await assign(stopped, 4));
  fleet.time.ahead += 25_000;
  await other.allotments.takeBack();
  expect(await assign(other, 4)).toHaveLength(4);
  expect(await outcomeOf(stopped)).toBe('connector.admission_capacity');
  expect(await reserved()).toBe(4);
});

test('shares that a crash of the database has undone are not used: the placement is counted for itself', async () => {
  await own({ max_tenant_in_flight: 4 });
  const replica = await fleet.ready();
  const one = gateway();
  const route = await assigned(one);
  await settle(one, [route]);
  // The last change of the shares was not on disk.
  await fleet.pool.query(`
    UPDATE registry.holders SET seq = seq - 1; UPDATE registry.allotments SET granted = 0;
    UPDATE registry.replicas SET active = 0; UPDATE registry.policy_counters SET active = 0`);
  const after = await assigned(one);
  expect(await active(replica.id)).toBe(1);
  await settle(one, [after]);
  expect(await active(replica.id)).toBe(0);
  await settle(one, await assign(one, 4));
  await givenBack(one);
  fleet.time.ahead += 25_000;
  await one.allotments.takeBack();
  expect(await active(replica.id)).toBe(0);
  expect(await counters()).toEqual([]);
});

test('a slot that another process released is found and used again', async () => {
  await own({ max_tenant_in_flight: 2 });
  await fleet.ready();
  const [one, other] = [gateway(), gateway()];
  const routes = await assign(one, 2);
  await settle(other, routes);
  expect(await counters()).toEqual([{ scope: 'tenant', active: 2 }]);
  fleet.time.ahead += 6000;
  await one.allotments.tick();
  expect(await assign(one, 2)).toHaveLength(2);
});

test('unknown outcomes open the circuit of a replica whose places are in shares, and a completion closes it', async () => {
  await own();
  const replica = await fleet.ready();
  const one = gateway();
  const failures = async () => (await fleet.registry.replicas.get(replica.id))?.consecutiveFailures;
  for (let n = 1; n <= 4; n += 1) {
    await settle(one, [await assigned(one)], 'outcome_unknown' as 'completed');
    expect(await failures()).toBe(n);
  }
  await settle(one, [await assigned(one)]);
  expect(await failures()).toBe(0);
  for (let n = 1; n <= 5; n += 1) await settle(one, [await assigned(one)], 'outcome_unknown' as 'completed');
  expect(await outcomeOf(one)).toBe('connector.replica_unavailable');
});

test('gateways that place, settle for each other, expire and take back at once leave exact counts and meet in no deadlock', async () => {
  await own({ max_tenant_in_flight: 60, max_binding_in_flight: 50 });
  const replicas = await Promise.all(Array.from({ length: 4 }, () => fleet.ready({ capacity: 12 })));
  const gateways = [gateway(), gateway(), gateway(), gateway()];
  const handed: RouteAssignment[][] = gateways.map(() => []);
  const worker = async (me: Registry & { allotments: Allotments }, index: number): Promise<number> => {
    let done = 0;
    for (let round = 0; round < 25; round += 1) {
      const routes = await assign(me, 1 + ((round * 7 + index * 5) % 20));
      done += routes.length;
      const mine = routes.splice(0, Math.ceil(routes.length / 2));
      handed[(index + 1) % gateways.length]?.push(...routes);
      await Promise.all([
        settle(me, mine),
        settle(me, handed[index]?.splice(0) ?? []),
        me.allotments.tick(),
        me.allotments.takeBack(),
        me.maintenance.expire(4),
      ]);
      // Slots that others released are found when their time has come.
      fleet.time.ahead += 300;
    }
    return done;
  };
  const done = await Promise.all(gateways.map(worker));
  // More than there are places: they were used again.
  expect(done.reduce((sum, n) => sum + n)).toBeGreaterThan(4 * 12);
  await settle(fleet.registry, handed.flat());
  expect(await reserved()).toBe(0);
  // One of them ends without giving anything back.
  fleet.time.ahead += 25_000;
  for (const { allotments } of gateways.slice(1)) await allotments.tick();
  await until('the shares of all are taken back', async () => {
    await gateways[1]?.allotments.takeBack();
    const { rows } = await fleet.pool.query('SELECT FROM registry.holders');
    return rows.length === 0;
  });
  expect(await counters()).toEqual([]);
  for (const { id } of replicas) expect(await active(id)).toBe(0);
  await fleet.pool.query('SELECT pg_stat_force_next_flush()');
  const read = 'SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()';
  expect((await fleet.pool.query<{ deadlocks: number }>(read)).rows).toEqual([{ deadlocks: 0 }]);
});
