import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { Reporter, TestModule } from 'vitest/node';
import { type FileRecords, idsOfTitle, mergeRecords, type RunRecord, requirementsSummary } from './requirements.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..');
const RESULTS = join(ROOT, 'test-results');
const FILES = join(RESULTS, 'files.json');

/** Prints after each run how many requirement ids have a passing test, and keeps the run's record for `npm run requirements`. */
export default class RequirementsReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly Failure[]): void {
    const record: RunRecord = { passed: 0, failed: errors.length, skipped: 0, failures: [], proved: [] };
    for (const error of errors) record.failures.push(failureText('outside every test', [error]));
    const proved = new Set<string>();
    const files: FileRecords = {};
    for (const module of modules) {
      const ids = new Set<string>();
      const path = relative(ROOT, module.moduleId);
      if (module.state() === 'failed' && [...module.children.allTests('failed')].length === 0) {
        record.failed += 1;
        record.failures.push(failureText(path, module.errors()));
      }
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        if (state === 'passed') {
          record.passed += 1;
          for (const id of idsOfTitle(test.name)) ids.add(id);
        } else if (state === 'failed') {
          record.failed += 1;
          record.failures.push(failureText(`${path} > ${test.fullName}`, test.result().errors ?? []));
        } else record.skipped += 1;
      }
      for (const id of ids) proved.add(id);
      files[path] = [...ids].sort();
    }
    record.proved = [...proved].sort();
    mkdirSync(RESULTS, { recursive: true });
    writeFileSync(join(RESULTS, 'run.json'), `${JSON.stringify(record, null, 2)}\n`);
    const before = existsSync(FILES) ? (JSON.parse(readFileSync(FILES, 'utf8')) as FileRecords) : {};
    writeFileSync(FILES, `${JSON.stringify(mergeRecords(before, files, ROOT), null, 2)}\n`);
    // A run whose titles carry no ids, as on a cluster, says nothing about them.
    if (proved.size > 0) process.stdout.write(`\n${requirementsSummary(record.proved, false)}\n`);
  }
}

/** What was thrown; anything may be, also what has no message. */
interface Failure {
  readonly message?: string | undefined;
}

/** Where it failed, and the head of each error below it: enough to find the cause where only the end of a log is kept. */
function failureText(where: string, errors: readonly Failure[]): string {
  return [
    where,
    ...errors.map(
      ({ message = 'an error without a message' }) => `  ${message.split('\n', 6).join('\n  ').slice(0, 1000)}`,
    ),
  ].join('\n');
}
