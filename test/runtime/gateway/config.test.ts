import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readConfig } from '#runtime/gateway/config.js';
import { newSeedHex } from '#runtime/protocol/signing.js';

let folder: string;
let env: Record<string, string>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'aip-config-'));
  const seed = join(folder, 'seed');
  await writeFile(seed, newSeedHex(), { mode: 0o600 });
  env = {
    AIP_GATEWAY_POSTGRES_URL: 'postgres://127.0.0.1/aip',
    AIP_GATEWAY_CONNECTOR_REGISTRY_URL: 'postgres://127.0.0.1/aip',
    AIP_GATEWAY_CONNECTOR_FLEET_TRUST_REGISTRY_ENDPOINTS: 'true',
    AIP_GATEWAY_CONNECTOR_FLEET_SIGNING_SEED_FILE: seed,
  };
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const read = (over: Record<string, string> = {}) => readConfig({ ...env, ...over });

test('F-303 F-304 part: the registry has 32 data connections and 5000 ms to get one unless configured', () => {
  expect(read().fleet).toMatchObject({ dataMaxConnections: 32, acquireTimeoutMs: 5000 });
});

test('F-305 an acquire timeout of 60000 ms is taken, 60001 ms stops the start', () => {
  const name = 'AIP_GATEWAY_CONNECTOR_REGISTRY_ACQUIRE_TIMEOUT_MS';
  expect(read({ [name]: '60000' }).fleet?.acquireTimeoutMs).toBe(60_000);
  expect(() => read({ [name]: '60001' })).toThrow(name);
});

test('F-299 F-300 F-301 F-302 part: a host has 5000 ms, 4194304 bytes and two further attempts, and 256 pools are kept, unless configured', () => {
  expect(read().fleet).toMatchObject({
    timeoutMs: 5000,
    maxResponseBytes: 4_194_304,
    retryBudget: 2,
    maxCachedClients: 256,
  });
});

test('F-288 F-289 F-291 F-293 F-295 F-296 F-297 F-298 part: the ingress has the bounds of the contract unless configured', () => {
  expect(read().fleet?.ingress).toEqual({
    maxEnvelopeBytes: 4_194_304,
    maxEventsPerEnvelope: 100,
    maxEventBytes: 262_144,
    maxChunkBytes: 262_144,
    maxInFlight: 128,
    maxAgeMs: 86_400_000,
    maxFutureSkewMs: 300_000,
    callbackMaxAgeMs: 300_000,
  });
});

test.each([
  ['F-290', 'EVENT_MAX_EVENTS_PER_ENVELOPE', ['1', '1000'], ['0', '1001']],
  ['F-292', 'EVENT_MAX_EVENT_BYTES', ['4194304'], ['4194305']],
  ['F-294', 'STREAM_MAX_CHUNK_BYTES', ['4194304'], ['4194305']],
] as const)('%s %s is taken within its bounds and stops the start beyond them', (_id, setting, taken, refused) => {
  const name = `AIP_GATEWAY_CONNECTOR_${setting}`;
  for (const value of taken)
    expect(Object.values(read({ [name]: value }).fleet?.ingress ?? {})).toContain(Number(value));
  for (const value of refused) expect(() => read({ [name]: value })).toThrow(name);
});

test('a fleet setting without the registry stops the start and is named', () => {
  const { AIP_GATEWAY_CONNECTOR_REGISTRY_URL: _url, ...without } = env;
  expect(() => readConfig(without)).toThrow('AIP_GATEWAY_CONNECTOR_');
});

describe('the remote scheduler', () => {
  const fleet = (name: string, value: string) => ({ [`AIP_GATEWAY_CONNECTOR_FLEET_${name}`]: value });
  const scheduler = (name: string, value: string) => read(fleet(name, value)).fleet?.scheduler;

  test('F-306 F-307 F-308 F-309 F-310 F-311 F-312 F-315 part: has the bounds of the contract and no weights unless configured', () => {
    expect(read().fleet?.scheduler).toEqual({
      maxInFlight: 1024,
      maxInFlightPerTenant: 128,
      maxQueued: 4096,
      maxQueuedPerTenant: 512,
      maxQueueBytes: 67_108_864,
      maxRequestBytes: 4_194_304,
      maxQueueAgeMs: 30_000,
      weights: new Map(),
    });
    expect(scheduler('TENANT_WEIGHTS', 'acme=3;globex=2')?.weights).toEqual(
      new Map([
        ['acme', 3],
        ['globex', 2],
      ]),
    );
  });

  test('F-313 F-314 part: takes a bound of one tenant that equals that of all', () => {
    expect(scheduler('MAX_IN_FLIGHT_PER_TENANT', '1024')?.maxInFlightPerTenant).toBe(1024);
    expect(scheduler('MAX_QUEUED_PER_TENANT', '4096')?.maxQueuedPerTenant).toBe(4096);
    expect(scheduler('MAX_QUEUE_AGE_MS', '2147483647')?.maxQueueAgeMs).toBe(2_147_483_647);
  });

  test.each([
    ['F-313', 'MAX_IN_FLIGHT_PER_TENANT', '1025'],
    ['F-314', 'MAX_QUEUED_PER_TENANT', '4097'],
    ['F-312 part:', 'MAX_QUEUE_AGE_MS', '2147483648'],
    ['F-310 part:', 'MAX_QUEUE_BYTES', '0'],
    ['F-316', 'TENANT_WEIGHTS', '=1'],
    ['F-316', 'TENANT_WEIGHTS', `${'x'.repeat(257)}=1`],
    ['F-317', 'TENANT_WEIGHTS', 'acme=0'],
    ['F-317', 'TENANT_WEIGHTS', 'acme=-1'],
    ['F-318', 'TENANT_WEIGHTS', 'acme=1,acme=2'],
    ['F-299 part:', 'TIMEOUT_MS', '2147483648'],
  ])('%s stops the start for a wrong bound and names the variable: %s=%s', (_id, name, value) => {
    expect(() => read(fleet(name, value))).toThrow(`AIP_GATEWAY_CONNECTOR_FLEET_${name} `);
  });
});
