import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CONFIG_MAP_MODE, mountVersion } from '../../support/mounted.ts';

const MAIN = resolve(import.meta.dirname, '..', '..', '..', 'runtime', 'dist', 'main.js');
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
  capabilities: () => [],
};
`;

/** A connector whose manifest is more than 8 MiB. */
const LONG = `
export default {
  type: 'long',
  configSchema: { type: 'object' },
  manifest: () => ({ manifest_version: 'aip-manifest/v1', agent: { id: 'agent:long', kind: 'agent', display_name: 'x'.repeat(8 * 1024 * 1024) }, capabilities: [], profiles: [] }),
  capabilities: () => [],
};
`;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'aip-describe-'));
  await writeFile(join(folder, 'chatty.mjs'), CHATTY);
  await writeFile(join(folder, 'long.mjs'), LONG);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

interface Described {
  code: unknown;
  out: string[];
  err: string[];
}
const describe = (...args: string[]): Promise<Described> => describeIn({}, ...args);
const describeIn = (env: Record<string, string>, ...args: string[]): Promise<Described> =>
  new Promise((done) => {
    const lines = (text: string): string[] => text.split('\n').filter((line) => line !== '');
    const options = { env: { PATH: process.env.PATH, ...env } };
    execFile(process.execPath, [MAIN, 'describe', ...args], options, (error, out, err) =>
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

test('the file may be named by AIP_CONNECTOR_CONFIG_FILE; an option wins', async () => {
  const file = join(folder, 'named.json');
  await writeFile(file, '{"name":"named"}');
  const env = { AIP_CONNECTOR_CONFIG_FILE: file };
  expect(idOf(await describeIn(env, '--connector', 'demo'))).toBe('agent:demo:named');
  expect(idOf(await describeIn(env, '--connector', 'demo', '--config', '{"name":"given"}'))).toBe('agent:demo:given');
  const missing = await describeIn({ AIP_CONNECTOR_CONFIG_FILE: '/nowhere.json' }, '--connector', 'demo');
  expect(missing).toMatchObject({ code: 1, out: [] });
  expect(JSON.parse(missing.err[0] as string)).toMatchObject({ message: expect.stringContaining('/nowhere.json') });
});

test('a description that is longer than a log may be is refused', async () => {
  const { code, out, err } = await describe('--module', join(folder, 'long.mjs'));
  expect([code, out]).toEqual([1, []]);
  expect(JSON.parse(err.at(-1) as string)).toMatchObject({ code: 'connector.describe' });
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
