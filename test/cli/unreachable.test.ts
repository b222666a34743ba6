import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { onTerminal } from '../support/terminal.ts';
import { ASK_A_GATEWAY } from './support/gateway-calls.ts';
import { runCli } from './support/run-cli.ts';

const ROOT = resolve(import.meta.dirname, '..', '..');
/** Of a port that no program is given by chance, and that nothing listens on. */
const GATEWAY = 'http://127.0.0.1:2';

/** These store an address, or report what they find at it. */
const OTHERS = ['context add', 'context set', 'doctor', 'version'];

/** Commands that read a fleet which is not there, and the exit code of each. */
const WITHOUT_A_FLEET: [string, string[], number][] = [
  ['dev logs', [], 7],
  ['dev status', [], 7],
  ['fleet describe', ['demo'], 2],
  ['fleet events', [], 2],
  ['fleet instances', [], 2],
  ['fleet logs', ['demo'], 2],
  ['fleet replicas', [], 2],
  ['fleet status', [], 2],
  ['tokens list', [], 2],
];

let folder: string;
let env: Record<string, string>;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'aip-unreachable-'));
  env = { AIP_CONFIG: join(folder, 'contexts.yaml'), XDG_STATE_HOME: folder, AIP_TOKEN: 'token' };
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const call = (name: string, args: readonly string[], ...more: string[]): string[] => [
  ...name.split(' '),
  ...args,
  ...more,
];
/** What a screen says, wherever the terminal broke its lines. */
const joined = (lines: readonly string[]): string => lines.map((line) => line.trim()).join(' ');

describe.each(Object.entries(ASK_A_GATEWAY))('aip %s without a gateway that answers', (name, args) => {
  test('exits with 7 in a pipe: what failed and what to do on standard error, one document with --json', async () => {
    const run = await runCli(call(name, args, '--gateway', GATEWAY), { env });
    expect(run.code, run.stderr).toBe(7);
    expect(run.stdout).toBe('');
    expect(run.stderr).toContain(`No answer from the gateway at ${GATEWAY}`);
    expect(run.stderr).toMatch(/Start one with `.*aip dev`, or name yours with --gateway or AIP_GATEWAY_URL/);
    const document = await runCli(call(name, args, '--gateway', GATEWAY, '--json'), { env });
    expect(document.code).toBe(7);
    expect(document.json()).toMatchObject({ error: { code: 'client.unreachable', advice: expect.any(String) } });
  });

  test('says the same on terminals of 60, 100 and 200 columns', async () => {
    for (const columns of [60, 100, 200]) {
      const { lines, code } = await onTerminal(call(name, args, '--gateway', GATEWAY), { columns, env });
      expect(joined(lines)).toContain(`No answer from the gateway at ${GATEWAY}`);
      expect(code).toBe(7);
    }
  });
});

test.each(WITHOUT_A_FLEET)('aip %s without a fleet fails with what to do', async (name, args, code) => {
  const run = await runCli(call(name, args, '--data', join(folder, 'never')), { env });
  expect(run.code).toBe(code);
  expect(run.stdout).toBe('');
  expect(run.stderr).toMatch(/^✗ No `aip dev` /);
  expect(run.stderr.trimEnd().split('\n')).toHaveLength(2);
});

test('every command that takes a gateway has a row here', async () => {
  const { commands } = JSON.parse(await readFile(join(ROOT, 'cli', 'oclif.manifest.json'), 'utf8')) as {
    commands: Record<string, { hidden?: boolean; flags: Record<string, unknown> }>;
  };
  const names = Object.entries(commands)
    .filter(([, { hidden, flags }]) => !hidden && 'gateway' in flags)
    .map(([id]) => id.replaceAll(':', ' '));
  expect(names.sort()).toEqual([...Object.keys(ASK_A_GATEWAY), ...OTHERS].sort());
});
