import { createCa, type IssuedCertificate } from '@aip/controller/trust/certificates/ca.js';
import { Agent, getGlobalDispatcher, setGlobalDispatcher } from 'undici';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { until } from '../support/until.ts';
import { SERVERS, startTrustWorld, type TrustWorld } from './trust-testbed.ts';

let world: TrustWorld;
let first: IssuedCertificate;
const before = getGlobalDispatcher();

beforeAll(async () => {
  // The test's own requests trust whatever is served; what the programs trust is what is tested.
  setGlobalDispatcher(new Agent({ connect: { rejectUnauthorized: false } }));
  first = await createCa({ now: Date.now() });
  world = await startTrustWorld(first);
});
afterAll(async () => {
  await world?.stop();
  await getGlobalDispatcher().close();
  setGlobalDispatcher(before);
});

test('leaves and authority are replaced under load: nothing fails, no lease lapses; a leaf of the old authority is refused', async () => {
  const next = await createCa({ now: Date.now() });
  const load = world.startLoad();
  for (const server of SERVERS) await world.issue(server, first);
  await world.renewed();
  await world.trustAuthorities(first, next);
  for (const server of SERVERS) await world.issue(server, next);
  await world.renewed();
  await world.trustAuthorities(next);
  await world.renewed();
  const { done, failed, unready } = await load.stop();
  expect(failed).toEqual([]);
  expect(done).toBeGreaterThan(10);
  expect(unready).toBe(0);
  expect(await world.lapses()).toEqual([0, 0]);
  await world.issue('control', first);
  // A connection of the bundle without the old authority stays; one of another bundle, and then that one again, are new.
  await world.trustAuthorities(next, first);
  await world.renewed();
  await world.trustAuthorities(next);
  await until('the old authority is refused', async () => ((await world.lapses())[0] as number) > 0);
  await world.issue('control', next);
  await world.rig.ready();
});
