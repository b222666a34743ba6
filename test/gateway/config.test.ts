import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfig } from '@aip/runtime/gateway/config.js';
import { newSeedHex } from '@aip/runtime/protocol/signing.js';
import { afterAll, beforeAll, expect, test } from 'vitest';

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

test('F-303 F-304 the registry has 32 data connections and 5000 ms to get one unless configured', () => {
  expect(read().fleet).toMatchObject({ dataMaxConnections: 32, acquireTimeoutMs: 5000 });
});

test('F-305 an acquire timeout of 60000 ms is taken, 60001 ms stops the start', () => {
  const name = 'AIP_GATEWAY_CONNECTOR_REGISTRY_ACQUIRE_TIMEOUT_MS';
  expect(read({ [name]: '60000' }).fleet?.acquireTimeoutMs).toBe(60_000);
  expect(() => read({ [name]: '60001' })).toThrow(name);
});

test('a fleet setting without the registry stops the start and is named', () => {
  const { AIP_GATEWAY_CONNECTOR_REGISTRY_URL: _url, ...without } = env;
  expect(() => readConfig(without)).toThrow('AIP_GATEWAY_CONNECTOR_');
});
