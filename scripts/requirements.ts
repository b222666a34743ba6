import { existsSync, readFileSync } from 'node:fs';
import { type RunRecord, requirementsSummary } from '../test/support/requirements.ts';

/** Prints, from the last test run, which requirement ids have a passing test and which have none yet. */
const file = new URL('../test-results/run.json', import.meta.url);
if (!existsSync(file)) {
  process.stderr.write('No test run to report on: run npm test first.\n');
  process.exit(2);
}
const record = JSON.parse(readFileSync(file, 'utf8')) as RunRecord;
process.stdout.write(`${requirementsSummary(record.proved, true)}\n`);
