import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '..', '..');

/** Folders of test/ that are no mirror: tests of several programs at once, and what tests are made of. */
const OTHERS = ['bench', 'mutations', 'requirements', 'simulators', 'structure', 'support', 'system'];

/** Folders with what the tests beside them share. */
const SHARED = ['exercises', 'support', 'vectors'];

/** Folders of test/ that mirror no folder of a package's sources and are not one of the others. */
function layoutProblems(tests: readonly string[], sources: readonly string[]): string[] {
  const known = new Set(sources.map((folder) => folder.replace('/src', '')));
  return tests
    .filter((folder) => !OTHERS.includes(folder.split('/')[0] as string))
    .filter((folder) => !SHARED.includes(folder.split('/').at(-1) as string))
    .filter((folder) => !known.has(folder))
    .map((folder) => `test/${folder} mirrors no folder`);
}

/** The folders below a folder, relative to the root. */
function foldersBelow(root: string, folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1));
}

const SOURCES = ['runtime', 'controller', 'cli'].flatMap((name) => [
  `${name}/src`,
  ...foldersBelow(ROOT, `${name}/src`),
]);

test('test/{runtime,controller,cli} mirror the sources; tests of several programs are in test/system', () => {
  expect(layoutProblems(foldersBelow(join(ROOT, 'test'), ''), SOURCES)).toEqual([]);
});

test('a planted folder that mirrors nothing is found', () => {
  expect(layoutProblems(['gateway', 'runtime/gateway', 'runtime/gateway/support', 'system/fleet'], SOURCES)).toEqual([
    'test/gateway mirrors no folder',
  ]);
  expect(layoutProblems(['runtime/planted'], SOURCES)).toEqual(['test/runtime/planted mirrors no folder']);
});
