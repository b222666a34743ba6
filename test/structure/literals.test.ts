import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '..', '..');

/** Facts of the protocol that one file states and all others import. */
const STATED_ONCE: Readonly<Record<string, string>> = {
  'aip.native.http.v1': 'runtime/src/protocol/wire/native-http.ts',
  'aip.host.journal.v1': 'runtime/src/protocol/wire/journal-profile.ts',
  'aip-accept-document': 'runtime/src/protocol/content/documents.ts',
};

type Source = readonly [file: string, code: string];

function sources(): Source[] {
  return ['runtime', 'controller', 'cli'].flatMap((workspace) =>
    readdirSync(join(ROOT, workspace, 'src'), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.tsx?$/.test(name) && !name.includes('generated'))
      .map((name): Source => {
        const file = join(workspace, 'src', name);
        return [file, readFileSync(join(ROOT, file), 'utf8')];
      }),
  );
}

/** Files that state a fact again instead of importing it, and facts that their own file does not state. */
function statedTwice(files: readonly Source[]): string[] {
  return Object.entries(STATED_ONCE).flatMap(([value, home]) => {
    const found = files.filter(([, code]) => code.includes(`'${value}'`)).map(([file]) => file);
    return [
      ...found.filter((file) => file !== home).map((file) => `${file} states '${value}'; import it from ${home}`),
      ...(found.includes(home) ? [] : [`${home} does not state '${value}'`]),
    ];
  });
}

test('names of the protocol are stated in one file each', () => {
  expect(statedTwice(sources())).toEqual([]);
});

test('a planted second statement is found, and a fact that is stated nowhere', () => {
  const planted: Source = ['runtime/src/host/planted.ts', `const PROFILE = 'aip.native.http.v1';`];
  expect(statedTwice([...sources(), planted])).toEqual([
    `runtime/src/host/planted.ts states 'aip.native.http.v1'; import it from runtime/src/protocol/wire/native-http.ts`,
  ]);
  expect(statedTwice([])).toHaveLength(Object.keys(STATED_ONCE).length);
});
