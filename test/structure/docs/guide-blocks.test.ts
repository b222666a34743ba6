import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { blocksOf } from '../../system/docs/blocks.ts';
import { ELSEWHERE } from '../../system/e2e/support/elsewhere.ts';

const ROOT = resolve(import.meta.dirname, '..', '..', '..');
const GUIDES = 'docs/kubernetes';
const SUITES = 'test/system/e2e';

/** The words by which the cluster suite names the blocks that it runs. */
function wordsOf(source: string): string[] {
  const calls = source.matchAll(/\.(?:runs|takes)\(\s*[^,]+,\s*(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)")/g);
  return [...calls].map(([, single, double]) => (single ?? double ?? '').replaceAll(/\\(.)/g, '$1'));
}

const left = (words: readonly string[], blocks: readonly string[]): string[] =>
  blocks.filter((text) => !words.some((part) => text.includes(part))).map((text) => text.split('\n')[0] as string);

const blocks = readdirSync(join(ROOT, GUIDES))
  .filter((name) => name.endsWith('.md'))
  .flatMap((name) => blocksOf(join(ROOT, GUIDES, name)).map(({ text }) => text));
const sources = readdirSync(join(ROOT, SUITES)).filter((name) => name.endsWith('.test.ts'));
const words = [
  ...sources.flatMap((name) => wordsOf(readFileSync(join(ROOT, SUITES, name), 'utf8'))),
  ...Object.keys(ELSEWHERE),
];

test('the cluster suite names every block of the Kubernetes guides, so that a new one fails here and not only there', () => {
  expect(blocks.length).toBeGreaterThan(30);
  expect(left(words, blocks)).toEqual([]);
});

test('a planted block that no test names is found', () => {
  expect(left(words, [...blocks, 'helm frobnicate aip\nkubectl get pods'])).toEqual(['helm frobnicate aip']);
  expect(wordsOf(`reader.runs(TRUST, "jsonpath='{.data}'", {})\nreader.takes('README.md', 'it\\'s')`)).toEqual([
    "jsonpath='{.data}'",
    "it's",
  ]);
});
