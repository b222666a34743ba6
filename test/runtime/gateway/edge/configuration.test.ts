import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readConfig } from '#runtime/gateway/config.js';
import { newSeedHex, signingKeyFromSeed } from '#runtime/protocol/signing.js';
import { StartupRefused } from '#runtime/transport/process/startup.js';
import { spawnGateway } from '../support/process.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'aip-config-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const read = (more: Record<string, string> = {}) => {
  const named = Object.entries({ POSTGRES_URL: 'postgres://x/y?sslmode=disable', ...more });
  return readConfig(Object.fromEntries(named.map(([name, value]) => [`AIP_GATEWAY_${name}`, value])));
};
const refusal = (more: Record<string, string>): string => {
  try {
    read(more);
  } catch (error) {
    expect(error).toBeInstanceOf(StartupRefused);
    expect((error as StartupRefused).code).toBe('aip.server.config');
    return (error as Error).message;
  }
  throw new Error(`it started with ${JSON.stringify(more)}`);
};
async function file(name: string, text: string, mode = 0o600): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, text, { mode });
  return path;
}

test('N-318 a gateway without further settings is on loopback, signed-only, and has no development identity', () => {
  expect(read()).toMatchObject({
    bind: { host: '127.0.0.1', port: 8080 },
    principal: { id: 'service:aip-gateway', kind: 'service' },
    insecureDevelopment: false,
    allowUnsigned: false,
    credential: undefined,
    fleet: undefined,
  });
});

test('N-320 insecure development is refused on a bind that is not loopback', () => {
  expect(refusal({ INSECURE_DEVELOPMENT: 'true', BIND: '0.0.0.0:8080' })).toContain('AIP_GATEWAY_INSECURE_DEVELOPMENT');
  for (const BIND of ['127.0.0.1:1', '[::1]:1', 'localhost:1'])
    expect(read({ INSECURE_DEVELOPMENT: 'true', BIND }).insecureDevelopment).toBe(true);
});

test('N-326 a configuration that names two static bearer credentials is refused', async () => {
  const path = await file('token', 'from a file\n');
  expect(read({ NATIVE_BEARER_TOKEN_FILE: path }).credential?.token).toBe('from a file');
  expect(refusal({ NATIVE_BEARER_TOKEN: 'a', NATIVE_BEARER_TOKEN_FILE: path })).toContain('exclude one another');
  expect(refusal({ NATIVE_BEARER_TOKEN_FILE: await file('open', 'x', 0o644) })).toContain('0600');
});

test('N-346 N-347 unsigned envelopes are allowed only explicitly and never without a bearer outside development', () => {
  expect(refusal({ ALLOW_UNSIGNED_ENVELOPES: 'true' })).toContain('bearer');
  expect(
    refusal({ ALLOW_UNSIGNED_ENVELOPES: 'true', REQUIRE_SIGNED_ENVELOPES: 'true', NATIVE_BEARER_TOKEN: 'a' }),
  ).toContain('contradicts');
  expect(read({ ALLOW_UNSIGNED_ENVELOPES: 'true', NATIVE_BEARER_TOKEN: 'a' }).allowUnsigned).toBe(true);
});

test('N-348 N-349 N-350 a wrong trusted signer stops the start, inline and in the file', async () => {
  const { did } = signingKeyFromSeed(newSeedHex());
  expect(read({ TRUSTED_SIGNERS: `${did}=agent:a` }).signers.get(did)?.principal.id).toBe('agent:a');
  expect(refusal({ TRUSTED_SIGNERS: 'did:web:x=agent:a' })).toContain('did:web:x');
  expect(refusal({ TRUSTED_SIGNERS: `${did}=` })).toContain('DID=PRINCIPAL_ID');
  expect(refusal({ TRUSTED_SIGNERS: `${did}=agent:a;${did}=agent:b` })).toContain('twice');
  const signers = (entries: unknown) => file('signers.json', JSON.stringify(entries));
  const path = await signers([{ signer_did: did, principal_id: 'agent:a' }]);
  expect(refusal({ TRUSTED_SIGNERS: `${did}=agent:a`, TRUSTED_SIGNER_FILE: path })).toContain('twice');
  await signers([{ signer_did: did }]);
  expect(refusal({ TRUSTED_SIGNER_FILE: path })).toContain('principal');
  await signers({});
  expect(refusal({ TRUSTED_SIGNER_FILE: path })).toContain('array');
});

test('the fleet needs its registry, key and destinations', async () => {
  const seed = await file('seed', newSeedHex());
  expect(refusal({ CONNECTOR_FLEET_ALLOW_HTTP: 'true' })).toContain('CONNECTOR_REGISTRY_URL');
  const base = { CONNECTOR_REGISTRY_URL: 'postgres://x/y?sslmode=disable', CONNECTOR_FLEET_SIGNING_SEED_FILE: seed };
  expect(refusal(base)).toContain('CONNECTOR_FLEET_ALLOWED_HOSTS');
  expect(
    refusal({ ...base, CONNECTOR_FLEET_ALLOWED_HOSTS: 'h', CONNECTOR_FLEET_CALLBACK_URL: 'https://h/other' }),
  ).toContain('/aip/v1/connector-callbacks');
  expect(
    refusal({
      ...base,
      CONNECTOR_FLEET_TRUST_REGISTRY_ENDPOINTS: 'true',
      CONNECTOR_FLEET_SIGNING_SEED_FILE: await file('bad', 'zz'),
    }),
  ).toContain('Ed25519');
  const { fleet } = read({
    ...base,
    CONNECTOR_FLEET_TRUST_REGISTRY_ENDPOINTS: 'true',
    CONNECTOR_FLEET_CALLBACK_URL: 'https://h/aip/v1/connector-callbacks',
  });
  expect(fleet).toMatchObject({
    timeoutMs: 5000,
    maxResponseBytes: 4_194_304,
    retryBudget: 2,
    maxCachedClients: 256,
    dataMaxConnections: 32,
    allowHttp: false,
    allowPrivateNetworks: false,
  });
});

test('every other wrong value is refused by the name of its variable', () => {
  for (const [name, value] of [
    ['BIND', 'somewhere'],
    ['POSTGRES_MAX_CONNECTIONS', '1'],
    ['INSECURE_DEVELOPMENT', 'maybe'],
    ['NATIVE_TENANT_ID', ''],
    ['LOG_LEVEL', 'loud'],
    ['DRAIN_MS', '-1'],
  ] as const)
    expect(refusal({ [name]: value })).toContain(`AIP_GATEWAY_${name}`);
  expect(() => readConfig({})).toThrow('AIP_GATEWAY_POSTGRES_URL');
});

test('N-320 N-326 N-348 N-349 N-350 what is refused here stops the start of a gateway process', async () => {
  const { did } = signingKeyFromSeed(newSeedHex());
  const token = await file('token', 'from a file\n');
  for (const [setting, reason] of [
    [{ INSECURE_DEVELOPMENT: 'true', BIND: '0.0.0.0:0' }, 'INSECURE_DEVELOPMENT'],
    [{ NATIVE_BEARER_TOKEN: 'a', NATIVE_BEARER_TOKEN_FILE: token }, 'exclude one another'],
    [{ TRUSTED_SIGNERS: 'did:web:x=agent:a' }, 'did:web:x'],
    [{ TRUSTED_SIGNERS: `${did}=` }, 'DID=PRINCIPAL_ID'],
    [{ TRUSTED_SIGNERS: `${did}=agent:a;${did}=agent:b` }, 'twice'],
  ] as const) {
    const { ended, stderr } = spawnGateway({
      BIND: '127.0.0.1:0',
      POSTGRES_URL: 'postgres://127.0.0.1:9/x',
      ...setting,
    });
    expect(await ended).toEqual({ code: 1, signal: null });
    expect(stderr()).toContain(reason);
    expect(stderr()).not.toContain('listening');
  }
});
