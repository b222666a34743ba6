import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { until } from '../../support/until.ts';
import { blocksBelow } from './blocks.ts';
import { type Checkout, freshCheckout } from './checkout.ts';

const README = resolve(import.meta.dirname, '..', '..', '..', 'README.md');
const run = promisify(execFile);

let checkout: Checkout;
let fleet: ChildProcess | undefined;
beforeAll(async () => {
  checkout = await freshCheckout();
});
afterAll(async () => {
  await interrupt();
  await checkout?.remove();
});

/** What Ctrl-C does: the signal goes to every process of the terminal. Resolves when none of the clone's programs is left. */
async function interrupt(): Promise<void> {
  if (fleet?.pid === undefined) return;
  if (fleet.exitCode === null && fleet.signalCode === null) process.kill(-fleet.pid, 'SIGINT');
  fleet = undefined;
  await until('every program of the clone has ended', async () => {
    const { stdout } = await run('ps', ['-eo', 'args']);
    return !stdout.includes(checkout.folder);
  });
}

test('the commands of "Try it" run as printed, in a fresh clone', { timeout: 600_000 }, async () => {
  const [start, commands] = blocksBelow(README, '## Try it');
  expect(start).toBe('npm ci && npx aip dev --demo');
  fleet = spawn('bash', ['-c', start as string], {
    cwd: checkout.folder,
    env: checkout.env,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [fleet.stdout, fleet.stderr]) stream?.on('data', (text) => (output += text));
  await until(
    'the demo has run and the fleet is ready',
    () => {
      if (fleet?.exitCode !== null) throw new Error(output);
      return output.includes('chain verified') && output.includes('ready after');
    },
    300_000,
  ).catch((error) => expect.fail(`${error.message}\n${output}`));

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
