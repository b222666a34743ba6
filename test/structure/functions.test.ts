import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '..', '..');

/** Most lines of one function, from its first to its last. */
const MOST_LINES = 100;

/** A line at whose end the body of a function opens, as the formatter writes it. */
const OPENS = /(=>|\)(: .+)?) \{$/;
/** Blocks that are no functions. */
const OTHER_BLOCK = /^(\} )?(if|for|while|switch|else|catch)\b/;

const indentOf = (line: string): number => line.length - line.trimStart().length;

/** The functions of a formatted file that have more than `MOST_LINES` lines, with their numbers of lines. */
function longFunctions(file: string, code: string): string[] {
  const lines = code.split('\n');
  return lines.flatMap((line, index) => {
    const text = line.trim();
    if (!OPENS.test(text) || OTHER_BLOCK.test(text)) return [];
    const sameIndent = (other: string): boolean => other.trim() !== '' && indentOf(other) === indentOf(line);
    // Parameters on lines of their own: the function begins where they do.
    const first = /^[)}]/.test(text) ? lines.slice(0, index).findLastIndex(sameIndent) : index;
    const length = lines.slice(index + 1).findIndex((other) => sameIndent(other) && /^\s*\}/.test(other));
    const count = index + 1 + length - first + 1;
    const name = `${file}: ${(lines[first] as string).trim()}`;
    return length >= 0 && count > MOST_LINES ? [`${name} has ${count} lines`] : [];
  });
}

/** The source files of the product and of its tools, without generated ones. */
function sources(): string[] {
  return ['runtime/src', 'controller/src', 'cli/src', 'scripts', 'tools'].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.tsx?$/.test(name) && !name.includes('generated'))
      .map((name) => join(folder, name)),
  );
}

const problemsOf = (files: readonly string[]): string[] =>
  files.flatMap((file) => longFunctions(file, readFileSync(join(ROOT, file), 'utf8')));

test(`no function has more than ${MOST_LINES} lines`, () => {
  expect(problemsOf(sources())).toEqual([]);
});

test('planted functions that are too long are found: of every form, and only those', () => {
  const body = (count: number, indent: string): string => `${indent}  step();\n`.repeat(count);
  const planted = (head: string, count: number, end = '}', indent = ''): string[] =>
    longFunctions('a.ts', `${indent}${head}\n${body(count, indent)}${indent}${end}\n`);
  expect(planted('export function long(): void {', 98)).toEqual([]);
  expect(planted('export function long(): void {', 99)).toEqual(['a.ts: export function long(): void { has 101 lines']);
  expect(planted('const long = async (a: string): Promise<void> => {', 99, '};')).toHaveLength(1);
  expect(planted('onClose(): void {', 99, '}', '  ')).toHaveLength(1);
  expect(planted('export function long(\n  a: string,\n  b: string,\n): void {', 96)).toEqual([
    'a.ts: export function long( has 101 lines',
  ]);
  expect(planted('export function long({\n  a,\n  b,\n}: Given): void {', 96)).toEqual([
    'a.ts: export function long({ has 101 lines',
  ]);
  expect(planted('for (const each of all) {', 200)).toEqual([]);
  expect(planted('const table = {', 200, '};')).toEqual([]);
});
