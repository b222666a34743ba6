import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { CODES, type ErrorKind } from '#runtime/protocol/errors/codes.js';
import * as classes from '#runtime/protocol/errors.js';
import { AipError, statusOf } from '#runtime/protocol/errors.js';

const DOCUMENT = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'protocol', 'errors.md'), 'utf8');

/** The rows of the document's tables of codes. */
function documented(text: string): string[] {
  return text.split('\n').filter((line) => /^\| `[a-z_]+(\.[a-z_]+)+` \|/.test(line));
}

/** The row that documents a code. */
function rowOf(code: string, { category, status, retryable, retryAfterMs, message }: ErrorKind): string {
  const retry = retryable ? `yes${retryAfterMs === undefined ? '' : ` after ${retryAfterMs} ms`}` : 'no';
  return `| \`${code}\` | ${category} | ${status ?? statusOf(category)} | ${retry} | ${message.replaceAll('|', '\\|')} |`;
}

/** Codes whose row is missing or says something else, and rows of no code. */
function problemsOf(codes: Readonly<Record<string, ErrorKind>>, text: string): string[] {
  const rows = new Set(documented(text));
  const wanted = new Set(Object.entries(codes).map(([code, kind]) => rowOf(code, kind)));
  return [
    ...[...wanted].filter((row) => !rows.has(row)).map((row) => `missing: ${row}`),
    ...[...rows].filter((row) => !wanted.has(row)).map((row) => `no such code: ${row}`),
  ];
}

test('docs/protocol/errors.md has every error code with its category, status, retry and message, and no other', () => {
  expect(Object.keys(CODES).length).toBeGreaterThan(150);
  expect(problemsOf(CODES, DOCUMENT)).toEqual([]);
});

test('a planted code without a row is found, a row without a code, and a row that says something else', () => {
  const planted: ErrorKind = { category: 'permanent', message: 'planted' };
  expect(problemsOf({ ...CODES, 'planted.code': planted }, DOCUMENT)).toEqual([
    'missing: | `planted.code` | permanent | 400 | no | planted |',
  ]);
  expect(problemsOf(CODES, `${DOCUMENT}\n| \`planted.code\` | permanent | 400 | no | planted |`)).toEqual([
    'no such code: | `planted.code` | permanent | 400 | no | planted |',
  ]);
  const { 'action.not_found': found } = CODES;
  const changed = { ...CODES, 'action.not_found': { ...found, retryable: true } };
  expect(problemsOf(changed, DOCUMENT)).toEqual([
    expect.stringMatching(/^missing: \| `action\.not_found` .* yes /),
    expect.stringMatching(/^no such code: \| `action\.not_found` .* no /),
  ]);
});

/** Classes of errors that have another name than their own, or a code that the table does not have. */
function classProblems(exported: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(exported)
    .filter(([name, value]) => isErrorClass(value) && name !== 'RemoteError')
    .flatMap(([name, value]) => {
      const error = new (value as new () => AipError)();
      return error.name === name && error.code in CODES ? [] : [`${name}: ${error.name}, ${error.code}`];
    });
}

function isErrorClass(value: unknown): boolean {
  return typeof value === 'function' && value.prototype instanceof AipError;
}

test('every class of an error has its own name and has a code of the table', () => {
  expect(Object.values(classes).filter(isErrorClass).length).toBeGreaterThan(100);
  expect(classProblems(classes)).toEqual([]);
});

test('a planted class without a code of the table is found, and one under another name', () => {
  const { ResourceNotFound } = classes;
  class Planted extends AipError {
    constructor() {
      super({ code: 'planted.code', category: 'permanent', message: 'planted' } as never);
    }
  }
  expect(classProblems({ ResourceNotFound, Renamed: ResourceNotFound, Planted })).toEqual([
    expect.stringMatching(/^Renamed: ResourceNotFound, /),
    expect.stringMatching(/^Planted: /),
  ]);
});
