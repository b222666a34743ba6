import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = resolve(import.meta.dirname, '..', '..');

/** What each place may import from; every place may import itself. ARCHITECTURE.md says why. */
const ALLOWED: Record<string, readonly string[]> = {
  'runtime/protocol': [],
  'runtime/postgres': ['runtime/protocol'],
  'runtime/registry': ['runtime/protocol', 'runtime/postgres'],
  'runtime/transport': ['runtime/protocol'],
  'runtime/client': ['runtime/protocol'],
  'runtime/connectors': ['runtime/protocol', 'runtime/transport'],
  'runtime/gateway': ['runtime/protocol', 'runtime/postgres', 'runtime/registry', 'runtime/transport'],
  'runtime/host': ['runtime/protocol', 'runtime/postgres', 'runtime/transport', 'runtime/connectors'],
  'runtime/main': ['runtime/gateway', 'runtime/host', 'runtime/transport', 'runtime/protocol', 'runtime/connectors'],
  controller: ['runtime/protocol', 'runtime/postgres', 'runtime/registry', 'runtime/transport'],
  cli: [
    'controller',
    'runtime/client',
    'runtime/protocol',
    'runtime/postgres',
    'runtime/registry',
    'runtime/transport',
  ],
};

test('imports run one way: protocol <- postgres <- registry <- gateway | controller <- cli; transport knows the protocol alone', () => {
  const wrong: string[] = [];
  for (const file of sourceFiles()) {
    const from = placeOf(file);
    for (const target of importsOf(file)) {
      const to = placeOf(target);
      if (to !== from && !(ALLOWED[from] ?? []).includes(to)) wrong.push(`${relative(ROOT, file)} imports ${to}`);
    }
  }
  expect(wrong).toEqual([]);
});

test('no file imports itself over others', () => {
  // An import of itself is in an example of a comment.
  const aheadOf = (file: string): string[] =>
    importsOf(file)
      .map(sourceOf)
      .filter((target) => target !== file);
  const ahead = new Map(sourceFiles().map((file) => [file, aheadOf(file)]));
  const done = new Set<string>();
  const circles: string[] = [];
  const walk = (file: string, way: readonly string[]): void => {
    const start = way.indexOf(file);
    if (start >= 0) circles.push([...way.slice(start), file].map((each) => relative(ROOT, each)).join(' -> '));
    if (start >= 0 || done.has(file)) return;
    for (const target of ahead.get(file) ?? []) walk(target, [...way, file]);
    done.add(file);
  };
  for (const file of ahead.keys()) walk(file, []);
  expect(circles).toEqual([]);
});

/** The source file of an import, which names the built one. */
function sourceOf(built: string): string {
  return ['.ts', '.tsx'].map((end) => built.replace(/\.js$/, end)).find((file) => existsSync(file)) ?? built;
}

function sourceFiles(): string[] {
  return ['runtime', 'controller', 'cli'].flatMap((workspace) =>
    readdirSync(join(ROOT, workspace, 'src'), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.tsx?$/.test(name))
      .map((name) => join(ROOT, workspace, 'src', name)),
  );
}

/** Imports of our own code, as files; packages from outside are left out. */
function importsOf(file: string): string[] {
  const found = readFileSync(file, 'utf8').matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g);
  return [...found].flatMap(([, name]) => {
    if (name?.startsWith('.')) return [resolve(dirname(file), name)];
    const ours = /^@aip\/(runtime|controller|cli)\/(.+)$/.exec(name ?? '');
    return ours ? [join(ROOT, ours[1] as string, 'src', ours[2] as string)] : [];
  });
}

function placeOf(file: string): string {
  const [workspace, , first] = relative(ROOT, file).split(sep);
  return workspace === 'runtime' ? `runtime/${(first ?? '').replace(/\.[jt]s$/, '')}` : (workspace ?? '');
}
