import { readdirSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
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

/** Most files of one folder. */
const MOST_FILES = 15;

/** Folders that may hold more. */
const CROWDED = [
  // Migrations only ever grow in number: an applied one is never merged into another.
  'runtime/src/gateway/schema/steps',
];

/** Folders with more than `MOST_FILES` files of their own, but for those of `CROWDED`. */
function crowdedFolders(files: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const file of files) counts.set(dirname(file), (counts.get(dirname(file)) ?? 0) + 1);
  return [...counts]
    .filter(([folder, count]) => count > MOST_FILES && !CROWDED.includes(folder))
    .map(([folder, count]) => `${folder}: ${count} files`);
}

/** The files below a folder of the project, relative to its root. */
function filesBelow(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)));
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

test(`no folder of sources, tests, tools or scripts holds more than ${MOST_FILES} files`, () => {
  const folders = ['runtime/src', 'controller/src', 'cli/src', 'test', 'tools', 'scripts'];
  expect(crowdedFolders(folders.flatMap(filesBelow))).toEqual([]);
});

test('profiles and logs of runs lie nowhere in the top folder', () => {
  expect(readdirSync(ROOT).filter((name) => name.endsWith('.log'))).toEqual([]);
});

test('a planted folder of too many files is found', () => {
  const files = Array.from({ length: MOST_FILES }, (_, at) => `test/cli/full/${at}.test.ts`);
  expect(crowdedFolders([...files, 'test/cli/more.test.ts'])).toEqual([]);
  expect(crowdedFolders([...files, 'test/cli/full/more.test.ts'])).toEqual(['test/cli/full: 16 files']);
  const steps = Array.from({ length: MOST_FILES + 1 }, (_, at) => `runtime/src/gateway/schema/steps/${at}.ts`);
  expect(crowdedFolders(steps)).toEqual([]);
});

test('every folder that may hold more files does', () => {
  expect(CROWDED.filter((folder) => filesBelow(folder).length <= MOST_FILES)).toEqual([]);
});
