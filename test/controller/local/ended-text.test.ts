import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { endedText } from '#controller/local/process/ended-text.js';
import { openLogFiles } from '#controller/local/process/log-files.js';

test.each([
  [
    'an error',
    '{"level":"error","message":"the address is taken","code":"EADDRINUSE"}',
    'the address is taken (EADDRINUSE)',
  ],
  ['a line of plain text', 'TypeError: x is not a function', 'TypeError: x is not a function'],
  ['another line', '{"level":"info","message":"action failed","code":"connector.replica_unavailable"}', ''],
])('the last words of a program are %s', async (_what, line, words) => {
  const folder = await mkdtemp(join(tmpdir(), 'aip-logs-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const logs = openLogFiles(folder);
  (await logs.open('gateway')).write(`${line}\n`);
  await logs.close();
  expect(logs.lastWords('gateway')).toBe(words);
});

test('a program that was killed ended without a reason of its own', () => {
  const words = 'action failed';
  expect(endedText('gateway', { code: null, signal: 'SIGKILL' }, words)).toBe(
    'gateway ended (signal SIGKILL); it is started again',
  );
  expect(endedText('gateway', { code: 3, signal: null }, words)).toBe(
    'gateway ended (exit code 3): action failed; it is started again',
  );
  expect(endedText('gateway', { code: 3, signal: null }, '')).toBe('gateway ended (exit code 3); it is started again');
});
