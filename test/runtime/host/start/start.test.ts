import { chmod, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readHostConfig } from '#runtime/host/config/config.js';
import { until } from '../../../support/until.ts';
import { end, spawnHost, startHost } from '../support/host-process.ts';
import { startTestbed, type Testbed } from '../support/testbed.ts';

const P = 'AIP_CONNECTOR_HOST_';

let testbed: Testbed;
beforeAll(async () => {
  testbed = await startTestbed({ idle: true });
});
afterAll(async () => {
  await testbed?.stop();
});

type Change = Record<string, string | undefined>;

/** Variables of a good host with changes; undefined takes one away. */
function changed(change: Change): Record<string, string> {
  const env = {
    ...testbed.env,
    ...Object.fromEntries(Object.entries(change).map(([name, value]) => [P + name, value])),
  };
  return Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined)) as Record<string, string>;
}

/** The one JSON line that a refused start leaves; the exit code must be 1 and nothing may have been registered. */
async function refusal(change: Change): Promise<{ code: string; message: string }> {
  const before = testbed.control.received.length;
  const host = spawnHost(changed(change));
  expect(await host.exit).toBe(1);
  const lines = host.lines().filter((line) => 'code' in line && 'message' in line && !('level' in line));
  expect(lines).toHaveLength(1);
  expect(testbed.control.received).toHaveLength(before);
  return lines[0] as { code: string; message: string };
}

const EXACT = '/aip/v1/messages';

test.each([
  ['F-138', '/aip/v1/messages'],
  ['F-138', 'https://host.example/aip/v1/messages/'],
  ['F-138', 'https://host.example/aip/v1/message'],
  ['F-138', 'https://host.example/prefix/aip/v1/messages'],
  ['F-138', 'https://host.example/aip/v1/x/../messages'],
  ['F-138', 'ftp://host.example/aip/v1/messages'],
  ['F-139', `https://user@host.example${EXACT}`],
  ['F-139', `https://user:secret@host.example${EXACT}`],
  ['F-139', `https://host.example${EXACT}?a=1`],
  ['F-139', `https://host.example${EXACT}?`],
  ['F-139', `https://host.example${EXACT}#part`],
  ['F-140', `http://host.example${EXACT}`],
  ['F-140', `http://10.0.0.7:8081${EXACT}`],
])('%s the public endpoint %s is refused', async (_id, endpoint) => {
  expect(await refusal({ PUBLIC_ENDPOINT: endpoint })).toMatchObject({
    code: 'connector_host.config',
    message: expect.stringContaining(`${P}PUBLIC_ENDPOINT`),
  });
});

test('F-140 F-141 F-183 http on loopback needs the explicit switch, and the switch a loopback bind', async () => {
  const https = { CONTROL_ENDPOINT: 'https://control.example/aip/v1/connector-control' };
  expect((await refusal({ ALLOW_LOOPBACK_HTTP: undefined, ...https })).message).toContain(`${P}PUBLIC_ENDPOINT`);
  expect((await refusal({ BIND: '0.0.0.0:0' })).message).toContain(`${P}ALLOW_LOOPBACK_HTTP`);
  const host = await startHost(changed({}));
  await end(host);
});

test.each([
  ['F-181', '/aip/v1/connector-control'],
  ['F-181', 'https://control.example/aip/v1/connector-control/'],
  ['F-181', 'https://control.example/control'],
  ['F-182', 'https://user:secret@control.example/aip/v1/connector-control'],
  ['F-182', 'https://user@control.example/aip/v1/connector-control'],
  ['F-182', 'https://:secret@control.example/aip/v1/connector-control'],
  ['F-182', 'https://control.example/aip/v1/connector-control?x=1'],
  ['F-182', 'https://control.example/aip/v1/connector-control#x'],
  ['F-183', 'http://control.example/aip/v1/connector-control'],
])('%s the control endpoint %s is refused', async (_id, endpoint) => {
  expect((await refusal({ CONTROL_ENDPOINT: endpoint })).message).toContain(`${P}CONTROL_ENDPOINT`);
});

test('F-183 an http control endpoint on loopback needs the explicit switch', async () => {
  const change = { ALLOW_LOOPBACK_HTTP: undefined, PUBLIC_ENDPOINT: `https://host.example${EXACT}` };
  expect((await refusal(change)).message).toContain(`${P}CONTROL_ENDPOINT`);
});

test.each([
  ['F-198', 'EVENT_ENDPOINT', 'https://central.example/aip/v1/connector-callbacks'],
  ['F-198', 'EVENT_ENDPOINT', 'https://central.example/aip/v1/connector-events/'],
  ['F-199', 'CALLBACK_ENDPOINT', 'https://central.example/aip/v1/connector-events'],
  ['F-199', 'CALLBACK_ENDPOINT', 'https://central.example/x/aip/v1/connector-callbacks'],
])('%s %s %s is refused', async (_id, name, url) => {
  expect((await refusal({ [name]: url })).message).toContain(P + name);
});

test('publishers take plain http and private addresses only when configured', async () => {
  expect((await refusal({ EVENT_ALLOW_HTTP: undefined })).message).toContain(`${P}EVENT_ENDPOINT`);
  expect((await refusal({ CALLBACK_ALLOW_PRIVATE: undefined })).message).toContain('public internet');
  expect((await refusal({ EVENT_ENDPOINT: undefined, EVENT_ALLOW_PRIVATE: undefined })).message).toContain(
    `${P}EVENT_ALLOW_HTTP`,
  );
});

test.each<[string, Change]>([
  ['LEASE_TTL_MS', { LEASE_TTL_MS: '999' }],
  ['LEASE_TTL_MS', { LEASE_TTL_MS: '300001' }],
  ['HEARTBEAT_MS', { LEASE_TTL_MS: '10000', HEARTBEAT_MS: '5001' }],
  ['DRAIN_TIMEOUT_MS', { DRAIN_TIMEOUT_MS: '300001' }],
  ['HEALTH_TIMEOUT_MS', { HEALTH_TIMEOUT_MS: '30001' }],
  ['CONTROL_TIMEOUT_MS', { CONTROL_TIMEOUT_MS: '0' }],
  ['NAME_WAIT_MS', { NAME_WAIT_MS: '300001' }],
  ['MAX_IN_FLIGHT', { MAX_IN_FLIGHT: '0' }],
  ['CONFIG_REVISION', { CONFIG_REVISION: '0' }],
  ['REPLICA_ID', { REPLICA_ID: 'replica-1' }],
  ['ARTIFACT_DIGEST', { ARTIFACT_DIGEST: 'sha256:abc' }],
  ['REGION', { REGION: 'eu west' }],
  ['TENANT_ID', { TENANT_ID: undefined }],
  ['GATEWAY_DID', { GATEWAY_DID: 'did:web:x' }],
  ['EXTERNAL_ACCOUNT_ID', { EXTERNAL_ACCOUNT_ID: 'a' }],
  ['CREDENTIAL_ISSUER', { CREDENTIAL_ID: 'cred-1' }],
  ['CONFIG', { CONFIG: '{' }],
])('%s out of its bounds is refused', (name, change) => {
  expect(() => readHostConfig(changed(change))).toThrow(
    expect.objectContaining({ code: 'connector_host.config', message: expect.stringContaining(P + name) }),
  );
});

test('a configuration that does not pass the schema of the connector is refused with path and message', async () => {
  expect(await refusal({ CONFIG: '{"name":7}' })).toMatchObject({
    code: 'connector.config_invalid',
    message: expect.stringContaining('/name'),
  });
});

test('the seed file must be a regular file of its owner alone', async () => {
  const open = join(testbed.folder, 'open-seed');
  await writeFile(open, 'ab'.repeat(32), { mode: 0o600 });
  await chmod(open, 0o640);
  expect((await refusal({ SIGNING_SEED_FILE: open })).message).toContain('0600');
  const link = join(testbed.folder, 'linked-seed');
  await symlink(join(testbed.folder, 'seed'), link);
  expect((await refusal({ SIGNING_SEED_FILE: link })).message).toContain('regular file');
  const line = JSON.stringify(await refusal({ SIGNING_SEED_FILE: open }));
  expect(line).not.toContain('abab');
});

test('a replica that was never admitted ends its first start with one JSON line and exit code 1', async () => {
  testbed.control.intercept = async ({ request }) =>
    testbed.control.signed({
      request_id: request.request_id,
      issued_at: new Date().toISOString(),
      expires_at: new Date(Date.now() + 30_000).toISOString(),
      signer_did: testbed.control.key.did,
      status: 'rejected',
      code: 'connector_control.rejected',
    });
  const host = spawnHost(changed({ REPLICA_ID: 'crepl_unknown' }));
  expect(await host.exit).toBe(1);
  testbed.control.intercept = undefined;
  expect(host.lines().filter((line) => !('level' in line))).toEqual([
    { code: 'connector_control.rejected', message: expect.any(String) },
  ]);
});

test('an option of the command line wins over its variable', async () => {
  Object.assign(testbed.control.replica, { status: 'offline', leaseEnd: 0 });
  const host = await startHost(changed({ MAX_IN_FLIGHT: '4', REPLICA_ID: 'crepl_other' }), [
    '--max-in-flight',
    '9',
    '--region',
    'eu-west-1',
  ]);
  expect(
    await until('it registers with them', () =>
      testbed.control.received.some(
        ({ request: { command } }) =>
          command.operation === 'register' &&
          command.payload.replica.capacity === 9 &&
          command.payload.replica.topology?.region === 'eu-west-1',
      ),
    ),
  ).toBeTruthy();
  await end(host);
});

test('a database that gives no connection is refused with the cause, and one in plain text elsewhere before it is tried', async () => {
  const own = { DATABASE_URL_FILE: undefined };
  expect(await refusal({ ...own, DATABASE_URL: 'postgres://u:secret@127.0.0.1:1/none' })).toMatchObject({
    code: 'storage.unavailable',
    message: expect.stringMatching(/^the database gave no connection in time: .*ECONNREFUSED/),
  });
  const plain = await refusal({ ...own, DATABASE_URL: 'postgres://u:secret@db.example/none' });
  expect(plain).toMatchObject({ code: 'connector_host.config', message: expect.stringContaining('sslmode=disable') });
  expect(plain.message).not.toContain('secret');
});
