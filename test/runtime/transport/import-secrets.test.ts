import { execFile } from 'node:child_process';
import { lstat, mkdir, mkdtemp, readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { StartupRefused } from '#runtime/transport/settings/env.js';
import { importSecrets, parseSecretImports } from '#runtime/transport/settings/import-secrets.js';
import { readProtectedFile } from '#runtime/transport/settings/protected-file.js';
import type { FileWatch } from '#runtime/transport/settings/watch-files.js';
import { mountVersion, SECRET_MODE } from '../../support/mounted.ts';
import { until } from '../../support/until.ts';

const MAIN = resolve(import.meta.dirname, '..', '..', '..', 'runtime', 'dist', 'main.js');
const log = pino({ level: 'silent' });

let root: string;
let from: string;
let to: string;
let watch: FileWatch | undefined;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'aip-import-'));
  from = join(root, 'mounted');
  to = join(root, 'run', 'identity');
  await mkdir(from);
});
afterEach(async () => {
  watch?.close();
  watch = undefined;
  await rm(root, { recursive: true, force: true });
});

const mount = (files: Record<string, string>): Promise<void> => mountVersion(from, files, SECRET_MODE);

const start = (pollEveryMs?: number): void => {
  watch = importSecrets([{ from, to }], log, pollEveryMs);
};
const modeOf = async (path: string): Promise<number> => (await lstat(path)).mode & 0o7777;
const imported = async (): Promise<string[]> => (await readdir(to)).filter((name) => !name.startsWith('..')).sort();

describe('import of mounted secrets', () => {
  test('makes regular owner-only files of the links that the kubelet mounts, in a folder of its own', async () => {
    await mount({ seed: 'ab'.repeat(32), 'tls.key': 'key\n' });
    expect(() => readProtectedFile(join(from, 'seed'), 'secret', 256)).toThrow(StartupRefused);
    start();
    expect(await imported()).toEqual(['seed', 'tls.key']);
    expect(await modeOf(to)).toBe(0o700);
    for (const name of await imported()) {
      expect((await lstat(join(to, name))).isFile()).toBe(true);
      expect(await modeOf(join(to, name))).toBe(0o600);
    }
    expect(readProtectedFile(join(to, 'seed'), 'secret', 256)).toBe('ab'.repeat(32));
    expect(await readFile(join(to, 'tls.key'), 'utf8')).toBe('key\n');
  });

  test('follows an atomic swap: changed files change, new ones come, gone ones go, and certificate and key fit at any time', async () => {
    await mount({ 'tls.crt': 'cert 1', 'tls.key': 'key 1', old: 'x' });
    start();
    await mount({ 'tls.crt': 'cert 2', 'tls.key': 'key 2', seed: 'new' });
    await until('the second version is there', async () => {
      const [cert, key] = [await readFile(join(to, 'tls.crt'), 'utf8'), await readFile(join(to, 'tls.key'), 'utf8')];
      return cert === 'cert 2' && key === 'key 2';
    });
    expect(await imported()).toEqual(['seed', 'tls.crt', 'tls.key']);
    expect(await modeOf(join(to, 'seed'))).toBe(0o600);
  });

  test('finds a change by time alone when no watch reports it', async () => {
    const outside = join(root, 'outside');
    await writeFile(outside, 'one');
    await symlink(outside, join(from, 'token'));
    start(50);
    await writeFile(outside, 'two');
    expect(
      await until('the copy changed', async () => (await readFile(join(to, 'token'), 'utf8')) === 'two'),
    ).toBeTruthy();
  });

  test('a file that goes while nothing runs is gone after the next start; files of others stay', async () => {
    await mount({ seed: 's', token: 't' });
    start();
    watch?.close();
    await writeFile(join(to, 'own'), 'not imported');
    await mount({ seed: 's' });
    start();
    expect(await imported()).toEqual(['own', 'seed']);
  });

  test('folders, and entries whose names begin with two dots, are left out', async () => {
    await mount({ seed: 's' });
    await mkdir(join(from, 'folder'));
    await writeFile(join(from, '..hidden'), 'x');
    start();
    expect(await imported()).toEqual(['seed']);
    expect(await readdir(to)).not.toContain('..hidden');
  });

  test('a mount that is away for a while leaves the copies, and its return is seen', async () => {
    await mount({ seed: 'one' });
    start(50);
    await rename(from, `${from}-away`);
    await rm(`${from}-away`, { recursive: true });
    await mkdir(from);
    await writeFile(join(from, 'seed'), 'two');
    expect(
      await until('the new seed is there', async () => (await readFile(join(to, 'seed'), 'utf8')) === 'two'),
    ).toBeTruthy();
  });

  test('refuses a source that is missing and a target that cannot be a folder of its own', async () => {
    const refusal = (one: { from: string; to: string }) => {
      try {
        importSecrets([one], log).close();
      } catch (error) {
        return error as StartupRefused;
      }
      return undefined;
    };
    const missing = join(root, 'missing');
    expect(refusal({ from: missing, to })).toBeInstanceOf(StartupRefused);
    expect(refusal({ from: missing, to })).toMatchObject({
      code: 'aip.config.import',
      message: expect.stringContaining(missing),
    });
    const file = join(root, 'file');
    await writeFile(file, '');
    expect(refusal({ from, to: file })).toMatchObject({
      code: 'aip.config.import',
      message: expect.stringContaining(file),
    });
    const elsewhere = join(root, 'elsewhere');
    const link = join(root, 'link');
    await mkdir(elsewhere);
    await symlink(elsewhere, link);
    expect(refusal({ from, to: link })).toMatchObject({ message: expect.stringContaining('it is not a folder') });
  });

  test('reads the list of folders and refuses what is not a list, or folders that lie in one another', () => {
    expect(parseSecretImports(undefined)).toEqual([]);
    expect(parseSecretImports(' /a:/run/a, /b:/run/b/ ,')).toEqual([
      { from: '/a', to: '/run/a' },
      { from: '/b', to: '/run/b' },
    ]);
    for (const wrong of [
      '/a',
      'a:/b',
      '/a:b',
      '/a:/b:/c',
      '/a:/a',
      '/a:/a/b',
      '/a/b:/a',
      '/a:/c,/b:/c',
      '/a:/c,/b:/c/d',
    ])
      expect(() => parseSecretImports(wrong), wrong).toThrow(/^AIP_IMPORT_SECRETS must/);
  });
});

describe.each(['host', 'gateway'])('aip-runtime %s', (program) => {
  const run = (env: Record<string, string>): Promise<{ code: unknown; lines: { code: string; message: string }[] }> =>
    new Promise((done) => {
      execFile(process.execPath, [MAIN, program], { env: { PATH: process.env.PATH, ...env } }, (error, _out, text) =>
        done({
          code: error?.code,
          lines: text
            .trim()
            .split('\n')
            .map((line) => JSON.parse(line)),
        }),
      );
    });

  test('imports before it reads its configuration', async () => {
    await mount({ seed: 'ab'.repeat(32) });
    const { code, lines } = await run({ AIP_IMPORT_SECRETS: `${from}:${to}` });
    expect(code).toBe(1);
    expect(lines).toEqual([
      { code: expect.stringMatching(/config$/), message: expect.stringContaining('is required') },
    ]);
    expect(await imported()).toEqual(['seed']);
  });

  test('leaves one line and ends with 1 when the import is refused', async () => {
    const missing = join(root, 'missing');
    const { code, lines } = await run({ AIP_IMPORT_SECRETS: `${missing}:${to}` });
    expect(code).toBe(1);
    expect(lines).toEqual([{ code: 'aip.config.import', message: expect.stringContaining(missing) }]);
  });
});
