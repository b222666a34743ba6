import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { delimiter, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { delivery } from '../../runtime/host/webhook/support/webhook-host.ts';
import { until } from '../../support/until.ts';
import { blocksBelow, blocksOf } from './blocks.ts';
import { type Checkout, freshCheckout } from './checkout.ts';

const ROOT = resolve(import.meta.dirname, '..', '..', '..');
const README = join(ROOT, 'README.md');
const DEV = join(ROOT, 'docs', 'dev.md');
const CLI = join(ROOT, 'docs', 'cli.md');
const run = promisify(execFile);

let checkout: Checkout;
let fleet: ChildProcess | undefined;
beforeAll(async () => {
  checkout = await freshCheckout();
});
afterEach(() => interrupt());
afterAll(() => checkout?.remove());

/** What Ctrl-C does: the signal goes to every process of the terminal. Resolves when none of the clone's programs is left. */
async function interrupt(): Promise<void> {
  if (fleet?.pid === undefined) return;
  if (fleet.exitCode === null && fleet.signalCode === null) process.kill(-fleet.pid, 'SIGINT');
  fleet = undefined;
  await until('every program of the clone has ended', async () => {
    return !(await commandLines()).some((line) => line.includes(checkout.folder));
  });
}

/** Of every process of the machine. */
async function commandLines(): Promise<string[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  return Promise.all(pids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')));
}

/** Starts a fleet as printed, in a terminal's process group, and waits until its output has all of `words`. Gives what it has printed. */
async function startFleet(command: string, words: readonly string[]): Promise<() => string> {
  const started = spawn('bash', ['-c', command], {
    cwd: checkout.folder,
    env: { ...checkout.env, PATH: `${join(checkout.folder, 'node_modules', '.bin')}${delimiter}${checkout.env.PATH}` },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  fleet = started;
  let output = '';
  for (const stream of [started.stdout, started.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  await until(
    `${command} has printed ${words.join(', ')}`,
    () => {
      if (started.exitCode !== null) throw new Error(output);
      return words.every((word) => output.includes(word));
    },
    300_000,
  ).catch((error) => expect.fail(`${error.message}\n${output}`));
  return () => output;
}

test('the commands of "Try it" run as printed, in a fresh clone', { timeout: 600_000 }, async () => {
  const [start, commands] = blocksBelow(README, '## Try it');
  expect(start).toBe('npm ci && npx aip dev --demo');
  await startFleet(start as string, ['chain verified', 'ready after']);

  const printed: string[] = [];
  for (const command of (commands as string).split('\n')) {
    const { stdout } = await run('bash', ['-c', command], { cwd: checkout.folder, env: checkout.env });
    printed.push(stdout);
  }
  const [status, followed, list] = printed as [string, string, string];
  expect(status).toMatch(/demo\s+demo-\w+-0\s+ready/);
  expect(followed).toContain('{"value":5,"of":5}');
  expect(followed).toContain('completed');
  expect(list).toContain('cap:demo:count');

  await interrupt();
  expect(fleet).toBeUndefined();
});

test('the commands of docs/dev.md and docs/cli.md run as printed, in the same clone', {
  timeout: 600_000,
}, async () => {
  const sh = async (command: string, env: NodeJS.ProcessEnv = checkout.env): Promise<string> =>
    (await run('bash', ['-c', command], { cwd: checkout.folder, env })).stdout;
  const [starts, apply] = [...blocksBelow(DEV, '# `aip dev`').slice(0, 1), ...blocksBelow(DEV, '## Change what runs')];
  const commands = (starts as string).split('\n').map((line) => line.replace(/ +#.*$/, ''));
  expect(commands).toEqual(['npx aip dev --demo', 'npx aip dev -f examples/two-tenants.yaml', 'npx aip dev']);
  // The demo ran before, as the README prints it.
  for (const command of commands.slice(1)) {
    const output = await startFleet(command, ['ready after']);
    expect(output()).toMatch(/acme|globex/);
    if (command !== commands.at(-1)) await interrupt();
  }
  expect(await sh(apply as string)).toMatch(/✓ demo: \d of \d replicas are ready/);

  // A folder of its own takes the place of where npm installs for the whole machine.
  const prefix = join(checkout.folder, 'global');
  const installed = {
    ...checkout.env,
    npm_config_prefix: prefix,
    PATH: `${join(prefix, 'bin')}${delimiter}${checkout.env.PATH}`,
  };
  const [install = '', krew = ''] = blocksBelow(CLI, '## Install');
  const [pack = '', add = '', version = ''] = install.split('\n');
  await sh(pack, installed);
  await sh(add, installed);
  expect(await sh(version, installed)).toMatch(/^aip +\d+\.\d+\.\d+ +Node\.js 24/);
  const [packed = ''] = krew.split('\n');
  expect(await sh(packed, installed)).toMatch(/kubectl-aip-v\d+\.\d+\.\d+-linux-\w+\.tar\.gz\n$/);

  const [example = ''] = blocksBelow(CLI, '# Commands');
  const [prompt = '', ...shown] = example.split('\n');
  const anyId = (text: string): string => text.replaceAll(/act_[0-9a-f]{32}/g, 'act_');
  expect(anyId(await sh(prompt.replace(/^\$ /, ''), installed)).trim()).toBe(anyId(shown.join('\n')));
  await interrupt();
});

test('the commands of docs/connector.md, docs/providers/chatwoot.md and docs/observability.md run as printed, in the same clone', {
  timeout: 600_000,
}, async () => {
  const programs = join(checkout.folder, 'node_modules', '.bin');
  const env = { ...checkout.env, PATH: `${programs}${delimiter}${checkout.env.PATH}` };
  const sh = async (command: string): Promise<string> =>
    (await run('bash', ['-c', command], { cwd: checkout.folder, env })).stdout;
  const block = (file: string, words: string): string[] => {
    const found = blocksOf(join(ROOT, file)).filter(({ text }) => text.includes(words));
    expect(found).toHaveLength(1);
    return (found[0]?.text ?? '').split('\n');
  };

  const [describe = '', start = '', call = ''] = block('docs/connector.md', 'aip-runtime describe');
  expect(JSON.parse(await sh(describe))).toMatchObject({ manifest: { capabilities: [{ id: 'cap:greeter:greet' }] } });
  // The README has a shorter form of the same module, and the same command.
  const [, module = ''] = /^```js\n([\s\S]*?)^```$/m.exec(await readFile(README, 'utf8')) ?? [];
  await writeFile(join(checkout.folder, 'shorter.js'), module);
  expect(JSON.parse(await sh('npx aip-runtime describe --module shorter.js'))).toMatchObject({
    manifest: { capabilities: [{ id: 'cap:greeter:greet' }] },
  });
  expect(block('README.md', 'greeter.yaml')).toEqual([start]);
  await startFleet(start, ['ready after']);
  expect(await sh(call)).toContain('Good day');
  await interrupt();

  const [chatwoot = ''] = block('docs/providers/chatwoot.md', '--with-simulators');
  await startFleet(chatwoot, ['ready after']);
  await writeFile(join(checkout.folder, 'delivery.json'), JSON.stringify(delivery()));
  const [secret = '', send = ''] = block('docs/providers/chatwoot.md', 'webhooks send');
  await sh(secret);
  expect(await sh(send)).toContain('accepted as one event');
  await interrupt();

  const [traced = ''] = block('docs/observability.md', 'OTEL_EXPORTER_OTLP_ENDPOINT');
  await sh('cp examples/demo.yaml fleet.yaml');
  await startFleet(traced, ['ready after']);
  await interrupt();
});

/** What each bench prints when it has measured. */
const FIGURES: Readonly<Record<string, RegExp>> = {
  followers: /^10 followers, open after .*: 20 of 20 deliveries/m,
  gateways: /^ +64 \| +2 \|/m,
  growth: /^ +10000 \|/m,
  retention: /^runtime\.replay_claims: 10000 removed, 0 left, in /m,
  outage: /^ +PostgreSQL \|/m,
  idle: /^statements +.* a second/m,
  deliveries: /^500 deliveries in /m,
  cli: /^aip actions list +p50 /m,
  dev: /^1 saves until the new code answers: p50 /m,
};

test('the commands of docs/performance.md run as printed, at a hundredth of their size, in the same clone', {
  timeout: 900_000,
}, async () => {
  const env = { ...checkout.env, AIP_BENCH_SCALE: '0.01' };
  const commands = blocksOf(join(ROOT, 'docs', 'performance.md')).flatMap(({ text }) => text.split('\n'));
  const names = commands.map((command) => / -- (\w+)/.exec(command)?.[1] as string);
  // The comparison installs the other system.
  expect(names.filter((name) => name !== 'compare').sort()).toEqual(Object.keys(FIGURES).sort());
  for (const [index, command] of commands.entries()) {
    const figures = FIGURES[names[index] as string];
    if (!figures) continue;
    const { stdout } = await run('bash', ['-c', command], { cwd: checkout.folder, env });
    expect(stdout, command).toMatch(figures);
  }
});
