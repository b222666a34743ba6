import { expect, onTestFinished, test } from 'vitest';
import { newId } from '#runtime/protocol/ids.js';
import { openRegistry, type Registry } from '#runtime/registry/registry.js';
import type { RouteAssignment } from '#runtime/registry/routes/assignment.js';
import { type Fleet, startFleet, TENANT, type TestReplica, wanted } from './fleet.ts';

const TENANTS = [TENANT, 'tenant-b'];

/** A fleet with one replica for each of two tenants, whose places are counted in shares or for themselves. */
async function twoTenants(shares: boolean) {
  const fleet = await startFleet();
  onTestFinished(() => fleet.close());
  const other = await fleet.addInstance({ tenantId: 'tenant-b' });
  const replicas = [await fleet.ready(), await fleet.ready({ instanceId: other.id })] as [TestReplica, TestReplica];
  const { pool, clock } = fleet;
  const registry = shares ? openRegistry({ data: pool, clock, shares: pool }) : fleet.registry;
  return { fleet, registry, replicas };
}

/** The routes of actions of one id that both tenants submit at once. */
async function assignBoth(registry: Registry, actionId = newId('action')): Promise<RouteAssignment[]> {
  const requests = TENANTS.map((tenantId) => wanted({ actionId, tenantId }));
  const outcomes = await registry.routes.assign([...requests, ...requests]);
  for (const outcome of outcomes) if (outcome instanceof Error) throw outcome;
  const routes = outcomes as RouteAssignment[];
  expect(routes.slice(2)).toEqual(routes.slice(0, 2));
  return routes.slice(0, 2);
}

const active = async (fleet: Fleet, replicas: readonly TestReplica[]) =>
  Promise.all(replicas.map(async ({ id }) => (await fleet.registry.replicas.get(id))?.activeAssignments));
const reserved = async ({ pool }: Fleet) =>
  (
    await pool.query<{ tenant_id: string }>('SELECT tenant_id FROM registry.assignments WHERE reserved ORDER BY 1')
  ).rows.map(({ tenant_id }) => tenant_id);
const ending = (route: RouteAssignment) =>
  ({ actionId: route.actionId, fenceToken: route.fenceToken, settlement: 'completed' }) as const;

test.each([false, true])(
  'actions of one id have a route in each tenant, and each is settled for itself (shares: %s)',
  async (shares) => {
    const { fleet, registry, replicas } = await twoTenants(shares);
    const [own, others] = (await assignBoth(registry)) as [RouteAssignment, RouteAssignment];
    expect([own.replicaId, others.replicaId]).toEqual(replicas.map(({ id }) => id));
    for (const route of [own, others]) expect(await registry.routes.find(route)).toEqual(route);
    expect(await registry.routes.settle([ending(own)])).toBe(1);
    expect(await registry.routes.mayHaveBegun(own)).toBe(true);
    expect(await reserved(fleet)).toEqual(['tenant-b']);
    // A retry takes its own route again, and both end in one batch.
    const again = await registry.routes.assign(TENANTS.map((tenantId) => wanted({ actionId: own.actionId, tenantId })));
    expect(again).toEqual([own, others]);
    expect(await registry.routes.settle([ending(own), ending(others)])).toBe(2);
    expect(await reserved(fleet)).toEqual([]);
  },
);

test('a replica that is lost, a gateway that ended and retention take the routes of their own tenant alone', async () => {
  const { fleet, registry, replicas } = await twoTenants(true);
  const [own, others] = (await assignBoth(registry)) as [RouteAssignment, RouteAssignment];
  await fleet.pool.query('UPDATE registry.replicas SET lease_expires_at = 0 WHERE id = $1', [replicas[0].id]);
  expect(await fleet.registry.maintenance.expire(10)).toBe(1);
  expect(await reserved(fleet)).toEqual(['tenant-b']);
  await fleet.pool.query('UPDATE registry.holders SET lease_expires_at = 0');
  expect(await registry.allotments?.takeBack()).toBe(1);
  expect(await active(fleet, replicas)).toEqual([0, 1]);
  expect(await fleet.registry.maintenance.held(fleet.clock() + 1, 10)).toMatchObject([{ tenantId: 'tenant-b' }]);
  expect(await fleet.registry.maintenance.prune(fleet.clock() + 1)).toBe(1);
  expect(await registry.routes.find(own)).toBeUndefined();
  expect(await registry.routes.find(others)).toEqual(others);
});
