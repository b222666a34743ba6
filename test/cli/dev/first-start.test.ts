import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { CLI } from '../../support/dev.ts';
import { openOnTerminal, type RunningTerminal } from '../../support/terminal.ts';
import { until } from '../../support/until.ts';
import { runCli } from '../support/run-cli.ts';

const PORTS = ['--gateway-port', '0', '--control-port', '0'];
/** Starting takes long on a busy machine. */
const LONG_MS = 100_000;
vi.setConfig({ testTimeout: 400_000 });

const FLEET = `apiVersion: fleet.aip.dev/v1alpha1
kind: ConnectorInstance
metadata: {name: shop, annotations: {fleet.aip.dev/module: ./shop.js}}
spec: {connector: {type: shop, version: 1.0.0}, tenantId: acme}
`;

/** The module of a shop that says a word, and is open or closed. No package lies beside it: the fleet gives it the SDK. */
const shop = (word: string, open = true): string => `
import { capability, defineConnector, readOnly } from '@aip/runtime/sdk';
export default defineConnector({
  type: 'shop',
  configSchema: { type: 'object' },
  health: async () => (${open} ? { ready: true, detail: 'open' } : { ready: false, detail: 'the shop is closed' }),
  capabilities: [
    capability({
      id: 'cap:shop:say',
      input: { type: 'object', required: ['text'], properties: { text: { type: 'string' } } },
      contract: readOnly(),
      run: async ({ text }) => ({ said: '${word} ' + text }),
    }),
  ],
});
`;

let folder: string;
const ends: (() => Promise<unknown>)[] = [];
const file = (name: string): string => join(folder, name);
const save = (name: string, text: string): Promise<void> => writeFile(file(name), text);

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'aip-first-'));
  await save('fleet.yaml', FLEET);
});
afterEach(async () => {
  await Promise.all(ends.splice(0).map((end) => end()));
  await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
});

interface Piped {
  child: ChildProcess;
  out(): string;
}

/** Starts `aip dev` without a terminal, on a data folder unless the environment names it. */
function startPiped(
  data: string | undefined,
  { flags = [], env = {} }: { flags?: string[]; env?: Record<string, string> } = {},
): Piped {
  const folderFlags = data === undefined ? [] : ['--data', file(data)];
  const args = [CLI, 'dev', '-f', file('fleet.yaml'), ...folderFlags, ...PORTS, ...flags];
  const child = spawn(process.execPath, args, {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, NO_COLOR: '1', ...env },
  });
  let out = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (part: string) => (out += part));
  const ended = new Promise((done) => child.once('exit', done));
  ends.push(() => {
    child.kill('SIGTERM');
    return ended;
  });
  return { child, out: () => out };
}

/** Starts `aip dev` on a terminal. */
function startOnTerminal(data: string): RunningTerminal {
  const terminal = openOnTerminal(['dev', '-f', file('fleet.yaml'), '--data', file(data), ...PORTS], {
    columns: 100,
    rows: 60,
  });
  ends.push(() => {
    terminal.interrupt();
    return terminal.ended;
  });
  return terminal;
}

const said = async (data: string): Promise<string> =>
  (await runCli(['actions', 'submit', 'cap:shop:say', '-i', '{"text":"x"}', '--json', '--data', file(data)])).stdout;

test('an only host that is unhealthy at the first start is reported with its cause; the fleet stays, and heals when the file is saved', async () => {
  await save('shop.js', shop('one', false));
  const { child, out } = startPiped('data', { flags: ['--watch'] });
  const stays = (): void => {
    if (child.exitCode !== null) throw new Error(`aip dev ended: ${out()}`);
  };
  await until(
    'the cause is printed',
    () => {
      stays();
      return out().includes('the shop is closed');
    },
    LONG_MS,
  );
  const status = await until('the status has it too', async () => {
    stays();
    const run = await runCli(['fleet', 'status', '--exit-code', '--data', file('data')]);
    return run.stdout.includes('the shop is closed') && run;
  });
  expect(status.code).toBe(1);
  expect((await runCli(['dev', 'status', '--data', file('data')])).code).toBe(1);
  expect(out()).not.toContain('✓ ready');
  expect(child.exitCode).toBe(null);

  await save('shop.js', shop('one'));
  await until(
    'it is ready',
    () => {
      stays();
      return out().includes('✓ ready');
    },
    LONG_MS,
  );
  expect(await until('it answers', async () => (await said('data')).includes('one x'))).toBe(true);
  expect((await runCli(['fleet', 'status', '--exit-code', '--data', file('data')])).code).toBe(0);
});

test('a start that is ready recommends nothing by an older state, however slowly the state is written', async () => {
  await save('shop.js', shop('one'));
  // Loaded into every program of the run: what renames the file of the state takes its time.
  await save(
    'slow.mjs',
    `import { setTimeout as pause } from 'node:timers/promises';
    import { syncBuiltinESMExports } from 'node:module';
    import files from 'node:fs/promises';
    const { rename } = files;
    files.rename = async (from, to) => {
      if (to.endsWith('status.json')) await pause(300);
      return rename(from, to);
    };
    syncBuiltinESMExports();`,
  );
  const { out } = startPiped('slow', { env: { NODE_OPTIONS: `--import=${pathToFileURL(file('slow.mjs')).href}` } });
  await until('the commands are printed', () => out().includes(' actions list '), LONG_MS);
  expect(out()).toContain('✓ ready');
  expect(out()).toContain(' fleet status ');
  expect(out()).not.toContain(' fleet describe ');
});

test('files are watched on a terminal without a flag, and not in a pipe', async () => {
  await save('shop.js', shop('one'));
  const piped = startPiped('piped');
  const terminal = startOnTerminal('terminal');
  await until(
    'both are ready',
    () => piped.out().includes('✓ ready') && terminal.screen().includes('✓ ready'),
    LONG_MS,
  );
  for (const data of ['piped', 'terminal'])
    await until(`${data} answers`, async () => (await said(data)).includes('one x'));

  await save('shop.js', shop('two'));
  await until(
    'the new module answers on the terminal',
    async () => (await said('terminal')).includes('two x'),
    LONG_MS,
  );
  await save('fleet.yaml', FLEET.replace('tenantId: acme', 'tenantId: acme, replicas: 2'));
  const replicas = async (data: string): Promise<unknown> => {
    const status = JSON.parse(await readFile(join(file(data), 'status.json'), 'utf8')) as {
      instances: { desired: number }[];
    };
    return status.instances[0]?.desired;
  };
  await until('the new document is taken up on the terminal', async () => (await replicas('terminal')) === 2, LONG_MS);
  expect(await said('piped')).toContain('one x');
  expect(await replicas('piped')).toBe(1);
});

test('a log that nothing can have is refused before anything starts', async () => {
  await save('shop.js', shop('one'));
  const args = ['dev', '-f', file('fleet.yaml'), '--data', file('never'), ...PORTS];
  const run = await runCli([...args, '--log', 'shpo']);
  expect(run.code).toBe(2);
  expect(run.stderr).toMatch(
    /There is no log of shpo\.\s+Did you mean shop\? It is one of gateway, control-plane, postgres, shop\./,
  );
  await expect(stat(file('never'))).rejects.toThrow('ENOENT');
});

test('commands to try name the data folder of the environment, so that they work in a terminal without that variable', async () => {
  await save('shop.js', shop('one'));
  const { out } = startPiped(undefined, { env: { AIP_DEV_DATA: file('data') } });
  await until('the commands are printed', () => / actions list( |$)/m.test(out()), LONG_MS);
  const commands = out()
    .split('\n')
    .filter((line) => / (fleet status|capabilities|actions (submit|list))( |$)/.test(line));
  expect(commands.length).toBeGreaterThanOrEqual(4);
  for (const command of commands) expect(command).toContain(` --data ${file('data')}`);
});

test('an empty AIP_DEV_DATA names no folder: the fleet keeps its data in the usual one, and none where it was started', async () => {
  await save('shop.js', shop('one'));
  const { out } = startPiped(undefined, { env: { AIP_DEV_DATA: '', XDG_STATE_HOME: folder } });
  await until('the commands are printed', () => / actions list( |$)/m.test(out()), LONG_MS);
  expect(out()).toContain(file('aip/dev'));
  expect(out()).not.toContain('--data');
});
