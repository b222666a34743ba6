import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ActionResult } from '#runtime/protocol/types.js';
import { clientOf } from '../../support/client.ts';
import { CLI, startDev } from '../../support/dev.ts';

const ROOT = resolve(import.meta.dirname, '..', '..', '..');
const execute = promisify(execFile);

let folder: string;
let project: string;
beforeAll(async () => {
  // Below the repository, so that what the SDK depends on is found without a registry.
  await mkdir(join(ROOT, '.aip'), { recursive: true });
  folder = await mkdtemp(join(ROOT, '.aip', 'init-'));
  project = join(folder, 'weather');
  await execute(process.execPath, [CLI, 'connector', 'init', project]);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test('the project has package, connector, test, instance and Dockerfile, and the SDK as a packed file', async () => {
  expect((await readdir(project)).sort()).toEqual([
    '.dockerignore',
    '.gitignore',
    'Dockerfile',
    'README.md',
    'connector.test.ts',
    'connector.ts',
    'instance.yaml',
    'package.json',
    'vendor',
  ]);
  const { dependencies } = JSON.parse(await readFile(join(project, 'package.json'), 'utf8'));
  const [packed] = await readdir(join(project, 'vendor'));
  expect(dependencies).toEqual({ '@aip/runtime': `file:vendor/${packed}` });
});

test('with the packed SDK the test of the project passes and its connector runs in a fleet, failures and all', async () => {
  const [packed] = await readdir(join(project, 'vendor'));
  const modules = join(project, 'node_modules', '@aip');
  await mkdir(modules, { recursive: true });
  await execute('tar', ['-xzf', join(project, 'vendor', packed as string), '-C', modules]);
  await rename(join(modules, 'package'), join(modules, 'runtime'));
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const { stdout } = await execute(process.execPath, ['--test', '--test-reporter=tap'], { cwd: project, env });
  expect(stdout).toContain('# pass 2');

  const instance = await readFile(join(project, 'instance.yaml'), 'utf8');
  const dev = await startDev({ documents: instance.replace('connector.ts', join(project, 'connector.ts')) });
  try {
    const run = async (name: string): Promise<ActionResult> => {
      const { body } = await clientOf(dev).submit({ capability_id: 'cap:weather:greet', input: { name } });
      return (body as { body: { action_result: ActionResult } }).body.action_result;
    };
    expect((await run('Ada')).output).toEqual({ text: 'Good day, Ada!' });
    expect((await run('nobody')).error).toMatchObject({
      code: 'connector.weather.nobody',
      details: { operation: 'invocation' },
    });
  } finally {
    await dev.stop();
  }
});

test('a folder that is not empty and a name that is not a valid type are refused in words', async () => {
  const used = join(folder, 'used');
  await mkdir(used);
  await writeFile(join(used, 'mine.txt'), 'keep me');
  const init = (...args: string[]) => execute(process.execPath, [CLI, 'connector', 'init', ...args]);
  await expect(init(used)).rejects.toMatchObject({ stderr: expect.stringContaining('is not empty') });
  expect(await readdir(used)).toEqual(['mine.txt']);
  await expect(init(join(folder, 'x'), '--type', 'No Type')).rejects.toMatchObject({
    stderr: expect.stringContaining('--type'),
  });
});
