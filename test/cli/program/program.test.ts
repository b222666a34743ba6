import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { commandFor, typedAs } from '#cli/ui/self.js';
import { CLI } from '../../support/dev.ts';
import { onTerminal } from '../../support/terminal.ts';
import { runCli } from '../support/run-cli.ts';

const run = promisify(execFile);

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'aip-program-'));
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

/** Nothing of this machine: no context, no `aip dev`. */
const alone = (): { env: Record<string, string> } => ({
  env: { XDG_STATE_HOME: join(folder, 'state'), AIP_CONFIG: join(folder, 'contexts.yaml') },
});

describe('help', () => {
  test.each([[['help']], [['--help']], [[]]])(
    'aip %j says what it is, what to type first and every group',
    async (args) => {
      const { code, stdout } = await runCli(args, alone());
      expect(code).toBe(0);
      for (const text of [
        'signed connectors',
        'USAGE',
        'EXAMPLES',
        'aip dev --demo',
        'actions',
        'capabilities',
        'doctor',
      ])
        expect(stdout).toContain(text);
    },
  );

  test('aip help TOPIC lists its commands, aip help COMMAND explains one', async () => {
    expect((await runCli(['help', 'actions'], alone())).stdout).toMatch(/aip actions list +List actions/);
    expect((await runCli(['actions'], alone())).stdout).toMatch(/aip actions list +List actions/);
    expect((await runCli(['help', 'actions', 'submit'], alone())).stdout).toMatch(/--idempotency-key/);
  });

  test.each([60, 100, 200])('keeps within %d columns', async (columns) => {
    for (const args of [['help'], ['help', 'actions'], ['help', 'actions', 'submit']]) {
      const { lines, code } = await onTerminal(args, { columns, env: alone().env });
      expect(code).toBe(0);
      // A command to copy is never broken.
      for (const line of lines.filter((text) => !/^ +(\$|aip|npx) /.test(text)))
        expect(line.length, line).toBeLessThanOrEqual(columns);
    }
  });
});

describe('aip version', () => {
  test('says the version of this program, alone and with --version', async () => {
    const { stdout, code } = await runCli(['version'], alone());
    expect(code).toBe(0);
    expect(stdout).toMatch(/^aip +\d+\.\d+\.\d+ +Node\.js 24/);
    expect((await runCli(['--version'], alone())).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
    expect((await runCli(['version', '-o', 'name'], alone())).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  test('a gateway that does not answer is not a failure', async () => {
    const { json, code } = await runCli(['version', '--json', '--gateway', 'http://127.0.0.1:9'], alone());
    expect(code).toBe(0);
    expect(json()).toMatchObject({ gateway: { url: 'http://127.0.0.1:9', problem: 'does not answer' } });
  });
});

describe('what is mistyped', () => {
  test.each([
    [['actins', 'list'], 'Did you mean', 'actions list'],
    [['actions', 'lst'], 'Did you mean', 'actions list'],
    [['actions', 'list', '--stat', 'x'], 'There is no flag --stat', '--state'],
    [['actions', 'list', '--state', 'complet'], '--state complet is not known', 'completed'],
    [['actions', 'list', '--limit', '0'], '--limit 0 is not valid', 'integer greater than or equal to 1'],
    [['actions', 'get'], 'ID is missing', 'actions get ID'],
    [['actions', 'get', 'a', 'b'], 'b is one argument too many', 'help actions get'],
    [['actions', 'list', '--since', '5'], 'without a unit', '5s'],
    [['tokens', 'create'], '--tenant', 'required'],
    [['trust', 'rotate', 'gatway'], 'gatway is not known', 'gateway'],
    [['context', 'use', 'prd'], 'no context', 'dev'],
    [['help', 'actins'], 'no command', 'actions'],
  ])('%j is answered in one sentence with what to do', async (args, problem, advice) => {
    const { code, stderr, stdout } = await runCli(args, alone());
    expect(code).toBe(2);
    expect(stdout).toBe('');
    expect(stderr).toContain(problem);
    expect(stderr).toContain(advice);
    expect(stderr.trimEnd().split('\n')).toHaveLength(2);
  });

  test('is one JSON document with --json', async () => {
    const { json, stderr } = await runCli(['actions', 'list', '--stat', 'x', '-o', 'json'], alone());
    expect(json()).toMatchObject({ error: { code: 'cli.usage', advice: expect.stringContaining('--state') } });
    expect(stderr).toBe('');
  });
});

describe('completion', () => {
  const complete = async (...words: string[]): Promise<string[]> =>
    (await runCli(['__complete', ...words], alone())).stdout.split('\n').filter((word) => word !== '');

  test('knows commands, flags and the values of flags', async () => {
    expect(await complete('act')).toEqual(['actions']);
    expect(await complete('actions', 's')).toEqual(['submit']);
    expect(await complete('actions', 'list', '--st')).toEqual(['--state']);
    expect(await complete('actions', 'list', '--state', 'c')).toEqual(['completed', 'cancelled']);
    expect(await complete('tokens', 'create', '--scopes', 'approval:s')).toEqual(['approval:sensitive']);
    expect(await complete('context', 'use', '')).toEqual(['dev']);
    expect(await complete('dev', '-f', '')).toEqual(['@files']);
  });

  test('without a fleet nothing is offered for an id, and nothing fails', async () => {
    expect(await complete('actions', 'get', '')).toEqual([]);
  });

  test('the script works in bash', async () => {
    const { stdout: script } = await runCli(['completion', 'bash'], alone());
    const probe = `aip() { '${process.execPath}' '${CLI}' "$@"; }
${script}
COMP_WORDS=(aip actions li); COMP_CWORD=2; _aip; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const { stdout } = await run('bash', ['-c', probe], { env: { ...process.env, ...alone().env } });
    expect(stdout.trim()).toBe('list');
    for (const shell of ['zsh', 'fish'])
      expect((await runCli(['completion', shell], alone())).stdout).toContain('aip __complete');
  });

  test('the script for zsh completes already where zsh loads it from a folder of fpath', async () => {
    const { stdout } = await runCli(['completion', 'zsh'], alone());
    expect(stdout).toContain('== _aip ]]; then _aip "$@"; else compdef _aip aip; fi');
  });
});

describe('commands that are suggested', () => {
  test('are written as they work where the user is: installed, in the project, elsewhere', async () => {
    expect(commandFor({ PATH: '/usr/bin' }, '/', CLI)).toBe(`node ${CLI}`);
    const project = join(CLI, '..', '..', '..');
    expect(commandFor({ PATH: '/usr/bin' }, project, CLI)).toBe('npx aip');
    const bin = join(folder, 'bin');
    const { mkdir, symlink } = await import('node:fs/promises');
    await mkdir(bin);
    await symlink(CLI, join(bin, 'aip'));
    expect(commandFor({ PATH: `/usr/bin:${bin}` }, '/', CLI)).toBe('aip');
  });

  test.each([
    ['Start one with `aip dev`, or `aip help`.', 'Start one with `npx aip dev`, or `npx aip help`.'],
    ['aip actions list', 'npx aip actions list'],
    ['Follow it: aip actions follow act_1', 'Follow it: npx aip actions follow act_1'],
    // A name in a sentence, not a command to type.
    ['No `aip dev` has left its address.', 'No `aip dev` has left its address.'],
    ['the running `aip dev`', 'the running `aip dev`'],
    ['AIP fleet', 'AIP fleet'],
  ])('in a text: %s', (text, typed) => {
    expect(typedAs(text, 'npx aip')).toBe(typed);
    expect(typedAs(text, 'aip')).toBe(text);
  });

  test('outside of the project no unscoped npx is suggested', async () => {
    const { stderr } = await run(process.execPath, [CLI, 'actins'], {
      cwd: folder,
      env: { ...process.env, PATH: '/usr/bin:/bin', ...alone().env },
    }).catch((error: { stderr: string }) => error);
    expect(stderr).toContain(`node ${CLI} actions`);
    expect(stderr).not.toContain('npx');
  });
});
