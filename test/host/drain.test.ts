import { afterAll, beforeAll, expect, test } from 'vitest';
import { until } from '../support/until.ts';
import { end } from './support/host-process.ts';
import { type Rig, startRig } from './support/testbed.ts';

let rig: Rig;
beforeAll(async () => {
  rig = await startRig();
});
afterAll(async () => {
  await end(rig?.host);
  await rig?.stop();
});

const send = () => rig.central.send({ capability_id: 'cap:demo:echo', input: { text: 'hello' } });

test('F-108 F-273 work that was assigned before the registry knew of the drain is taken; later work is refused', async () => {
  const pinned = rig.central.send({ capability_id: 'cap:demo:report', input: { seconds: 4 } });
  await until('it runs', async () => (await rig.metrics()).in_flight === 1);
  let answerDrain: () => void = () => undefined;
  const held = new Promise<void>((go) => {
    answerDrain = go;
  });
  let asked = false;
  rig.control.intercept = async ({ operation }, decide) => {
    if (operation === 'drain' && !asked) {
      asked = true;
      await held;
    }
    return decide();
  };
  rig.host.child.kill('SIGTERM');
  await until('the host asked for the drain', () => asked);
  expect((await send()).result).toMatchObject({ status: 'completed' });
  answerDrain();
  await until('it drains', async () => (await rig.readiness()).body.draining);
  expect(await send()).toMatchObject({ status: 503, error: { code: 'connector_host.not_ready' } });
  expect((await pinned).result).toMatchObject({ status: 'completed' });
  expect(await rig.host.exit).toBe(0);
});
