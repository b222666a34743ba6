import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { anchorsOf } from './anchors.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..');

/** Files below the folders that end in one of the given ways, without what is generated or installed. */
function filesBelow(folders: readonly string[], ends: RegExp): string[] {
  return folders.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => ends.test(name) && !/(^|\/)(node_modules|dist|generated)\//.test(name))
      .map((name) => join(ROOT, folder, name)),
  );
}

/** Why a reference leads nowhere, or undefined. */
function problemOf(path: string, anchor: string | undefined): string | undefined {
  if (!existsSync(path)) return 'no such file';
  if (anchor && !anchorsOf(readFileSync(path, 'utf8')).has(anchor)) return `it has no heading #${anchor}`;
  return undefined;
}

type Text = readonly [file: string, text: string];

const textsOf = (files: readonly string[]): Text[] =>
  files.map((file) => [relative(ROOT, file), readFileSync(file, 'utf8')]);

/** Documents cited by comments that are not there, or lack the heading. */
function brokenCitations(sources: readonly Text[]): string[] {
  return sources.flatMap(([file, text]) =>
    [...text.matchAll(/\b(docs\/[\w/-]+\.md)(?:#([\w-]+))?/g)].flatMap(([cited, path, anchor]) => {
      const problem = problemOf(join(ROOT, path as string), anchor);
      return problem ? [`${file} cites ${cited}: ${problem}`] : [];
    }),
  );
}

/** Files with a citation of a document outside of the repository. */
function outsideCitations(sources: readonly Text[]): string[] {
  return sources
    .filter(([, text]) => /\bspec 0\d\b|\bcontract [123]\b|(?<!RFC \d{4} )§/.test(text))
    .map(([file]) => file);
}

/** Links of documents that lead nowhere. */
function brokenLinks(documents: readonly Text[]): string[] {
  return documents.flatMap(([file, text]) =>
    [...text.matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, target = '']) => {
      if (/^(https?|mailto):/.test(target)) return [];
      const [path = '', anchor] = target.split('#');
      const problem = problemOf(path === '' ? join(ROOT, file) : resolve(ROOT, dirname(file), path), anchor);
      return problem ? [`${file} links to ${target}: ${problem}`] : [];
    }),
  );
}

test('every document that a comment cites is in the repository, with the heading it names', () => {
  const folders = ['runtime/src', 'controller/src', 'cli/src', 'scripts', 'tools', 'test'];
  // This file plants broken ones.
  const sources = textsOf(filesBelow(folders, /\.tsx?$/)).filter(
    ([file]) => file !== relative(ROOT, import.meta.filename),
  );
  expect(brokenCitations(sources)).toEqual([]);
});

test('no comment cites a document that readers do not have', () => {
  const folders = ['runtime/src', 'controller/src', 'cli/src', 'scripts', 'tools'];
  expect(outsideCitations(textsOf(filesBelow(folders, /\.tsx?$/)))).toEqual([]);
});

test('every link between the documents resolves', () => {
  const documents = [
    ...filesBelow(['docs'], /\.md$/),
    ...readdirSync(ROOT)
      .filter((name) => name.endsWith('.md'))
      .map((name) => join(ROOT, name)),
  ];
  expect(brokenLinks(textsOf(documents))).toEqual([]);
});

/** Paths of sources that a document names and that do not exist. */
function missingPaths(text: string): string[] {
  const named = [...text.matchAll(/`((?:runtime|controller|cli|test|tools)\/[\w./-]+)`/g)].map(
    ([, path]) => path as string,
  );
  return named.filter((path) => !existsSync(join(ROOT, path)));
}

test('every source file and folder that ARCHITECTURE.md names exists', () => {
  const text = readFileSync(join(ROOT, 'ARCHITECTURE.md'), 'utf8');
  expect(missingPaths(text)).toEqual([]);
  expect(missingPaths(`${text}\n\`runtime/src/host/planted.ts\``)).toEqual(['runtime/src/host/planted.ts']);
});

test('planted references that lead nowhere are found: of a comment, of an outside document, of a link', () => {
  const comment = (text: string): Text[] => [['runtime/src/planted.ts', `/** See ${text}. */`]];
  expect(brokenCitations(comment('docs/protocol/errors.md#codes'))).toEqual([]);
  expect(brokenCitations(comment('docs/protocol/missing.md'))).toEqual([
    'runtime/src/planted.ts cites docs/protocol/missing.md: no such file',
  ]);
  expect(brokenCitations(comment('docs/protocol/errors.md#missing'))).toEqual([
    'runtime/src/planted.ts cites docs/protocol/errors.md#missing: it has no heading #missing',
  ]);
  expect(outsideCitations([...comment('RFC 8785 §3'), ...comment('spec 06, steps 1 to 9')])).toHaveLength(1);
  expect(brokenLinks([['docs/planted.md', '[codes](protocol/errors.md#codes) [x](missing.md) [y](#missing)']])).toEqual(
    ['docs/planted.md links to missing.md: no such file', 'docs/planted.md links to #missing: no such file'],
  );
});
