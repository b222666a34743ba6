import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { watchLiveness } from '#controller/cluster/observed/liveness.js';
import { adminApp } from '#controller/cluster/process/admin.js';
import { listen } from '#runtime/transport/http/server.js';

test('a leader may be deaf while it begins, and not afterwards', () => {
  let now = 1000;
  let healthy = false;
  const ended = new AbortController();
  const well = watchLiveness({ healthy: () => healthy }, ended.signal, () => now);
  now += 239_999;
  expect(well()).toBe(true);
  now += 1;
  expect(well()).toBe(false);
  healthy = true;
  expect(well()).toBe(true);
  healthy = false;
  ended.abort();
  expect(well()).toBe(true);
});

test('a deaf leader fails its liveness and stays ready, as the control plane still serves', async () => {
  const state = { leader: true, healthy: false, holder: 'a' };
  const app = adminApp({ metrics: new Registry(), serving: () => true, leading: () => state });
  const server = await listen(app, { host: '127.0.0.1', port: 0 });
  const status = async (path: string): Promise<number> => (await fetch(`${server.url}${path}`)).status;
  expect([await status('/health'), await status('/ready'), await status('/metrics')]).toEqual([503, 200, 200]);
  state.healthy = true;
  expect(await status('/health')).toBe(200);
  await server.close(0);
});
