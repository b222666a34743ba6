import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '..', '..');

/** A connection that only listens waits for as long as nothing is notified. */
const LISTENS = 'listen`';

/** Connections to a database that are opened without a bound for the answers to their statements. */
function unbounded(path: string, text: string): string[] {
  return [...text.matchAll(/new (?:pg\.)?(?:Client|Pool)\(\{([\s\S]*?)\n? *\}\)/g)]
    .map(([, options]) => options as string)
    .filter((options) => !options.includes('query_timeout:') && !options.includes(LISTENS))
    .map((options) => `${path}: ${options.trim().split('\n')[0]}`);
}

test('every connection to a database bounds the time of a statement, but for the one that listens', () => {
  const files = globSync('{runtime,controller,cli}/src/**/*.{ts,tsx}', { cwd: ROOT }).map((path) => ({
    path,
    text: readFileSync(join(ROOT, path), 'utf8'),
  }));
  const users = files.filter(({ text }) => /^import (?!type).* from 'pg';$/m.test(text));
  expect(users.map(({ path }) => path).sort()).toEqual([
    'runtime/src/postgres/embedded/embedded.ts',
    'runtime/src/postgres/owned-database.ts',
    'runtime/src/postgres/pool.ts',
  ]);
  expect(users.flatMap(({ path, text }) => unbounded(path, text))).toEqual([]);
});

test('a planted connection without a bound is found', () => {
  const bounded = 'new pg.Client({\n  connectionString: url,\n  query_timeout: 5,\n})';
  expect(unbounded('a.ts', bounded)).toEqual([]);
  expect(unbounded('a.ts', `${bounded}\nnew pg.Client({ connectionString: url });`)).toEqual([
    'a.ts: connectionString: url',
  ]);
});
