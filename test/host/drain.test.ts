import { afterAll, beforeAll, expect, test } from 'vitest';
import { until } from '../support/until.ts';
import { end } from './support/host-process.ts';
import { startTestbed, type Testbed } from './support/testbed.ts';

let testbed: Testbed;
beforeAll(async () => {
  testbed = await startTestbed();
});
afterAll(async () => {
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
