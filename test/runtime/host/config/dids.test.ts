import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readHostConfig } from '#runtime/host/config/config.js';
import { newId } from '#runtime/protocol/ids.js';
import { signValue } from '#runtime/protocol/lifecycle.js';
import { newSeedHex, type SigningKey, signingKeyFromSeed } from '#runtime/protocol/signing.js';
import { parseDidList } from '#runtime/transport/settings/dids.js';
import { CONFIG_MAP_MODE, mountVersion } from '../../../support/mounted.ts';
import { until } from '../../../support/until.ts';
import type { Answer } from '../support/central.ts';
import { startTestbed, type Testbed } from '../support/testbed.ts';

const P = 'AIP_CONNECTOR_HOST_';
const newKey = (): SigningKey => signingKeyFromSeed(newSeedHex());

let testbed: Testbed;
let trust: string;
/** The active DIDs first. */
let gateways: SigningKey[];
let controls: SigningKey[];

/** Publishes the DIDs as the ConfigMap of the fleet does. */
const publish = (): Promise<void> => {
  const lines = (keys: SigningKey[]): string => keys.map(({ did }) => `${did}\n`).join('');
  return mountVersion(
    trust,
    { 'gateway-dids': lines(gateways), 'control-plane-dids': lines(controls) },
    CONFIG_MAP_MODE,
  );
};
/** Sends work signed by a gateway key. */
const send = (key: SigningKey): Promise<Answer> =>
  testbed.central.send({ capability_id: 'cap:demo:echo', input: { text: 'hello' } }, { key });
const accepts = async (key: SigningKey): Promise<boolean> => (await send(key)).status === 200;
const sequence = (): number => testbed.control.replica.sequence;

beforeAll(async () => {
  testbed = await startTestbed({ idle: true });
  trust = join(testbed.folder, 'trust');
  gateways = [testbed.central.key];
  controls = [testbed.control.key];
  await publish();
  delete testbed.env[`${P}GATEWAY_DID`];
  delete testbed.env[`${P}CONTROL_DID`];
  testbed.env[`${P}GATEWAY_DIDS_FILE`] = join(trust, 'gateway-dids');
  testbed.env[`${P}CONTROL_DIDS_FILE`] = join(trust, 'control-plane-dids');
  await testbed.start();
  await testbed.ready();
});
afterAll(async () => {
  await testbed?.stop();
});

test('F-144 work is taken under every current DID of the gateway, and under a former one no more', async () => {
  const [old, next] = [testbed.central.key, newKey()];
  expect(await send(next)).toMatchObject({ status: 401, error: { code: 'connector_host.route_mismatch' } });
  gateways = [old, next];
  await publish();
  await until('the next key is trusted', () => accepts(next));
  expect(await accepts(old)).toBe(true);
  const answer = await send(next);
  expect(answer).toMatchObject({ envelope: { to: { did: next.did } }, result: { status: 'completed' } });
  gateways = [next, old];
  await publish();
  gateways = [next];
  await publish();
  await until('the old key is trusted no more', async () => !(await accepts(old)));
  expect(await send(old)).toMatchObject({ status: 401, error: { code: 'connector_host.route_mismatch' } });
  expect(await accepts(next)).toBe(true);
});

test('F-144 a sender that names another current DID than the one that signed is refused', async () => {
  const [first, second] = [gateways[0] as SigningKey, newKey()];
  gateways = [first, second];
  await publish();
  await until('both are trusted', () => accepts(second));
  const envelope = await testbed.central.action({ capability_id: 'cap:demo:echo', input: {} }, { key: second });
  const { signature: _, ...security } = envelope.security as Record<string, unknown>;
  const mixed = { ...envelope, from: { ...envelope.from, did: first.did }, security };
  const signature = await signValue(mixed, second);
  const posted = await testbed.central.post({ ...mixed, security: { ...security, signature } });
  expect(posted).toMatchObject({ status: 401, error: { code: 'connector_host.route_mismatch' } });
});

test('events go to the gateway under its active DID', async () => {
  const active = newKey();
  const event = { id: newId('event'), kind: 'demo.happened', occurred_at: '2026-07-09T00:00:00Z', data: { n: 1 } };
  gateways = [active, ...gateways];
  await publish();
  await until('it is trusted', () => accepts(active));
  await testbed.central.send({ capability_id: 'cap:demo:echo', input: { publish_event: event } }, { key: active });
  await until('the event arrived', () => testbed.ingress.events().some((each) => each.event.id === event.id));
  expect(testbed.ingress.received.at(-1)?.envelope.to).toMatchObject({ id: 'service:central', did: active.did });
});

test('F-193 a lease is renewed under every current DID of the control plane, and under another one never', async () => {
  const [old, next] = [testbed.control.key, newKey()];
  let signer = next;
  testbed.control.intercept = async (_received, decide) => {
    const reply = await decide();
    if (reply === 'hang up') return reply;
    const { response } = JSON.parse(reply.text) as { response: object };
    const signed = await testbed.control.signed({ ...response, signer_did: signer.did }, signer);
    return signed === 'hang up' ? signed : { ...signed, status: reply.status };
  };
  const failures = (await testbed.metrics()).heartbeat_failures_total ?? 0;
  await until('an answer by the unknown key is refused', async () => {
    return ((await testbed.metrics()).heartbeat_failures_total ?? 0) > failures;
  });
  controls = [old, next];
  await publish();
  const renewed = sequence();
  await until('leases come under the next key', () => sequence() > renewed + 1);
  signer = old;
  const again = sequence();
  await until('and still under the old one', () => sequence() > again + 1);
  expect((await testbed.readiness()).body).toMatchObject({ status: 'ready', lease_valid: true });
  controls = [next];
  await publish();
  const { heartbeat_failures_total: before = 0 } = await testbed.metrics();
  await until('the old key is refused', async () => ((await testbed.metrics()).heartbeat_failures_total ?? 0) > before);
  signer = next;
  const last = sequence();
  await until('the next one is not', () => sequence() > last + 1);
});

test('an invalid list leaves the last one in force', async () => {
  const active = gateways[0] as SigningKey;
  await mountVersion(
    trust,
    { 'gateway-dids': 'did:web:example\n', 'control-plane-dids': `${(controls[0] as SigningKey).did}\n` },
    CONFIG_MAP_MODE,
  );
  await until('it was refused', () =>
    testbed.host.lines().some(({ setting, level }) => setting === 'gateway DIDs' && level === 'error'),
  );
  expect(await accepts(active)).toBe(true);
  await publish();
});

test('a list of DIDs holds 1 to 8 of them, a line each, none twice', () => {
  const dids = Array.from({ length: 9 }, () => newKey().did);
  expect(parseDidList(` ${dids[0]} \r\n\n${dids[1]}`)).toEqual([dids[0], dids[1]]);
  expect(parseDidList(dids.slice(1).join('\n'))).toHaveLength(8);
  for (const wrong of ['', '\n', dids.join('\n'), `${dids[0]}\n${dids[0]}`, `${dids[0]},${dids[1]}`, 'did:web:x'])
    expect(() => parseDidList(wrong)).toThrow(RangeError);
});

test('a list and a single DID exclude one another, and one of them is required', async () => {
  const config = (change: Record<string, string | undefined>) => () =>
    readHostConfig({
      ...testbed.env,
      ...Object.fromEntries(Object.entries(change).map(([name, value]) => [P + name, value])),
    });
  const did = newKey().did;
  expect(config({ CONTROL_DID: did })).toThrow(`${P}CONTROL_DIDS_FILE`);
  expect(config({ CONTROL_DIDS_FILE: undefined })).toThrow(`${P}CONTROL_DID is required`);
  expect(config({ GATEWAY_DIDS_FILE: join(testbed.folder, 'missing') })).toThrow(`${P}GATEWAY_DIDS_FILE`);
  const wide = join(testbed.folder, 'wide');
  await writeFile(wide, did, { mode: 0o600 });
  expect(config({ GATEWAY_DIDS_FILE: wide })).not.toThrow();
});
