import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CONFIG_MAP_MODE, mountVersion } from '../support/mounted.ts';

const MAIN = resolve(import.meta.dirname, '..', '..', 'runtime', 'dist', 'main.js');
const CHATTY = `
console.log('loading');
setInterval(() => undefined, 1000);
export default {
  type: 'chatty',
  configSchema: { type: 'object' },
  manifest: (config) => {
    console.log('{"describing":true}');
    if (config.broken) throw new TypeError('it broke');
    return { manifest_version: 'aip-manifest/v1', agent: { id: 'agent:chatty', kind: 'agent' }, capabilities: [], profiles: [] };
  },
  invoke: async () => ({}),
};
`;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'aip-describe-'));
  await writeFile(join(folder, 'chatty.mjs'), CHATTY);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

interface Described {
  code: unknown;
  out: string[];
  err: string[];
}
const describe = (...args: string[]): Promise<Described> =>
  new Promise((done) => {
    const lines = (text: string): string[] => text.split('\n').filter((line) => line !== '');
    execFile(process.execPath, [MAIN, 'describe', ...args], { env: { PATH: process.env.PATH } }, (error, out, err) =>
      done({ code: error?.code ?? 0, out: lines(out), err: lines(err) }),
    );
  });
const idOf = ({ out }: Described): string =>
  (JSON.parse(out[0] as string) as { manifest: { agent: { id: string } } }).manifest.agent.id;

test('a connector is described with its configuration, given as text or as a mounted file, in one line', async () => {
  const mounted = join(folder, 'config');
  await mountVersion(mounted, { 'config.json': '{"name":"mounted"}' }, CONFIG_MAP_MODE);
  const inline = await describe('--connector', 'demo', '--config', '{"name":"mounted"}');
  const file = await describe('--connector', 'demo', '--config-file', join(mounted, 'config.json'));
  expect(inline).toMatchObject({ code: 0, err: [], out: [expect.any(String)] });
  expect(file).toEqual(inline);
  expect(idOf(file)).toBe('agent:demo:mounted');
});

test('what a connector prints, and what it leaves running, is in nobody’s way', async () => {
  const described = await describe('--module', join(folder, 'chatty.mjs'));
  expect(described).toMatchObject({ code: 0, out: [expect.any(String)], err: ['loading', '{"describing":true}'] });
  expect(idOf(described)).toBe('agent:chatty');
});

test.each([
  ['an unknown connector', ['--connector', 'none'], 'connector.unknown'],
  ['an unknown option', ['--conector', 'demo'], 'connector.describe'],
  ['a configuration twice', ['--connector', 'demo', '--config', '{}', '--config-file', '/x'], 'connector.describe'],
  ['a file that is not there', ['--connector', 'demo', '--config-file', '/nowhere/config.json'], 'connector.describe'],
  ['text that is no JSON', ['--connector', 'demo', '--config', '{'], 'connector.describe'],
  ['a configuration against the schema', ['--connector', 'demo', '--config', '{"name":7}'], 'connector.config_invalid'],
])('%s is one JSON line on standard error, and exit code 1', async (_what, args, code) => {
  const { err, ...rest } = await describe(...args);
  expect(rest).toEqual({ code: 1, out: [] });
  expect(err.map((line) => JSON.parse(line))).toEqual([expect.objectContaining({ code, message: expect.any(String) })]);
});

test('a connector that breaks ends with one JSON line too', async () => {
  const { code, out, err } = await describe('--module', join(folder, 'chatty.mjs'), '--config', '{"broken":true}');
  expect([code, out]).toEqual([1, []]);
  expect(JSON.parse(err.at(-1) as string)).toEqual({ code: 'aip.start.failed', message: 'it broke' });
});
