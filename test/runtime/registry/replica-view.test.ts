import { expect, test } from 'vitest';
import type { Queryable } from '#runtime/postgres/pool.js';
import { replicaView } from '#runtime/registry/routes/replica-view.js';

const row = { id: 'crepl_1', instanceId: 'cinst_1', versionId: 'cver_1', region: 'r', zone: 'z', capacityClass: 'c' };

test('reservations that are not written yet count also after the replicas are read again in between', async () => {
  let now = 1000;
  let stored = 0;
  const db = { query: async () => ({ rows: [{ ...row, capacity: 64, active: stored }], rowCount: 1 }) } as unknown;
  const view = replicaView(db as Queryable, () => now);
  const active = async () => (await view.of(['cinst_1']))[0]?.active;
  expect(await active()).toBe(0);
  for (let n = 0; n < 5; n += 1) view.reserve('cinst_1', 'crepl_1');
  now += 200;
  expect(await active()).toBe(5);
  for (let n = 0; n < 4; n += 1) view.reserved('cinst_1', 'crepl_1', true);
  view.reserved('cinst_1', 'crepl_1', false);
  expect(await active()).toBe(4);
  stored = 4;
  now += 200;
  expect(await active()).toBe(4);
  view.release('cinst_1', 'crepl_1');
  expect(await active()).toBe(3);
});
