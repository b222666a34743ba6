import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { compileFaults } from '../../scripts/mutate/compile.ts';
import { firstTests } from '../../scripts/mutate/first-tests.ts';
import { readKills } from '../../scripts/mutate/kills.ts';
import { cheapestFirst, digestOf, groupsForBuild, isKilled, type Kill, plantedIn } from '../mutations/plan.ts';
import { mutations } from '../mutations/read.ts';
import { REFUSED_WITHOUT, settingFaults } from '../mutations/settings.ts';
import { FILES, PROGRAMS } from '../system/settings/variables.ts';

const ROOT = join(import.meta.dirname, '..', '..');

const folder = mkdtempSync(join(tmpdir(), 'aip-mutations-'));
for (const [name, text] of Object.entries(FILES)) writeFileSync(join(folder, name), text, { mode: 0o600 });
afterAll(() => rmSync(folder, { recursive: true }));

type Fault = ReturnType<typeof mutations>[number];

/** Why a fault cannot be planted as it is written. */
function problemsOf({ what, file, from, to, tests }: Fault): string[] {
  const found = readFileSync(join(ROOT, file), 'utf8').split(from).length - 1;
  return [
    ...(found === 1 ? [] : [`${what}: its text is ${found} times in ${file}`]),
    ...(to === from ? [`${what}: it changes nothing`] : []),
    ...(tests.length > 0 ? [] : [`${what}: it names no test`]),
    ...tests.filter((path) => !existsSync(join(ROOT, path))).map((path) => `${what}: no such test ${path}`),
  ];
}

test('every fault of npm run mutate fits its file exactly once and names tests that exist', () => {
  const all = mutations();
  expect(all.length).toBeGreaterThanOrEqual(100);
  expect(new Set(all.map(({ what }) => what)).size).toBe(all.length);
  expect(all.flatMap(problemsOf)).toEqual([]);
});

test('planted faults that fit nowhere, change nothing or name no test are found', () => {
  const [fault] = mutations() as [Fault];
  const planted = (change: Partial<Fault>): string[] => problemsOf({ ...fault, what: 'planted', ...change });
  expect(planted({ from: 'in no file' })).toEqual([`planted: its text is 0 times in ${fault.file}`]);
  expect(planted({ to: fault.from })).toEqual(['planted: it changes nothing']);
  expect(planted({ tests: [] })).toEqual(['planted: it names no test']);
  expect(planted({ tests: ['test/missing.test.ts'] })).toEqual(['planted: no such test test/missing.test.ts']);
});

/** Kills of faults that are in no list, or by a test file that their fault does not name. */
function strayKills(kills: ReadonlyMap<string, Kill>, faults: readonly Fault[]): string[] {
  const tests = new Map(faults.map((fault) => [fault.what, fault.tests]));
  return [...kills]
    .filter(([what, { file }]) => !tests.get(what)?.includes(file))
    .map(([what, { file }]) => `${what}: ${file}`);
}

test('every kill that is kept is of a fault in the lists, by a test that the fault names', () => {
  const kills = readKills(ROOT);
  expect(kills.size).toBeGreaterThan(0);
  expect(strayKills(kills, mutations())).toEqual([]);
});

test('a planted kill of no fault or by another test is found', () => {
  const faults = mutations();
  const [{ what, tests }] = faults as [Fault];
  const kill = (file: string): Kill => ({ digest: 'd', file, test: 't' });
  expect(strayKills(new Map([[what, kill(tests[0] as string)]]), faults)).toEqual([]);
  const planted = new Map([
    [what, kill('other.test.ts')],
    ['planted', kill('a.test.ts')],
  ]);
  expect(strayKills(planted, faults)).toEqual([`${what}: other.test.ts`, 'planted: a.test.ts']);
});

test.each(PROGRAMS)(
  'every setting of the $section has a fault that ignores it, or none starts without it',
  (program) => {
    const { prefix, section, tests, values, others, read } = program;
    const needed = REFUSED_WITHOUT[section] ?? [];
    const planted = settingFaults([], [program]).map(({ name }) => name);
    expect([...planted, ...needed.map((name) => prefix + name)].sort()).toEqual(
      Object.keys(tests)
        .map((name) => prefix + name)
        .sort(),
    );
    for (const name of needed) {
      const given = Object.entries(values).filter(([other]) => other !== name);
      const source = Object.fromEntries(
        given.map(([other, value]) => [prefix + other, value.replace('FOLDER', folder)]),
      );
      expect(() => read({ ...source, ...others }), name).toThrow(name);
    }
  },
);

test('a fault is killed as long as its texts are those of the run, wherever its tests moved', () => {
  const [fault] = mutations() as [Fault];
  const digest = (source: string, test: string): string => digestOf({ ...fault, tests: ['a'] }, source, () => test);
  const judged = digest('source', "from '../../support/a.ts'");
  const kills = new Map([[fault.what, { digest: judged, file: 'a', test: 't' }]]);
  expect(isKilled(fault.what, digest('source', "from '../../../support/a.ts'"), kills)).toBe(true);
  expect(isKilled(fault.what, digest('changed', "from '../../support/a.ts'"), kills)).toBe(false);
  expect(isKilled(fault.what, digest('source', "from '../../support/b.ts'"), kills)).toBe(false);
  expect(isKilled('another', judged, kills)).toBe(false);
});

test('faults that were judged quickly come first, behind those that never were', () => {
  const seconds = new Map([
    ['slow', 9],
    ['quick', 1],
  ]);
  const [slow, quick, added] = [{ what: 'slow' }, { what: 'quick' }, { what: 'added' }];
  expect(cheapestFirst([slow, quick, added], seconds)).toEqual([added, quick, slow]);
});

test('the test that noticed a fault is run first, else those that name the ignored variable, else the whole file', () => {
  const text = `const SHARED = { LIMIT: '1' };
test('the limit', async () => {
  await start({ LIMIT: '2' });
});
test('its prefix', () => start({ AIP_GATEWAY_LIMIT: '2' }));
test('another', () => start({ MAX_LIMIT: '1', LIMIT_MS: '1' }));
`;
  const noticed = { file: 'a.test.ts', test: 'group > another' };
  expect(firstTests({ variable: 'LIMIT' }, 'a.test.ts', text, undefined)).toEqual(['the limit', 'its prefix']);
  expect(firstTests({ variable: 'LIMIT' }, 'a.test.ts', text, noticed)).toEqual(['group > another']);
  expect(firstTests({}, 'b.test.ts', text, noticed)).toEqual([]);
  expect(firstTests({}, 'a.test.ts', text, { file: 'a.test.ts' })).toEqual([]);
  expect(firstTests({ variable: 'SHARED' }, 'b.test.ts', text, noticed)).toEqual([]);
});

test('a listed fault of a setting names its variable too, with which the tests that run first are found', () => {
  const variableOf = (what: string) => mutations().find((fault) => fault.what === what)?.variable;
  expect(variableOf('setting ignored: MAX_STORED_RECORDS_PER_TENANT of approvals')).toBe(
    'MAX_STORED_RECORDS_PER_TENANT',
  );
  expect(variableOf('peer time ignored')).toBeUndefined();
});

test('a fault is planted only where it fits exactly once, and its text is not a pattern', () => {
  expect(plantedIn('a + b', { from: '+', to: '$&' })).toBe('a $& b');
  expect(plantedIn('a + b + c', { from: '+', to: '-' })).toBeUndefined();
  expect(plantedIn('a', { from: '+', to: '-' })).toBeUndefined();
});

test('each build compiles at most one fault of a file, and every fault is in one build', () => {
  const [first, second, other] = [{ file: 'a' }, { file: 'a' }, { file: 'b' }];
  expect(groupsForBuild([first, second, other])).toEqual([[first, other], [second]]);
  expect(groupsForBuild([])).toEqual([]);
});

test('faults are compiled in one build but for those that are refused or change types, and the copy is built without any at the end', async () => {
  const copy = mkdtempSync(join(tmpdir(), 'aip-mutations-'));
  onTestFinished(() => rmSync(copy, { recursive: true }));
  for (const folder of ['src', 'dist']) mkdirSync(join(copy, 'a', folder), { recursive: true });
  const files = ['w', 'x', 'y', 'z'];
  const write = (folder: string, name: string, text: string): void =>
    writeFileSync(join(copy, 'a', folder, name), text);
  const read = (folder: string, name: string): string => readFileSync(join(copy, 'a', folder, name), 'utf8');
  const sources = (): string[] => readdirSync(join(copy, 'a', 'src')).sort();
  for (const name of files) write('src', `${name}.ts`, name);
  const built: number[] = [];
  const build = async (): Promise<string | undefined> => {
    built.push(sources().length);
    for (const name of sources().map((file) => file.replace('.ts', ''))) {
      write('dist', `${name}.js`, `${read('src', `${name}.ts`)} in ${name}.js`);
      write('dist', `${name}.d.ts`, read('src', `${name}.ts`).includes('type') ? 'other' : 'same');
    }
    const refused = sources().filter((name) => read('src', name).includes('error'));
    return refused.length === 0 ? undefined : refused.map((name) => `a/src/${name}(1,1): error`).join('\n');
  };
  const fault = (what: string, name: string, to: string) => {
    return { what, file: `a/src/${name}.ts`, from: name, to, tests: [] };
  };
  const form = (what: string, name: string) => ({ ...fault(what, 'w', `(${name})`), name });
  const faults = [fault('1', 'x', 'one'), fault('2', 'y', 'error'), fault('3', 'z', 'three'), fault('4', 'x', 'type')];
  await build();
  const compiled = await compileFaults(copy, [...faults, form('5', 'five'), form('6', 'six')], build);
  expect(Object.fromEntries(compiled)).toEqual({
    1: 'one in x.js',
    3: 'three in z.js',
    4: 'type in x.js',
    5: '(five) in w.js',
    6: '(six) in w.js',
  });
  // The first; one for all; one for what was refused and what has other types; one without the refused; one for it alone; one without a fault.
  expect(built).toEqual([4, 9, 4, 4, 4, 4]);
  for (const name of files)
    expect([read('src', `${name}.ts`), read('dist', `${name}.js`)]).toEqual([name, `${name} in ${name}.js`]);
  expect(sources()).toEqual(files.map((name) => `${name}.ts`));
  expect(readdirSync(join(copy, 'a', 'dist'))).toHaveLength(8);
});
