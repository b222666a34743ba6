import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { CLI } from '../../support/dev.ts';
import { until as untilFor } from '../../support/until.ts';
import { runCli } from '../support/run-cli.ts';

const SDK = pathToFileURL(join(CLI, '..', '..', '..', 'runtime', 'dist', 'connectors', 'sdk', 'index.js')).href;

/** A first start takes long on a busy machine. */
const STARTS_MS = 180_000;

/** Waits for a state of a fleet that runs. */
const until = <T>(what: string, state: () => T | Promise<T>, timeoutMs?: number) => {
  if (child.exitCode !== null) throw new Error(`aip dev ended: ${out}`);
  return untilFor(what, state, timeoutMs);
};

interface Instance {
  name: string;
  ready: number;
  conditions: { type: string; status: string; reason: string; message: string }[];
}

let folder: string;
let data: string;
let child: ChildProcess;
let out = '';

const RUN = '\n      run: async ({ text }) => ({ said: word + text }),';
/** The shop's module: `lines` stand before it, `contract` in its capability, `health` in the connector. */
const shop = ({ lines = '', contract = 'readOnly()', health = '', more = '', run = RUN } = {}): string => `${lines}
import { capability, defineConnector, readOnly } from '${SDK}';
import { word } from './word.js';
export default defineConnector({
  type: 'shop',
  configSchema: { type: 'object' },${health}
  capabilities: [
    capability({
      id: 'cap:shop:say',
      input: { type: 'object', required: ['text'], properties: { text: { type: 'string' } } },
      contract: ${contract},${more}${run}
    }),
  ],
});
`;
const save = (name: string, text: string) => writeFile(join(folder, name), text);
const saveGood = () => Promise.all([save('shop.js', shop()), save('word.js', "export const word = 'one ';\n")]);

const FLEET = `apiVersion: fleet.aip.dev/v1alpha1
kind: ConnectorInstance
metadata: {name: demo}
spec: {connector: {type: demo, version: 1.0.0}, tenantId: acme}
---
apiVersion: fleet.aip.dev/v1alpha1
kind: ConnectorInstance
metadata: {name: shop, annotations: {fleet.aip.dev/module: ./shop.js}}
spec:
  connector: {type: shop, version: 1.0.0}
  tenantId: acme
  secrets: [{file: key, secretKeyRef: {name: shop, key: key}}]
---
apiVersion: v1
kind: Secret
metadata: {name: shop}
stringData: {key: hush}
`;

async function instance(name = 'shop'): Promise<Instance | undefined> {
  const text = await readFile(join(data, 'status.json'), 'utf8');
  return (JSON.parse(text) as { instances: Instance[] }).instances.find((each) => each.name === name);
}
const isReady = async (): Promise<boolean> =>
  (await instance())?.conditions.every(
    ({ type, status, reason }) =>
      reason !== 'HostTrouble' && (type === 'Stalled' ? status !== 'True' : status !== 'False'),
  ) === true && (await instance())?.ready === 1;

/** Waits until a condition of the shop has a message with the text. */
const reason = (text: string | RegExp) =>
  until(`a condition says ${text}`, async () =>
    (await instance())?.conditions.find(({ message }) =>
      typeof text === 'string' ? message.includes(text) : text.test(message),
    ),
  );
const said = async (): Promise<string> =>
  (await runCli(['actions', 'submit', 'cap:shop:say', '-i', '{"text":"x"}', '--json', '--data', data])).stdout;

const run = promisify(execFile);
/** The programs of the fleet by name. */
const processes = async () =>
  JSON.parse(await readFile(join(data, 'processes.json'), 'utf8')) as Record<string, { pid: number } | undefined>;
/** A process that may have ended meanwhile. */
const kill = (pid: number): void => {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // it has just ended
  }
};
/** Listens on a port of loopback; undefined while another program does. */
const listening = (port: number): Promise<Server | undefined> =>
  new Promise((done) => {
    const server = createServer();
    server.once('error', () => done(undefined));
    server.listen(port, '127.0.0.1', () => done(server));
  });
/** A process and all below it. */
async function descendants(pid: number): Promise<number[]> {
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '');
  const below = children.split(' ').filter(Boolean).map(Number);
  return [pid, ...(await Promise.all(below.map(descendants))).flat()];
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'aip-loop-'));
  data = join(folder, 'data');
  await mkdir(data, { mode: 0o700 });
  await save('fleet.yaml', FLEET);
  await save('word.js', "export const word = 'one ';\n");
  await save('shop.js', 'const a = 1;\nconst b = = 2;\n');
  const ports = ['--gateway-port', '0', '--control-port', '0'];
  child = spawn(process.execPath, [CLI, 'dev', '-f', join(folder, 'fleet.yaml'), '--data', data, ...ports, '--watch'], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, NO_COLOR: '1' },
  });
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (part: string) => {
      out += part;
    });
});
afterAll(async () => {
  const ended = new Promise((done) => child.once('exit', done));
  child.kill('SIGTERM');
  await ended;
  await rm(folder, { recursive: true, force: true });
});

test('status is there before the fleet is ready', async () => {
  await until(
    'the connector is refused',
    async () => (await instance())?.conditions.some(({ reason: why }) => why === 'DescribeFailed'),
    STARTS_MS,
  );
  const status = await runCli(['fleet', 'status', '--json', '--data', data]);
  expect(status.json()).toMatchObject({
    instances: expect.arrayContaining([expect.objectContaining({ name: 'shop' })]),
  });
});

test('a module with a syntax error leaves the rest running, and is reported with file, line and source', async () => {
  await until('the start is over', () => out.includes('1 of 2 instances ready'), STARTS_MS);
  expect(out).toContain('✗ connector of shop');
  expect(out).toMatch(/shop\.js:2:11: SyntaxError: Unexpected token '=' \(const b = = 2;\)/);
  expect(out).not.toContain('✓ ready');
  const dev = JSON.parse(await readFile(join(data, 'dev.json'), 'utf8')) as { ready: boolean; gateways: string[] };
  expect(dev).toMatchObject({ ready: false, instances_ready: 1, instances_total: 2 });
  expect(dev.gateways).toHaveLength(1);

  const status = await runCli(['fleet', 'status', '--exit-code', '--data', data]);
  expect(status.code).toBe(1);
  expect(status.stdout).toMatch(/shop +– +none/);
  expect(status.stdout.replace(/\s+/g, ' ')).toContain('shop.js:2:11: SyntaxError');
  const described = await runCli(['fleet', 'describe', 'shop', '--data', data]);
  expect(described.stdout).toMatch(/Admitted +False +DescribeFailed/);
  const doctor = await runCli(['doctor', '--json', '--data', data]);
  expect(doctor.code).toBe(1);
  expect(JSON.stringify(doctor.json())).toContain('shop.js:2:11');
  expect((await runCli(['dev', 'status', '--data', data])).code).toBe(1);

  await saveGood();
  await until('it is ready', isReady);
  await until('it says so', () => out.includes('✓ ready'));
  expect(await said()).toContain('one x');
  expect((await runCli(['fleet', 'status', '--exit-code', '--data', data])).code).toBe(0);
});

describe('a running fleet', () => {
  beforeEach(async () => {
    await saveGood();
    await until('it is ready', isReady);
    await until('the good code answers', async () => (await said()).includes('one x'));
  });

  test('takes over what a module imports as soon as it is saved', async () => {
    await save('word.js', "export const word = 'two ';\n");
    expect(await until('the new code answers', async () => (await said()).includes('two x'))).toBe(true);
  });

  test.each([
    [
      'a package that is missing',
      () => save('shop.js', shop({ lines: "import '@nope/thing';" })),
      /shop\.js:1:9: Error: Cannot find package '@nope\/thing'/,
    ],
    [
      'a file that is missing',
      () => save('shop.js', shop({ lines: "import './gone.js';" })),
      /shop\.js:1:\d+: Error: Cannot find module/,
    ],
    [
      'an error while loading',
      () => save('shop.js', shop({ lines: 'undefinedThing();' })),
      /shop\.js:1:1: ReferenceError: undefinedThing is not defined/,
    ],
    [
      'a syntax error in what it imports',
      () => save('word.js', 'export const word = = 1;\n'),
      /word\.js:1:21: SyntaxError/,
    ],
    ['no connector', () => save('shop.js', 'export default 5;\n'), /shop\.js exports no connector/],
    [
      'a bad schema',
      () => save('shop.js', shop({ more: "\n      output: { type: 'nonsense' }," })),
      /shop\.js:\d+:\d+: the output_schema of cap:shop:say cannot be used: .*data\/type must be/,
    ],
    [
      'an unhealthy connector',
      () =>
        save('shop.js', shop({ health: "\n  health: async () => ({ ready: false, detail: 'the shop is closed' })," })),
      /shop-[0-9a-f]{6}-\d: the connector is not healthy: the shop is closed/,
    ],
  ])(
    '%s is reported with its place; what ran keeps serving, and saving the file heals it',
    async (_, spoil, expected) => {
      await spoil();
      await reason(expected);
      expect(await said()).toContain('one x');
      await saveGood();
      await until('it is ready', isReady);
      await until('the fixed code answers', async () => (await said()).includes('one x'));
    },
  );

  test('a package that was missing heals when it is installed beside the module, without a save', async () => {
    await save('shop.js', shop({ lines: "import { word as other } from 'late-package';" }));
    await reason(/Cannot find package 'late-package'/);
    const installed = join(folder, 'node_modules', 'late-package');
    await mkdir(installed, { recursive: true });
    await writeFile(join(installed, 'package.json'), '{"name":"late-package","type":"module","exports":"./index.js"}');
    await writeFile(join(installed, 'index.js'), "export const word = 'late';\n");
    await save('package-lock.json', '{}');
    await until('it is ready', isReady);
    expect(await until('it answers', async () => (await said()).includes('one x'))).toBe(true);
  });

  test('a changed contract is taken over where nothing else depends on it, and reported once with its place', async () => {
    await save('shop.js', shop({ more: "\n      risk: 'medium',\n      description: 'says it aloud'," }));
    await until('the contract is the new one', async () => {
      const { stdout } = await runCli(['capabilities', 'get', 'cap:shop:say', '--json', '--data', data]);
      return stdout.includes('says it aloud');
    });
    await until('it is ready', isReady);
    await until('it answers', async () => (await said()).includes('one x'));
    expect(out.match(/took over the changed contract of cap:shop:say/g)).toHaveLength(1);
    expect(out).toMatch(/(?<!default\/)shop: \S+shop\.js:9:12: took over the changed contract of cap:shop:say/);
  });

  test('a resource file that is broken is reported with its line; the fleet stays', async () => {
    await save('fleet.yaml', FLEET.replace('tenantId: acme\n  secrets', 'tenantID: acme\n  secrets'));
    await until('it is reported', () => /fleet\.yaml:\d+(:\d+)?: spec: .*tenantID/.test(out));
    expect(await said()).toContain('one x');
    await save('fleet.yaml', FLEET);
  });

  test('a database that is killed comes back', async () => {
    process.kill((await processes()).postgres?.pid as number, 'SIGKILL');
    await until('it is reported', () => /PostgreSQL ended.*; it is started again in \d+(\.\d)?m?s/.test(out));
    expect(await until('actions run again', async () => (await said()).includes('one x'))).toBe(true);
  });

  test('a port that another program takes is reported with its number; the gateway serves again once it is free', async () => {
    const { gateway_url } = JSON.parse(await readFile(join(data, 'dev.json'), 'utf8')) as { gateway_url: string };
    const port = Number(new URL(gateway_url).port);
    const thief = await until('the port is taken', async () => {
      const { gateway } = await processes();
      if (gateway) kill(gateway.pid);
      return listening(port);
    });
    const told = `gateway cannot start: another program listens on its port ${port}; end that program`;
    await until('it is reported', () => out.includes(told));
    const events = await runCli(['fleet', 'events', 'gateway', '--data', data]);
    expect(events.stdout).toContain(`port ${port}`);
    const before = out.split('gateway answers again').length;
    thief.close();
    await until('it answers again', () => out.split('gateway answers again').length > before);
    expect(await until('actions run again', async () => (await said()).includes('one x'))).toBe(true);
  });

  test('a disk without space is reported with the file; everything continues once there is some', async () => {
    const pids = [child.pid as number, ...(await descendants((await processes()).postgres?.pid as number))];
    const limit = (bytes: string) =>
      Promise.all(
        pids.map((pid) => run('prlimit', ['--pid', String(pid), `--fsize=${bytes}:`]).catch(() => undefined)),
      );
    try {
      await limit('1024');
      const refused = await runCli(['dev', 'apply', '-f', join(folder, 'fleet.yaml'), '--data', data]);
      expect(refused.stderr).toMatch(/\.json was not written: no space is left for it; free some/);
      expect(refused.code).toBe(1);
      await until('the database reports it', async () => {
        await said();
        return /PostgreSQL ended: (PANIC|FATAL): +could not .+; it is started again/.test(out);
      });
      await until('fleet status names the source that does not answer', async () => {
        const { stdout } = await runCli(['fleet', 'status', '--json', '--data', data]);
        return stdout.includes('"unreachable":[{"source":"registry"');
      });
    } finally {
      await limit('unlimited');
    }
    await until('the database answers', () => out.includes('PostgreSQL answers again'));
    expect(await until('actions run again', async () => (await said()).includes('one x'))).toBe(true);
    const applied = await runCli(['dev', 'apply', '-f', join(folder, 'fleet.yaml'), '--data', data]);
    expect(applied.code, applied.stderr).toBe(0);
  });

  test('a second fleet on the same folder says who has it, and the first serves on', async () => {
    const second = await runCli(['dev', '--data', data, '--gateway-port', '0', '--control-port', '0']);
    expect(second.code).toBe(1);
    expect(second.stderr).toContain(`process ${child.pid}`);
    expect(second.stderr).toContain(data);
    expect(await said()).toContain('one x');
  });

  test('a secret that others may read fails the action with its file; the right mode fixes it', async () => {
    const reads = "\n      run: async ({ text }, ctx) => ({ said: text + ' ' + (await ctx.secret('key')).trim() }),";
    await save('shop.js', shop({ run: reads }));
    await until('the secret is read', async () => (await said()).includes('x hush'));
    const secrets = join(data, 'secrets');
    const files = await Promise.all(
      (await readdir(secrets))
        .filter((host) => host.startsWith('default.shop'))
        .map((host) => join(secrets, host, 'key')),
    );
    // The folder of a host that was replaced meanwhile is gone.
    const setMode = (mode: number) => Promise.all(files.map((file) => chmod(file, mode).catch(() => undefined)));
    await setMode(0o644);
    const failed = await until('it is refused', async () => {
      const text = await said();
      return text.includes('connector.secret_unavailable') && text;
    });
    expect(failed).toMatch(/the secret key is refused: the file \S+\/key /);
    await setMode(0o600);
    expect(await until('it works again', async () => (await said()).includes('x hush'))).toBe(true);
  });
});
