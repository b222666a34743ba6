import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = resolve(import.meta.dirname, '..', '..');
const COMMANDS = 'cli/src/commands';

interface Manifest {
  exports?: Record<string, { default?: string }>;
}

/** The source file that an import of ours names; undefined for another package or a module of Node.js. */
function sourceOf(from: string, name: string): string | undefined {
  if (name.startsWith('.')) return relative(ROOT, resolve(ROOT, dirname(from), name)).replace(/\.js$/, '.ts');
  const ours = /^@aip\/(runtime|controller)\/(.+)$/.exec(name);
  if (!ours) return undefined;
  const [, workspace = '', entry = ''] = ours;
  const { exports } = JSON.parse(readFileSync(join(ROOT, workspace, 'package.json'), 'utf8')) as Manifest;
  const built = exports?.[`./${entry}`]?.default ?? '';
  return join(workspace, built.replace('./dist/', 'src/').replace(/\.js$/, '.ts'));
}

/** Names of what a file loads at its start: neither types nor what is imported when it is needed. */
function loadedBy(file: string): string[] {
  const code = readFileSync(join(ROOT, file), 'utf8').replace(/\/\*[\s\S]*?\*\//g, '');
  const statements = code.matchAll(/^(import|export)\s+(type\s)?([^;'"]*?\sfrom\s+)?'([^']+)'/gm);
  return [...statements].flatMap(([, , type, names = '', name = '']) => {
    const onlyTypes = type !== undefined || /^\{(\s*type\s[^,}]+,?)+\s*\}\s*from/.test(names);
    return onlyTypes ? [] : [name];
  });
}

/** Every file that is loaded with `file`, and everything else that those name. */
function eager(file: string): { files: Set<string>; outside: Set<string> } {
  const [files, outside] = [new Set<string>(), new Set<string>()];
  const walk = (at: string): void => {
    if (files.has(at)) return;
    files.add(at);
    for (const name of loadedBy(at)) {
      const source = sourceOf(at, name);
      if (source === undefined) outside.add(name);
      else walk(source);
    }
  };
  walk(file);
  return { files, outside };
}

const commands = readdirSync(join(ROOT, COMMANDS), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => join(COMMANDS, name));

test('the program loads its command list at its start and nothing else', () => {
  expect(eager('cli/src/main.ts')).toEqual({
    files: new Set(['cli/src/main.ts', 'cli/src/program/manifest.ts']),
    outside: new Set(['node:fs']),
  });
});

/** The parts of the command framework that a command is made of; its main entry would load the others too. */
const FRAMEWORK = new Set(['@oclif/core/args', '@oclif/core/command', '@oclif/core/flags']);

test('no command loads a package but parts of the command framework before it runs', () => {
  expect(commands.length).toBeGreaterThan(60);
  const found = commands.flatMap((file) =>
    [...eager(file).outside]
      .filter((name) => !name.startsWith('node:') && !FRAMEWORK.has(name))
      .map((name) => `${file}: ${name}`),
  );
  expect(found).toEqual([]);
});

test('no command loads more than a few files of ours before it runs', () => {
  const most = commands.map((file) => ({ file, count: eager(file).files.size }));
  expect(most.filter(({ count }) => count > 20)).toEqual([]);
});

test('what is loaded with a list is small: no package but the command framework, and none of the large modules of Node.js', () => {
  for (const file of [
    'client/list-actions',
    'client/resolve-id',
    'contexts/connection',
    'ui/tables/actions',
    'output',
  ]) {
    const { outside } = eager(`cli/src/${file}.ts`);
    const large = [...outside].filter((name) =>
      name.startsWith('node:') ? /^node:https?$/.test(name) : !FRAMEWORK.has(name),
    );
    expect(large, file).toEqual([]);
  }
});
