import { spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { killProcessesIn, processesIn } from '../../../scripts/mutate/processes.ts';
import { until } from '../../support/until.ts';

const ROOT = resolve(import.meta.dirname, '..', '..', '..');

/** A small project whose tests start a server of their own process group, and whose only test ends when the test run does. */
const FILES: Readonly<Record<string, string>> = {
  'package.json': '{"type":"module"}',
  'vitest.config.ts': `export default { test: { globalSetup: ['./set-up.ts'], testTimeout: 600_000 } };`,
  'set-up.ts': `import { spawn } from 'node:child_process';
    import { rmSync, writeFileSync } from 'node:fs';
    export default () => {
      const server = spawn(process.execPath, ['-e', 'process.on("SIGTERM", () => undefined); setInterval(() => undefined, 1000)'], {
        cwd: import.meta.dirname, detached: true, stdio: 'ignore',
      });
      writeFileSync('server', String(server.pid));
      return () => rmSync('server');
    };`,
  'test/endless.test.ts': `import { writeFileSync } from 'node:fs';
    import { test } from 'vitest';
    test('endless', () => { writeFileSync('running', ''); return new Promise(() => undefined); });`,
  'parent.ts': `import { openTestRunner } from './scripts/mutate/test-runner.ts';
    await openTestRunner(process.cwd()).run({ file: 'test/endless.test.ts', changed: [] }, 600_000);`,
};

test.runIf(existsSync('/proc/self/cmdline'))(
  'the process that runs tests ends with its parent, and so does what its tests started',
  async () => {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), 'aip-mutate-')));
    onTestFinished(() => {
      killProcessesIn(folder);
      rmSync(folder, { recursive: true, force: true });
    });
    cpSync(join(ROOT, 'scripts', 'mutate'), join(folder, 'scripts', 'mutate'), { recursive: true });
    symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
    mkdirSync(join(folder, 'test'));
    for (const [name, text] of Object.entries(FILES)) writeFileSync(join(folder, name), text);
    const parent = spawn(process.execPath, ['parent.ts'], { cwd: folder, stdio: 'ignore' });
    await until('the test runs', () => existsSync(join(folder, 'running')));
    // The parent, the runner, its worker and the server.
    expect(processesIn(folder).length).toBeGreaterThanOrEqual(4);
    parent.kill('SIGKILL');
    await until('none runs', () => processesIn(folder).length === 0);
    expect(existsSync(join(folder, 'server'))).toBe(false);
  },
);
