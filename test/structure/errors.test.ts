import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import * as classes from '#runtime/protocol/errors/classes.js';
import { CODES, type ErrorKind } from '#runtime/protocol/errors/codes.js';
import { AipError, ForeignCode, statusOf } from '#runtime/protocol/errors.js';

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
  return Object.entries(exported).flatMap(([name, value]) => {
    if (!isErrorClass(value)) return [`${name}: no class of an error`];
    const error = new value();
    return error.name === name && error.code in CODES ? [] : [`${name}: ${error.name}, ${error.code}`];
  });
}

function isErrorClass(value: unknown): value is new () => AipError {
  return typeof value === 'function' && value.prototype instanceof AipError;
}

test('every class of an error has its own name and has a code of the table', () => {
  expect(Object.values(classes).length).toBeGreaterThan(20);
  expect(classProblems(classes)).toEqual([]);
});

test('a planted class without a code of the table is found, and one under another name', () => {
  const { QueryInvalid } = classes;
  class Planted extends AipError {
    constructor() {
      super(new ForeignCode('planted.code', 'permanent', 'planted'));
    }
  }
  expect(classProblems({ QueryInvalid, Renamed: QueryInvalid, Planted })).toEqual([
    expect.stringMatching(/^Renamed: QueryInvalid, /),
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

const withPlanted = (code: string): ReadonlyMap<string, string> => new Map([...SOURCES, ['planted.ts', code]]);

/** What connectors may catch: the errors that the SDK exports. */
const SDK = 'runtime/src/connectors/sdk/index.ts';

/** Classes that no program catches, and why they are no `new AipError(code)`, `new CliError(code)` or `new NamedError(message, { name })`. */
const UNCAUGHT: ReadonlySet<string> = new Set([
  // Every command refuses its arguments with it: one code and one exit code.
  'UsageError',
]);

/** Classes of errors, of the table and others, that no source of a program catches, by themselves or by a class made of them, and that the SDK does not export. */
function uncaughtClasses(sources: ReadonlyMap<string, string>): string[] {
  const all = [...sources.values()].join('\n');
  const caught = new Set([...all.matchAll(/(?:instanceof |InstanceOf\()(\w+)/g)].map(([, name]) => name));
  const declared = [...all.matchAll(/\bclass (\w+) extends ([\w.]+)/g)].map(([, name = '', base = '']) => ({
    name,
    base,
  }));
  const isError = (name: string): boolean => {
    const base = declared.find((each) => each.name === name)?.base;
    return base === 'Error' || base === 'failure' || (base !== undefined && isError(base));
  };
  const isExported = (name: string): boolean => new RegExp(`\\b${name}\\b`).test(sources.get(SDK) ?? '');
  const isUsed = (name: string): boolean =>
    caught.has(name) ||
    isExported(name) ||
    UNCAUGHT.has(name) ||
    declared.some(({ name: own, base }) => base === name && isUsed(own));
  return declared.filter(({ name }) => isError(name) && !isUsed(name)).map(({ name }) => name);
}

test('every class of an error is caught by class in the sources of a program, or exported by the SDK', () => {
  expect(uncaughtClasses(SOURCES)).toEqual([]);
});

test('a planted class that no source catches is found', () => {
  const thrown = "class Planted extends failure('query.invalid') {}\nthrow new Planted();";
  expect(uncaughtClasses(withPlanted(thrown))).toEqual(['Planted']);
  expect(uncaughtClasses(withPlanted(`${thrown}\nif (error instanceof Planted) return;`))).toEqual([]);
  expect(uncaughtClasses(withPlanted('class Planted extends NamedError {}'))).toEqual(['Planted']);
  expect(uncaughtClasses(withPlanted('class Planted extends CliError {}'))).toEqual(['Planted']);
});

/** Codes by which the sources make errors, whether as they throw them or in a table of codes. */
function madeIn(sources: ReadonlyMap<string, string>): string[] {
  const all = [...sources.values()].join('\n');
  return [...all.matchAll(/(?:new AipError\(|failure\(|super\(|\w: )\s*'([a-z_]+(?:\.[a-z_]+)+)'/g)].map(
    ([, code = '']) => code,
  );
}

/** Codes that the document lists as those of other servers. */
const receivedIn = (text: string): string[] => [...text.matchAll(/^- `([a-z_.]+)`$/gm)].map(([, code = '']) => code);

/** Codes that are neither made in the sources nor documented as received, and those that are both. */
function unusedCodes(codes: readonly string[], sources: ReadonlyMap<string, string>, text: string): string[] {
  const made = new Set(madeIn(sources));
  const received = new Set(receivedIn(text));
  return codes.filter((code) => made.has(code) === received.has(code));
}

test('every code of the table is thrown, or docs/protocol/errors.md lists it as one of other servers', () => {
  expect(unusedCodes(Object.keys(CODES), SOURCES, DOCUMENT)).toEqual([]);
});

test('a planted code that nothing throws is found, and one that is listed as received and thrown', () => {
  expect(unusedCodes(['planted.code'], SOURCES, DOCUMENT)).toEqual(['planted.code']);
  expect(unusedCodes(['planted.code'], SOURCES, `${DOCUMENT}\n- \`planted.code\``)).toEqual([]);
  const thrown = withPlanted("throw new AipError('gateway.error');");
  expect(unusedCodes(['gateway.error'], thrown, DOCUMENT)).toEqual(['gateway.error']);
});

/** Classes that name one of several faults of their code. */
const NARROWER: ReadonlySet<string> = new Set(['JsonInvalid', 'SignatureInvalid']);

/** Codes that have a class by which they are caught, and that a source throws without it. */
function withoutTheirClass(sources: ReadonlyMap<string, string>): string[] {
  const codes = Object.entries(classes)
    .filter(([name]) => !NARROWER.has(name))
    .map(([, Class]) => new Class().code);
  return [...sources].flatMap(([file, text]) =>
    codes.filter((code) => text.includes(`new AipError('${code}'`)).map((code) => `${file}: ${code}`),
  );
}

test('a code that is caught by its class is thrown as that class', () => {
  expect(withoutTheirClass(SOURCES)).toEqual([]);
  expect(withoutTheirClass(withPlanted("throw new AipError('storage.unavailable');"))).toEqual([
    'planted.ts: storage.unavailable',
  ]);
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
