import { chmod, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startFailureLine } from '#runtime/transport/process/startup.js';
import { env, isLoopbackHost, parseBind, StartupRefused } from '#runtime/transport/settings/env.js';
import { CONFIG_MAP_MODE, mountVersion } from '../../support/mounted.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'aip-config-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const reader = (values: Record<string, string>) =>
  env('P_', Object.fromEntries(Object.entries(values).map(([name, value]) => [`P_${name}`, value])));

async function file(name: string, text: string, mode: number): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, text);
  await chmod(path, mode);
  return path;
}

describe('environment reader', () => {
  test('reads numbers within their bounds, both ends included, and refuses others by name', () => {
    const rule = { min: 1, max: 1000 };
    expect(reader({}).int('N', 7, rule)).toBe(7);
    expect(reader({ N: '1' }).int('N', 7, rule)).toBe(1);
    expect(reader({ N: '1000' }).int('N', 7, rule)).toBe(1000);
    for (const wrong of ['0', '1001', '', 'x', '1.5', '1e3', '99999999999999999999']) {
      expect(() => reader({ N: wrong }).int('N', 7, rule)).toThrow(/^P_N must be a whole number from 1 to 1000$/);
    }
  });

  test('reads true for 1, true, TRUE, yes, YES and refuses a word it does not know', () => {
    for (const word of ['1', 'true', 'TRUE', 'yes', 'YES']) expect(reader({ B: word }).bool('B')).toBe(true);
    for (const word of ['0', 'false', 'no', '']) expect(reader({ B: word }).bool('B')).toBe(false);
    expect(reader({}).bool('B')).toBe(false);
    expect(() => reader({ B: 'maybe' }).bool('B')).toThrow(StartupRefused);
  });

  test('splits lists at commas, semicolons and new lines', () => {
    expect(reader({ L: ' a,b ; c\n\nd,' }).list('L')).toEqual(['a', 'b', 'c', 'd']);
  });

  test('takes a URL only with the exact path and scheme, without credentials, query or fragment', () => {
    const rule = { path: '/aip/v1/connector-control', schemes: ['https'] as const };
    const good = 'https://control.test/aip/v1/connector-control';
    expect(reader({ U: good }).url('U', rule)?.href).toBe(good);
    const wrong = [
      `${good}/`,
      `${good}?a`,
      `${good}?`,
      `${good}#`,
      good.replace('https', 'http'),
      'https://u:p@control.test/aip/v1/connector-control',
      'no url',
    ];
    for (const url of wrong) expect(() => reader({ U: url }).url('U', rule)).toThrow(StartupRefused);
  });

  test('refuses a secret that is empty, or given both as value and as file', async () => {
    const path = await file('both', 'secret', 0o600);
    expect(reader({ S: 'value' }).secret('S')).toBe('value');
    expect(reader({ S_FILE: path }).secret('S')).toBe('secret');
    expect(() => reader({ S: '' }).secret('S')).toThrow(StartupRefused);
    expect(() => reader({ S: 'value', S_FILE: path }).secret('S')).toThrow(/exclude one another/);
  });

  test('leaves one JSON line for a failed start', () => {
    expect(JSON.parse(startFailureLine(new StartupRefused('aip.config', 'P_N is required')))).toEqual({
      code: 'aip.config',
      message: 'P_N is required',
    });
    expect(JSON.parse(startFailureLine(new Error('no'), 'x.failed'))).toEqual({ code: 'x.failed', message: 'no' });
  });

  test('reads bind addresses and knows loopback', () => {
    expect(parseBind('127.0.0.1:8080')).toEqual({ host: '127.0.0.1', port: 8080 });
    expect(parseBind('[::1]:0')).toEqual({ host: '::1', port: 0 });
    for (const wrong of ['8080', '127.0.0.1', 'a:b:1', 'host:65536']) expect(parseBind(wrong)).toBeUndefined();
    expect(['127.0.0.1', '127.9.9.9', 'localhost', '[::1]'].every(isLoopbackHost)).toBe(true);
    expect(['0.0.0.0', '10.0.0.1', '127.0.0.1.evil.test', '::'].some(isLoopbackHost)).toBe(false);
  });
});

describe('protected files', () => {
  test('a secret file is a regular file for its owner alone, within its size, trimmed and not blank', async () => {
    const read = (path: string) => reader({ F: path }).secretFile('F', 16);
    expect(read(await file('good', ' text\n', 0o600))).toBe('text');
    expect(read(await file('full', 'x'.repeat(16), 0o400))).toBe('x'.repeat(16));
    const refused = [
      await file('group', 'text', 0o640),
      await file('testbed', 'text', 0o604),
      await file('executable', 'text', 0o610),
      await file('large', 'x'.repeat(17), 0o600),
      await file('empty', '', 0o600),
      await file('blank', ' \n\t ', 0o600),
      join(folder, 'missing'),
      folder,
    ];
    const link = join(folder, 'link');
    await symlink(await file('target', 'text', 0o600), link);
    for (const path of [...refused, link]) expect(() => read(path), path).toThrow(StartupRefused);
  });

  test('a public file may be read by everybody and written by its owner alone', async () => {
    const read = (path: string) => reader({ F: path }).publicFile('F');
    expect(read(await file('pem', 'text', 0o644))).toBe('text');
    const refused = [await file('group-write', 'text', 0o664), await file('testbed-write', 'text', 0o646)];
    for (const path of refused) expect(() => read(path)).toThrow(StartupRefused);
  });

  test('a public file may be reached through links; the rules hold for the file that they lead to', async () => {
    const read = (path: string) => reader({ F: path }).publicFile('F');
    await mountVersion(join(folder, 'mounted'), { 'ca.crt': 'text' }, CONFIG_MAP_MODE);
    expect(read(join(folder, 'mounted', 'ca.crt'))).toBe('text');
    const open = join(folder, 'link-to-open');
    await symlink(await file('open-target', 'text', 0o664), open);
    const nowhere = join(folder, 'link-to-nothing');
    await symlink(join(folder, 'nothing'), nowhere);
    for (const path of [open, nowhere]) expect(() => read(path)).toThrow(StartupRefused);
  });
});
