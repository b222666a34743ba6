import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Mutation, mutations } from '../test/mutations/read.ts';

/**
 * `npm run mutate [-- WORD]` plants each fault of test/mutations (those whose description has the word) in a copy of the tree, builds it and runs
 * the tests that must notice. Prints which faults were killed and which survived; exits with 1 unless all were killed. A fault whose tests fail
 * without it proves nothing.
 */
const ROOT = resolve(import.meta.dirname, '..');
const SOURCES = [
  'runtime',
  'controller',
  'cli',
  'test',
  'scripts',
  'schemas',
  'crds',
  'charts',
  'docs',
  'examples',
  'tools',
];
const FILES = ['package.json', 'package-lock.json', 'tsconfig.json', 'tsconfig.base.json', 'vitest.config.ts'];

const word = process.argv[2] ?? '';
const chosen = mutations().filter(({ what }) => what.includes(word));
mkdirSync(join(ROOT, 'test-results'), { recursive: true });
const copy = mkdtempSync(join(ROOT, 'test-results', 'mutate-'));
try {
  execFileSync('cp', ['-a', ...SOURCES, ...FILES, copy], { cwd: ROOT });
  // Links: nothing writes to packages, and their paths within the copy lead to the copy's own workspaces.
  execFileSync('cp', ['-al', 'node_modules', copy], { cwd: ROOT });
  if (!builds()) throw new Error('it does not build without any fault');
  const failing = new Set([...new Set(chosen.flatMap(({ tests }) => tests))].filter((test) => !passes([test])));
  for (const test of failing) process.stdout.write(`FAILS WITHOUT A FAULT ${test}\n`);
  const outcomes = chosen.map((mutation) => outcomeOf(mutation, failing));
  const killed = outcomes.filter((outcome) => outcome === 'killed').length;
  process.stdout.write(`\n${killed} of ${chosen.length} killed\n`);
  process.exitCode = killed < chosen.length || chosen.length === 0 ? 1 : 0;
} finally {
  rmSync(copy, { recursive: true, force: true });
}

function inCopy(args: string[], stdio: 'ignore' | 'inherit' = 'ignore'): boolean {
  return spawnSync(process.execPath, args, { cwd: copy, stdio }).status === 0;
}

function builds(): boolean {
  return inCopy(['node_modules/typescript/bin/tsc', '-b', 'runtime', 'controller', 'cli'], 'inherit');
}

function passes(tests: readonly string[]): boolean {
  return inCopy(['node_modules/vitest/vitest.mjs', 'run', '--bail=1', ...tests]);
}

/** Plants one fault and reports what its tests made of it. One that does not build proves nothing. */
function outcomeOf({ what, file, from, to, tests }: Mutation, failing: ReadonlySet<string>): string {
  const path = join(copy, file);
  const text = readFileSync(path, 'utf8');
  writeFileSync(
    path,
    text.replace(from, () => to),
  );
  const sound = tests.filter((test) => !failing.has(test));
  const outcome = sound.length === 0 ? 'NO TEST' : !builds() ? 'NO BUILD' : passes(sound) ? 'SURVIVED' : 'killed';
  writeFileSync(path, text);
  process.stdout.write(`${outcome.padEnd(8)} ${what} (${file})\n`);
  return outcome;
}
