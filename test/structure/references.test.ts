import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { anchorsOf } from './anchors.ts';

const ROOT = join(import.meta.dirname, '..', '..');

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
  if (!existsSync(path)) return 'there is no such file';
  if (anchor && !anchorsOf(readFileSync(path, 'utf8')).has(anchor)) return `it has no heading #${anchor}`;
  return undefined;
}

test('every document that a comment cites is in the repository, with the heading it names', () => {
  const broken: string[] = [];
  for (const file of filesBelow(['runtime/src', 'controller/src', 'cli/src', 'scripts', 'tools', 'test'], /\.tsx?$/))
    for (const [, path, anchor] of readFileSync(file, 'utf8').matchAll(/\b(docs\/[\w/-]+\.md)(?:#([\w-]+))?/g)) {
      const problem = problemOf(join(ROOT, path as string), anchor);
      if (problem) broken.push(`${relative(ROOT, file)} cites ${path}${anchor ? `#${anchor}` : ''}: ${problem}`);
    }
  expect(broken).toEqual([]);
});

test('no comment cites a document that readers do not have', () => {
  const outside = filesBelow(['runtime/src', 'controller/src', 'cli/src', 'scripts', 'tools'], /\.tsx?$/).filter(
    (file) => /\bspec 0\d\b|\bcontract [123]\b|(?<!RFC \d{4} )§/.test(readFileSync(file, 'utf8')),
  );
  expect(outside.map((file) => relative(ROOT, file))).toEqual([]);
});

test('every link between the documents resolves', () => {
  const broken: string[] = [];
  const documents = [
    ...filesBelow(['docs'], /\.md$/),
    ...readdirSync(ROOT)
      .filter((name) => name.endsWith('.md'))
      .map((name) => join(ROOT, name)),
  ];
  for (const file of documents)
    for (const [, target] of readFileSync(file, 'utf8').matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^(https?|mailto):/.test(target as string)) continue;
      const [path = '', anchor] = (target as string).split('#');
      const problem = problemOf(path === '' ? file : resolve(dirname(file), path), anchor);
      if (problem) broken.push(`${relative(ROOT, file)} links to ${target}: ${problem}`);
    }
  expect(broken).toEqual([]);
});
