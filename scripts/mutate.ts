import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Mutation, mutations } from '../test/mutations/read.ts';

/**
 * `npm run mutate [-- WORD]` plants each fault of test/mutations (those whose description has the word) in a copy of the tree, builds it and runs
 * the tests that must notice. Prints which faults were killed and which survived; exits with 1 when one survived.
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
  const tests = [...new Set(chosen.flatMap((mutation) => mutation.tests))];
  if (!builds() || !passes(tests)) throw new Error('the tests fail without any fault');
  const survived = chosen.filter((mutation) => !isKilled(mutation));
  process.stdout.write(`\n${chosen.length - survived.length} of ${chosen.length} killed\n`);
  process.exitCode = survived.length > 0 || chosen.length === 0 ? 1 : 0;
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

/** Plants one fault, and says whether a test failed by it. One that does not build proves nothing. */
function isKilled({ what, file, from, to, tests }: Mutation): boolean {
  const path = join(copy, file);
  const text = readFileSync(path, 'utf8');
  writeFileSync(
    path,
    text.replace(from, () => to),
  );
  const outcome = !builds() ? 'NO BUILD' : passes(tests) ? 'SURVIVED' : 'killed';
  writeFileSync(path, text);
  process.stdout.write(`${outcome.padEnd(8)} ${what} (${file})\n`);
  return outcome === 'killed';
}
