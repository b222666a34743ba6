import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { chooseTarget, type TargetFlags } from '#cli/contexts/choose-target.js';
import type { Contexts } from '#cli/contexts/context.js';
import { contextsProblem, isContextName } from '#cli/contexts/context.js';
import { changeContexts, contextsPath, readContexts } from '#cli/contexts/contexts-file.js';
import { testAuthority } from '../support/certificates.ts';
import { runCli } from '../support/run-cli.ts';
import { json, type ScriptedGateway, scriptedGateway } from '../support/scripted-gateway.ts';

let folder: string;
let config: string;
let server: ScriptedGateway | undefined;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'aip-contexts-'));
  config = join(folder, 'sub', 'contexts.yaml');
});
afterEach(async () => {
  await server?.close();
  server = undefined;
  await rm(folder, { recursive: true, force: true });
});

const aip = (args: string[], env: Record<string, string> = {}) =>
  runCli(args, { env: { AIP_CONFIG: config, XDG_STATE_HOME: folder, ...env } });

describe('the file', () => {
  const add = (name: string) =>
    changeContexts({ AIP_CONFIG: config }, ({ contexts }) => ({
      contexts: [...contexts, { name, gateway_url: `https://${name}.example` }],
    }));

  test('many changes at once lose nothing of each other and leave nothing but the file', async () => {
    const names = Array.from({ length: 20 }, (_, index) => `c${index}`);
    await Promise.all(names.map(add));
    const { contexts } = await readContexts({ AIP_CONFIG: config });
    expect(contexts.map(({ name }) => name).sort()).toEqual(names.sort());
    expect(await readdir(join(folder, 'sub'))).toEqual(['contexts.yaml']);
  });

  test('a lock left by a process that has ended holds nobody up, and still only one has it at a time', async () => {
    await mkdir(join(folder, 'sub'));
    const names = ['a', 'b', 'c', 'd', 'e', 'f'];
    for (let round = 0; round < 20; round += 1) {
      await rm(config, { force: true });
      await writeFile(`${config}.lock`, JSON.stringify({ pid: process.pid, start: 'of another process' }));
      await Promise.all(names.map(add));
      expect((await readContexts({ AIP_CONFIG: config })).contexts).toHaveLength(names.length);
    }
    expect(await readdir(join(folder, 'sub'))).toEqual(['contexts.yaml']);
  });

  test('a change that fails releases it', async () => {
    const failing = changeContexts({ AIP_CONFIG: config }, () => {
      throw new RangeError('no');
    });
    await expect(failing).rejects.toThrow(RangeError);
    await add('after');
  });
});

const prod = { name: 'prod', gateway_url: 'https://prod.example' };
const eu = { name: 'eu', gateway_url: 'https://eu.example' };
const both: Contexts = { current: 'prod', contexts: [prod, eu] };

describe('which fleet a command goes to', () => {
  const cases: [string, TargetFlags, Record<string, string>, Contexts, object][] = [
    ['nothing named: the running aip dev', {}, {}, { contexts: [prod] }, { kind: 'dev' }],
    ['the context in use', {}, {}, both, { kind: 'context', context: prod, byFlag: false }],
    ['a data folder in the environment goes before it', {}, { AIP_DEV_DATA: '/d' }, both, { kind: 'dev', data: '/d' }],
    [
      'AIP_CONTEXT goes before that',
      {},
      { AIP_CONTEXT: 'eu', AIP_DEV_DATA: '/d' },
      both,
      { kind: 'context', context: eu, byFlag: false },
    ],
    [
      'AIP_GATEWAY_URL goes before AIP_CONTEXT',
      {},
      { AIP_GATEWAY_URL: 'http://a', AIP_CONTEXT: 'eu' },
      both,
      { kind: 'url', url: 'http://a' },
    ],
    [
      '--data goes before the environment',
      { data: '/f' },
      { AIP_GATEWAY_URL: 'http://a' },
      both,
      { kind: 'dev', data: '/f' },
    ],
    [
      '--context goes before the environment',
      { context: 'eu' },
      { AIP_GATEWAY_URL: 'http://a' },
      both,
      { kind: 'context', context: eu, byFlag: true },
    ],
    [
      '--gateway goes before all',
      { gateway: 'http://b' },
      { AIP_CONTEXT: 'eu' },
      both,
      { kind: 'url', url: 'http://b' },
    ],
    [
      '--gateway with --context: the address of the one, the credential of the other',
      { gateway: 'http://b', context: 'eu' },
      {},
      both,
      { kind: 'url', url: 'http://b', context: eu },
    ],
    ['dev by name', { context: 'dev' }, {}, both, { kind: 'dev' }],
    ['dev by name in a folder', { context: 'dev', data: '/f' }, {}, both, { kind: 'dev', data: '/f' }],
  ];
  test.each(cases)('%s', async (_, flags, env, contexts, expected) => {
    expect(await chooseTarget(flags, env, async () => contexts)).toEqual(expected);
  });

  test('two fleets at once, and a context that is not there, are refused', async () => {
    await expect(chooseTarget({ context: 'eu', data: '/f' }, {}, async () => both)).rejects.toMatchObject({ exit: 2 });
    await expect(chooseTarget({ context: 'us' }, {}, async () => both)).rejects.toMatchObject({
      advice: expect.stringContaining('prod, eu, dev'),
    });
  });
});

describe('contexts.yaml', () => {
  test('lies where AIP_CONFIG says, else in the XDG configuration folder', () => {
    expect(contextsPath({ AIP_CONFIG: '/x/y.yaml', XDG_CONFIG_HOME: '/c' })).toBe('/x/y.yaml');
    expect(contextsPath({ XDG_CONFIG_HOME: '/c', HOME: '/h' })).toBe('/c/aip/contexts.yaml');
    expect(contextsPath({ XDG_CONFIG_HOME: 'relative', HOME: '/h' })).toBe('/h/.config/aip/contexts.yaml');
  });

  test.each([
    ['nothing', null, 'holds no mapping'],
    ['a list', [], 'holds no mapping'],
    ['no contexts', {}, 'contexts is not a list'],
    ['a nameless one', { contexts: [{ gateway_url: 'http://a' }] }, 'contexts[0].name'],
    ['one called dev', { contexts: [{ ...prod, name: 'dev' }] }, 'contexts[0].name'],
    ['one without a way', { contexts: [{ name: 'a' }] }, 'neither gateway_url nor kube'],
    ['a number for a token', { contexts: [{ ...prod, token: 7 }] }, 'contexts[0].token is not a text'],
    ['a cluster without namespace', { contexts: [{ name: 'a', kube: { release: 'aip' } }] }, 'kube.namespace'],
    ['two of a name', { contexts: [prod, prod] }, 'prod is there twice'],
  ])('with %s is refused by name of the place', (_, value, problem) => {
    expect(contextsProblem(value)).toContain(problem);
  });

  test('a good one is accepted', () => {
    const kube = { context: 'kind', namespace: 'aip', release: 'aip' };
    expect(contextsProblem({ current: 'c', contexts: [prod, { name: 'c', kube, token: 't', ca: 'PEM' }] })).toBe(
      undefined,
    );
    expect(['a', 'prod-eu.1', 'me@prod'].every(isContextName)).toBe(true);
    expect(['', '-a', 'a b', 'dev', 'a'.repeat(65)].some(isContextName)).toBe(false);
  });

  test('a broken file is reported with its path and what to do', async () => {
    await aip(['context', 'list']);
    await writeFile(join(folder, 'broken.yaml'), 'contexts: 7\n');
    const run = await aip(['context', 'list', '--json'], { AIP_CONFIG: join(folder, 'broken.yaml') });
    expect(run.code).toBe(2);
    expect(run.json()).toMatchObject({ error: { code: 'cli.contexts_invalid', advice: expect.any(String) } });
    expect(run.stdout).toContain('broken.yaml');
  });
});

describe('aip context', () => {
  test('add, list, use, show and remove; the file is for its owner alone', async () => {
    const token = join(folder, 'token');
    await writeFile(token, 'secret-token\n');
    const added = await aip([
      'context',
      'add',
      'prod',
      '--gateway',
      'http://127.0.0.1:9/x',
      '--token-file',
      token,
      '--json',
    ]);
    expect(added.json()).toMatchObject({ name: 'prod', gateway: 'http://127.0.0.1:9', token, current: true });
    expect((await stat(config)).mode & 0o777).toBe(0o600);
    expect(await readFile(config, 'utf8')).not.toContain('secret-token');
    expect((await aip(['context', 'add', 'prod', '--gateway', 'http://a'])).code).toBe(2);
    await aip(['context', 'add', 'prod', '--gateway', 'http://127.0.0.1:10', '--tenant', 't', '--replace', '--no-use']);
    await aip(['context', 'add', 'eu', '--gateway', 'https://eu.example', '--use']);
    const { contexts } = (await aip(['context', 'list', '--json'])).json() as { contexts: Record<string, unknown>[] };
    expect(contexts.map(({ name, current }) => [name, current])).toEqual([
      ['dev', false],
      ['prod', false],
      ['eu', true],
    ]);
    expect((await aip(['context', 'list'])).stdout).toMatch(/^\* +eu +https:\/\/eu\.example/m);
    await aip(['context', 'use', 'prod']);
    expect((await aip(['context', 'show', '--json'])).json()).toMatchObject({
      name: 'prod',
      tenant: 't',
      token: 'none',
    });
    expect((await aip(['context', 'show', '--json'], { AIP_CONTEXT: 'eu' })).json()).toMatchObject({ name: 'eu' });
    expect((await aip(['context', 'remove', 'prod'])).code).toBe(0);
    expect((await aip(['context', 'show', '--json'])).json()).toMatchObject({ name: 'dev', current: true });
    expect((await aip(['context', 'use', 'prod'])).code).toBe(2);
  });

  test.each([
    ['a name that is taken for aip dev', ['dev', '--gateway', 'http://a']],
    ['no gateway', ['x']],
    ['an address that is none', ['x', '--gateway', 'ftp://a']],
    ['a token file that is not there', ['x', '--gateway', 'http://a', '--token-file', '/nowhere/token']],
    ['a kubeconfig that is not there', ['x', '--from-cluster', '--kubeconfig', '/nowhere/config']],
  ])('%s is refused', async (_, args) => {
    const run = await aip(['context', 'add', ...args, '--json']);
    expect(run.code).toBe(2);
    expect(run.json()).toMatchObject({ error: { code: 'cli.usage', advice: expect.any(String) } });
  });

  test('a stored token is sent to its own gateway and never shown', async () => {
    server = await scriptedGateway((_, response) => json(response, { actions: [], total_size: 0 }));
    await aip(['context', 'list']);
    const context = { name: 'here', gateway_url: server.url, token: 'stored-secret' };
    const file = join(folder, 'here.yaml');
    await writeFile(file, JSON.stringify({ current: 'here', contexts: [context] }), { mode: 0o600 });
    const env = { AIP_CONFIG: file };
    expect((await aip(['actions', 'list', '--json'], env)).code).toBe(0);
    expect((await aip(['actions', 'list', '--context', 'here'], { ...env, AIP_TOKEN: 'of-another' })).code).toBe(0);
    expect((await aip(['actions', 'list', '--gateway', server.url], env)).code).toBe(0);
    expect(server.seen.map(({ headers }) => headers.authorization)).toEqual([
      'Bearer stored-secret',
      'Bearer stored-secret',
      undefined,
    ]);
    for (const command of [
      ['context', 'show'],
      ['context', 'list'],
      ['context', 'show', '--json'],
    ])
      expect((await aip(command, env)).stdout).not.toContain('stored-secret');
  });

  test('the certificates of a context are trusted; without them the gateway is not', async () => {
    const authority = await testAuthority();
    server = await scriptedGateway(
      (_, response) => json(response, { actions: [], total_size: 0 }),
      await authority.leaf('localhost'),
    );
    const url = server.url.replace('127.0.0.1', 'localhost');
    const ca = join(folder, 'ca.crt');
    await writeFile(ca, authority.ca);
    await aip(['context', 'add', 'tls', '--gateway', url, '--ca-file', ca, '--use']);
    expect((await aip(['actions', 'list', '--json'])).json()).toMatchObject({ total_size: 0 });
    const refused = await aip(['actions', 'list', '--gateway', url, '--json']);
    expect(refused.code).toBe(7);
    expect((await aip(['actions', 'list', '--gateway', url], { AIP_CA_FILE: ca })).code).toBe(0);
  });
});

test('context set changes what is named and keeps the rest; a mistyped context is named with the one that was meant', async () => {
  const token = join(folder, 'token');
  await writeFile(token, 'one', { mode: 0o600 });
  await changeContexts({ AIP_CONFIG: config }, () => ({
    contexts: [{ ...prod, tenant: 'acme', token: 'stored' }, eu],
  }));
  const changed = await aip(['context', 'set', 'prod', '--token-file', token, '--gateway', 'https://new.example']);
  expect(changed.stdout).toContain('https://new.example');
  expect(changed.stdout).not.toContain('stored');
  expect(changed.code).toBe(0);
  const { contexts } = await readContexts({ AIP_CONFIG: config });
  expect(contexts).toEqual([
    { name: 'prod', gateway_url: 'https://new.example', tenant: 'acme', token_file: token },
    eu,
  ]);
  expect((await aip(['context', 'set', 'eu', '--tenant', 'globex', '--json'])).json()).toMatchObject({
    tenant: 'globex',
  });
  const nothing = await aip(['context', 'set', 'prod']);
  expect(nothing.code).toBe(2);
  expect(nothing.stderr).toContain('--token-file');
  expect((await aip(['context', 'set', 'prod', '--token-file', join(folder, 'none')])).code).toBe(2);
  const near = await aip(['context', 'use', 'prd']);
  expect(near.code).toBe(2);
  expect(near.stderr).toContain('Did you mean prod?');
});

test('fleet commands go to the cluster of --kube-context, in the namespace that -n names or in all', async () => {
  const list = { apiVersion: 'fleet.aip.dev/v1alpha1', kind: 'List', metadata: { resourceVersion: '1' }, items: [] };
  server = await scriptedGateway((_seen, response) => json(response, list));
  const file = join(folder, 'kubeconfig');
  const cluster = (name: string, url: string) => ({
    clusters: { name, cluster: { server: url, 'insecure-skip-tls-verify': true } },
    users: { name, user: { token: 't' } },
    contexts: { name, context: { cluster: name, user: name } },
  });
  const all = [cluster('here', 'http://127.0.0.1:9'), cluster('there', server.url)];
  await writeFile(
    file,
    JSON.stringify({
      apiVersion: 'v1',
      kind: 'Config',
      'current-context': 'here',
      clusters: all.map(({ clusters }) => clusters),
      users: all.map(({ users }) => users),
      contexts: all.map(({ contexts }) => contexts),
    }),
  );
  const fleet = (...args: string[]) => aip(['fleet', ...args, '--kube-context', 'there'], { KUBECONFIG: file });
  const paths = () => server?.seen.splice(0).map(({ path }) => path);
  for (const command of [
    ['status'],
    ['instances'],
    ['replicas'],
    ['events'],
    ['describe', 'x'],
    ['logs', 'x'],
    ['drain', 'x'],
    ['resume', 'x'],
  ]) {
    await fleet(...command, '-A');
    expect(paths()?.join(' '), command.join(' ')).not.toContain('namespaces/');
    await fleet(...command, '-n', 'acme');
    expect(paths()?.join(' '), command.join(' ')).toContain('/namespaces/acme/');
  }
  const both = await fleet('status', '-A', '-n', 'acme');
  expect(both.code).toBe(2);
  const unknown = await aip(['fleet', 'status', '--kube-context', 'nowhere'], { KUBECONFIG: file });
  expect(unknown.code).toBe(2);
  expect(unknown.stderr).toContain('here, there');
});
