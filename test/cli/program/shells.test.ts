import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CLI, type Dev, startDev } from '../../support/dev.ts';
import { until } from '../../support/until.ts';
import { runCli } from '../support/run-cli.ts';

const run = promisify(execFile);
const ACTION = 'act_completed_in_a_shell';
/** A shell asks the command line at every TAB, which takes long on a busy machine. */
const LONG_MS = 150_000;

/** How each shell is started without the user's settings, and how it takes the script. */
const SHELLS: Readonly<Record<string, { args: string[]; load: (script: string) => string }>> = {
  bash: { args: ['--norc', '--noprofile', '-i'], load: (script) => `source ${script}` },
  zsh: { args: ['-f', '-i'], load: (script) => `autoload -Uz compinit; compinit -u -D; source ${script}` },
  fish: { args: ['--no-config', '-i'], load: (script) => `source ${script}` },
};

const isInstalled = (shell: string): Promise<boolean> =>
  run(shell, ['--version']).then(
    () => true,
    () => false,
  );
const installed: string[] = [];
for (const shell of Object.keys(SHELLS)) if (await isInstalled(shell)) installed.push(shell);

let folder: string;
let dev: Dev;
let env: NodeJS.ProcessEnv;
const open: ChildProcess[] = [];
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'aip-shells-'));
  const bin = join(folder, 'bin');
  await mkdir(bin);
  await writeFile(join(bin, 'aip'), `#!/bin/sh\nexec '${process.execPath}' '${CLI}' "$@"\n`);
  await chmod(join(bin, 'aip'), 0o755);
  dev = await startDev();
  env = { ...process.env, TERM: 'xterm', HOME: folder, ZDOTDIR: folder, AIP_CONFIG: join(folder, 'none.yaml') };
  env.PATH = `${bin}:${process.env.PATH}`;
  const submit = ['actions', 'submit', 'cap:demo:echo', '-i', '{"text":"x"}', '--id', ACTION, '--data', dev.dataDir];
  expect((await runCli(submit)).code).toBe(0);
});
afterAll(async () => {
  for (const child of open) child.kill('SIGKILL');
  await dev?.stop();
  await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
});

/** An interactive shell on a terminal that has loaded the completion of `aip`. */
async function shellOnTerminal(shell: string) {
  const { args, load } = SHELLS[shell] as (typeof SHELLS)[string];
  const script = join(folder, `aip.${shell}`);
  await writeFile(script, (await runCli(['completion', shell])).stdout);
  const command = `stty cols 200 rows 50 && exec ${shell} ${args.join(' ')}`;
  const child = spawn('script', ['-qefc', command, '/dev/null'], { env, cwd: folder, stdio: 'pipe' });
  open.push(child);
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (part: string) => {
    text += part;
  });
  /** Waits for a line that a program printed: a typed one begins with the prompt. What shows a wait is left out by the caller. */
  const prints = (line: string): Promise<boolean> =>
    until(`${shell} prints ${line}`, () => text.split(/[\r\n]+/).includes(line), LONG_MS).catch((error: Error) => {
      throw new Error(`${error.message}\n${text}`);
    });
  const type = (typed: string): boolean => child.stdin.write(typed);
  // What is waited for is put together by the shell.
  type(`${load(script)}; echo load''ed\n`);
  await prints('loaded');
  return { type, prints };
}

test('bash is installed', () => {
  expect(installed).toContain('bash');
});

test.each(installed)('TAB completes commands, flags, ids and capabilities of the fleet in %s', async (shell) => {
  const { type, prints } = await shellOnTerminal(shell);
  type(`aip act\tge\t--data ${dev.dataDir} ac\t--outp\tname 2>/dev/null\n`);
  expect(await prints(ACTION)).toBe(true);
  type(`aip capabilities get --data ${dev.dataDir} cap:demo:ec\t--output name 2>/dev/null\n`);
  expect(await prints('cap:demo:echo')).toBe(true);
  type('exit\n');
});
