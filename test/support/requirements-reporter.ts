import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Reporter, TestModule } from 'vitest/node';
import { idsOfTitle, type RunRecord, requirementsSummary } from './requirements.ts';

const RESULTS = join(import.meta.dirname, '..', '..', 'test-results');

/** Prints after each run how many requirement ids have a passing test, and keeps the run's record for `npm run requirements`. */
export default class RequirementsReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    const record: RunRecord = { passed: 0, failed: errors.length, skipped: 0, proved: [] };
    const proved = new Set<string>();
    const again: string[] = [];
    for (const module of modules) {
      if (module.state() === 'failed' && [...module.children.allTests('failed')].length === 0) record.failed += 1;
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        if (state === 'passed') {
          record.passed += 1;
          if ((test.diagnostic()?.retryCount ?? 0) > 0) again.push(test.fullName);
          for (const id of idsOfTitle(test.name)) proved.add(id);
        } else if (state === 'failed') record.failed += 1;
        else record.skipped += 1;
      }
    }
    for (const title of again) process.stdout.write(`passed at the second try only: ${title}\n`);
    record.proved = [...proved].sort();
    mkdirSync(RESULTS, { recursive: true });
    writeFileSync(join(RESULTS, 'run.json'), `${JSON.stringify(record, null, 2)}\n`);
    process.stdout.write(`\n${requirementsSummary(record.proved, false)}\n`);
  }
}
