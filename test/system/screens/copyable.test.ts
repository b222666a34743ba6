import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const FOLDERS = ['dev', 'expected'].map((name) => join(import.meta.dirname, name));
const FILES = FOLDERS.flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.txt'))
    .map((name) => join(folder, name)),
);

/** The lines that a program printed: where the terminal broke one, it is copied as one. */
const printed = (file: string): string[] => readFileSync(file, 'utf8').replaceAll('↵\n', '').split('\n');

test('no stored screen breaks a command in backticks by a new line', () => {
  expect(FILES.length).toBeGreaterThan(60);
  const broken = FILES.flatMap((file) => printed(file).filter((line) => (line.split('`').length - 1) % 2 === 1));
  expect(broken).toEqual([]);
});

test('no stored screen continues a command on the next line', () => {
  const broken = FILES.flatMap((file) =>
    printed(file).filter((line, at, all) => /^(--\w|\S+$)/.test(line) && /^ +npx aip /.test(all[at - 1] ?? '')),
  );
  expect(broken).toEqual([]);
});
