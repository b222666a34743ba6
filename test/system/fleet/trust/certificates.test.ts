import { Agent, getGlobalDispatcher, setGlobalDispatcher } from 'undici';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createCa, type IssuedCertificate } from '#controller/trust/certificates/ca.js';
import { until } from '../../../support/until.ts';
import { SERVERS, startTrustTestbed, type TrustTestbed } from './trust-testbed.ts';

let testbed: TrustTestbed;
let first: IssuedCertificate;
const before = getGlobalDispatcher();

beforeAll(async () => {
  // The test's own requests trust whatever is served; what the programs trust is what is tested.
  setGlobalDispatcher(new Agent({ connect: { rejectUnauthorized: false } }));
  first = await createCa({ now: Date.now() });
  testbed = await startTrustTestbed(first);
});
afterAll(async () => {
  await testbed?.stop();
  await getGlobalDispatcher().close();
  setGlobalDispatcher(before);
});

test('leaves and authority are replaced under load: nothing fails, no lease lapses; a leaf of the old authority is refused', async () => {
  const next = await createCa({ now: Date.now() });
  const load = testbed.startLoad();
  for (const server of SERVERS) await testbed.issue(server, first);
  await testbed.renewed();
  await testbed.trustAuthorities(first, next);
  for (const server of SERVERS) await testbed.issue(server, next);
  await testbed.renewed();
  await testbed.trustAuthorities(next);
  await testbed.renewed();
  const { done, failed, unready } = await load.stop();
  expect(failed).toEqual([]);
  expect(done).toBeGreaterThan(10);
  expect(unready).toBe(0);
  expect(await testbed.lapses()).toEqual([0, 0]);
  await testbed.issue('control', first);
  // A connection of the bundle without the old authority stays; one of another bundle, and then that one again, are new.
  await testbed.trustAuthorities(next, first);
  await testbed.renewed();
  await testbed.trustAuthorities(next);
  await until('the old authority is refused', async () => ((await testbed.lapses())[0] as number) > 0);
  await testbed.issue('control', next);
  await testbed.testbed.ready();
});
