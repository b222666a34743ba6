import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

/** A program whose signal comes while it is busy, in the turn of the event loop in which it names its stop steps. */
const BUSY_PROGRAM = `
  import { endAtOnceOnSignals, onShutdown } from '${import.meta.resolve('#runtime/transport/process/shutdown.js')}';
  endAtOnceOnSignals();
  setImmediate(() => {
    process.kill(process.pid, process.argv[1]);
    const steps = [{ name: 'stop', boundMs: 1000, run: () => console.log('stopped') }];
    onShutdown({ steps });
    setTimeout(() => undefined, 20_000);
  });
`;

test.each(['SIGTERM', 'SIGINT'])('a %s that comes while the stop steps are named runs them', async (signal) => {
  const program = ['--input-type=module', '--eval', BUSY_PROGRAM, '--', signal];
  const { stdout } = await promisify(execFile)(process.execPath, program);
  expect(stdout).toBe('stopped\n');
});
