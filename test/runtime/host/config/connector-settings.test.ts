import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkConfig } from '@aip/runtime/sdk';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { twenty } from '#runtime/connectors/twenty/twenty.js';
import { connectorSettings } from '#runtime/host/config/connector-settings.js';
import { openSecrets, secretNames } from '#runtime/host/secrets.js';
import { spawnHost, startHost } from '../support/host-process.ts';
import { startTestbed } from '../support/testbed.ts';

let folder: string;
let token: string;
let operations: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'aip-settings-'));
  token = join(folder, 'key');
  operations = join(folder, 'operations.json');
  await writeFile(token, 'k-1');
  await chmod(token, 0o600);
  await writeFile(operations, '["openapi.core"]');
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const WORKSPACE = '20202020-1c25-4d02-bf25-6aeccf7ea419';
const settings = (variables: Record<string, string>, connectorConfig: unknown = {}) =>
  connectorSettings(twenty.environment, variables, { connectorConfig });
const base = () => ({
  AIP_TWENTY_BASE_URL: 'https://crm.example',
  AIP_TWENTY_WORKSPACE_ID: WORKSPACE,
  AIP_TWENTY_API_TOKEN_FILE: token,
});

test('a host that is started by hand takes configuration and secret from the variables of its connector', () => {
  const variables = {
    ...base(),
    AIP_TWENTY_MAX_RESPONSE_BYTES: '1000',
    AIP_TWENTY_ALLOW_INSECURE_HTTP: 'true',
    AIP_TWENTY_OPERATIONS_FILE: operations,
  };
  const { config, secrets } = settings(variables);
  expect(checkConfig(twenty, config)).toEqual({
    base_url: 'https://crm.example',
    workspace_id: WORKSPACE,
    max_response_bytes: 1000,
    allow_insecure_http: true,
    operations: ['openapi.core'],
  });
  expect(secretNames(secrets)).toEqual(['api-token']);
  expect(openSecrets(secrets)('api-token')).toBe('k-1');
});

test('variables are laid over the configuration that the fleet gives, and none leaves it as it is', () => {
  const given = { base_url: 'https://other.example', max_response_bytes: 5 };
  expect(settings({ AIP_TWENTY_BASE_URL: 'https://crm.example' }, given).config).toEqual({
    base_url: 'https://crm.example',
    max_response_bytes: 5,
  });
  expect(settings({}, given).config).toBe(given);
});

test.each([
  ['a missing secret file', { AIP_TWENTY_API_TOKEN_FILE: '/nowhere/key' }, 'AIP_TWENTY_API_TOKEN_FILE'],
  ['a text that is not a number', { AIP_TWENTY_MAX_RESPONSE_BYTES: 'much' }, 'AIP_TWENTY_MAX_RESPONSE_BYTES'],
  ['a file that is missing', { AIP_TWENTY_OPERATIONS_FILE: '/nowhere/operations.json' }, 'AIP_TWENTY_OPERATIONS_FILE'],
])('%s stops the start and names the variable', (_what, variables, name) => {
  expect(() => settings({ ...base(), ...variables })).toThrow(name);
});

test('P-172 a host with a ceiling of 256 MiB starts, and one with a byte more does not', async () => {
  const testbed = await startTestbed({ idle: true });
  onTestFinished(() => testbed.stop());
  const { AIP_CONNECTOR_HOST_CONFIG: _, ...own } = testbed.env;
  const env = { ...own, ...base(), AIP_CONNECTOR_HOST_CONNECTOR: 'twenty' };
  const refused = spawnHost({ ...env, AIP_TWENTY_MAX_RESPONSE_BYTES: '268435457' });
  expect(await refused.exit).toBe(1);
  expect(refused.lines().at(-1)?.message).toContain('/max_response_bytes');
  testbed.host = await startHost({ ...env, AIP_TWENTY_MAX_RESPONSE_BYTES: '268435456' });
  expect(testbed.host.url).toMatch(/^http/);
});

test('P-172 part: the ceiling of the variables is checked as the configuration is', () => {
  const { config } = settings({ ...base(), AIP_TWENTY_MAX_RESPONSE_BYTES: '268435457' });
  expect(() => checkConfig(twenty, config)).toThrow('/max_response_bytes');
  expect(checkConfig(twenty, settings({ ...base(), AIP_TWENTY_MAX_RESPONSE_BYTES: '268435456' }).config)).toBeTruthy();
});
