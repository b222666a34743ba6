import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import type { LogFiles } from '#controller/local/process/log-files.js';
import type { ProcessRecord } from '#controller/local/process/orphans.js';
import { openHostRunner } from '#controller/local/process/runner.js';

test.each([
  ['stopped', (runner: ReturnType<typeof openHostRunner>) => runner.stopAll(1000, () => undefined)],
  ['killed', async (runner: ReturnType<typeof openHostRunner>) => runner.killAll()],
])('a host that is being started when all are %s is not started any more', async (_how, end) => {
  const opened = Promise.withResolvers<void>();
  const logs = {
    open: async () => {
      await opened.promise;
      return new PassThrough();
    },
  } as unknown as LogFiles;
  const record = { set: () => undefined } as unknown as ProcessRecord;
  const runner = openHostRunner({ logs, record, onEnd: () => undefined, changed: () => undefined });
  let started = 0;
  const environment = (): NodeJS.ProcessEnv => {
    started += 1;
    return {};
  };
  const starting = runner.start('default/demo-0', environment);
  await end(runner);
  opened.resolve();
  await starting;
  await runner.start('default/demo-1', environment);
  expect([started, runner.state('default/demo-0')]).toEqual([0, 'absent']);
  runner.killAll();
});
