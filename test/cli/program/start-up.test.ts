import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CLI } from '../../support/dev.ts';
import { runCli } from '../support/run-cli.ts';
import { json, type ScriptedGateway, scriptedGateway } from '../support/scripted-gateway.ts';

/** Writes down, at the end of a process, which files and which parts of Node.js it loaded. */
const RECORDER = `
import { registerHooks } from 'node:module';
import { writeFileSync } from 'node:fs';
const files = [];
registerHooks({ load: (url, context, next) => { files.push(url); return next(url, context); } });
process.on('exit', () => writeFileSync(process.env.AIP_TEST_LOADED, JSON.stringify({ files, parts: process.moduleLoadList })));
`;

let folder: string;
let recorder: string;
let gateway: ScriptedGateway;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'aip-start-up-'));
  recorder = pathToFileURL(join(folder, 'recorder.mjs')).href;
  await writeFile(join(folder, 'recorder.mjs'), RECORDER);
  gateway = await scriptedGateway(({ path }, response) => {
    if (path === '/aip/v1/health') return json(response, { status: 'ok', software_version: '0.1.0' });
    const action = { action_id: 'act_1', capability_id: 'cap:demo:echo', state: 'completed' };
    const times = { started_at: '2026-01-01T00:00:00Z', updated_at: '2026-01-01T00:00:01Z' };
    json(response, { actions: [{ ...action, ...times }], total_size: 1 });
  });
});
afterAll(async () => {
  await gateway.close();
  await rm(folder, { recursive: true, force: true });
});

const own = (): Record<string, string> => ({
  // The one of the test run would be used before the user's.
  NODE_COMPILE_CACHE: '',
  XDG_STATE_HOME: join(folder, 'state'),
  XDG_CACHE_HOME: join(folder, 'cache'),
  AIP_CONFIG: join(folder, 'contexts.yaml'),
});

/** Names of the packages, the files and the parts of Node.js that a call of `aip` loads. */
async function loaded(...args: string[]): Promise<{ packages: string[]; files: string[]; parts: string[] }> {
  const report = join(folder, 'loaded.json');
  const env = { ...own(), NODE_OPTIONS: `--import ${recorder}`, AIP_TEST_LOADED: report };
  const { code, stderr } = await runCli(args, { env });
  expect(code, stderr).toBe(0);
  const { files, parts } = JSON.parse(await readFile(report, 'utf8')) as { files: string[]; parts: string[] };
  const packages = files.flatMap((file) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1] ?? []);
  return { packages: [...new Set(packages)], files: files.filter((file) => file.startsWith('file:')), parts };
}

/** Node's implementation of fetch: it takes longer to load than a request. */
const FETCH = 'NativeModule internal/deps/undici/undici';

/** Files of the command framework and of what it needs, at most. */
const FRAMEWORK_FILES = 240;

describe('what a call loads', () => {
  test('--version: its command list', async () => {
    const { packages, files } = await loaded('--version');
    expect(packages).toEqual([]);
    expect(files.length).toBeLessThanOrEqual(3);
  });

  test.each([[['help']], [['version', '--client']], [['version', '--gateway', 'URL']]])(
    '%j: no package, and nothing that is large',
    async (args) => {
      const { packages, files, parts } = await loaded(...args.map((word) => (word === 'URL' ? gateway.url : word)));
      expect(packages).toEqual([]);
      expect(parts).not.toContain(FETCH);
      expect(files.length).toBeLessThan(60);
    },
  );

  test.each([
    [['help', 'actions', 'list']],
    [['actions', 'list', '--gateway', 'URL']],
    [['actions', 'list', '--gateway', 'URL', '-o', 'json']],
  ])('%j: the command framework, and nothing else that is large', async (args) => {
    const { packages, files, parts } = await loaded(...args.map((word) => (word === 'URL' ? gateway.url : word)));
    expect(packages).toContain('@oclif/core');
    for (const large of ['ink', 'react', 'undici', 'pg', '@kubernetes/client-node', 'yaml'])
      expect(packages).not.toContain(large);
    expect(parts).not.toContain(FETCH);
    expect(files.length).toBeLessThan(60 + FRAMEWORK_FILES);
  });
});

describe('compiled code', () => {
  test('is kept in the cache folder of the user, and not at all when that is turned off', async () => {
    const cache = join(folder, 'cache', 'aip', 'compiled');
    await rm(cache, { recursive: true, force: true });
    await runCli(['--version'], { env: { ...own(), NODE_DISABLE_COMPILE_CACHE: '1' } });
    expect(existsSync(cache)).toBe(false);
    await runCli(['--version'], { env: own() });
    expect(existsSync(cache)).toBe(true);
  });

  test('is kept nowhere when the user has no folder for it', async () => {
    const { code, stdout } = await runCli(['--version'], {
      env: { HOME: '', XDG_CACHE_HOME: '', NODE_COMPILE_CACHE: '' },
    });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });
});

describe('a checkout whose build did not come to its end', () => {
  test.each([
    ['nothing is compiled', []],
    ['the list of commands is missing', ['dist/main.js']],
    ['only the list of commands is left', ['oclif.manifest.json']],
  ])('says in one line what to do: %s', async (_, built) => {
    const checkout = await mkdtemp(join(folder, 'checkout-'));
    await cp(dirname(CLI), join(checkout, 'bin'), { recursive: true });
    await mkdir(join(checkout, 'dist'));
    await writeFile(join(checkout, 'package.json'), '{"type":"module"}');
    for (const file of built) await writeFile(join(checkout, file), '{}');
    const { code, stdout, stderr } = await runCli(['version'], { program: join(checkout, 'bin', 'aip.js') });
    expect({ code, stdout, stderr }).toEqual({
      code: 2,
      stdout: '',
      stderr: 'aip is not built: run `npm run build` in the checkout.\n',
    });
  });
});
