import { chmod, mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { SecretUnavailable } from '@aip/runtime/sdk';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openSecrets } from '#runtime/host/secrets.js';
import { sha256Hex } from '#runtime/protocol/digest.js';
import { mountVersion, SECRET_MODE } from '../../support/mounted.ts';
import { until } from '../../support/until.ts';
import { startTestbed, type Testbed } from './support/testbed.ts';

let testbed: Testbed;
let mounted: string;
let folder: string;

const digest = async (file: string) =>
  (await testbed.central.send({ capability_id: 'cap:secretive:digest', input: { file } })).result;
const mount = (files: Record<string, string>): Promise<void> => mountVersion(mounted, files, SECRET_MODE);

beforeAll(async () => {
  testbed = await startTestbed({ idle: true });
  mounted = join(testbed.folder, 'mounted-secrets');
  folder = join(testbed.folder, 'secrets');
  await mount({ token: 'first\n', webhook: ' exact \n' });
  Object.assign(testbed.env, {
    AIP_IMPORT_SECRETS: `${mounted}:${folder}`,
    AIP_CONNECTOR_HOST_SECRETS_DIR: folder,
    AIP_CONNECTOR_HOST_CONNECTOR_MODULE: resolve(import.meta.dirname, 'support', 'secret-connector.ts'),
    AIP_CONNECTOR_HOST_CONFIG: '{}',
  });
  await testbed.start();
  await testbed.ready();
});
afterAll(async () => {
  await testbed?.stop();
});

test('a connector reads a secret as text or as its exact bytes', async () => {
  expect(await digest('token')).toMatchObject({
    status: 'completed',
    output: { text: sha256Hex('first'), bytes: sha256Hex('first\n') },
  });
  expect(await digest('webhook')).toMatchObject({
    output: { text: sha256Hex('exact'), bytes: sha256Hex(' exact \n') },
  });
});

test('a rotated secret is in force with the next call, without a stop', async () => {
  await mount({ token: 'second', webhook: 'other' });
  await until('the token changed', async () => {
    const output = (await digest('token'))?.output as { text?: string } | undefined;
    return output?.text === sha256Hex('second');
  });
  expect(await digest('webhook')).toMatchObject({ output: { text: sha256Hex('other') } });
  expect((await testbed.readiness()).status).toBe(200);
});

test('a secret that is not there fails the action with its name, and makes the host not ready when its probe needs it', async () => {
  expect(await digest('api-key')).toMatchObject({
    status: 'failed',
    error: { code: 'connector.secret_unavailable', retryable: true, message: expect.stringContaining('api-key') },
  });
  await mount({ webhook: 'other' });
  const { body } = await until('it is not ready', async () => {
    const found = await testbed.readiness();
    return found.status === 503 && found;
  });
  expect(body.connector).toEqual({ ready: false, detail: expect.stringContaining('the secret token') });
  await mount({ token: 'third', webhook: 'other' });
  await testbed.ready();
});

test('secrets are plain names of regular files for their owner alone, of 1 to 16384 bytes', async () => {
  const own = join(testbed.folder, 'own');
  await mkdir(own);
  const put = async (name: string, text: string, mode: number): Promise<void> => {
    await writeFile(join(own, name), text);
    await chmod(join(own, name), mode);
  };
  await put('good', ' x ', 0o600);
  await put('full', 'x'.repeat(16_384), 0o400);
  await put('group', 'x', 0o640);
  await put('large', 'x'.repeat(16_385), 0o600);
  await put('empty', '', 0o600);
  await put('blank', ' \n', 0o600);
  await symlink('good', join(own, 'link'));
  const secret = openSecrets({ folder: own });
  expect([secret('good'), secret.bytes('good').toString(), secret('full').length]).toEqual(['x', ' x ', 16_384]);
  for (const name of ['group', 'large', 'empty', 'blank', 'link', 'missing', '..', '../own/good', 'a/b', '', '.hidden'])
    expect(() => secret(name), name).toThrow(SecretUnavailable);
  expect(() => secret('group')).toThrow(/^the secret group is refused: .*0600/);
  expect(() => openSecrets({})('good')).toThrow('SECRETS_DIR');
  await rm(own, { recursive: true });
});
