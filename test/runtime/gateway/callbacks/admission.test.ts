import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { callbackAdmission } from '#runtime/gateway/callbacks/admit.js';
import { readCallbackSettings } from '#runtime/gateway/callbacks/settings.js';
import { newId } from '#runtime/protocol/ids.js';
import { signingKeyFromSeed } from '#runtime/protocol/signing.js';
import { destinationPolicy } from '#runtime/transport/peer/destination.js';
import { env } from '#runtime/transport/settings/env.js';
import { actionEnvelope, errorOf, type HttpGateway, startHttpGateway, TOKEN } from '../support/gateway.ts';
import { admit, startTarget, type Target } from './support.ts';

let target: Target;
let gateway: HttpGateway;
beforeAll(async () => {
  target = await startTarget();
  gateway = await startHttpGateway();
});
afterAll(async () => {
  await gateway?.stop();
  await target?.close();
});

test('callbacks go nowhere by default: an action with one is refused at its submission and is not accepted', async () => {
  for (const callback of [target.callback, { profile: 'aip.native.http.v1', target: 'https://example.com/callback' }]) {
    const id = newId('action');
    const answer = await gateway.call('POST', '/aip/v1/actions', {
      token: TOKEN,
      body: actionEnvelope({ id, callback }),
    });
    expect(answer.status).toBe(403);
    expect(errorOf(answer)).toMatchObject({ code: 'callback.target_refused', category: 'policy', retryable: false });
    expect((await gateway.call('GET', `/aip/v1/actions/${id}`, { token: TOKEN })).status).toBe(400);
  }
  expect(target.received).toEqual([]);
});

test('a callback is admitted only over HTTP to an allowed host, scheme and range', async () => {
  const code = async (target: string, profile = 'aip.native.http.v1', by = admit) =>
    by({ profile, target }).then(
      () => undefined,
      (error) => (error as { code: string }).code,
    );
  const refused = 'callback.target_refused';
  expect(await code('http://127.0.0.1:1/callback')).toBeUndefined();
  expect(await code('http://127.0.0.1:1/callback', 'some.profile')).toBeUndefined();
  expect(await code('subject', 'aip.native.nats.v1')).toBe(refused);
  expect(await code('http://127.0.0.2:1/callback')).toBe(refused);
  expect(await code('http://user:pass@127.0.0.1:1/callback')).toBe(refused);
  expect(await code(`http://127.0.0.1:1/${'x'.repeat(2048)}`)).toBe(refused);
  const strict = callbackAdmission(destinationPolicy({ hosts: ['127.0.0.1', 'unresolvable.invalid'] }));
  expect(await code('http://127.0.0.1:1/callback', undefined, strict)).toBe(refused);
  expect(await code('https://127.0.0.1:1/callback', undefined, strict)).toBe(refused);
});

test('a callback that holds a zero character anywhere is refused when it is submitted, not when its result is to be stored', async () => {
  const ours = { profile: 'aip.native.http.v1', target: 'http://127.0.0.1:1/callback' };
  for (const callback of [
    { ...ours, profile: 'a\u0000' },
    { ...ours, target: `${ours.target}\u0000` },
    { ...ours, metadata: { deep: ['a\u0000b'] } },
    { ...ours, metadata: { 'a\u0000': 1 } },
  ])
    await expect(admit(callback)).rejects.toMatchObject({ code: 'callback.target_refused' });
  await expect(admit({ ...ours, metadata: { text: 'a\u0001b' } })).resolves.toBeUndefined();
});

test('N-297 N-299 part: a gateway with a key for callbacks shows both budgets in its scrape', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'aip-callbacks-'));
  const seed = join(folder, 'seed');
  await writeFile(seed, 'cd'.repeat(32), { mode: 0o600 });
  const env = {
    AIP_GATEWAY_CALLBACK_SIGNING_SEED_FILE: seed,
    AIP_GATEWAY_CALLBACK_ALLOWED_HOSTS: '127.0.0.1',
    AIP_GATEWAY_CALLBACK_ALLOW_HTTP: 'true',
    AIP_GATEWAY_CALLBACK_ALLOW_PRIVATE_NETWORKS: 'true',
    AIP_GATEWAY_CALLBACK_MAX_IN_FLIGHT: '7',
    AIP_GATEWAY_RECONCILIATION_MAX_IN_FLIGHT: '5',
  };
  const signing = await startHttpGateway({ env });
  onTestFinished(async () => {
    await signing.stop();
    await rm(folder, { recursive: true });
  });
  const { body } = await signing.call('GET', '/metrics');
  for (const line of [
    'aip_runtime_callback_capacity 7',
    'aip_runtime_callback_available 7',
    'aip_runtime_reconciliation_capacity 5',
    'aip_runtime_reconciliation_available 5',
  ])
    expect(body.split('\n')).toContain(line);
  const admitted = await signing.call('POST', '/aip/v1/actions', {
    token: TOKEN,
    body: actionEnvelope({ callback: target.callback }),
  });
  expect(admitted.body.body.action_result.status).toBe('completed');
});

test('the settings are those of the limits; hosts without a key stop the start', () => {
  const read = (values: Record<string, string>, signs = false) => readCallbackSettings(env('', values), signs);
  expect(read({})).toMatchObject({
    allowedHosts: [],
    allowHttp: false,
    allowPrivateNetworks: false,
    timeoutMs: 5000,
    maxResponseBytes: 4_194_304,
    maxInFlight: 64,
    recoveryBatch: 64,
  });
  expect(
    read(
      {
        CALLBACK_ALLOWED_HOSTS: 'a.example, b.example',
        CALLBACK_TIMEOUT_MS: '100',
        CALLBACK_MAX_RESPONSE_BYTES: '10',
        CALLBACK_MAX_IN_FLIGHT: '2',
        CALLBACK_RECOVERY_BATCH: '3',
      },
      true,
    ),
  ).toMatchObject({
    allowedHosts: ['a.example', 'b.example'],
    timeoutMs: 100,
    maxResponseBytes: 10,
    maxInFlight: 2,
    recoveryBatch: 3,
  });
  expect(() => read({ CALLBACK_ALLOWED_HOSTS: 'a.example' })).toThrow(
    'CALLBACK_ALLOWED_HOSTS needs CALLBACK_SIGNING_SEED_FILE',
  );
  const seed = 'cd'.repeat(32);
  expect(read({ CALLBACK_ALLOWED_HOSTS: 'a.example', CALLBACK_SIGNING_SEED_HEX: seed }).key?.initial.did).toBe(
    signingKeyFromSeed(seed).did,
  );
  expect(() => read({ CALLBACK_SIGNING_SEED_HEX: 'no' })).toThrow('must be an Ed25519 seed of 64 hex digits');
  expect(() => read({ CALLBACK_SIGNING_SEED_HEX: seed, CALLBACK_SIGNING_SEED_FILE: '/seed' })).toThrow(
    'exclude one another',
  );
  expect(() => read({ CALLBACK_MAX_IN_FLIGHT: '0' })).toThrow('CALLBACK_MAX_IN_FLIGHT');
});
