import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Dev, startDev } from '../../support/dev.ts';

const root = join(import.meta.dirname, '..', '..', '..');
const run = promisify(execFile);

let dev: Dev;
let folder: string;
let script: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'aip-helm-test-'));
  script = join(folder, 'test.mjs');
  const inImage = '/app/node_modules/@aip/runtime';
  const text = readFileSync(join(root, 'charts', 'aip-fleet', 'files', 'test.mjs'), 'utf8');
  expect(text).toContain(`'${inImage}/dist/`);
  writeFileSync(script, text.replaceAll(inImage, pathToFileURL(join(root, 'runtime')).href));
  dev = await startDev();
});
afterAll(async () => {
  await dev?.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Runs what `helm test` runs, against the gateway of `aip dev`. */
function follow(token: string, seconds: number): Promise<{ stdout: string; stderr: string }> {
  const tokenFile = join(folder, 'token');
  writeFileSync(tokenFile, `${token}\n`);
  return run(process.execPath, [script], {
    env: {
      AIP_TEST_GATEWAY_URL: dev.ready.gateway_url,
      AIP_TEST_TOKEN_FILE: tokenFile,
      AIP_TEST_TIMEOUT_SECONDS: String(seconds),
    },
  });
}

test('the chart submits a streaming action, follows it to its end and shows the result', async () => {
  const { stdout, stderr } = await follow(dev.token, 30);
  expect(stderr).toBe('');
  expect(stdout).toMatch(/^submitted act_[0-9a-f]{32}\n/);
  expect(stdout.match(/^data:/gm)?.length).toBeGreaterThanOrEqual(3);
  expect(stdout.trim().split('\n').at(-1)).toContain('"status":"completed"');
});

test('the chart says why no action was accepted', async () => {
  await expect(follow('wrong', 1)).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^no action was accepted: 401 /),
  });
});
