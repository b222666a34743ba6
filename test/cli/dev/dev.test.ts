import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { isAlive, type ProcessIdentity } from '#controller/fleet/process-identity.js';
import { newSeedHex, signingKeyFromSeed } from '#runtime/protocol/signing.js';
import { CLI, type Dev, startDev } from '../../support/dev.ts';
import { openOnTerminal } from '../../support/terminal.ts';
import { until } from '../../support/until.ts';
import { runCli } from '../support/run-cli.ts';

const SDK = pathToFileURL(join(CLI, '..', '..', '..', 'runtime', 'dist', 'connectors', 'sdk', 'index.js')).href;

const instance = (spec: string, name = 'demo'): string =>
  `apiVersion: fleet.aip.dev/v1alpha1\nkind: ConnectorInstance\nmetadata: {name: ${name}}\nspec: {connector: {type: demo, version: 1.0.0}, tenantId: demo, ${spec}}\n`;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'aip-dev-test-'));
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

interface Row {
  replica: string;
  state: string;
}

async function replicas(dev: Dev): Promise<Row[]> {
  const run = await runCli(['fleet', 'status', '--json', '--data', dev.dataDir]);
  return (run.json().replicas as (Row & { replica: string | null })[]).filter((row) => row.replica !== null);
}

async function apply(dev: Dev, text: string, ...more: string[]) {
  const file = join(folder, 'change.yaml');
  await writeFile(file, text);
  return runCli(['dev', 'apply', '-f', file, '--data', dev.dataDir, '--json', ...more]);
}

/** The processes that a run on this folder recorded. */
async function recorded(data: string): Promise<ProcessIdentity[]> {
  return Object.values(
    JSON.parse(await readFile(join(data, 'processes.json'), 'utf8')) as Record<string, ProcessIdentity>,
  );
}

async function stillAlive(processes: ProcessIdentity[]): Promise<ProcessIdentity[]> {
  const states = await Promise.all(processes.map(isAlive));
  return processes.filter((_, index) => states[index]);
}

describe('a running fleet', () => {
  let dev: Dev;
  beforeAll(async () => {
    dev = await startDev({ documents: instance('replicas: 1') });
  });
  afterAll(async () => {
    await dev?.stop();
  });

  test('is scaled from one host to three and back, drained, without a restart', async () => {
    const [before] = await dev.pids('aip-runtime', 'host');
    const up = await apply(dev, instance('replicas: 3'));
    expect(up.code).toBe(0);
    expect(up.json()).toMatchObject({ settled: true });
    expect((await replicas(dev)).map((row) => row.state)).toEqual(['ready', 'ready', 'ready']);
    expect(await dev.pids('aip-runtime', 'host')).toHaveLength(3);
    const steps = up.json().steps as { instance: string; reason: string }[];
    expect(new Set(steps.map((step) => step.instance))).toEqual(new Set(['default/demo']));
    const info = JSON.parse(await readFile(join(dev.dataDir, 'dev.json'), 'utf8')) as Dev['ready'];
    expect(info.instances[0]?.replicas).toHaveLength(3);

    const down = await apply(dev, instance('replicas: 1'));
    expect(down.json()).toMatchObject({ settled: true });
    expect((down.json().steps as { reason: string }[]).map((step) => step.reason)).toContain('ScaledDown');
    expect(await replicas(dev)).toHaveLength(1);
    expect(await dev.pids('aip-runtime', 'host')).toEqual([before]);
  });

  test('a change of configuration replaces the host by a new one', async () => {
    const [old] = await replicas(dev);
    const changed = await apply(dev, instance('replicas: 1, config: {greeting: "hi "}'));
    expect(changed.json()).toMatchObject({ settled: true });
    const [fresh, ...others] = await replicas(dev);
    expect(others).toEqual([]);
    expect(fresh?.replica).not.toBe(old?.replica);
    expect(fresh?.state).toBe('ready');
    const said = await runCli([
      'actions',
      'submit',
      'cap:demo:echo',
      '-i',
      '{"text":"you"}',
      '--json',
      '--data',
      dev.dataDir,
    ]);
    expect(JSON.stringify(said.json())).toContain('hi you');
  });

  test('a second tenant applied beside it gets an operator of its own', async () => {
    const other = instance('replicas: 1', 'other').replace('tenantId: demo', 'tenantId: other');
    expect((await apply(dev, other)).json()).toMatchObject({ settled: true });
    const args = ['capabilities', '--json', '--gateway', dev.ready.gateway_url];
    const seen = await until('its token is known', async () => {
      const run = await runCli([...args, '--token-file', join(dev.dataDir, 'tokens', 'other')]);
      return run.code === 0 && run.json();
    });
    expect(seen.total).toBe(6);
    expect((await apply(dev, instance('replicas: 1, config: {greeting: "hi "}'), '--prune')).json()).toMatchObject({
      settled: true,
    });
    expect((await replicas(dev)).length).toBe(1);
  });

  test('an External host is listed offline with its key, and nothing is started for it', async () => {
    const { did } = signingKeyFromSeed(newSeedHex());
    const text = await readFile(join(CLI, '..', '..', '..', 'examples', 'external.yaml'), 'utf8');
    const applied = await apply(dev, text.replace(/did:key:z\w+/, did));
    expect(applied.json()).toMatchObject({ settled: true });
    const clock = (await replicas(dev)).find((row) => row.replica === 'clock-1');
    expect(clock).toMatchObject({
      state: 'offline',
      did,
      endpoint: 'http://127.0.0.1:9901/aip/v1/messages',
      capacity: 8,
    });
    const info = JSON.parse(await readFile(join(dev.dataDir, 'dev.json'), 'utf8')) as Dev['ready'];
    const listed = info.instances.find(({ name }) => name === 'clock');
    expect(listed?.replicas).toEqual([
      {
        replica_id: expect.stringMatching(/^crepl_default\.clock-1\./),
        endpoint: 'http://127.0.0.1:9901/aip/v1/messages',
        did,
        managed: false,
      },
    ]);
    expect(await dev.pids('aip-runtime', 'clock')).toEqual([]);
  });

  test('documents with faults change nothing and are reported as file:document: path: message', async () => {
    const before = await replicas(dev);
    const run = await apply(dev, instance('replicas: many'));
    expect(run.code).toBe(2);
    expect(JSON.stringify(run.json())).toContain('spec.replicas');
    expect(await replicas(dev)).toEqual(before.map((row) => ({ ...row, lease_left_ms: expect.any(Number) })));
  });

  test('a configuration that the connector refuses stops there with its own message; the old host continues', async () => {
    const run = await apply(dev, instance('replicas: 1, config: {greeting: 5}'));
    const conditions = (run.json().conditions as Record<string, { type: string; status: string; message: string }[]>)[
      'default/demo'
    ];
    expect(conditions?.find(({ type }) => type === 'Admitted')).toMatchObject({
      status: 'False',
      message: expect.stringContaining('greeting'),
    });
    expect((await replicas(dev)).filter((row) => row.replica.startsWith('demo')).map((row) => row.state)).toEqual([
      'ready',
    ]);
    await apply(dev, instance('replicas: 1, config: {greeting: "hi "}'));
  });

  test('a host and a gateway that are killed come back', async () => {
    const [host] = await dev.pids('aip-runtime', 'host');
    const [gateway] = await dev.pids('aip-runtime', 'gateway');
    for (const pid of [host, gateway]) process.kill(pid as number, 'SIGKILL');
    const again = await until('both run again', async () => {
      const [newHost] = await dev.pids('aip-runtime', 'host');
      const [newGateway] = await dev.pids('aip-runtime', 'gateway');
      // A killed process is listed until its parent has taken note of its end.
      return newHost !== host && newGateway !== gateway && newHost && newGateway && [newHost, newGateway];
    });
    expect(again).toHaveLength(2);
    const info = JSON.parse(await readFile(join(dev.dataDir, 'dev.json'), 'utf8')) as Dev['ready'];
    const endpoint = info.instances.find(({ name }) => name === 'demo')?.replicas[0]?.endpoint as string;
    for (const url of [new URL('/ready', endpoint).href, `${dev.ready.gateway_url}/ready`])
      await until(`${url} answers`, async () => (await fetch(url)).ok);
    const run = await runCli(['actions', 'submit', 'cap:demo:echo', '-i', '{"text":"x"}', '--data', dev.dataDir]);
    expect(run.code, run.stdout + run.stderr).toBe(0);
  });

  test('a second aip dev on the same folder says who has it', async () => {
    const run = await runCli(['dev', '--data', dev.dataDir, '--gateway-port', '0', '--control-port', '0']);
    expect(run.code).not.toBe(0);
    expect(run.stderr).toContain(`process ${dev.process.pid}`);
  });
});

describe('the life of a data folder', () => {
  let dev: Dev | undefined;
  afterEach(async () => {
    await dev?.stop();
    dev = undefined;
  });

  /** Starts `aip dev` on a given folder without documents and waits for its line. */
  async function start(data: string, ...args: string[]) {
    const child = spawn(
      process.execPath,
      [CLI, 'dev', '--data', data, '--gateway-port', '0', '--control-port', '0', '--output', 'json', ...args],
      {
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    );
    let out = '';
    let err = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      out += chunk;
    });
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      err += chunk;
    });
    const ended = new Promise<number | null>((done) => child.once('exit', done));
    const ready = await until(
      'it is ready',
      () => {
        if (child.exitCode !== null) throw new Error(err);
        const line = out.split('\n').find((text) => text.startsWith('{"ready":true'));
        return line ? (JSON.parse(line) as Dev['ready']) : undefined;
      },
      60_000,
    );
    return { child, ready, ended, err: () => err };
  }

  test('ids, keys, endpoints and actions stay from run to run; --fresh starts over; SIGINT ends everything in order', async () => {
    const data = join(folder, 'kept');
    const file = join(folder, 'kept.yaml');
    await writeFile(file, instance('replicas: 2'));
    const first = await start(data, '-f', file);
    const id = (
      await runCli(['actions', 'submit', 'cap:demo:echo', '-i', '{"text":"x"}', '--json', '--data', data])
    ).json().action_id as string;
    const pids = await recorded(data);
    expect(pids.length).toBeGreaterThanOrEqual(5);
    first.child.kill('SIGINT');
    expect(await first.ended).toBe(0);
    expect(await stillAlive(pids)).toEqual([]);

    const second = await start(data);
    expect(second.ready.instances).toEqual(first.ready.instances);
    expect(second.ready.gateway.did).toBe(first.ready.gateway.did);
    expect((await runCli(['actions', 'get', id, '--json', '--data', data])).json()).toMatchObject({
      action_id: id,
      state: 'completed',
    });
    second.child.kill('SIGTERM');
    expect(await second.ended).toBe(0);

    const third = await start(data, '-f', file, '--fresh');
    expect(third.ready.gateway.did).not.toBe(first.ready.gateway.did);
    expect(third.ready.instances[0]?.instance_id).not.toBe(first.ready.instances[0]?.instance_id);
    expect((await runCli(['actions', 'list', '--json', '--data', data])).json()).toMatchObject({ total_size: 0 });
    third.child.kill('SIGINT');
    expect(await third.ended).toBe(0);
  });

  test('hosts whose code changed while nothing ran are replaced by the next run, which is ready without them', async () => {
    const data = join(folder, 'changed');
    const module = join(folder, 'changed.mjs');
    const file = join(folder, 'changed.yaml');
    const write = (...names: string[]) =>
      writeFile(
        module,
        `import { capability, defineConnector, readOnly } from '${SDK}';
const say = (id) => capability({ id, input: { type: 'object' }, contract: readOnly(), run: () => ({ id }) });
export default defineConnector({ type: 'changed', configSchema: { type: 'object' }, capabilities: ${JSON.stringify(names)}.map(say) });
`,
      );
    await write('cap:changed:one');
    await writeFile(
      file,
      `apiVersion: fleet.aip.dev/v1alpha1
kind: ConnectorInstance
metadata: {name: changed, annotations: {fleet.aip.dev/module: ./changed.mjs}}
spec: {connector: {type: changed, version: 1.0.0}, tenantId: acme, replicas: 2}
`,
    );
    const first = await start(data, '-f', file);
    first.child.kill('SIGINT');
    expect(await first.ended).toBe(0);
    const replicas = async () =>
      Object.keys((JSON.parse(await readFile(join(data, 'state.json'), 'utf8')) as { replicas: object }).replicas);
    const before = await replicas();

    await write('cap:changed:one', 'cap:changed:two');
    const second = await start(data);
    expect(second.err()).toContain(
      `${before[0]?.slice('default/'.length)} is replaced: its code changed since the last run`,
    );
    expect(
      (await runCli(['actions', 'submit', 'cap:changed:two', '-i', '{}', '--wait', '--json', '--data', data])).json(),
    ).toMatchObject({ state: 'completed' });
    await until('the old replicas are gone', async () => !(await replicas()).some((key) => before.includes(key)));
    expect(await replicas()).toHaveLength(2);
    const logs = await readdir(join(data, 'logs'));
    for (const log of logs.filter((name) => name.startsWith('host-')))
      expect(await readFile(join(data, 'logs', log), 'utf8')).not.toContain('manifest_digest is not');
    second.child.kill('SIGINT');
    expect(await second.ended).toBe(0);
  });

  test('what a killed run left is ended by the next one', async () => {
    const data = join(folder, 'crashed');
    const file = join(folder, 'crashed.yaml');
    await writeFile(file, instance('replicas: 1'));
    const first = await start(data, '-f', file);
    const left = await recorded(data);
    first.child.kill('SIGKILL');
    await first.ended;
    expect((await stillAlive(left)).length).toBeGreaterThanOrEqual(4);
    const second = await start(data);
    expect(await stillAlive(left)).toEqual([]);
    expect(second.ready.instances).toEqual(first.ready.instances);
    second.child.kill('SIGINT');
    expect(await second.ended).toBe(0);
  });

  test('a terminal that is closed ends everything in order, and the folder starts again', async () => {
    const data = join(folder, 'closed');
    const file = join(folder, 'closed.yaml');
    await writeFile(file, instance('replicas: 1'));
    const ports = ['--gateway-port', '0', '--control-port', '0'];
    const terminal = openOnTerminal(['dev', '-f', file, '--data', data, ...ports], { columns: 100 });
    await until('it says ready', () => terminal.screen().includes('✓ ready'), 90_000);
    const { pid } = JSON.parse(await readFile(join(data, 'lock.json'), 'utf8')) as { pid: number };
    const left = await recorded(data);
    expect(left.length).toBeGreaterThanOrEqual(4);
    // The program that has the other end of the terminal.
    terminal.child.kill('SIGKILL');
    await until('nothing of it runs', async () => (await stillAlive(left)).length === 0);
    await until('its lock is released', () => !existsSync(join(data, 'lock.json')));
    await until('it has ended', () => !existsSync(`/proc/${pid}`));

    const again = await start(data);
    again.child.kill('SIGINT');
    expect(await again.ended).toBe(0);
  });

  test('a reader that goes away ends everything in order', async () => {
    const data = join(folder, 'unread');
    const file = join(folder, 'unread.yaml');
    await writeFile(file, instance('replicas: 1'));
    const run = await start(data, '-f', file);
    const left = await recorded(data);
    run.child.stdout.destroy();
    run.child.stderr.destroy();
    const [host] = Object.entries(
      JSON.parse(await readFile(join(data, 'processes.json'), 'utf8')) as Record<string, ProcessIdentity>,
    ).flatMap(([name, identity]) => (name.startsWith('host') ? [identity] : []));
    // Its end is reported, to nobody.
    process.kill(host?.pid as number, 'SIGKILL');
    expect(await run.ended).toBe(0);
    expect(await stillAlive(left)).toEqual([]);
    expect(existsSync(join(data, 'lock.json'))).toBe(false);
  });

  test('SIGTERM to npx ends everything in order, though npx passes no signal on', async () => {
    const data = join(folder, 'npx');
    const file = join(folder, 'npx.yaml');
    await writeFile(file, instance('replicas: 1'));
    const args = ['aip', 'dev', '-f', file, '--data', data, '--gateway-port', '0', '--control-port', '0'];
    const npx = spawn('npx', args, { stdio: ['ignore', 'pipe', 'pipe'], cwd: join(CLI, '..', '..', '..') });
    let out = '';
    npx.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      out += chunk;
    });
    await until('it says ready', () => out.includes('ready after'), 90_000);
    const pids = await recorded(data);
    expect(pids.length).toBeGreaterThanOrEqual(4);
    npx.kill('SIGTERM');
    await until('nothing of it runs', async () => (await stillAlive(pids)).length === 0);
    await until('its lock is released', () => !existsSync(join(data, 'lock.json')));
  });

  test('--demo submits, follows, verifies and stays up until the signal', async () => {
    const child = spawn(
      process.execPath,
      [CLI, 'dev', '--demo', '--data', join(folder, 'demo'), '--gateway-port', '0', '--control-port', '0'],
      {
        stdio: ['ignore', 'pipe', 'pipe'],
        env: { ...process.env, NO_COLOR: '1' },
      },
    );
    let out = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      out += chunk;
    });
    const ended = new Promise<number | null>((done) => child.once('exit', done));
    await until('it says ready', () => out.includes('aip actions list'), 60_000);
    expect(out).toMatch(/▶ cap:demo:count .*act_/);
    expect(out).toMatch(/"value":5,"of":5/);
    expect(out).toContain('completed act_');
    expect(out).toContain('chain verified');
    expect(out).toMatch(/gateway +http:\/\/127\.0\.0\.1:\d+/);
    expect(out).toMatch(/token +\/.*token/);
    expect(out.match(/demo-[0-9a-f]{6}-\d +ready/g)).toHaveLength(2);
    expect(out).toContain('aip actions list');
    expect(child.exitCode).toBe(null);
    child.kill('SIGINT');
    expect(await ended).toBe(0);
    expect(out).toContain('everything has ended');
  });

  test('--demo with --output json prints one line without the password of the database; the follow is on standard error', async () => {
    const data = join(folder, 'demo-json');
    const child = spawn(
      process.execPath,
      [CLI, 'dev', '--demo', '--data', data, '--gateway-port', '0', '--control-port', '0', '--output', 'json'],
      { stdio: ['ignore', 'pipe', 'pipe'] },
    );
    let out = '';
    let err = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      out += chunk;
    });
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      err += chunk;
    });
    const ended = new Promise<number | null>((done) => child.once('exit', done));
    await until('its demo was followed to its end', () => err.includes('"receipt_chain"'), 60_000);
    await until('it prints a line', () => out.includes('\n'), 60_000);
    const { database_url } = JSON.parse(await readFile(join(data, 'dev.json'), 'utf8')) as { database_url: string };
    child.kill('SIGINT');
    expect(await ended).toBe(0);
    expect(out.trimEnd().split('\n')).toHaveLength(1);
    expect(JSON.parse(out)).toMatchObject({ ready: true });
    expect(new URL(database_url).password).not.toBe('');
    expect(out + err).not.toContain(new URL(database_url).password);
  });

  test('--gateways gives several gateways, --watch applies an edited file', async () => {
    const data = join(folder, 'watched');
    const file = join(folder, 'watched.yaml');
    await writeFile(file, instance('replicas: 1'));
    const run = await start(data, '-f', file, '--watch', '--gateways', '2');
    const names = Object.keys(JSON.parse(await readFile(join(data, 'processes.json'), 'utf8')) as object);
    expect(names.filter((name) => name.startsWith('gateway'))).toHaveLength(2);
    await writeFile(file, instance('replicas: 2'));
    await secondReady(data);
    run.child.kill('SIGINT');
    expect(await run.ended).toBe(0);
  });

  test('--watch applies what is saved while the fleet starts', async () => {
    const data = join(folder, 'early');
    const file = join(folder, 'early.yaml');
    await writeFile(file, instance('replicas: 1'));
    const starting = start(data, '-f', file, '--watch');
    // The file has been read before the folder is there.
    await until('the fleet starts', () => existsSync(data));
    await writeFile(file, instance('replicas: 2'));
    const run = await starting;
    await secondReady(data);
    run.child.kill('SIGINT');
    expect(await run.ended).toBe(0);
  });

  async function secondReady(data: string): Promise<void> {
    await until('the second host is ready', async () => {
      const status = await runCli(['fleet', 'status', '--json', '--data', data]);
      return (status.json().replicas as Row[]).filter((row) => row.state === 'ready').length === 2;
    });
  }
});

test('a port in use is reported with the flag to change it, and nothing is left running', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const data = join(folder, 'port');
  const run = await runCli(['dev', '--data', data, '--gateway-port', String(port), '--control-port', '0']);
  server.close();
  expect(run.code).toBe(1);
  expect(run.stderr).toContain(`Port ${port} is in use`);
  expect(run.stderr).toContain('--gateway-port');
  expect(existsSync(join(data, 'postgres'))).toBe(false);
  expect(existsSync(join(data, 'lock.json'))).toBe(false);
});

test.each([
  ['a file that is not there', ['-f', '/nowhere.yaml'], 'no such file'],
  ['--watch without files', ['--watch'], '--watch needs files'],
])('%s is reported before anything starts', async (_, args, expected) => {
  const run = await runCli(['dev', ...args, '--data', join(folder, 'never')]);
  expect(run.code).toBe(2);
  expect(run.stderr).toContain(expected);
});
