import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { compileFaults } from '../../scripts/mutate/compile.ts';
import { cheapestFirst, digestOf, groupsForBuild, isKilled, type Judgements, plantedIn } from '../mutations/plan.ts';
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
  const earlier: Judgements = { [fault.what]: { outcome: 'killed', digest: judged, commit: 'c', seconds: 1 } };
  expect(isKilled(fault.what, digest('source', "from '../../../support/a.ts'"), earlier)).toBe(true);
  expect(isKilled(fault.what, digest('changed', "from '../../support/a.ts'"), earlier)).toBe(false);
  expect(isKilled(fault.what, digest('source', "from '../../support/b.ts'"), earlier)).toBe(false);
  expect(isKilled('another', judged, earlier)).toBe(false);
  const survived: Judgements = { [fault.what]: { outcome: 'SURVIVED', digest: judged, commit: 'c', seconds: 1 } };
  expect(isKilled(fault.what, judged, survived)).toBe(false);
});

test('faults that were judged quickly come first, behind those that never were', () => {
  const seconds = new Map([
    ['slow', 9],
    ['quick', 1],
  ]);
  const [slow, quick, added] = [{ what: 'slow' }, { what: 'quick' }, { what: 'added' }];
  expect(cheapestFirst([slow, quick, added], seconds)).toEqual([added, quick, slow]);
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

test('faults are compiled together, a fault that does not build is left out, and the copy is built without any at the end', async () => {
  const copy = mkdtempSync(join(tmpdir(), 'aip-mutations-'));
  onTestFinished(() => rmSync(copy, { recursive: true }));
  for (const folder of ['src', 'dist']) mkdirSync(join(copy, 'a', folder), { recursive: true });
  const files = ['w', 'x', 'y', 'z'];
  for (const name of files) writeFileSync(join(copy, 'a', 'src', `${name}.ts`), name);
  const read = (folder: string, name: string): string => readFileSync(join(copy, 'a', folder, name), 'utf8');
  let builds = 0;
  const build = async (): Promise<string | undefined> => {
    builds += 1;
    for (const name of files) writeFileSync(join(copy, 'a', 'dist', `${name}.js`), read('src', `${name}.ts`));
    const refused = files.filter((name) => read('src', `${name}.ts`).includes('error'));
    return refused.length === 0 ? undefined : refused.map((name) => `a/src/${name}.ts(1,1): error`).join('\n');
  };
  const fault = (what: string, name: string, to: string) => {
    return { what, file: `a/src/${name}.ts`, from: name, to, tests: [] };
  };
  const faults = [fault('1', 'x', 'one'), fault('2', 'y', 'error'), fault('3', 'z', 'three'), fault('4', 'x', 'four')];
  const form = (what: string, name: string) => ({ ...fault(what, 'w', `(${name})`), name });
  const compiled = await compileFaults(copy, [...faults, form('5', 'five'), form('6', 'six')], build);
  expect(Object.fromEntries(compiled)).toEqual({ 1: 'one', 3: 'three', 4: 'four', 5: '(five)', 6: '(six)' });
  // One for the first of each file, one without that which does not build, one for it alone, one for the second of x, one without a fault.
  expect(builds).toBe(5);
  for (const name of files) expect([read('src', `${name}.ts`), read('dist', `${name}.js`)]).toEqual([name, name]);
});
