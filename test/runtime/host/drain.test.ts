import { afterEach, beforeEach, expect, test } from 'vitest';
import { until } from '../../support/until.ts';
import { end } from './support/host-process.ts';
import { startTestbed, type Testbed } from './support/testbed.ts';

let testbed: Testbed;
beforeEach(async () => {
  testbed = await startTestbed();
});
afterEach(async () => {
  await end(testbed?.host);
  await testbed?.stop();
});

const send = () => testbed.central.send({ capability_id: 'cap:demo:echo', input: { text: 'hello' } });

test('F-108 F-273 work that was assigned before the registry knew of the drain is taken; later work is refused', async () => {
  const pinned = testbed.central.send({ capability_id: 'cap:demo:report', input: { seconds: 4 } });
  await until('it runs', async () => (await testbed.metrics()).in_flight === 1);
  let answerDrain: () => void = () => undefined;
  const held = new Promise<void>((go) => {
    answerDrain = go;
  });
  let asked = false;
  testbed.control.intercept = async ({ operation }, decide) => {
    if (operation === 'drain' && !asked) {
      asked = true;
      await held;
    }
    return decide();
  };
  testbed.host.child.kill('SIGTERM');
  await until('the host asked for the drain', () => asked);
  expect((await send()).result).toMatchObject({ status: 'completed' });
  answerDrain();
  await until('it drains', async () => (await testbed.readiness()).body.draining);
  expect(await send()).toMatchObject({ status: 503, error: { code: 'connector_host.not_ready' } });
  expect((await pinned).result).toMatchObject({ status: 'completed' });
  expect(await testbed.host.exit).toBe(0);
});

test('F-108 part: while the registry counts pinned work that has not come, a draining host takes it, however late it is', async () => {
  const { control } = testbed;
  control.pinned = 2;
  const drains = (): number => control.operations().filter((operation) => operation === 'drain').length;
  testbed.host.child.kill('SIGTERM');
  // Each repeat comes a quarter of a second later: two seconds, twice the time that an action may be on its way where nobody counts.
  await until('it has asked often', () => drains() >= 8);
  expect((await send()).result).toMatchObject({ status: 'completed' });
  control.pinned = 0;
  expect(await testbed.host.exit).toBe(0);
  expect(control.operations().at(-1)).toBe('offline');
});

test('F-108 part: a host whose registry counts nothing pinned ends without waiting for work on its way', async () => {
  testbed.control.pinned = 0;
  testbed.host.child.kill('SIGTERM');
  expect(await testbed.host.exit).toBe(0);
  expect(testbed.control.operations().slice(-2)).toEqual(['drain', 'offline']);
});

test('F-108 part: pinned work that never comes is waited for no longer than the drain timeout', async () => {
  testbed.control.pinned = 1;
  testbed.host.child.kill('SIGTERM');
  expect(await testbed.host.exit).toBe(0);
  expect(testbed.control.operations().at(-1)).toBe('offline');
  expect(await send().catch(() => 'nothing listens')).toBe('nothing listens');
});

test('work that runs beyond DRAIN_TIMEOUT_MS is cut off', async () => {
  // Longer than the time of the testbed, shorter than the default.
  const cut = testbed.central.send({ capability_id: 'cap:demo:report', input: { seconds: 20 } }).catch(() => 'cut off');
  await until('it runs', async () => (await testbed.metrics()).in_flight === 1);
  testbed.host.child.kill('SIGTERM');
  expect([await cut, await testbed.host.exit]).toEqual(['cut off', 1]);
  expect(testbed.control.operations().at(-1)).toBe('offline');
});

test('the drain of a host is written although the control plane is replaced at that moment', async () => {
  const { control } = testbed;
  control.pinned = 0;
  let refused = 0;
  control.intercept = async ({ operation }, decide) => {
    if (operation !== 'drain' || refused === 4) return decide();
    refused += 1;
    return 'hang up';
  };
  testbed.host.child.kill('SIGTERM');
  expect(await testbed.host.exit).toBe(0);
  expect(refused).toBe(4);
  expect(control.replica).toMatchObject({ status: 'offline' });
  expect(control.operations().slice(-6)).toEqual(['drain', 'drain', 'drain', 'drain', 'drain', 'offline']);
});
