import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { KubeConfigInvalid } from '#controller/kube/client/errors.js';
import { serviceAccountCredentials } from '#controller/kube/client/service-account.js';

const POD = { KUBERNETES_SERVICE_HOST: '10.96.0.1', KUBERNETES_SERVICE_PORT: '443' };
let root: string;
let folder: string;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'aip-service-account-'));
  folder = join(root, 'var/run/secrets/kubernetes.io/serviceaccount');
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'ca.crt'), 'an authority');
  await writeFile(join(folder, 'token'), 'a-token\n');
});
afterAll(() => rm(root, { recursive: true, force: true }));

test('a Pod finds the API server by its variables and is known by its token', async () => {
  expect(await serviceAccountCredentials(POD, root)).toEqual({
    origin: 'https://10.96.0.1:443',
    basePath: '',
    namespace: 'default',
    proxy: undefined,
    tls: { ca: 'an authority' },
    headers: { authorization: 'Bearer a-token' },
  });
  await writeFile(join(folder, 'namespace'), 'aip-system\n');
  expect((await serviceAccountCredentials(POD, root)).namespace).toBe('aip-system');
  const six = { ...POD, KUBERNETES_SERVICE_HOST: 'fd00::1' };
  expect((await serviceAccountCredentials(six, root)).origin).toBe('https://[fd00::1]:443');
});

test.each([
  ['no variables', {}, () => root, /KUBERNETES_SERVICE_HOST/],
  ['a port that is none', { ...POD, KUBERNETES_SERVICE_PORT: 'x' }, () => root, /10\.96\.0\.1:x/],
  ['no files', POD, () => join(root, 'elsewhere'), /service account cannot be read: .*ca\.crt/],
])('%s: it is refused with what is wrong', async (_, environment, place, message) => {
  const refused = serviceAccountCredentials(environment, place());
  await expect(refused).rejects.toThrow(KubeConfigInvalid);
  await expect(refused).rejects.toThrow(message);
});
