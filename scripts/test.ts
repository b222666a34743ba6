import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import type { RunRecord } from '../test/support/requirements.ts';

/** Runs the whole suite (or the files named as arguments) and closes with `N passed, N failed, N skipped` on a line of its own. */
const resultFile = 'test-results/run.json';
rmSync(resultFile, { force: true });
const run = spawnSync(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', ...process.argv.slice(2)], {
  stdio: 'inherit',
});
if (existsSync(resultFile)) {
  const { passed, failed, skipped } = JSON.parse(readFileSync(resultFile, 'utf8')) as RunRecord;
  process.stdout.write(`\n${passed} passed, ${failed} failed, ${skipped} skipped\n`);
  if (passed === 0) process.exit(1);
}
process.exit(run.status ?? 1);
