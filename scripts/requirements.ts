import { existsSync, readFileSync } from 'node:fs';
import { type FileRecords, requirementsSummary } from '../test/support/run/requirements.ts';

/** Prints, from the last run of every test file, which requirement ids have a passing test and which have none yet. */
const file = new URL('../test-results/files.json', import.meta.url);
if (!existsSync(file)) {
  process.stderr.write('No test run to report on: run npm test first.\n');
  process.exit(2);
}
const records = JSON.parse(readFileSync(file, 'utf8')) as FileRecords;
process.stdout.write(`${requirementsSummary(Object.values(records).flat(), true)}\n`);
