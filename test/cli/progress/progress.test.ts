import { type ChildProcess, spawn } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { identityOf } from '#controller/fleet/process-identity.js';
import { openOnTerminal, type RunningTerminal } from '../../support/terminal.ts';
import { until } from '../../support/until.ts';
import { ASK_A_GATEWAY } from '../support/gateway-calls.ts';
import { startCli } from '../support/run-cli.ts';
import { refuse, type ScriptedGateway, scriptedGateway } from '../support/scripted-gateway.ts';

const ROOT = resolve(import.meta.dirname, '..', '..', '..');
const SPINNER = /[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]/u;

/** A gateway, and an API server of a cluster, that answer nothing before `release`. */
let slow: ScriptedGateway;
/** A database that accepts connections and says nothing. */
let silent: Server;
const sockets = new Set<Socket>();
const held: (() => void)[] = [];
let released = false;
/** What runs on the data folder `busy`, and neither ends nor answers. */
let busy: ChildProcess;
let folder: string;
let env: Record<string, string>;

const release = (): void => {
  released = true;
  for (const answer of held.splice(0)) answer();
};

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'aip-progress-'));
  slow = await scriptedGateway((_, response) => {
    const answer = (): void => refuse(response, { code: 'authz.denied', category: 'authorization' }, 403);
    if (released) answer();
    else held.push(answer);
  });
  silent = createServer((socket) => sockets.add(socket.on('error', () => undefined)));
  await new Promise<void>((done) => silent.listen(0, '127.0.0.1', done));
  busy = spawn(process.execPath, ['-e', 'process.on("SIGTERM", () => {}); setInterval(() => {}, 1000)']);
  const dev = join(folder, 'dev');
  await mkdir(join(dev, 'requests'), { recursive: true, mode: 0o700 });
  const identity = await until('it runs', () => identityOf(busy.pid as number));
  await writeFile(join(dev, 'lock.json'), JSON.stringify(identity));
  await writeFile(join(dev, 'state.json'), JSON.stringify({ replicas: { 'default/demo-0': {} } }));
  const port = (silent.address() as AddressInfo).port;
  const database_url = `postgres://aip:x@127.0.0.1:${port}/aip`;
  await writeFile(join(dev, 'dev.json'), JSON.stringify({ database_url, instances: [], gateways: [] }));
  const kubeconfig = join(folder, 'kubeconfig');
  const named = { name: 'slow' };
  await writeFile(
    kubeconfig,
    JSON.stringify({
      apiVersion: 'v1',
      kind: 'Config',
      'current-context': 'slow',
      clusters: [{ ...named, cluster: { server: slow.url, 'insecure-skip-tls-verify': true } }],
      users: [{ ...named, user: { token: 't' } }],
      contexts: [{ ...named, context: { cluster: 'slow', user: 'slow' } }],
    }),
  );
  const contexts = [{ name: 'slow', token: 't', kube: { kubeconfig, namespace: 'aip', release: 'aip' } }];
  await writeFile(join(folder, 'contexts.yaml'), JSON.stringify({ contexts }), { mode: 0o600 });
  await writeFile(join(folder, 'fleet.yaml'), await readFile(join(ROOT, 'examples', 'demo.yaml'), 'utf8'));
  await writeFile(join(folder, 'secret'), '0123456789abcdef');
  env = { AIP_CONFIG: join(folder, 'contexts.yaml'), KUBECONFIG: kubeconfig, AIP_TOKEN: 't', XDG_STATE_HOME: folder };
});
afterAll(async () => {
  busy?.kill('SIGKILL');
  for (const socket of sockets) socket.destroy();
  await new Promise((done) => silent.close(done));
  await slow?.close();
  await rm(folder, { recursive: true, force: true });
});

let terminal: RunningTerminal | undefined;
beforeEach(() => {
  released = false;
});
afterEach(async () => {
  release();
  terminal?.interrupt();
  await terminal?.ended;
  terminal = undefined;
});

/** Starts a command on a terminal and waits until it shows what it waits for. */
async function shownOn(args: readonly string[], text: string | RegExp): Promise<RunningTerminal> {
  const opened = openOnTerminal(args, { columns: 100, env });
  terminal = opened;
  const shown = await until('the wait is shown', () => {
    if (opened.child.exitCode !== null) return 'not';
    const last = opened.screen().split('\n').at(-1) ?? '';
    return SPINNER.test(last) && (typeof text === 'string' ? last.includes(text) : text.test(last)) && 'shown';
  }).catch((error) => expect.fail(`${error.message}\n${opened.screen()}`));
  expect(shown, opened.screen()).toBe('shown');
  return opened;
}

/** The answer comes; nothing of the wait stays on the screen. */
async function endsClean(opened: RunningTerminal): Promise<void> {
  release();
  const { screen } = await opened.ended;
  expect(screen).not.toMatch(SPINNER);
  expect(screen).not.toBe('');
}

const gateway = (): string[] => ['--gateway', slow.url];
const file = (name: string): string => join(folder, name);

/** Commands that wait for a gateway. */
const ASKING = Object.entries(ASK_A_GATEWAY).filter(([name]) => name !== 'events follow');

describe.each([...ASKING, ['version', []] as const, ['doctor', []] as const])('aip %s', (name, args) => {
  test('shows on a terminal that it waits for the gateway, and erases it', async () => {
    const opened = await shownOn([...name.split(' '), ...args, ...gateway()], 'Waiting for the gateway');
    await endsClean(opened);
  });
});

/** Commands that wait for a cluster. */
const ON_A_CLUSTER: Record<string, string[]> = {
  'context add': ['prod', '--from-cluster', '--namespace', 'aip', '--release', 'aip', '--tenant', 'acme'],
  'fleet describe': ['demo', '--context', 'slow'],
  'fleet drain': ['demo-0', '--context', 'slow'],
  'fleet events': ['--context', 'slow'],
  'fleet instances': ['--context', 'slow'],
  'fleet logs': ['demo', '--context', 'slow'],
  'fleet replicas': ['--context', 'slow'],
  'fleet resume': ['demo-0', '--context', 'slow'],
  'fleet rollback': ['demo', '--context', 'slow'],
  'fleet status': ['--kube-context', 'slow'],
  'tokens create': ['--tenant', 'acme', '--scopes', 'action:read', '--context', 'slow'],
  'tokens list': ['--context', 'slow'],
  'tokens revoke': ['agent:billing', '--yes', '--context', 'slow'],
  'trust rotate': ['gateway', '--context', 'slow'],
  'trust status': ['--context', 'slow'],
};

describe.each(Object.entries(ON_A_CLUSTER))('aip %s', (name, args) => {
  test('shows on a terminal that it waits for the cluster, and erases it', async () => {
    await endsClean(await shownOn([...name.split(' '), ...args], /cluster/));
  });
});

/** Commands that wait for the database or the process of an `aip dev`; Ctrl-C ends the wait. */
const ON_A_FOLDER: Record<string, [args: () => string[], text: string]> = {
  'dev apply': [() => ['-f', file('fleet.yaml')], 'Waiting until the documents are applied'],
  'dev status': [() => [], 'Reading the registry'],
  'dev stop': [() => [], 'Stopping process'],
  'fleet drain': [() => ['demo-0'], 'Waiting until demo-0 has drained'],
  'fleet prune': [() => [], 'Reading the registry'],
  'fleet status': [() => [], 'Reading the registry'],
};

describe.each(Object.entries(ON_A_FOLDER))('aip %s', (name, [args, text]) => {
  test('shows on a terminal what it waits for', async () => {
    await shownOn([...name.split(' '), ...args(), '--data', file('dev')], text);
    expect(terminal?.child.exitCode).toBe(null);
  });
});

test('aip webhooks send shows on a terminal that it waits for the answer', async () => {
  const args = ['webhooks', 'send', file('fleet.yaml'), '--secret-file', file('secret')];
  await endsClean(await shownOn([...args, '--url', `${slow.url}/webhooks/chatwoot`], 'Waiting for the answer'));
});

/** Commands that read a file or compute, show a view of their own, or whose silence is no wait. */
const NO_WAIT = [
  ...['completion', 'connector init', 'context list', 'context remove', 'context set', 'context show', 'context use'],
  ...[
    'dev',
    'dev logs',
    'dev psql',
    'dev reset',
    'events follow',
    'help',
    'keys did',
    'keys generate',
    'receipts verify',
  ],
];

test('every command has a row here', async () => {
  const { commands } = JSON.parse(await readFile(join(ROOT, 'cli', 'oclif.manifest.json'), 'utf8')) as {
    commands: Record<string, { hidden?: boolean }>;
  };
  const names = Object.entries(commands)
    .filter(([, { hidden }]) => !hidden)
    .map(([id]) => id.replaceAll(':', ' '));
  const rows = [...ASKING.map(([name]) => name), ...Object.keys(ON_A_CLUSTER), ...Object.keys(ON_A_FOLDER)];
  const known = new Set([...rows, 'version', 'doctor', 'webhooks send', ...NO_WAIT]);
  expect([...known].sort()).toEqual(names.sort());
});

test('nothing moves in a pipe while a terminal shows the wait', async () => {
  const args = ['actions', 'list', ...gateway()];
  const piped = startCli(args, { env });
  const opened = await shownOn(args, 'Waiting for the gateway');
  await endsClean(opened);
  const run = await piped.ended;
  expect(run.stdout).toBe('');
  expect(run.stderr).not.toMatch(SPINNER);
  expect(run.stderr).not.toContain('Waiting');
});

test('nothing moves on a dumb terminal', async () => {
  const dumb = openOnTerminal(['actions', 'list', ...gateway()], { columns: 100, env: { ...env, TERM: 'dumb' } });
  await shownOn(['actions', 'list', ...gateway()], 'Waiting for the gateway');
  release();
  expect((await dumb.ended).screen).not.toContain('Waiting');
});

test('what is waited for is cut at the width of the terminal', async () => {
  const opened = openOnTerminal(['actions', 'list', ...gateway()], { columns: 30, env });
  terminal = opened;
  await until('the wait is shown', () => SPINNER.test(opened.screen()));
  for (const line of opened.screen().split('\n')) expect(line.length).toBeLessThan(30);
});
