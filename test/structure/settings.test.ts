import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { HOST_OPTIONS } from '#runtime/host/config/options.js';
import { FILES, PROGRAMS, type ProgramVariables } from '../system/settings/variables.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const folder = mkdtempSync(join(tmpdir(), 'aip-variables-'));
for (const [name, text] of Object.entries(FILES)) writeFileSync(join(folder, name), text, { mode: 0o600 });
afterAll(() => rmSync(folder, { recursive: true }));

/** Names (without prefix) that the program reads, given values with which it reads all of them. */
function namesRead({ prefix, read, values, others }: ProgramVariables): string[] {
  const names = new Set<string>();
  const given = Object.entries(values).map(([name, value]) => [prefix + name, value.replace('FOLDER', folder)]);
  const source = new Proxy({ ...Object.fromEntries(given), ...others } as Record<string, string>, {
    get: (target, name) => {
      if (typeof name === 'string' && name.startsWith(prefix)) names.add(name.slice(prefix.length));
      return target[name as string];
    },
  });
  read(source);
  return [...names].sort();
}

/** Names in the first column of the table of a section of docs/configuration.md. */
function namesDocumented(section: string): string[] {
  const text = readFileSync(join(ROOT, 'docs', 'configuration.md'), 'utf8');
  const [, part = ''] = text.split(new RegExp(`^## ${section}`, 'm'));
  const rows = part.split(/^## /m)[0]?.match(/^\| `(?!--).*$/gm) ?? [];
  return rows
    .flatMap((row) => [...(row.split('|')[1] ?? '').matchAll(/`([^`]+)`/g)].map(([, name]) => name as string))
    .sort();
}

/** Variables that their test, by the texts of the tests, does not name. */
function unnamed({ prefix, tests }: ProgramVariables, textOf: (file: string) => string): string[] {
  return Object.entries(tests)
    .filter(([name, file]) => !new RegExp(`(?<![A-Z_])(?:${prefix})?${name}(?![A-Z_])`).test(textOf(file)))
    .map(([name, file]) => `${file} does not name ${name}`);
}

describe.each(PROGRAMS)('variables of the $section', (program) => {
  test('docs/configuration.md has each one that is read, and no other', () => {
    expect(namesDocumented(program.section)).toEqual(namesRead(program));
  });

  test('each one has a test that names it', () => {
    expect(Object.keys(program.tests).sort()).toEqual(namesRead(program));
    expect(unnamed(program, (file) => readFileSync(join(ROOT, file), 'utf8'))).toEqual([]);
  });
});

/** Options with the variables that they set, as the table of docs/configuration.md has them. */
function optionsDocumented(): Record<string, string> {
  const text = readFileSync(join(ROOT, 'docs', 'configuration.md'), 'utf8');
  const rows = text.matchAll(/^\| `--([\w-]+)`[^|]* \| `(\w+)` \|$/gm);
  return Object.fromEntries([...rows].map(([, option, variable]) => [option, variable]));
}
const byRule = (variable: string): string => variable.toLowerCase().replaceAll('_', '-');

test('every variable of a host but its database URL has an option, named by the rule or in the table of docs/configuration.md', () => {
  const host = PROGRAMS.find(({ section }) => section === 'Host') as ProgramVariables;
  expect(Object.values(HOST_OPTIONS).sort()).toEqual(namesRead(host).filter((name) => name !== 'DATABASE_URL'));
  const others = Object.entries(HOST_OPTIONS).filter(([option, variable]) => option !== byRule(variable));
  expect(Object.fromEntries(others)).toEqual(optionsDocumented());
});

test('a planted variable whose test does not name it is found', () => {
  const [program] = PROGRAMS as [ProgramVariables];
  const tests = { PLANTED: 'a.test.ts', NAMED: 'a.test.ts' };
  expect(unnamed({ ...program, tests }, () => `set('${program.prefix}NAMED'); set('PLANTED_MORE')`)).toEqual([
    'a.test.ts does not name PLANTED',
  ]);
});

test('a planted variable without a row is found', () => {
  const [program] = PROGRAMS as [ProgramVariables];
  const read = (source: Record<string, string | undefined>) => {
    program.read(source);
    return source[`${program.prefix}PLANTED`];
  };
  const documented = namesDocumented(program.section);
  expect(namesRead({ ...program, read }).filter((name) => !documented.includes(name))).toEqual(['PLANTED']);
});
