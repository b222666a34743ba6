import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { openOnTerminal } from '../support/terminal.ts';

test('Ctrl-C on the terminal of a command that has just ended is typed to nobody', async () => {
  const { child, interrupt, ended } = openOnTerminal(['version'], { columns: 80 });
  child.kill('SIGKILL');
  // Without a turn of the event loop, so that nobody here knows yet that it has ended.
  let gone = false;
  while (!gone) gone = isGone(child.pid as number);
  const failed = new Promise((fail) => process.once('uncaughtExceptionMonitor', fail));
  interrupt();
  expect(await Promise.race([ended.then(() => 'ended'), failed])).toBe('ended');
});

/** Whether a child has ended, which its parent need not have noticed. */
function isGone(pid: number): boolean {
  return /^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
}
