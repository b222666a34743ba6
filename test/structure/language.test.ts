import { readdirSync, readFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '..', '..');

/** Words of no operator's vocabulary, with what to write in their place. */
const BANNED: readonly [RegExp, string][] = [
  [/\b(is|are|was|were|be|been) told (as|that|by)\b/i, 'reported'],
  [/\btells (that|whether|of)\b/i, 'reports'],
  [/\blook(s|ed|ing)? at(?! the (provider|log))\b/i, 'check'],
  [/\bmend(s|ed|ing)?\b/i, 'fix'],
  [/\bfor good\b/i, 'permanently'],
  [/\b(goes|go|went|going) on\b/i, 'continue'],
  [/\b(has|have) to go\b/i, 'must be removed'],
  [/\bof now\b/i, 'current'],
  [/\banew\b/i, 'again'],
  [/\b(this|that) very\b/i, 'this'],
  [/\b(is|are|was|were) asked for\b/i, 'requested'],
  [/\bby itself\b/i, 'on its own'],
  [/\bsomebody else was first\b/i, 'conflict'],
  [/\ba round\b/i, 'a reconcile'],
  [/\bis no (JSON|PEM|object|name|address|number|label|folder|URL|port|valid)\b/i, 'is not a valid …'],
];
/** Words that a comment has no use for either; a message may need them. */
const BANNED_IN_COMMENTS: readonly [RegExp, string][] = [
  ...BANNED,
  [/\b(told|tells?|telling)\b/i, 'report'],
  [/\bhears?\b|\bheard\b/i, 'receive, be called'],
  [/\basks? for\b/i, 'request'],
  [/\bsomebody else\b/i, 'another client, gateway, process'],
  [/\brounds?\b(?! (robin|trip))/i, 'reconcile, pass'],
];
const BANNED_FILES =
  /^(tell|carry-out|round|machine|marks|surroundings|hearing|leftovers|stranded|patiently|boat|rig|world)\b/;

// A migration that was released never changes, its comments neither.
function filesBelow(folders: readonly string[], ends: RegExp): string[] {
  return folders.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter(
        (name) => ends.test(name) && !/(^|\/)(node_modules|dist|generated|schema\/(?:steps\/)?\d+-.*)(\/|$)/.test(name),
      )
      .map((name) => join(ROOT, folder, name)),
  );
}

/** Banned words of one line of text. */
function problemsOf(text: string, banned: readonly [RegExp, string][] = BANNED): string[] {
  return banned.flatMap(([pattern, instead]) => {
    const found = pattern.exec(text);
    return found ? [`"${found[0]}" (write: ${instead})`] : [];
  });
}

/** What a program may say: its text literals, without its comments. */
function literalsOf(code: string): string[] {
  const withoutComments = code.replace(/\/\*[\s\S]*?\*\//g, '').replace(/^\s*\/\/.*$/gm, '');
  return [...withoutComments.matchAll(/'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`/g)].map(
    ([text]) => text,
  );
}

/** The comments of a source file: blocks, line comments, and those of SQL. */
function commentsOf(code: string): string[] {
  const blocks = code.match(/\/\*[\s\S]*?\*\//g) ?? [];
  const lines = code.match(/(?<=^|\s)\/\/ [^'"`\n]*$/gm) ?? [];
  const sql = code.match(/^\s*-- .*$/gm) ?? [];
  return [...blocks, ...lines, ...sql].map((text) => text.replace(/\s+(\* )?/g, ' ').trim());
}

test('the words are found where they are, and only there', () => {
  expect(problemsOf('the old hosts go on serving')).toEqual(['"go on" (write: continue)']);
  expect(problemsOf('the old hosts continue to serve')).toEqual([]);
  expect(literalsOf(`/** goes on */ const a = 'it goes on'; // goes on`)).toEqual([`'it goes on'`]);
});

/** The titles of tests and of groups of them. */
function titlesOf(code: string): string[] {
  const titles = code.matchAll(
    /(?:\b(?:test|it|describe)(?:\.\w+)*|[\])]\))\(\s*('(?:[^'\\\n]|\\.)*'|"[^"\n]*"|`[^`]*`),/g,
  );
  return [...titles].map(([, title = '']) => title);
}

type Text = readonly [file: string, text: string];

const textsOf = (files: readonly string[]): Text[] =>
  files.map((file) => [relative(ROOT, file), readFileSync(file, 'utf8')]);

/** Banned words of what programs may say. */
function messageProblems(sources: readonly Text[]): string[] {
  return sources.flatMap(([file, code]) =>
    literalsOf(code)
      .flatMap((text) => problemsOf(text))
      .map((problem) => `${file}: ${problem}`),
  );
}

/** Banned words of comments. */
function commentProblems(sources: readonly Text[]): string[] {
  return sources.flatMap(([file, code]) =>
    commentsOf(code)
      .flatMap((text) => problemsOf(text, BANNED_IN_COMMENTS))
      .map((problem) => `${file}: ${problem}`),
  );
}

/** Banned words of titles of tests. */
function titleProblems(tests: readonly Text[]): string[] {
  return tests.flatMap(([file, code]) =>
    titlesOf(code)
      .flatMap((text) => problemsOf(text, BANNED_IN_COMMENTS))
      .map((problem) => `${file}: ${problem}`),
  );
}

/** Banned words of documents, with their lines. */
function documentProblems(documents: readonly Text[]): string[] {
  return documents.flatMap(([file, text]) =>
    text.split('\n').flatMap((line, index) => problemsOf(line).map((problem) => `${file}:${index + 1}: ${problem}`)),
  );
}

/** Files that are named in words of no field. */
function nameProblems(files: readonly string[]): string[] {
  return files.filter((file) => BANNED_FILES.test(basename(file).replace(/\..*$/, '')));
}

test('messages use the words of the field', () => {
  expect(messageProblems(textsOf(filesBelow(['runtime/src', 'controller/src', 'cli/src'], /\.tsx?$/)))).toEqual([]);
});

test('comments use the words of the field', () => {
  const folders = ['runtime/src', 'controller/src', 'cli/src', 'scripts', 'tools'];
  expect(commentProblems(textsOf(filesBelow(folders, /\.tsx?$/)))).toEqual([]);
});

test('titles of tests use the words of the field', () => {
  expect(titleProblems(textsOf(filesBelow(['test'], /\.test\.tsx?$/)))).toEqual([]);
});

test('documents use the words of the field', () => {
  const documents = [
    ...filesBelow(['docs', 'charts'], /\.(md|txt|yaml|tpl)$/),
    ...readdirSync(ROOT)
      .filter((name) => name.endsWith('.md'))
      .map((name) => join(ROOT, name)),
  ];
  expect(documentProblems(textsOf(documents))).toEqual([]);
});

test('files are named in the words of the field', () => {
  const files = filesBelow(['runtime/src', 'controller/src', 'cli/src', 'tools', 'test'], /\.tsx?$/);
  expect(nameProblems(files.map((file) => relative(ROOT, file)))).toEqual([]);
});

test('planted words are found: in a message, in comments, in titles, in a document and in the name of a file', () => {
  const code = '// it goes on\nthrow new Error(`the host goes on`);';
  expect(messageProblems([['runtime/src/planted.ts', code]])).toEqual([
    'runtime/src/planted.ts: "goes on" (write: continue)',
  ]);
  const commented = '/** Told of\n * each round. */\nconst SQL = `\n-- Hears it.\n`; // it asks for more\n';
  expect(commentProblems([['runtime/src/planted.ts', commented]])).toEqual([
    'runtime/src/planted.ts: "Told" (write: report)',
    'runtime/src/planted.ts: "round" (write: reconcile, pass)',
    'runtime/src/planted.ts: "asks for" (write: request)',
    'runtime/src/planted.ts: "Hears" (write: receive, be called)',
  ]);
  // Apart from the call, which would otherwise be read as titles of this file.
  const [CONTINUES, RECEIVES] = ['a host goes on', 'a watch %s hears'];
  const titled = `test('${CONTINUES}', () => {});\ntest.each([1])('${RECEIVES}', () => {});`;
  expect(titleProblems([['test/planted.test.ts', titled]])).toEqual([
    'test/planted.test.ts: "goes on" (write: continue)',
    'test/planted.test.ts: "hears" (write: receive, be called)',
  ]);
  expect(documentProblems([['planted.md', 'The drain\nis told as a condition.']])).toEqual([
    'planted.md:2: "is told as" (write: reported)',
  ]);
  const files = ['controller/src/cluster/tell.ts', 'controller/src/cluster/write-status.ts'];
  expect(nameProblems(files)).toEqual(['controller/src/cluster/tell.ts']);
});
