import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '..', '..');

/** What a configuration or script of the test runs would hide: a failure that a repetition makes good, and a test that proves nothing. */
function hidden(path: string, text: string): string[] {
  return [
    ...(/\bretry\b|--retry/.test(text) ? [`${path} repeats failed tests`] : []),
    ...(path.startsWith('vitest.') && !/expect: \{ requireAssertions: true \}/.test(text)
      ? [`${path} takes tests without an assertion`]
      : []),
  ];
}

test('no run repeats a failed test or takes a test without an assertion', () => {
  const configurations = globSync('vitest*.config.ts', { cwd: ROOT });
  expect(configurations.sort()).toEqual([
    ...['vitest.config.ts', 'vitest.e2e.config.ts', 'vitest.kube.config.ts', 'vitest.policies.config.ts'],
  ]);
  const files = [...configurations, 'package.json', '.ci/run', 'scripts/test.ts'];
  expect(files.flatMap((path) => hidden(path, readFileSync(join(ROOT, path), 'utf8')))).toEqual([]);
});

/** Whether a test or a group of tests has an option that repeats it. */
const repeats = (text: string): boolean => /\b(?:test|it|describe)\b[^\n]*\{[^\n]*\bretry:/.test(text);

test('no test repeats itself', () => {
  const tests = globSync('test/**/*.test.{ts,tsx}', { cwd: ROOT }).filter((path) => !path.endsWith('runs.test.ts'));
  expect(tests.length).toBeGreaterThan(300);
  expect(tests.filter((path) => repeats(readFileSync(join(ROOT, path), 'utf8')))).toEqual([]);
});

test('a planted retry and a missing assertion rule are found', () => {
  expect(hidden('vitest.planted.config.ts', 'test: { retry: process.env.CI ? 1 : 0 }')).toEqual([
    'vitest.planted.config.ts repeats failed tests',
    'vitest.planted.config.ts takes tests without an assertion',
  ]);
  expect(repeats("test('a', { retry: 2 }, async () => {")).toBe(true);
  expect(hidden('.ci/run', 'npx vitest run --retry 1')).toEqual(['.ci/run repeats failed tests']);
});
