import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { type Copy, openJudge, type Verdict } from '../../../scripts/mutate/judge.ts';
import type { FileRun, RunRequest } from '../../../scripts/mutate/test-runner.ts';

const FAULT = { what: 'w', file: 'a/src/x.ts', from: 'sound', to: 'broken', tests: ['x.test.ts'] };
const PASSED: FileRun = { passed: true, seconds: 9, longestMs: 3000 };
const FAILED: FileRun = { passed: false, seconds: 1, failure: 'one: expected 1 to be 2', test: 'one' };
const TIMED_OUT: FileRun = { ...FAILED, failure: 'one: Test timed out in 26000ms.' };

interface Judged {
  readonly verdict: Verdict;
  /** What was run, with a + for each run with the fault. */
  readonly runs: string[];
  readonly requests: RunRequest[];
  readonly reported: string[];
}

/** Judges the fault with a runner that answers by whether the fault is planted, and by what has run before. */
async function judged(
  answer: (planted: boolean, request: RunRequest, before: number) => FileRun,
  noticed?: string,
): Promise<Judged> {
  const path = mkdtempSync(join(tmpdir(), 'aip-judge-'));
  onTestFinished(() => rmSync(path, { recursive: true }));
  for (const folder of ['src', 'dist']) mkdirSync(join(path, 'a', folder), { recursive: true });
  writeFileSync(join(path, 'a/src/x.ts'), 'sound');
  writeFileSync(join(path, 'a/dist/x.js'), 'sound');
  const requests: RunRequest[] = [];
  const runs: string[] = [];
  const reported: string[] = [];
  const run = async (request: RunRequest): Promise<FileRun> => {
    const planted = readFileSync(join(path, 'a/src/x.ts'), 'utf8') === 'broken';
    expect(readFileSync(join(path, 'a/dist/x.js'), 'utf8')).toBe(planted ? 'compiled' : 'sound');
    requests.push(request);
    runs.push(`${request.tests?.join() ?? 'all'}${planted ? ' +' : ''}`);
    return answer(planted, request, runs.length - 1);
  };
  const copy: Copy = { path, runner: { run, close: async () => undefined } };
  const judge = openJudge(
    () => 'sound',
    new AbortController().signal,
    (problem) => reported.push(problem),
  );
  const earlier = noticed === undefined ? undefined : { file: 'x.test.ts', test: noticed };
  return { verdict: await judge(FAULT, 'compiled', earlier, copy), runs, requests, reported };
}

test('a fault is killed by a test that fails with it in a file that passes without it', async () => {
  const { verdict, runs, requests } = await judged((planted) => (planted ? FAILED : PASSED));
  expect(verdict).toEqual({
    outcome: 'killed',
    by: 'x.test.ts > one: expected 1 to be 2',
    noticed: { file: 'x.test.ts', test: 'one' },
  });
  expect(runs).toEqual(['all', 'all +']);
  // 20 s and twice what its slowest test took.
  expect(requests.map(({ testMs }) => testMs)).toEqual([undefined, 26_000]);
});

test('a fault that keeps a file from running is noticed by the file', async () => {
  const { verdict } = await judged((planted) =>
    planted ? { ...PASSED, passed: false, failure: 'no server' } : PASSED,
  );
  expect(verdict).toEqual({ outcome: 'killed', by: 'x.test.ts > no server', noticed: { file: 'x.test.ts' } });
});

test('a file that fails without the fault judges nothing, and is reported', async () => {
  const { verdict, runs, reported } = await judged(() => FAILED);
  expect([verdict, runs]).toEqual([{ outcome: 'NO TEST' }, ['all']]);
  expect(reported).toEqual(['x.test.ts: one: expected 1 to be 2']);
});

test('the test that noticed before is run alone; when it passes or no longer exists, the whole file is', async () => {
  const alone = await judged((planted) => (planted ? FAILED : PASSED), 'one');
  expect([alone.verdict.outcome, alone.runs]).toEqual(['killed', ['one', 'one +']]);
  const passes = await judged((planted, { tests }) => (planted && tests === undefined ? FAILED : PASSED), 'one');
  expect([passes.verdict.outcome, passes.runs]).toEqual(['killed', ['one', 'one +', 'all', 'all +']]);
  const gone = await judged(
    (planted, { tests }) => (tests !== undefined ? { passed: false, seconds: 1 } : planted ? FAILED : PASSED),
    'one',
  );
  expect([gone.verdict.outcome, gone.runs]).toEqual(['killed', ['one', 'all', 'all +']]);
});

test('a test that took too long with the fault has to pass again without it within the same time', async () => {
  const { verdict, runs, requests } = await judged((planted) => (planted ? TIMED_OUT : PASSED));
  expect([verdict.outcome, runs]).toEqual(['killed', ['all', 'all +', 'one']]);
  expect(requests[2]?.testMs).toBe(26_000);
  const needsOthers = await judged((planted, { tests }) => (planted || tests !== undefined ? TIMED_OUT : PASSED));
  expect([needsOthers.verdict.outcome, needsOthers.runs]).toEqual(['killed', ['all', 'all +', 'one', 'all']]);
  const slow = await judged((planted, _, before) => (planted || before > 0 ? TIMED_OUT : PASSED));
  expect(slow.verdict).toEqual({ outcome: 'NOT RUN' });
});

test('a fault that no test notices survives, one whose tests do not run is not judged', async () => {
  expect((await judged(() => PASSED)).verdict).toEqual({ outcome: 'SURVIVED' });
  expect((await judged(() => ({ passed: false, seconds: 1, problem: 'p' }))).verdict).toEqual({ outcome: 'NOT RUN' });
});
