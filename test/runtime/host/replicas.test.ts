import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { digestOf } from '#runtime/protocol/digest.js';
import { newId } from '#runtime/protocol/ids.js';
import { newSeedHex, signingKeyFromSeed } from '#runtime/protocol/signing.js';
import { until } from '../../support/until.ts';
import { callsOf } from './support/calls.ts';
import { type Central, openCentral } from './support/central.ts';
import { type ControlPlane, startControlPlane } from './support/control-plane.ts';
import { end, type HostProcess, startHost } from './support/host-process.ts';
import { startTestbed, type Testbed } from './support/testbed.ts';

const OTHER = 'crepl_018f3c0e6b7a7c1d9e2f001122330b02';

let testbed: Testbed;
let second: HostProcess;
let secondDid: string;
let control: ControlPlane;
let toSecond: Central;

beforeAll(async () => {
  testbed = await startTestbed({ ttlMs: 60_000 });
  const seed = newSeedHex();
  secondDid = signingKeyFromSeed(seed).did;
  const seedFile = join(testbed.folder, 'second-seed');
  await writeFile(seedFile, seed, { mode: 0o600 });
  control = await startControlPlane(secondDid);
  second = await startHost({
    ...testbed.env,
    AIP_CONNECTOR_HOST_REPLICA_ID: OTHER,
    AIP_CONNECTOR_HOST_SIGNING_SEED_FILE: seedFile,
    AIP_CONNECTOR_HOST_CONTROL_ENDPOINT: control.url,
    AIP_CONNECTOR_HOST_CONTROL_DID: control.key.did,
  });
  await until('the second is ready', async () => (await fetch(`${second.url}/ready`)).status === 200);
  const { instance_id, version_id } = {
    instance_id: testbed.env.AIP_CONNECTOR_HOST_INSTANCE_ID ?? '',
    version_id: testbed.env.AIP_CONNECTOR_HOST_VERSION_ID ?? '',
  };
  toSecond = openCentral({
    url: () => second.url,
    hostPrincipal: { id: 'agent:demo:test', kind: 'agent' },
    coordinates: () => ({ instance_id, version_id, replica_id: OTHER, manifest_digest: digestOf(testbed.manifest()) }),
    callbackUrl: testbed.ingress.callbackUrl,
    key: testbed.central.key,
  });
});
afterAll(async () => {
  await end(second);
  await control?.close();
  await testbed?.stop();
});

const counted = () => ({ id: newId('action'), capability_id: 'cap:demo:flaky', input: { mode: 'ok' } });

test('F-001 two replicas of one instance are two processes with replica ids, keys and leases of their own and one manifest digest', async () => {
  expect(second.child.pid).not.toBe(testbed.host.child.pid);
  const manifest = await (await fetch(`${second.url}/aip/v1/manifest`)).json();
  expect(digestOf(manifest)).toBe(digestOf(testbed.manifest()));
  const registered = [testbed.control, control].map(({ received }) => received[0]?.request.command.payload);
  expect(registered).toMatchObject([
    { replica: { id: testbed.env.AIP_CONNECTOR_HOST_REPLICA_ID } },
    { replica: { id: OTHER } },
  ]);
  const toFirst = counted();
  expect(await testbed.central.send(toFirst)).toMatchObject({ status: 200, signer: testbed.key.did });
  expect(await toSecond.send(counted())).toMatchObject({ status: 200, signer: secondDid });
  const crossed = counted();
  const wrong = await toSecond.post(await testbed.central.action(crossed));
  expect(wrong).toMatchObject({ status: 403, error: { code: 'connector_host.route_mismatch' } });
  expect(await callsOf(testbed, crossed.id)).toBe(0);
});

test('F-006 an envelope signed by the other replica is refused with 401', async () => {
  const action = counted();
  const answer = await toSecond.send(action, { key: testbed.key });
  expect(answer).toMatchObject({ status: 401, error: { code: 'connector_host.route_mismatch' } });
  expect(await callsOf(testbed, action.id)).toBe(0);
});

test('an action that one replica finished is answered by the other without another call', async () => {
  const action = counted();
  const first = await testbed.central.send(action);
  expect(await toSecond.send(action)).toMatchObject({ status: 200, signer: secondDid, result: first.result });
  expect(await callsOf(testbed, action.id)).toBe(1);
});

test('F-019 a host lives through register, execute, publish and offline with its own database and no other', async () => {
  const event = { id: newId('event'), kind: 'demo.happened', occurred_at: '2026-07-09T00:00:00Z', data: {} };
  const answer = await toSecond.send({ capability_id: 'cap:demo:echo', input: { publish_event: event } });
  expect(answer).toMatchObject({ status: 200, result: { status: 'completed' } });
  await until('the event arrived', () => testbed.ingress.events().some((each) => each.event.id === event.id));
  second.child.kill('SIGTERM');
  expect(await second.exit).toBe(0);
  expect([control.operations()[0], ...control.operations().slice(-2)]).toEqual(['register', 'drain', 'offline']);
  expect(control.replica.status).toBe('offline');
  expect(Object.keys(testbed.env).filter((name) => /REGISTRY|CATALOG/.test(name))).toEqual([]);
  const { rows } = await testbed.pool.query<{ schema: string }>(
    "SELECT DISTINCT table_schema AS schema FROM information_schema.tables WHERE table_schema NOT IN ('pg_catalog', 'information_schema')",
  );
  expect(rows).toEqual([{ schema: 'aip_host' }]);
});
