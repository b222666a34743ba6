import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { freshDatabase } from '../../../support/database.ts';
import { until } from '../../../support/until.ts';
import { startFakeApi } from '../../kube/support/fake-api.ts';

const CONTROLLER = resolve(import.meta.dirname, '..', '..', '..', '..', 'controller', 'bin', 'aip-controller.js');

let child: ChildProcess | undefined;
let drop: (() => Promise<void>) | undefined;
afterAll(async () => {
  child?.kill('SIGKILL');
  await drop?.();
});

test('a controller prepares the registry, is alive but not ready without the fleet keys, and ends on SIGTERM', async () => {
  const database = await freshDatabase();
  drop = database.drop;
  const api = await startFakeApi();
  const environment = {
    NAMESPACE: 'home',
    RELEASE: 'aip',
    POD_NAME: 'aip-controller-0',
    TRUST_DOMAIN: 'fleet.test',
    RUNTIME_IMAGE: 'registry.test/aip-runtime:1',
    TENANCY: 'open',
    CONTROL_BIND: '127.0.0.1:0',
    ADMIN_BIND: '127.0.0.1:0',
    DATABASE_URL: database.url,
    KUBECONFIG: api.kubeconfig,
  };
  const running = spawn(process.execPath, [CONTROLLER, 'run'], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env.PATH,
      ...Object.fromEntries(Object.entries(environment).map(([name, value]) => [`AIP_CONTROLLER_${name}`, value])),
    },
  });
  child = running;
  let log = '';
  for (const stream of [running.stdout, running.stderr])
    stream.on('data', (chunk: Buffer) => {
      log += chunk;
    });
  const admin = await until('the admin port listens', () => /"admin":"([^"]+)"/.exec(log)?.[1]);
  // It asks for the lease and for the fleet's keys only when the registry is there.
  await until('the registry is there', () => log.includes('the control plane waits for its identity'));
  const answer = async (path: string) => {
    const response = await fetch(new URL(path, admin));
    return [response.status, await response.text()] as const;
  };
  expect(await answer('/health')).toEqual([200, expect.stringContaining('"ok"')]);
  expect(await answer('/ready')).toEqual([503, expect.stringContaining('"leader":false')]);
  expect((await answer('/metrics'))[1]).toContain('aip_controller_');
  const exited = once(running, 'exit');
  running.kill('SIGTERM');
  expect(await exited).toEqual([0, null]);
});
