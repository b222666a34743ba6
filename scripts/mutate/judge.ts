import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Judgement, type Noticed, plantedIn } from '../../test/mutations/plan.ts';
import type { Mutation } from '../../test/mutations/read.ts';
import { builtPath } from './compile.ts';
import { firstTests } from './first-tests.ts';
import type { FileRun, TestRunner } from './test-runner.ts';

/** A copy of the tree that has one fault at a time. */
export interface Copy {
  readonly path: string;
  readonly runner: TestRunner;
}

export interface Verdict extends Pick<Judgement, 'outcome' | 'by'> {
  readonly noticed?: Noticed;
}

/** What is run of a test file: the named tests, or all. */
interface Selection {
  readonly file: string;
  readonly tests?: readonly string[];
}

const FILE_MS = 600_000;
/** With a fault a test that waits for what never comes ends after this time and a multiple of what the slowest test takes without one. */
const LEAST_TEST_MS = 20_000;
const TIMES_WITHOUT_FAULT = 2;
const TIMED_OUT = /\btimed out in \d+ ?ms\b/;

/**
 * Judges faults by test files that pass without one: each selection of tests is run without a fault before the first fault that it judges, for all
 * copies once. `read` returns the text of a file of the tree, `report` takes what fails without a fault.
 */
export function openJudge(read: (path: string) => string, stopping: AbortSignal, report: (problem: string) => void) {
  const runs = new Map<string, Promise<FileRun>>();

  function runWithoutFault(selection: Selection, { runner }: Copy): Promise<FileRun> {
    const key = JSON.stringify(selection);
    const run = runs.get(key) ?? runner.run({ ...selection, changed: [] }, FILE_MS);
    if (!runs.has(key))
      void run.then(({ passed, failure }) => {
        if (!passed && failure !== undefined && !stopping.aborted) report(`${selection.file}: ${failure}`);
      });
    runs.set(key, run);
    return run;
  }

  /** Whether one passes without a fault, tried in order; a test may need those before it. */
  async function somePasses(selections: readonly Selection[], testMs: number, { runner }: Copy): Promise<boolean> {
    for (const selection of selections)
      if ((await runner.run({ ...selection, changed: [], testMs }, FILE_MS)).passed) return true;
    return false;
  }

  /** A selection that fails with the fault kills it; a test that took too long has to pass again within the same time. */
  async function judgeBy(
    selection: Selection,
    plant: (testMs: number) => Promise<FileRun>,
    copy: Copy,
  ): Promise<Verdict> {
    const whole = await runWithoutFault(selection, copy);
    if (!whole.passed) return { outcome: whole.failure === undefined ? 'NOT RUN' : 'NO TEST' };
    const testMs = LEAST_TEST_MS + Math.round((whole.longestMs ?? whole.seconds * 1000) * TIMES_WITHOUT_FAULT);
    const run = await plant(testMs);
    if (run.failure === undefined) return { outcome: run.passed ? 'SURVIVED' : 'NOT RUN' };
    const { file } = selection;
    if (TIMED_OUT.test(run.failure)) {
      const timedOut = run.test === undefined ? [] : [{ file, tests: [run.test] }];
      if (!(await somePasses([...timedOut, selection], testMs, copy))) return { outcome: 'NOT RUN' };
    }
    const noticed: Noticed = { file, ...(run.test !== undefined && { test: run.test }) };
    return { outcome: 'killed', by: `${file} > ${run.failure.slice(0, 300)}`, noticed };
  }

  /** `compiled` is what the compiler makes of the file with the fault; one that does not build proves nothing. */
  return async (
    fault: Mutation,
    compiled: string | undefined,
    noticed: Noticed | undefined,
    copy: Copy,
  ): Promise<Verdict> => {
    const planted = plantedIn(read(fault.file), fault);
    if (planted === undefined) return { outcome: 'NO FIT' };
    if (compiled === undefined) return { outcome: 'NO BUILD' };
    const outcomes = new Set<Verdict['outcome']>();
    for (const file of [...fault.tests].sort((a, b) => Number(b === noticed?.file) - Number(a === noticed?.file))) {
      const tests = firstTests(fault, file, read(file), noticed);
      for (const selection of tests.length > 0 ? [{ file, tests }, { file }] : [{ file }]) {
        if (stopping.aborted) break;
        const plant = (testMs: number): Promise<FileRun> =>
          runWithFault(copy, fault.file, { planted, compiled }, { ...selection, testMs });
        const verdict = await judgeBy(selection, plant, copy);
        if (verdict.outcome === 'killed') return verdict;
        if (!('tests' in selection)) outcomes.add(verdict.outcome);
      }
    }
    return { outcome: (['SURVIVED', 'NOT RUN'] as const).find((outcome) => outcomes.has(outcome)) ?? 'NO TEST' };
  };
}

/** Runs tests while the fault is in the source and in what is built of it. */
async function runWithFault(
  { path: root, runner }: Copy,
  source: string,
  { planted, compiled }: { readonly planted: string; readonly compiled: string },
  request: Selection & { readonly testMs: number },
): Promise<FileRun> {
  const built = builtPath(source);
  const whole = [source, built].map((name) => ({
    path: join(root, name),
    text: readFileSync(join(root, name), 'utf8'),
  }));
  writeFileSync(join(root, source), planted);
  writeFileSync(join(root, built), compiled);
  try {
    return await runner.run({ ...request, changed: [source, built] }, FILE_MS);
  } finally {
    for (const { path, text } of whole) writeFileSync(path, text);
  }
}
