import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { CODES, type ErrorKind } from '#runtime/protocol/errors/codes.js';
import * as classes from '#runtime/protocol/errors.js';
import { AipError, statusOf } from '#runtime/protocol/errors.js';

const ROOT = join(import.meta.dirname, '..', '..');
const DOCUMENT = readFileSync(join(ROOT, 'docs', 'protocol', 'errors.md'), 'utf8');

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

/** The sources of the programs by their paths, without block comments. */
const SOURCES = new Map(
  ['runtime/src', 'controller/src', 'cli/src'].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.tsx?$/.test(name))
      .map((name): [string, string] => [
        join(folder, name),
        readFileSync(join(ROOT, folder, name), 'utf8').replace(/\/\*[\s\S]*?\*\//g, ''),
      ]),
  ),
);

/** Names of the classes that a text catches. */
const caughtIn = (text: string): string[] =>
  [...text.matchAll(/(?:instanceof |InstanceOf\(|toThrow\()(\w+)/g)].map(([, name = '']) => name);

/** Classes by which the tests tell failures apart. */
const CAUGHT_IN_TESTS = new Set(
  readdirSync(join(ROOT, 'test'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.test.ts') && !name.startsWith('structure'))
    .flatMap((name) => caughtIn(readFileSync(join(ROOT, 'test', name), 'utf8'))),
);

/** What connectors may catch: the errors that the SDK exports. */
const SDK = 'runtime/src/connectors/sdk/index.ts';

/**
 * Classes of errors that nobody catches by class and that are no row of the table: those are `new AipError(kindOf(code), …)`, `new CliError(code, …)` or
 * `new NamedError(message, { name })`. And rows that nothing throws.
 */
function uncaughtClasses(sources: ReadonlyMap<string, string>): string[] {
  const all = [...sources.values()].join('\n');
  const caught = new Set([...CAUGHT_IN_TESTS, ...caughtIn(all)]);
  const thrown = new Set([...all.matchAll(/(?:new|:) ([A-Z]\w+)/g)].map(([, name]) => name));
  const declared = [...all.matchAll(/\bclass (\w+) extends ([\w.]+)/g)].map(([, name = '', base = '']) => ({
    name,
    base,
  }));
  const isError = (name: string): boolean => {
    const base = declared.find((each) => each.name === name)?.base;
    return base === 'Error' || base === 'failure' || (base !== undefined && isError(base));
  };
  const isCaught = (name: string): boolean =>
    caught.has(name) || declared.some(({ name: own, base }) => base === name && isUsed(own));
  const isExported = (name: string): boolean => new RegExp(`\\b${name}\\b`).test(sources.get(SDK) ?? '');
  function isUsed(name: string): boolean {
    const { base } = declared.find((each) => each.name === name) as { base: string };
    return base === 'failure' ? thrown.has(name) || isCaught(name) : isCaught(name) || isExported(name);
  }
  return declared.filter(({ name }) => isError(name) && !isUsed(name)).map(({ name }) => name);
}

test('an error is a row of the table, or has a class that somebody catches', () => {
  expect(uncaughtClasses(SOURCES)).toEqual([]);
});

test('a planted class that nobody catches is found, and a planted row that nothing throws', () => {
  const withPlanted = (code: string): ReadonlyMap<string, string> => new Map([...SOURCES, ['planted.ts', code]]);
  expect(uncaughtClasses(withPlanted('class Planted extends NamedError {}\nthrow new Planted();'))).toEqual([
    'Planted',
  ]);
  expect(uncaughtClasses(withPlanted('class Planted extends CliError {}'))).toEqual(['Planted']);
  expect(uncaughtClasses(withPlanted("class Planted extends failure('x.y') {}"))).toEqual(['Planted']);
  expect(
    uncaughtClasses(withPlanted('class Planted extends NamedError {}\nif (error instanceof Planted) return;')),
  ).toEqual([]);
});

/** Files that read the text of an error, how often, and why nothing else says it. */
const READ_TEXTS: Readonly<Record<string, number>> = {
  // Words for people: leaves out an issue that the message has already.
  'controller/src/fleet/described.ts': 1,
  // A quota's refusal has the status and reason of every other one.
  'controller/src/cluster/instance/failure.ts': 1,
  // The library of the port-forward hands on no status.
  'cli/src/kube/pod-stream.ts': 1,
  // Words for people: one code of TLS stands for many problems.
  'runtime/src/client/errors.ts': 1,
  // Reads what the same file writes, for a hint to people.
  'runtime/src/protocol/validate.ts': 2,
  // The condition is where the release that wrote it is named; the same file writes it.
  'controller/src/cluster/instance/foreign.ts': 1,
  // Words for people: where Node.js found the fault of a module.
  'controller/src/local/module/module-fault.ts': 3,
};

const READS_TEXT = [
  /\b(message|stderr)\)?\??\.(includes|startsWith|endsWith|match|matchAll|search|indexOf)\(/g,
  /\.(test|exec)\(\s*[\w.?]*\b(message|stderr)\b/g,
];

/** Files in which the text of an error decides, other than those that are named, and named ones that read fewer. */
function textsRead(sources: ReadonlyMap<string, string>): string[] {
  return [...sources].flatMap(([file, code]) => {
    const found = READS_TEXT.flatMap((pattern) => [...code.matchAll(pattern)]).length;
    return found === (READ_TEXTS[file] ?? 0) ? [] : [`${file}: ${found}`];
  });
}

test('no text of an error decides what is done: codes and classes do', () => {
  expect(textsRead(SOURCES)).toEqual([]);
});

test.each([
  "if (error.message.includes('exceeded')) retry();",
  "if ((error as Error).message?.startsWith('x')) retry();",
  'if (/in use/.test(error.message)) retry();',
  "if (stderr.includes('x')) retry();",
])('a planted decision by text is found: %s', (code) => {
  expect(textsRead(new Map([...SOURCES, ['cli/src/planted.ts', code]]))).toEqual(['cli/src/planted.ts: 1']);
});

/** Messages for people that name a failed call of the file system by its code alone. */
function codesShown(sources: ReadonlyMap<string, string>): string[] {
  return [...sources].flatMap(([file, code]) =>
    [...code.matchAll(/(can't|cannot|was not|did not) \w+( \w+)? \(\$\{[\w.]*code\}\)/g)].map(
      ([text]) => `${file}: ${text}`,
    ),
  );
}

test('a file that cannot be read or written, and a server that does not answer, are reported in words', () => {
  expect(codesShown(SOURCES)).toEqual([]);
  const planted = `throw new UsageError("can't be read (\${error.code}).");`;
  expect(codesShown(new Map([['cli/src/planted.ts', planted]]))).toEqual([
    `cli/src/planted.ts: can't be read (\${error.code})`,
  ]);
});
