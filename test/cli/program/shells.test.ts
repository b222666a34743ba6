import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CLI, type Dev, startDev } from '../../support/dev.ts';
import { linesOf } from '../../support/terminal.ts';
import { until } from '../../support/until.ts';
import { runCli } from '../support/run-cli.ts';

const run = promisify(execFile);
const ACTION = 'act_completed_in_a_shell';

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
  child.stdout.on('data', (part: Buffer) => {
    text += part;
  });
  const screen = (): string => linesOf(text).join('\n');
  const shows = (what: string) =>
    until(`${shell} shows ${what}`, () => screen().includes(what)).catch((error: Error) => {
      throw new Error(`${error.message}\n${screen()}`);
    });
  // The words are put together by the shell: what is waited for is printed, not typed.
  child.stdin.write(`${load(script)}; echo load''ed\n`);
  await shows('loaded');
  return { type: (typed: string) => child.stdin.write(typed), shows };
}

test('bash is installed', () => {
  expect(installed).toContain('bash');
});

test.each(installed)('TAB completes commands, flags and ids of the fleet in %s', async (shell) => {
  const { type, shows } = await shellOnTerminal(shell);
  type('aip actions expl\t');
  await shows('aip actions explain');
  type(`--data ${dev.dataDir} ac\t`);
  await shows(`explain --data ${dev.dataDir} ${ACTION}`);
  type(`\u0015aip actions submit --data ${dev.dataDir} cap:demo:ec\t`);
  await shows(`submit --data ${dev.dataDir} cap:demo:echo`);
  type('--mo\t');
  await shows('cap:demo:echo --mode');
  type('\u0003exit\n');
});
