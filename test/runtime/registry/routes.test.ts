import { afterEach, describe, expect, test } from 'vitest';
import type { Pool } from '#runtime/postgres/pool.js';
import { newId } from '#runtime/protocol/ids.js';
import { putCanary } from '#runtime/registry/canaries.js';
import { RegistryInputInvalid } from '#runtime/registry/errors.js';
import type { PolicyLimits } from '#runtime/registry/policies.js';
import { openRegistry } from '#runtime/registry/registry.js';
import type { RouteAssignment, RouteRequest } from '#runtime/registry/routes/assignment.js';
import type { Settlement } from '#runtime/registry/routes/settle.js';
import { probeCapability } from '../../support/external-host.ts';
import { until } from '../../support/until.ts';
import { assigned, type Fleet, outcomeOf, startFleet, TENANT, TOPOLOGY, versionOf, wanted } from './fleet.ts';

let fleet: Fleet;
const fleets: Fleet[] = [];
/** A fleet that ends with its test. */
async function own(options?: Parameters<typeof startFleet>[0]): Promise<Fleet> {
  fleet = await startFleet(options);
  fleets.push(fleet);
  return fleet;
}
afterEach(async () => {
  await Promise.all(fleets.splice(0).map((each) => each.close()));
});

const LIMITS: PolicyLimits = { circuit_failure_threshold: 5, circuit_open_ms: 30_000 };
const isRoute = (outcome: unknown): outcome is RouteAssignment => !(outcome instanceof Error);
const codes = (outcomes: readonly unknown[]) =>
  outcomes.map((outcome) => (outcome instanceof Error ? (outcome as Error & { code: string }).code : 'assigned'));
const settle = (route: RouteAssignment, settlement: Settlement = 'completed', registry = fleet.registry) =>
  registry.routes.settle([{ actionId: route.actionId, fenceToken: route.fenceToken, settlement }]);
const active = async (id: string) => (await fleet.registry.replicas.get(id))?.activeAssignments;
/** Sum and rows of the counters that are not back at zero. */
const counters = async () =>
  (
    await fleet.pool.query<{ scope: string; active: number }>(
      'SELECT scope, active FROM registry.policy_counters WHERE active <> 0 ORDER BY scope',
    )
  ).rows;
const deadlocks = async () => {
  const read = 'SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()';
  return (await fleet.pool.query<{ deadlocks: number }>(read)).rows[0]?.deadlocks;
};

describe('a version that is tried', () => {
  const trial = async () => {
    await own();
    const stable = await fleet.ready({ capacity: 500 });
    const version = versionOf(fleet.typeId, [probeCapability('echo')], { extensions: { release: 2 } });
    await fleet.registry.versions.admit(version);
    const canary = await fleet.provision({ versionId: version.id, capacity: 500 });
    await fleet.pool.query(`UPDATE registry.replicas SET status = 'ready', lease_expires_at = $2 WHERE id = $1`, [
      canary.id,
      fleet.clock() + 3_600_000,
    ]);
    return { stable, canary, version };
  };
  const spread = async (actions: number) => {
    const outcomes = await fleet.registry.routes.assign(Array.from({ length: actions }, () => wanted()));
    const routes = outcomes.filter(isRoute);
    expect(routes).toHaveLength(actions);
    return (id: string) => routes.filter(({ replicaId }) => replicaId === id);
  };

  test('takes its share of the new work with its own version and digest, the version in force the rest', async () => {
    const { stable, canary, version } = await trial();
    expect((await spread(10))(canary.id)).toEqual([]);
    const before = await fleet.registry.catalogRevision();
    await putCanary(fleet.pool, fleet.clock, fleet.instance.id, { versionId: version.id, percent: 50 });
    await putCanary(fleet.pool, fleet.clock, fleet.instance.id, { versionId: version.id, percent: 50 });
    expect(await fleet.registry.catalogRevision()).toBe(before + 1);
    const of = await spread(40);
    // 40 actions at one half: fewer than 4 on either side happens once in ten million runs.
    expect(of(canary.id).length).toBeGreaterThan(3);
    expect(of(stable.id).length).toBeGreaterThan(3);
    expect(of(canary.id)[0]).toMatchObject({ versionId: version.id, manifestDigest: version.manifestDigest });
    await putCanary(fleet.pool, fleet.clock, fleet.instance.id, undefined);
    expect((await spread(10))(canary.id)).toEqual([]);
  });

  test('an action that falls to a version without a replica goes to the other one', async () => {
    const { stable, canary, version } = await trial();
    await putCanary(fleet.pool, fleet.clock, fleet.instance.id, { versionId: version.id, percent: 50 });
    const status = (id: string, is: string) =>
      fleet.pool.query('UPDATE registry.replicas SET status = $2 WHERE id = $1', [id, is]);
    await status(canary.id, 'offline');
    expect((await spread(12))(stable.id)).toHaveLength(12);
    await status(canary.id, 'ready');
    await status(stable.id, 'offline');
    expect((await spread(12))(canary.id)).toHaveLength(12);
  });

  test('is one of the type of its instance, and an instance that is not known has none', async () => {
    const { version } = await trial();
    const put = (instanceId: string, versionId: string) =>
      putCanary(fleet.pool, fleet.clock, instanceId, { versionId, percent: 5 });
    await expect(put(fleet.instance.id, 'cver_none')).rejects.toThrow(RegistryInputInvalid);
    await expect(put('cinst_none', version.id)).rejects.toThrow(RegistryInputInvalid);
  });
});

describe('new work', () => {
  test('is refused without a binding, and without a replica', async () => {
    await own();
    expect(await outcomeOf(fleet.registry)).toBe('connector.replica_unavailable');
    expect(await outcomeOf(fleet.registry, wanted({ tenantId: 'tenant-b' }))).toBe('connector.binding_unavailable');
    expect(await outcomeOf(fleet.registry, wanted({ capabilityId: 'cap:probe:none' }))).toBe(
      'connector.binding_unavailable',
    );
  });

  test('F-028 F-029 F-030 F-031 F-032 F-033 an assignment is what binding, version and replica were when it was made', async () => {
    await own({ quotaPolicyRef: 'quota:test' });
    const replica = await fleet.ready();
    const request = wanted();
    const route = await assigned(fleet.registry, request);
    expect(route).toMatchObject({
      actionId: request.actionId,
      capabilityId: request.capabilityId,
      tenantId: TENANT,
      instanceId: fleet.instance.id,
      replicaId: replica.id,
      versionId: fleet.version.id,
      manifestDigest: fleet.version.manifestDigest,
      endpoint: replica.endpoint,
      peerPrincipalId: replica.peerPrincipalId,
      peerPrincipalKind: replica.peerPrincipalKind,
      peerDid: replica.key.did,
      trustDomain: replica.trustDomain,
      transportProfile: 'aip.native.http.v1',
      catalogRevision: await fleet.registry.catalogRevision(),
      bindingPolicyRevision: 1,
      credentialRevisionRef: 'credential:1',
      quotaPolicyRef: 'quota:test',
      replicaHealthRevision: 1,
    });
    expect(route.fenceToken).toMatch(/^route_[0-9a-f]{32}$/);
    await fleet.registry.bindings.put({
      tenantId: TENANT,
      capabilityId: request.capabilityId,
      instanceId: fleet.instance.id,
      priority: 1,
      credentialRevisionRef: 'credential:2',
      enabled: true,
    });
    await fleet.registry.types.setEnabled(fleet.typeId, false);
    await fleet.registry.types.setEnabled(fleet.typeId, true);
    expect(await assigned(fleet.registry, request)).toEqual(route);
    expect(await fleet.registry.routes.find(request)).toEqual(route);
    await settle(route);
    expect(await assigned(fleet.registry, request)).toEqual(route);
    const after = await assigned(fleet.registry);
    expect(after).toMatchObject({
      credentialRevisionRef: 'credential:2',
      quotaPolicyRef: null,
      bindingPolicyRevision: 2,
    });
    expect(after.catalogRevision).toBe(await fleet.registry.catalogRevision());
    expect(after.catalogRevision).toBeGreaterThan(route.catalogRevision);
  });

  test('sees a catalog change of another process at once', async () => {
    await own();
    await fleet.ready();
    await assigned(fleet.registry);
    const { registry } = fleet.another(2);
    await registry.versions.setStatus(fleet.version.id, 'admitted');
    expect(await outcomeOf(fleet.registry)).toBe('connector.binding_unavailable');
    await registry.versions.setStatus(fleet.version.id, 'active');
    await assigned(fleet.registry);
  });

  test('sees a replica that registered just now, also after a refusal', async () => {
    await own();
    expect(await outcomeOf(fleet.registry)).toBe('connector.replica_unavailable');
    const replica = await fleet.ready();
    expect(await outcomeOf(fleet.registry)).toBe(replica.id);
  });

  test('spreads 500 actions over 100 replicas, at most 3 apart', async () => {
    await own({ quotaPolicyRef: 'quota:test' });
    const replicas = await Promise.all(Array.from({ length: 100 }, () => fleet.ready()));
    for (let n = 0; n < 10; n += 1)
      expect((await fleet.registry.routes.assign(Array.from({ length: 50 }, () => wanted()))).every(isRoute)).toBe(
        true,
      );
    const counts = (await fleet.registry.replicas.list()).map((replica) => replica.activeAssignments);
    expect(counts).toHaveLength(replicas.length);
    expect(counts.reduce((sum, n) => sum + n)).toBe(500);
    expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(3);
  });

  test('a replica of capacity 2 takes exactly 2 of 3 actions at once, from one process and from three', async () => {
    await own();
    await fleet.ready({ capacity: 2 });
    const batch = await fleet.registry.routes.assign([wanted(), wanted(), wanted()]);
    expect(codes(batch).sort()).toEqual(['assigned', 'assigned', 'connector.replica_unavailable']);
    for (const route of batch.filter(isRoute)) await settle(route);
    const others = [fleet.another(2), fleet.another(2), fleet.another(2)];
    const outcomes = await Promise.all(others.map(({ registry }) => registry.routes.assign([wanted()])));
    expect(codes(outcomes.flat()).sort()).toEqual(['assigned', 'assigned', 'connector.replica_unavailable']);
  });

  test('a hundred actions that find no place ask the database no more often than two', async () => {
    await own();
    await fleet.ready({ capacity: 1 });
    const { pool } = fleet.another(4);
    let asked = 0;
    const counted: Pool = {
      ...pool,
      query: (...statement: Parameters<Pool['query']>) => {
        asked += 1;
        return pool.query(...statement);
      },
    } as Pool;
    const at = fleet.clock();
    // The clock stands: what was read of replicas never becomes too old, however slow the machine is.
    const registry = openRegistry({ data: counted, clock: () => at, allowLoopbackHttp: true });
    await registry.routes.assign([wanted()]);
    const askedBy = async (actions: number): Promise<number> => {
      const before = asked;
      const outcomes = await registry.routes.assign(Array.from({ length: actions }, () => wanted()));
      expect(new Set(codes(outcomes))).toEqual(new Set(['connector.replica_unavailable']));
      return asked - before;
    };
    const two = await askedBy(2);
    expect(two).toBeGreaterThan(0);
    expect(await askedBy(100)).toBe(two);
  });

  test('works with one single connection', async () => {
    await own();
    const replica = await fleet.ready();
    const { registry } = fleet.another(1);
    const outcomes = await Promise.all([assigned(registry), assigned(registry), assigned(registry)]);
    expect(new Set(outcomes.map(({ replicaId }) => replicaId))).toEqual(new Set([replica.id]));
  });

  test('goes by priority of the binding first, to the next instance when the first is full', async () => {
    await own();
    const second = await fleet.addInstance({}, 2);
    const first = await fleet.ready({ capacity: 1 });
    const other = await fleet.ready({ instanceId: second.id });
    expect(await outcomeOf(fleet.registry)).toBe(first.id);
    expect(await outcomeOf(fleet.registry)).toBe(other.id);
  });
});

describe('the same action', () => {
  test('requested by eight processes at once gets one assignment and one slot', async () => {
    await own();
    const replicas = await Promise.all(Array.from({ length: 4 }, () => fleet.ready()));
    const others = Array.from({ length: 8 }, () => fleet.another(2));
    await Promise.all(others.map(({ pool }) => pool.query('SELECT 1')));
    for (let round = 0; round < 10; round += 1) {
      const request = wanted();
      const outcomes = await Promise.all(others.map(({ registry }) => assigned(registry, request)));
      for (const route of outcomes) expect(route).toEqual(outcomes[0]);
    }
    const taken = await Promise.all(replicas.map(({ id }) => active(id)));
    expect(taken.reduce<number>((sum, n) => sum + (n ?? 0), 0)).toBe(10);
    expect((await counters()).map((row) => row.active)).toEqual([10, 10, 10]);
  });

  test('twice in one batch gets one assignment', async () => {
    await own();
    const replica = await fleet.ready();
    const request = wanted();
    const [a, b] = await fleet.registry.routes.assign([request, request]);
    expect(a).toEqual(b);
    expect(await active(replica.id)).toBe(1);
  });

  test('for another capability is a conflict', async () => {
    await own({ capabilities: [probeCapability('echo'), probeCapability('other')] });
    await fleet.ready();
    const request = wanted();
    await assigned(fleet.registry, request);
    const { actionId } = request;
    expect(await outcomeOf(fleet.registry, wanted({ actionId, capabilityId: 'cap:probe:other' }))).toContain(
      'conflict',
    );
  });

  test('F-107 F-324 retried goes to its own replica, also a draining one, and to no other when that is gone', async () => {
    await own();
    const west = { ...TOPOLOGY, region: 'west' };
    const pinnedTo = await fleet.ready({ topology: west });
    const request = wanted({ topology: { region: 'west' } });
    const route = await assigned(fleet.registry, request);
    const other = await fleet.ready({ topology: { ...TOPOLOGY, region: 'east' } });
    await settle(route, 'outcome_unknown');
    const retry: RouteRequest = { ...request, topology: { region: 'east', allowCrossRegion: false } };
    expect(await assigned(fleet.registry, retry)).toEqual(route);
    expect(await active(pinnedTo.id)).toBe(1);
    await settle(route, 'outcome_unknown');
    await fleet.commit({ operation: 'drain', payload: { replica_id: pinnedTo.id, previous_sequence: 1 } });
    expect(await outcomeOf(fleet.registry, wanted({ topology: { region: 'west' } }))).toBe(other.id);
    expect(await assigned(fleet.registry, retry)).toEqual(route);
    await settle(route, 'outcome_unknown');
    await fleet.commit({ operation: 'offline', payload: { replica_id: pinnedTo.id, previous_sequence: 2 } });
    expect(await outcomeOf(fleet.registry, retry)).toBe('connector.replica_unavailable');
    await fleet.commit(fleet.proposal(pinnedTo));
    expect(await assigned(fleet.registry, retry)).toEqual(route);
  });

  test('F-324 retried gets no slot while its version is not active, or its instance or type is disabled', async () => {
    await own();
    await fleet.ready();
    const request = wanted();
    const route = await assigned(fleet.registry, request);
    const { instances, types, versions } = fleet.registry;
    const rows: [() => Promise<void>, () => Promise<void>][] = [
      [() => versions.setStatus(fleet.version.id, 'admitted'), () => versions.setStatus(fleet.version.id, 'active')],
      [
        () => instances.put({ ...fleet.instance, configRevision: 2, enabled: false }),
        () => instances.put({ ...fleet.instance, configRevision: 3, enabled: true }),
      ],
      [() => types.setEnabled(fleet.typeId, false), () => types.setEnabled(fleet.typeId, true)],
    ];
    for (const [off, on] of rows) {
      await settle(route, 'refused');
      await off();
      expect(await outcomeOf(fleet.registry, request)).toBe('connector.replica_unavailable');
      await on();
      expect(await assigned(fleet.registry, request)).toEqual(route);
    }
  });

  test('retried holds a counter of its own: 4 of 32 at once where the policy says 4, new work continues', async () => {
    await own({ quotaPolicyRef: 'quota:test' });
    await fleet.registry.policies.put({
      ref: 'quota:test',
      revision: 2,
      enabled: true,
      limits: { ...LIMITS, max_tenant_retry_in_flight: 4 },
    });
    await fleet.ready({ capacity: 100 });
    const requests = Array.from({ length: 32 }, () => wanted());
    const routes = (await fleet.registry.routes.assign(requests)).filter(isRoute);
    expect(routes).toHaveLength(32);
    for (const route of routes) await settle(route, 'refused');
    const again = await fleet.registry.routes.assign([...requests, wanted()]);
    expect(again.slice(0, 32).filter(isRoute)).toHaveLength(4);
    expect(isRoute(again[32])).toBe(true);
    const [refused] = again.filter((each) => !isRoute(each)) as { code: string; details: { scope: string } }[];
    expect(refused).toMatchObject({ retryable: true, details: { scope: 'tenant_retry' } });
  });
});

describe('admission limits', () => {
  test('of a noisy tenant: 4 of its 64 are admitted, all 4 of the other tenant', async () => {
    await own({ quotaPolicyRef: 'quota:test' });
    await fleet.registry.policies.put({
      ref: 'quota:test',
      revision: 2,
      enabled: true,
      limits: { ...LIMITS, max_tenant_in_flight: 4 },
    });
    const quiet = await fleet.addInstance({ tenantId: 'tenant-b' });
    await fleet.ready({ capacity: 100 });
    await fleet.ready({ capacity: 100, instanceId: quiet.id });
    const requests = [
      ...Array.from({ length: 64 }, () => wanted()),
      ...Array.from({ length: 4 }, () => wanted({ tenantId: 'tenant-b' })),
    ];
    const outcomes = await fleet.registry.routes.assign(requests);
    expect(codes(outcomes.slice(0, 64)).filter((code) => code === 'assigned')).toHaveLength(4);
    expect(outcomes.slice(0, 64).find((each) => !isRoute(each))).toMatchObject({
      retryable: true,
      details: { scope: 'tenant' },
    });
    expect(outcomes.slice(64).every(isRoute)).toBe(true);
    for (const route of outcomes.filter(isRoute)) await settle(route);
    expect(await counters()).toEqual([]);
    const { registry } = fleet.another(8);
    const single = await Promise.all(
      Array.from({ length: 16 }, (_, n) => (n % 2 ? registry : fleet.registry).routes.assign([wanted()])),
    );
    expect(single.flat().filter(isRoute)).toHaveLength(4);
  });

  test('an action that was refused only beside another refused one is placed when it comes again', async () => {
    await own({ quotaPolicyRef: 'quota:test', capabilities: [probeCapability('echo'), probeCapability('other')] });
    await fleet.registry.policies.put({
      ref: 'quota:test',
      revision: 2,
      enabled: true,
      limits: { ...LIMITS, max_tenant_in_flight: 3, max_binding_in_flight: 2 },
    });
    await fleet.ready({ capacity: 100 });
    const requests = [wanted(), wanted(), wanted(), wanted({ capabilityId: 'cap:probe:other' })];
    const outcomes = await fleet.registry.routes.assign(requests);
    const again = await fleet.registry.routes.assign(requests.filter((_, n) => !isRoute(outcomes[n])).reverse());
    const found = await Promise.all(requests.map((request) => fleet.registry.routes.find(request)));
    expect(found.map((route) => route !== undefined)).toEqual([true, true, false, true]);
    expect(again.find((each) => !isRoute(each))).toMatchObject({ retryable: true, details: { scope: 'binding' } });
  });

  test('a disabled policy refuses new routes', async () => {
    await own({ quotaPolicyRef: 'quota:test' });
    await fleet.ready();
    await fleet.registry.policies.put({ ref: 'quota:test', revision: 2, enabled: false, limits: LIMITS });
    expect(await outcomeOf(fleet.registry)).toBe('connector.binding_unavailable');
  });
});

describe('settlement', () => {
  /** Assigns and settles one action. */
  const end = async (settlement: Settlement): Promise<unknown> => settle(await assigned(fleet.registry), settlement);

  test('five unknown outcomes open the circuit, time closes it, a completion forgets them', async () => {
    await own();
    const replica = await fleet.ready();
    for (let n = 0; n < 4; n += 1) await end('outcome_unknown');
    await end('completed');
    for (let n = 0; n < 4; n += 1) await end('outcome_unknown');
    await end('outcome_unknown');
    expect(await outcomeOf(fleet.registry)).toBe('connector.replica_unavailable');
    fleet.time.ahead += 30_001;
    expect(await outcomeOf(fleet.registry)).toBe(replica.id);
    await end('completed');
    expect(await fleet.registry.replicas.get(replica.id)).toMatchObject({
      consecutiveFailures: 0,
      circuitOpenUntil: 0,
    });
  });

  test('the circuit is that of one replica, opens at once again after its time, and never for a shorter time', async () => {
    await own({ quotaPolicyRef: 'quota:test' });
    const policy = (revision: number, circuit_open_ms: number) =>
      fleet.registry.policies.put({
        ref: 'quota:test',
        revision,
        enabled: true,
        limits: { circuit_failure_threshold: 2, circuit_open_ms },
      });
    const first = await fleet.ready();
    await policy(2, 100);
    const short = await assigned(fleet.registry);
    await policy(3, 30_000);
    const long = [await assigned(fleet.registry), await assigned(fleet.registry)];
    const openUntil = async () => (await fleet.registry.replicas.get(first.id))?.circuitOpenUntil as number;
    for (const route of long) await settle(route, 'outcome_unknown');
    const opened = await openUntil();
    expect(opened - fleet.clock()).toBeGreaterThan(20_000);
    await settle(short, 'outcome_unknown');
    expect(await openUntil()).toBe(opened);
    expect(await outcomeOf(fleet.registry)).toBe('connector.replica_unavailable');
    const second = await fleet.ready();
    expect(await outcomeOf(fleet.registry)).toBe(second.id);
    await fleet.commit({ operation: 'offline', payload: { replica_id: second.id, previous_sequence: 1 } });
    fleet.time.ahead += 30_001;
    await end('outcome_unknown');
    expect(await outcomeOf(fleet.registry)).toBe('connector.replica_unavailable');
    expect((await openUntil()) - opened).toBeGreaterThan(20_000);
  });

  test('refused and cancelled work counts neither for nor against the circuit', async () => {
    await own();
    const replica = await fleet.ready();
    for (let n = 0; n < 4; n += 1) await end('outcome_unknown');
    for (let n = 0; n < 8; n += 1) await end(n % 2 ? 'refused' : 'cancelled');
    expect(await fleet.registry.replicas.get(replica.id)).toMatchObject({
      consecutiveFailures: 4,
      activeAssignments: 0,
    });
    await end('outcome_unknown');
    expect(await outcomeOf(fleet.registry)).toBe('connector.replica_unavailable');
  });

  test('happens once, and only with the fence of the assignment', async () => {
    await own();
    const replica = await fleet.ready();
    const route = await assigned(fleet.registry);
    await assigned(fleet.registry);
    await settle({ ...route, fenceToken: newId('route') });
    expect(await active(replica.id)).toBe(2);
    await settle(route);
    await settle(route);
    await Promise.all([settle(route), settle(route, 'outcome_unknown')]);
    expect(await fleet.registry.replicas.get(replica.id)).toMatchObject({
      activeAssignments: 1,
      consecutiveFailures: 0,
    });
  });

  test('of work whose replica was removed gives its counters back', async () => {
    await own();
    const gone = await fleet.ready();
    const route = await assigned(fleet.registry);
    expect((await counters()).map(({ scope }) => scope)).toEqual(['binding', 'instance', 'tenant']);
    await fleet.registry.replicas.remove(gone.id);
    await settle(route);
    expect(await counters()).toEqual([]);
  });

  test('inside a transaction that fails is undone', async () => {
    await own();
    const replica = await fleet.ready();
    const route = await assigned(fleet.registry);
    const failed = fleet.pool.tx(async (client) => {
      await fleet.registry.routes.settle(
        [{ actionId: route.actionId, fenceToken: route.fenceToken, settlement: 'completed' }],
        client,
      );
      throw new RangeError('undone');
    });
    await expect(failed).rejects.toThrow('undone');
    expect(await active(replica.id)).toBe(1);
  });
});

test('F-319 F-320 F-321 F-322 F-323 preferences: region, then zone, class exclusively, another region unless that is banned', async () => {
  await own();
  const at = (region: string, zone: string, capacityClass = 'standard') =>
    fleet.ready({ topology: { region, zone, capacityClass } });
  const eastA = await at('east', 'a');
  const eastB = await at('east', 'b');
  const west = await at('west', 'a', 'large');
  const go = (topology: RouteRequest['topology']) => outcomeOf(fleet.registry, wanted({ topology }));
  for (let n = 0; n < 4; n += 1) {
    expect([eastA.id, eastB.id]).toContain(await go({ region: 'east' }));
    expect(await go({ region: 'east', zone: 'b' })).toBe(eastB.id);
    expect(await go({ region: 'east', zone: 'none' })).not.toBe(west.id);
    expect(await go({ capacityClass: 'large' })).toBe(west.id);
    expect(await go({ region: 'east', capacityClass: 'large' })).toBe(west.id);
  }
  expect(await go({ capacityClass: 'huge' })).toBe('connector.replica_unavailable');
  for (const { id } of [eastA, eastB])
    await fleet.commit({ operation: 'offline', payload: { replica_id: id, previous_sequence: 1 } });
  expect(await go({ region: 'east' })).toBe(west.id);
  expect(await go({ region: 'east', allowCrossRegion: false })).toBe('connector.replica_unavailable');
});

describe('maintenance', () => {
  test('F-111 expiry takes lapsed replicas offline oldest first, releases what they had reserved, and keeps the pin', async () => {
    await own();
    const replica = await fleet.ready();
    const request = wanted();
    const route = await assigned(fleet.registry, request);
    const revision = await fleet.registry.catalogRevision();
    expect(await fleet.registry.maintenance.expire(500)).toBe(0);
    fleet.time.ahead += 600_000;
    const live = await fleet.ready();
    expect(await fleet.registry.maintenance.expire(500)).toBe(1);
    expect(await fleet.registry.replicas.get(replica.id)).toMatchObject({
      status: 'offline',
      activeAssignments: 0,
      healthRevision: 2,
      lastRequestId: null,
      lastRequestDigest: null,
    });
    expect(await counters()).toEqual([]);
    expect(await fleet.registry.catalogRevision()).toBe(revision);
    expect(await outcomeOf(fleet.registry, request)).toBe('connector.replica_unavailable');
    expect(await outcomeOf(fleet.registry)).toBe(live.id);
    await settle(route);
    expect(await active(replica.id)).toBe(0);
    await fleet.commit(fleet.proposal(replica));
    expect(await assigned(fleet.registry, request)).toEqual(route);
    const replicas = await Promise.all(Array.from({ length: 5 }, () => fleet.ready()));
    fleet.time.ahead += 600_000;
    expect(await fleet.registry.maintenance.expire(3)).toBe(3);
    expect(await fleet.registry.maintenance.expire(500)).toBe(replicas.length + 2 - 3);
  });

  test('the summary counts the fleet', async () => {
    await own();
    const replicas = await Promise.all([
      fleet.ready(),
      fleet.ready({ capacity: 10 }),
      fleet.ready(),
      fleet.provision(),
    ]);
    await fleet.commit({ operation: 'drain', payload: { replica_id: replicas[0].id, previous_sequence: 1 } });
    await assigned(fleet.registry);
    const leases = await Promise.all([0, 1, 2].map((n) => fleet.registry.replicas.get(replicas[n]?.id as string)));
    expect(await fleet.registry.maintenance.summary()).toEqual({
      catalogRevision: await fleet.registry.catalogRevision(),
      connectorTypes: 1,
      activeVersions: 1,
      enabledInstances: 1,
      replicas: 4,
      ready: 2,
      draining: 1,
      offline: 1,
      expiredLeases: 0,
      readyCapacity: 42,
      activeAssignments: 1,
      lapsedHolders: 0,
      nextLeaseEnd: Math.min(...leases.map((replica) => replica?.leaseExpiresAt as number)),
      nextHolderEnd: null,
      observedAt: expect.any(Number),
    });
    fleet.time.ahead += 600_000;
    expect(await fleet.registry.maintenance.summary()).toMatchObject({ ready: 2, draining: 1, expiredLeases: 3 });
  });
});

test('many processes that assign, settle and expire at once leave exact counts and meet in no deadlock', async () => {
  await own({ quotaPolicyRef: 'quota:test', capabilities: ['a', 'b', 'c'].map((name) => probeCapability(name)) });
  await fleet.registry.policies.put({
    ref: 'quota:test',
    revision: 2,
    enabled: true,
    limits: { ...LIMITS, max_tenant_in_flight: 10_000, max_global_in_flight: 10_000, max_binding_in_flight: 5000 },
  });
  const replicas = await Promise.all(Array.from({ length: 12 }, () => fleet.ready({ capacity: 200 })));
  const capability = (n: number) => ['cap:probe:a', 'cap:probe:b', 'cap:probe:c'][n % 3] as string;
  const worker = async (seed: number): Promise<number> => {
    const { registry } = fleet.another(4);
    let done = 0;
    for (let round = 0; round < 12; round += 1) {
      const requests = Array.from({ length: 24 }, (_, n) => wanted({ capabilityId: capability(n + seed + round) }));
      const halves = [requests.slice(0, 12), requests.slice(12).reverse()];
      const outcomes = (await Promise.all(halves.map((half) => registry.routes.assign(half)))).flat();
      const routes = outcomes.filter(isRoute) as RouteAssignment[];
      done += routes.length;
      const items = routes.map(({ actionId, fenceToken }) => ({
        actionId,
        fenceToken,
        settlement: 'completed' as const,
      }));
      const middle = items.length / 2;
      await Promise.all([
        registry.routes.settle(items.slice(0, middle).reverse()),
        registry.routes.settle(items.slice(middle)),
        registry.maintenance.expire(10),
      ]);
    }
    return done;
  };
  const done = await Promise.all(Array.from({ length: 6 }, (_, seed) => worker(seed)));
  expect(done.reduce((sum, n) => sum + n)).toBe(6 * 12 * 24);
  expect(await counters()).toEqual([]);
  for (const { id } of replicas) expect(await active(id)).toBe(0);
  await fleet.pool.query('SELECT pg_stat_force_next_flush()');
  expect(await until('the statistics are there', async () => [await deadlocks()])).toEqual([0]);
});

test('many processes at replicas that are full again and again take what there is and no more, and none of them fails', async () => {
  await own({ quotaPolicyRef: 'quota:test' });
  await fleet.registry.policies.put({
    ref: 'quota:test',
    revision: 2,
    enabled: true,
    limits: { ...LIMITS, max_tenant_in_flight: 10_000, max_binding_in_flight: 7 },
  });
  const replicas = await Promise.all(Array.from({ length: 2 }, () => fleet.ready({ capacity: 4 })));
  const worker = async (): Promise<number> => {
    const { routes } = fleet.another(4).registry;
    let done = 0;
    for (let round = 0; round < 25; round += 1) {
      const requests = [wanted(), wanted(), wanted()];
      // The second time those that got a place before are pinned to it.
      for (const _ of ['new', 'pinned']) {
        const got = (await routes.assign(requests)).filter(isRoute) as RouteAssignment[];
        for (const { actionId, fenceToken } of got)
          await routes.settle([{ actionId, fenceToken, settlement: 'completed' }]);
        done += got.length;
      }
    }
    return done;
  };
  const done = await Promise.all(Array.from({ length: 6 }, worker));
  expect(Math.min(...done)).toBeGreaterThan(0);
  expect(await counters()).toEqual([]);
  for (const { id } of replicas) expect(await active(id)).toBe(0);
});

test('work that is settled while maintenance expires its replicas is released once, and nothing deadlocks', async () => {
  await own({ quotaPolicyRef: 'quota:test' });
  await fleet.registry.policies.put({
    ref: 'quota:test',
    revision: 2,
    enabled: true,
    limits: { ...LIMITS, max_tenant_in_flight: 10_000 },
  });
  const replicas = await Promise.all(Array.from({ length: 10 }, () => fleet.ready({ capacity: 100 })));
  const others = Array.from({ length: 4 }, () => fleet.another(4).registry);
  for (let round = 0; round < 15; round += 1) {
    const requests = Array.from({ length: 240 }, () => wanted());
    const routes = (await fleet.registry.routes.assign(requests)).filter(isRoute) as RouteAssignment[];
    expect(routes).toHaveLength(requests.length);
    fleet.time.ahead += 600_000;
    const items = routes.map(({ actionId, fenceToken }) => ({
      actionId,
      fenceToken,
      settlement: 'completed' as const,
    }));
    await Promise.all(
      others.flatMap((registry, n) => [
        registry.maintenance.expire(4),
        ...[0, 1, 2].map((part) => registry.routes.settle(items.filter((_, index) => index % 12 === n * 3 + part))),
        registry.maintenance.expire(4),
      ]),
    );
    await fleet.registry.maintenance.expire(500);
    expect(await counters()).toEqual([]);
    for (const { id } of replicas) expect(await active(id)).toBe(0);
    for (const replica of replicas) await fleet.commit(fleet.proposal(replica));
  }
  await fleet.pool.query('SELECT pg_stat_force_next_flush()');
  expect(await until('the statistics are there', async () => [await deadlocks()])).toEqual([0]);
});

test('lifecycle commands that arrive together are decided in their order, each for itself', async () => {
  await own();
  const [first, second] = [await fleet.ready(), await fleet.ready()];
  const beat = (replica_id: string, previous_sequence: number) => ({
    operation: 'heartbeat' as const,
    payload: { replica_id, previous_sequence, in_flight: 0, connector_ready: true },
  });
  const signerOf = ({ payload }: ReturnType<typeof beat>): string =>
    (payload.replica_id === second.id ? second : first).key.did;
  const [once, shared] = [newId('message'), newId('message')];
  const send = (requestId: string, command: ReturnType<typeof beat>) =>
    fleet.registry.lifecycle
      .commit({ requestId, expiresAt: fleet.clock() + 30_000, signerDid: signerOf(command), command }, 60_000)
      .then(
        (commit) => (commit.status === 'lease' ? commit.sequence : commit.status),
        (error: { code: string; message: string }) => error.message,
      );
  const outcomes = await Promise.all([
    send(once, beat(first.id, 1)),
    send(once, beat(first.id, 1)),
    send(newId('message'), beat(first.id, 2)),
    send(newId('message'), beat(first.id, 2)),
    send(once, beat(first.id, 1)),
    send(shared, beat(second.id, 7)),
    send(shared, beat(second.id, 1)),
    send(newId('message'), beat('crepl_unknown', 1)),
    send(newId('message'), beat(second.id, 1)),
  ]);
  expect(outcomes).toEqual([
    2,
    2,
    3,
    'lease sequence is stale',
    'the request id was used before',
    'lease sequence is stale',
    'the request id was used before',
    'the replica is unknown or the signer is not its own',
    2,
  ]);
  expect(await fleet.registry.replicas.get(first.id)).toMatchObject({ healthRevision: 3 });
  expect(await fleet.registry.replicas.get(second.id)).toMatchObject({ healthRevision: 2 });
});
