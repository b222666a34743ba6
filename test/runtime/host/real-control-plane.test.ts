import { type ChildProcess, spawn } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { openPool, type Pool } from '#runtime/postgres/pool.js';
import { newId } from '#runtime/protocol/ids.js';
import { newSeedHex, signingKeyFromSeed } from '#runtime/protocol/signing.js';
import { openRegistry, type Registry } from '#runtime/registry/registry.js';
import { freshDatabase } from '../../support/database.ts';
import { until } from '../../support/until.ts';
import { startSetGateway } from '../../system/settings/support.ts';
import { TRUST_DOMAIN } from './support/central.ts';
import { end, spawnHost } from './support/host-process.ts';
import { provision } from './support/provision.ts';
import { startTestbed, type Testbed } from './support/testbed.ts';

const CONTROLLER = resolve(import.meta.dirname, '..', '..', '..', 'controller', 'bin', 'aip-controller.js');
const P = 'AIP_CONNECTOR_HOST_';

let testbed: Testbed;
let database: Awaited<ReturnType<typeof freshDatabase>>;
let pool: Pool;
let registry: Registry;
let controller: ChildProcess;

const replica = async () =>
  (await registry.replicas.get(testbed.env[`${P}REPLICA_ID`] as string)) as NonNullable<
    Awaited<ReturnType<Registry['replicas']['get']>>
  >;

beforeAll(async () => {
  testbed = await startTestbed({ idle: true });
  database = await freshDatabase();
  pool = openPool({ url: database.url, max: 4 });
  registry = openRegistry({ data: pool, clock: Date.now, allowLoopbackHttp: true });
  await registry.migrate();
  await provision(registry, testbed);
  const seed = newSeedHex();
  await writeFile(join(testbed.folder, 'control-seed'), seed, { mode: 0o600 });
  controller = spawn(process.execPath, [CONTROLLER, 'control-plane'], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: {
      PATH: process.env.PATH,
      AIP_CONNECTOR_CONTROL_BIND: '127.0.0.1:0',
      AIP_CONNECTOR_CONTROL_DATABASE_URL: database.url,
      AIP_CONNECTOR_CONTROL_SIGNING_SEED_FILE: join(testbed.folder, 'control-seed'),
    },
  });
  let log = '';
  controller.stderr?.on('data', (part: Buffer) => {
    log += part;
  });
  const url = await until('the control plane listens', () => /"bind":"(http:[^"]+)"/.exec(log)?.[1]);
  testbed.env[`${P}CONTROL_ENDPOINT`] = `${url}/aip/v1/connector-control`;
  testbed.env[`${P}CONTROL_DID`] = signingKeyFromSeed(seed).did;
  await testbed.start();
  await testbed.ready();
});
afterAll(async () => {
  await testbed?.stop();
  controller?.kill('SIGKILL');
  await pool?.close();
  await database?.drop();
});

test('F-004 F-092 a pre-provisioned replica registers with the manifest that was described, and renews', async () => {
  expect(await replica()).toMatchObject({ status: 'ready' });
  const { healthRevision } = await replica();
  await until('it has renewed', async () => (await replica()).healthRevision > healthRevision);
  expect((await testbed.readiness()).body).toMatchObject({ status: 'ready', lease_valid: true });
});

test('a killed host resumes its live lease at the real control plane at once', async () => {
  await end(testbed.host, 'SIGKILL');
  const { healthRevision, leaseExpiresAt } = await replica();
  await testbed.start();
  await testbed.ready();
  // It did not wait until its own lease lapsed.
  expect(Date.now()).toBeLessThan(leaseExpiresAt);
  const renewed = await replica();
  expect(renewed.status).toBe('ready');
  expect(renewed.healthRevision).toBeGreaterThan(healthRevision);
});

test('F-004 a stopped host leaves its replica offline, and the next process registers', async () => {
  testbed.host.child.kill('SIGTERM');
  expect(await testbed.host.exit).toBe(0);
  expect(await replica()).toMatchObject({ status: 'offline' });
  await testbed.start();
  await testbed.ready();
  expect(await replica()).toMatchObject({ status: 'ready' });
});

test('F-260 an event is staged before it is first sent: after a crash the central event log has it, once', async () => {
  const gateway = await startSetGateway(database.url, { TRUST_DOMAIN, SERVICE_ID: 'service:central' });
  const event = { id: newId('event'), kind: 'demo.happened', occurred_at: '2026-07-09T00:00:00Z', data: { n: 1 } };
  const staged = async () => (await testbed.pool.query('SELECT key FROM aip_host.outbox')).rows.length;
  const stored = async () =>
    (await pool.query('SELECT event_id FROM runtime.events WHERE event_id = $1', [event.id])).rows.length;
  /** What was staged when a send came, while none was let through. */
  const before: number[] = [];
  let open = false;
  const way = createServer(async (request, response) => {
    const body = await text(request);
    if (!open) {
      before.push(await staged());
      request.socket.destroy();
      return;
    }
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(gateway.url + request.url, { method: 'POST', headers, body });
    response.writeHead(answer.status, headers).end(await answer.text());
  });
  await new Promise<void>((done) => way.listen(0, '127.0.0.1', done));
  onTestFinished(() => {
    way.closeAllConnections();
    way.close();
  });
  testbed.host.child.kill('SIGTERM');
  await testbed.host.exit;
  const dids = join(testbed.folder, 'dids');
  await writeFile(dids, `${gateway.key.did}\n${testbed.central.key.did}\n`, { mode: 0o600 });
  delete testbed.env[`${P}GATEWAY_DID`];
  testbed.env[`${P}GATEWAY_DIDS_FILE`] = dids;
  testbed.env[`${P}EVENT_ENDPOINT`] = `http://127.0.0.1:${(way.address() as AddressInfo).port}/aip/v1/connector-events`;
  await testbed.start();
  await testbed.ready();
  const { result } = await testbed.central.send({ capability_id: 'cap:demo:echo', input: { publish_event: event } });
  expect(result?.status).toBe('completed');
  await until('it was sent', () => before.length > 0);
  expect(before[0]).toBe(1);
  await end(testbed.host, 'SIGKILL');
  expect([await staged(), await stored()]).toEqual([1, 0]);
  open = true;
  await testbed.pool.query('UPDATE aip_host.outbox SET next_attempt_at = 0, lease_expires_at = 0');
  await testbed.start();
  await until('it left the outbox', async () => (await staged()) === 0);
  expect(await stored()).toBe(1);
});

test('a replica whose key is not the provisioned one ends its first start with exit code 1', async () => {
  testbed.host.child.kill('SIGTERM');
  await testbed.host.exit;
  await writeFile(join(testbed.folder, 'seed'), newSeedHex(), { mode: 0o600 });
  await testbed.pool.query('DELETE FROM aip_host.leases');
  const stranger = spawnHost(testbed.env);
  expect(await stranger.exit).toBe(1);
  const lines = stranger.lines().filter((line) => !('level' in line));
  expect(lines).toEqual([{ code: 'connector_control.rejected', message: expect.any(String) }]);
  expect(await replica()).toMatchObject({ status: 'offline' });
});
