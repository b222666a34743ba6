import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { insertDeliveries } from '#runtime/gateway/callbacks/record.js';
import { FAMILIES } from '#runtime/gateway/metrics/families.js';
import { ACCEPT_DOCUMENT } from '#runtime/protocol/content/documents.js';
import { decodeEnvelope, verifyEnvelope } from '#runtime/protocol/envelope.js';
import { newId } from '#runtime/protocol/ids.js';
import { newSeedHex, signingKeyFromSeed } from '#runtime/protocol/signing.js';
import type { ActionResult, Capability, Manifest } from '#runtime/protocol/types.js';
import {
  deliveredOf,
  newDelivery,
  startTarget,
  storedDeliveries,
  type Target,
} from '../../runtime/gateway/callbacks/support.ts';
import { startTestbed, type Testbed, TRUST_DOMAIN } from '../../runtime/gateway/dispatch/testbed.ts';
import { probeCapability } from '../../support/external-host.ts';
import { until } from '../../support/until.ts';
import { type SetGateway, startSetGateway } from './support.ts';

const MIB = 1_048_576;
let testbed: Testbed;
let target: Target;
beforeAll(async () => {
  const bindings = [{ profile: 'aip.connector.probe.v1', max_document_bytes: 4 * MIB }];
  testbed = await startTestbed(
    [{}],
    [probeCapability('echo'), probeCapability('export', { bindings } as Partial<Capability>)],
  );
});
afterAll(() => testbed?.close());
beforeEach(async () => {
  target = await startTarget();
  onTestFinished(() => target.close());
});

const start = (settings: Record<string, string | undefined>): Promise<SetGateway> =>
  startSetGateway(testbed.databaseUrl, { TRUST_DOMAIN, ...settings });
const run = async ({ client }: SetGateway, capability = 'echo'): Promise<ActionResult | undefined> => {
  const { body } = await client.submit({ capability_id: `cap:probe:${capability}`, mode: 'sync', timeout_ms: 5000 });
  return (body as { body: { action_result?: ActionResult } }).body.action_result;
};
const CALLBACKS = {
  CALLBACK_ALLOWED_HOSTS: '127.0.0.1',
  CALLBACK_ALLOW_HTTP: 'true',
  CALLBACK_ALLOW_PRIVATE_NETWORKS: 'true',
};

test('N-328 N-329 a gateway is the principal of its settings, and its static credential is the one of its settings', async () => {
  const file = join(tmpdir(), `aip-token-${newId('message')}`);
  await writeFile(file, 'another token\n', { mode: 0o600 });
  const gateway = await start({
    SERVICE_ID: 'agent:named',
    TRUST_DOMAIN: 'named.example',
    NATIVE_BEARER_TOKEN: undefined,
    NATIVE_BEARER_TOKEN_FILE: file,
    NATIVE_PRINCIPAL: 'human:mia',
    NATIVE_PRINCIPAL_SCOPES: 'action:write,approval:read',
    NATIVE_TENANT_ID: 'tenant-named',
    LOG_LEVEL: 'info',
  });
  const manifest = (await (await fetch(`${gateway.url}/aip/v1/manifest`)).json()) as Manifest;
  expect(manifest.agent).toMatchObject({ id: 'agent:named', kind: 'agent', trust_domain: 'named.example' });
  expect(gateway.stderr()).toContain('gateway is listening');
  const authorization = 'Bearer another token';
  const submitted = await fetch(`${gateway.url}/aip/v1/actions`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify({
      aip_version: '1.0',
      message_type: 'aip.core.v1.action',
      message_id: newId('message'),
      sent_at: new Date().toISOString(),
      body: { action: { id: 'act_named', capability_id: 'cap:aip:server:health', input: {} } },
    }),
  });
  expect(submitted.status).toBe(200);
  const { rows } = await testbed.pool.query(
    "SELECT principal_id, principal_kind, tenant_id FROM runtime.actions WHERE action_id = 'act_named'",
  );
  expect(rows).toEqual([{ principal_id: 'human:mia', principal_kind: 'human', tenant_id: 'tenant-named' }]);
  const read = async (records: string) =>
    (await fetch(`${gateway.url}/aip/v1/${records}`, { headers: { authorization } })).status;
  expect([await read('actions'), await read('approvals')]).toEqual([401, 200]);
  const silent = await start({ LOG_LEVEL: 'silent' });
  expect(silent.stderr()).toBe('');
});

test('both databases may be named by files', async () => {
  const file = join(tmpdir(), `aip-url-${newId('message')}`);
  await writeFile(file, testbed.databaseUrl, { mode: 0o600 });
  const gateway = await start({
    POSTGRES_URL: undefined,
    POSTGRES_URL_FILE: file,
    CONNECTOR_REGISTRY_URL: undefined,
    CONNECTOR_REGISTRY_URL_FILE: file,
  });
  expect((await run(gateway))?.status).toBe('completed');
});

test('requests go only to hosts, schemes and networks that the settings allow', async () => {
  const base = { CONNECTOR_FLEET_TRUST_REGISTRY_ENDPOINTS: 'false', CONNECTOR_FLEET_ALLOWED_HOSTS: '127.0.0.1' };
  expect((await run(await start(base)))?.status).toBe('completed');
  const arrived = testbed.hosts[0]?.received.length;
  for (const other of [
    { CONNECTOR_FLEET_ALLOWED_HOSTS: 'other.example' },
    { CONNECTOR_FLEET_ALLOW_HTTP: 'false' },
    { CONNECTOR_FLEET_ALLOW_PRIVATE_NETWORKS: 'false' },
  ])
    expect((await run(await start({ ...base, ...other })))?.status).toBe('failed');
  expect(testbed.hosts[0]?.received).toHaveLength(arrived as number);
});

test('a gateway requests documents up to CONNECTOR_FLEET_MAX_DOCUMENT_BYTES', async () => {
  const [host] = testbed.hosts as [Testbed['hosts'][0]];
  for (const [bytes, asked] of [
    [String(MIB), MIB],
    [undefined, 4 * MIB],
  ] as const) {
    host.received.length = 0;
    await run(await start({ CONNECTOR_FLEET_MAX_DOCUMENT_BYTES: bytes }), 'export');
    expect(host.received.map(({ headers }) => headers[ACCEPT_DOCUMENT])).toEqual([String(asked)]);
  }
});

/** Submits an action that has the target as its callback. */
const submitTo = ({ client }: SetGateway) =>
  client.submit({ capability_id: 'cap:aip:server:health', mode: 'async', callback: target.callback });
const attemptsOf = (id: string) =>
  until('the first attempt is over', async () => {
    const found = (await storedDeliveries(testbed.pool)).find((each) => each.action_id === id);
    return found?.attempts[0]?.finished_at === undefined ? undefined : found;
  });

test('callbacks go only to hosts, schemes and networks that the settings allow', async () => {
  for (const other of [
    { CALLBACK_ALLOWED_HOSTS: 'other.example' },
    { CALLBACK_ALLOW_HTTP: 'false' },
    { CALLBACK_ALLOW_PRIVATE_NETWORKS: 'false' },
  ])
    expect(await submitTo(await start({ ...CALLBACKS, ...other }))).toMatchObject({
      status: 403,
      body: { body: { error: { error: { code: 'callback.target_refused' } } } },
    });
  expect(target.received).toEqual([]);
});

test('callbacks have CALLBACK_TIMEOUT_MS to answer, with at most CALLBACK_MAX_RESPONSE_BYTES', async () => {
  const gateway = await start({ ...CALLBACKS, CALLBACK_TIMEOUT_MS: '123', CALLBACK_MAX_RESPONSE_BYTES: '1000' });
  target.answer = () => undefined;
  const late = await submitTo(gateway);
  expect((await attemptsOf(late.id)).attempts[0]?.error).toBe('no complete answer within 123 ms');
  target.answer = (response) => response.end('x'.repeat(1001));
  const large = await submitTo(gateway);
  expect((await attemptsOf(large.id)).attempts[0]?.error).toBe('the answer is larger than 1000 bytes');
});

test('CALLBACK_MAX_IN_FLIGHT deliveries run at once, CALLBACK_RECOVERY_BATCH of them in one claim', async () => {
  target.answer = () => undefined;
  await testbed.pool.query('DELETE FROM runtime.callback_deliveries');
  await insertDeliveries(
    testbed.pool,
    [1, 2, 3, 4, 5].map(() => newDelivery(target.callback)),
  );
  const gateway = await start({ ...CALLBACKS, CALLBACK_MAX_IN_FLIGHT: '4', CALLBACK_RECOVERY_BATCH: '2' });
  await until('four run', () => target.received.length === 4);
  expect(await gateway.metric('aip_runtime_callback_capacity')).toBe(4);
  const running = (await storedDeliveries(testbed.pool)).filter(({ status }) => status === 'running');
  expect(running).toHaveLength(4);
  expect(new Set(running.map((each) => each.lease_id)).size).toBe(2);
});

test.each(['CALLBACK_SIGNING_SEED_HEX', 'CALLBACK_SIGNING_SEED_FILE'])('callbacks are signed with %s', async (name) => {
  const seed = newSeedHex();
  const file = join(tmpdir(), `aip-seed-${newId('message')}`);
  await writeFile(file, seed, { mode: 0o600 });
  const gateway = await start({ ...CALLBACKS, [name]: name.endsWith('_FILE') ? file : seed });
  const { id } = await submitTo(gateway);
  expect((await deliveredOf(testbed.pool, id)).status).toBe('delivered');
  const envelope = decodeEnvelope(JSON.parse(target.received[0]?.text as string));
  expect(await verifyEnvelope(envelope)).toBe(signingKeyFromSeed(seed).did);
});

test('a gateway with a fleet and callbacks shows every documented gauge but that of the broker', async () => {
  const gateway = await start({ ...CALLBACKS, CALLBACK_SIGNING_SEED_HEX: newSeedHex() });
  const documented = Object.entries(FAMILIES).filter(([name, { type }]) => type === 'gauge' && !name.includes('nats'));
  const shown = async (): Promise<string[]> => {
    const text = await (await fetch(`${gateway.url}/metrics`)).text();
    return [...text.matchAll(/^# TYPE (\w+) gauge$/gm)].map(([, name]) => name as string).sort();
  };
  await until('fleet maintenance ran', async () => (await shown()).includes('aip_connector_fleet_ready_replicas'));
  expect(await shown()).toEqual(documented.map(([name]) => name).sort());
});
