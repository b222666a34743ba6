import { afterEach, expect, test } from 'vitest';
import type { CatalogPage } from '#runtime/registry/catalog/page.js';
import { probeCapability } from '../../../../support/external-host.ts';
import { type Fleet, startFleet, TENANT, wanted } from '../../../registry/fleet.ts';

let fleet: Fleet;
afterEach(async () => {
  await fleet?.close();
});

test('credential rotation: 100 pinned actions keep assignment and credential revision when they are retried, a new one gets the new revision', async () => {
  fleet = await startFleet();
  for (let n = 0; n < 4; n += 1) await fleet.ready({ capacity: 100 });
  const requests = Array.from({ length: 100 }, () => wanted());
  const first = await fleet.registry.routes.assign(requests);
  await fleet.registry.routes.settle(
    first.map((route) => {
      if (route instanceof Error) throw route;
      return { actionId: route.actionId, fenceToken: route.fenceToken, settlement: 'refused' as const };
    }),
  );
  await fleet.registry.bindings.put({
    tenantId: TENANT,
    capabilityId: 'cap:probe:echo',
    instanceId: fleet.instance.id,
    priority: 1,
    credentialRevisionRef: 'credential:2',
    enabled: true,
  });
  const again = await Promise.all(requests.map((request) => fleet.registry.routes.assign([request])));
  expect(again.flat()).toEqual(first);
  expect(new Set(first.map((route) => 'credentialRevisionRef' in route && route.credentialRevisionRef))).toEqual(
    new Set(['credential:1']),
  );
  const [fresh] = await fleet.registry.routes.assign([wanted()]);
  expect(fresh).toMatchObject({ credentialRevisionRef: 'credential:2' });
});

test('lease churn: 1000 leases are renewed, then expired in 5 batches of 200, by two processes at once, and all are offline', async () => {
  fleet = await startFleet();
  const replicas: string[] = [];
  for (let n = 0; n < 50; n += 1)
    replicas.push(...(await Promise.all(Array.from({ length: 20 }, () => fleet.ready()))).map(({ id }) => id));
  const renewed = [];
  for (let n = 0; n < 1000; n += 50)
    renewed.push(
      ...(await Promise.all(
        replicas.slice(n, n + 50).map((replica_id) =>
          fleet.commit({
            operation: 'heartbeat',
            payload: { replica_id, previous_sequence: 1, in_flight: 0, connector_ready: true },
          }),
        ),
      )),
    );
  expect(renewed.map((each) => each.status === 'lease' && each.sequence)).toEqual(replicas.map(() => 2));
  expect(await fleet.registry.maintenance.expire(200)).toBe(0);
  fleet.time.ahead += 600_001;
  const other = fleet.another(2).registry;
  const pair = await Promise.all([fleet.registry.maintenance.expire(200), other.maintenance.expire(200)]);
  const rest = [];
  for (let batch = 0; batch < 3; batch += 1) rest.push(await fleet.registry.maintenance.expire(200));
  expect([...pair, ...rest]).toEqual([200, 200, 200, 200, 200]);
  expect(await fleet.registry.maintenance.expire(200)).toBe(0);
  const after = await fleet.registry.replicas.list();
  expect(new Set(after.map(({ status, healthRevision }) => `${status} ${healthRevision}`))).toEqual(
    new Set(['offline 3']),
  );
});

test('catalog paging: pages of 50 have one revision, one total, and no capability twice', async () => {
  const names = Array.from({ length: 230 }, (_, n) => `c${n}`);
  fleet = await startFleet({ capabilities: names.map((name) => probeCapability(name)) });
  const pages: CatalogPage[] = [];
  for (let cursor: string | null = null, more = true; more; more = cursor !== null) {
    const page = await fleet.registry.catalog.page({ tenantId: TENANT, limit: 50, ...(cursor !== null && { cursor }) });
    pages.push(page);
    cursor = page.next_cursor;
  }
  expect(pages.map(({ capabilities }) => capabilities.length)).toEqual([50, 50, 50, 50, 30]);
  expect(new Set(pages.map(({ catalog_revision, total }) => `${catalog_revision} ${total}`)).size).toBe(1);
  expect(pages[0]?.total).toBe(230);
  const ids = pages.flatMap(({ capabilities }) => capabilities.map(({ capability }) => capability.id));
  expect(new Set(ids)).toEqual(new Set(names.map((name) => `cap:probe:${name}`)));
  expect(ids).toHaveLength(230);
});
