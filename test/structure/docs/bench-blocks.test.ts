import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '..', '..', '..');
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

/** The command lines of the blocks of a document, without comments. */
function commandsOf(markdown: string): string[] {
  return [...markdown.matchAll(/^```sh\n([\s\S]*?)^```$/gm)]
    .flatMap(([, block = '']) => block.trim().split('\n'))
    .map((line) => line.replace(/\s+#.*$/, '').trim());
}

/** What is wrong with a command of the benches: no bench of that name, or a variable that no bench reads. */
function problemsOf(command: string, benches: ReadonlySet<string>, variables: ReadonlySet<string>): string[] {
  const match = /^((?:[A-Z_]+=\S+ )*)npm run bench(?: -- (\S+)(?: \S+)*)?$/.exec(command);
  if (!match) return [`${command}: is no bench`];
  const [, given = '', name = 'actions'] = match;
  const unknown = [...given.matchAll(/([A-Z_]+)=/g)].map(([, variable]) => variable as string);
  return [
    ...(benches.has(name) ? [] : [`${command}: there is no bench ${name}`]),
    ...unknown.filter((each) => !variables.has(each)).map((each) => `${command}: no bench reads ${each}`),
  ];
}

const MAIN = read('test/bench/main.ts');
const FILES = [...MAIN.matchAll(/from '\.\/([\w/-]+\.ts)'/g)].map(([, file]) => `test/bench/${file}`);
const BENCHES = new Set([...MAIN.matchAll(/^ {2}(\w+): \w+Bench,$/gm)].map(([, name]) => name as string));
const VARIABLES = new Set(
  FILES.filter((file) => existsSync(join(ROOT, file))).flatMap((file) =>
    [...read(file).matchAll(/process\.env\.(AIP_BENCH_\w+)/g)].map(([, name]) => name as string),
  ),
);

test('the commands of docs/performance.md name benches that there are, with variables that they read', () => {
  const commands = commandsOf(read('docs/performance.md'));
  expect(commands.length).toBeGreaterThanOrEqual(6);
  expect(commands.flatMap((command) => problemsOf(command, BENCHES, VARIABLES))).toEqual([]);
});

test('a planted command of no bench is found', () => {
  const planted = '```sh\nAIP_BENCH_NONE=1 npm run bench -- planted 10   # comment\nnpm run other\n```\n';
  expect(commandsOf(planted).flatMap((command) => problemsOf(command, BENCHES, VARIABLES))).toEqual([
    'AIP_BENCH_NONE=1 npm run bench -- planted 10: there is no bench planted',
    'AIP_BENCH_NONE=1 npm run bench -- planted 10: no bench reads AIP_BENCH_NONE',
    'npm run other: is no bench',
  ]);
});
