import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { cheapestFirst, digestOf, isKilled, type Judgement, type Outcome } from '../test/mutations/plan.ts';
import { type Mutation, mutations } from '../test/mutations/read.ts';

/**
 * `npm run mutate [-- [--resume] [--jobs N] [WORD]]` plants each fault of test/mutations (those whose description has the word) in a copy of the
 * tree, builds it and runs the tests that must notice, `--jobs` faults at a time. Keeps each outcome in test-results/mutations.json; `--resume`
 * leaves out the faults killed there whose source and tests are unchanged. Exits with 1 unless all were killed. A fault whose tests fail without
 * it proves nothing.
 */
const ROOT = resolve(import.meta.dirname, '..');
const RESULTS = join(ROOT, 'test-results');
const RECORD = join(RESULTS, 'mutations.json');
const TEST_RUN_MS = 600_000;

interface TestFile {
  readonly passed: boolean;
  readonly seconds: number;
  readonly failure?: string;
}

interface RunOfTests {
  readonly passed: boolean;
  /** By path from the root of the copy; empty where the run never came to a test. */
  readonly files: ReadonlyMap<string, TestFile>;
}

/** The members used here of the record that vitest's JSON reporter writes. */
interface VitestRecord {
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly message: string;
    readonly startTime: number;
    readonly endTime: number;
    readonly assertionResults: readonly {
      readonly fullName: string;
      readonly status: string;
      readonly failureMessages?: readonly string[];
    }[];
  }[];
}

const { values, positionals } = parseArgs({
  options: { resume: { type: 'boolean', default: false }, jobs: { type: 'string', default: '1' } },
  allowPositionals: true,
});
const jobs = Number(values.jobs);
if (!Number.isSafeInteger(jobs) || jobs < 1 || positionals.length > 1) {
  process.stderr.write('usage: npm run mutate [-- [--resume] [--jobs N] [WORD]]\n');
  process.exit(2);
}
const commit = git('rev-parse', '--short', 'HEAD') + (git('status', '--porcelain') === '' ? '' : ' with changes');
const readRoot = (path: string): string => (existsSync(join(ROOT, path)) ? readFileSync(join(ROOT, path), 'utf8') : '');
const chosen = mutations()
  .filter(({ what }) => what.includes(positionals[0] ?? ''))
  .map((fault) => ({ ...fault, digest: digestOf(fault, readRoot(fault.file), readRoot) }));
const judgements: Record<string, Judgement> = existsSync(RECORD) ? JSON.parse(readFileSync(RECORD, 'utf8')) : {};
if (!values.resume) for (const { what } of chosen) delete judgements[what];
const pending = chosen.filter(({ what, digest }) => !isKilled(what, digest, judgements));

const running = new Set<ChildProcess>();
let stopped = false;
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    stopped = true;
    for (const child of running) child.kill('SIGTERM');
  });

mkdirSync(RESULTS, { recursive: true });
const copies = pending.slice(0, jobs).map(() => mkdtempSync(join(RESULTS, 'mutate-')));
try {
  await judgePending();
} finally {
  for (const copy of copies) rmSync(copy, { recursive: true, force: true });
}
const killed = chosen.filter(({ what, digest }) => isKilled(what, digest, judgements)).length;
process.stdout.write(`\n${killed} of ${chosen.length} killed (${chosen.length - pending.length} of them earlier)\n`);
process.exitCode = killed < chosen.length || chosen.length === 0 ? 1 : 0;

async function judgePending(): Promise<void> {
  process.stdout.write(`${pending.length} of ${chosen.length} faults to plant at ${commit}\n`);
  for (const copy of copies) {
    copyTree(copy);
    if (!(await builds(copy))) throw new Error('it does not build without any fault');
  }
  const [first] = copies;
  if (first === undefined) return;
  const { files } = await runTests(first, [...new Set(pending.flatMap(({ tests }) => tests))]);
  const sound = new Set([...files].filter(([, { passed }]) => passed).map(([path]) => path));
  for (const [path, { failure, passed }] of files)
    if (!passed) process.stdout.write(`${time()} FAILS WITHOUT A FAULT ${path}: ${failure ?? 'no message'}\n`);
  const queue = cheapestFirst(pending, new Map([...files].map(([path, { seconds }]) => [path, seconds])));
  let judged = 0;
  await Promise.all(
    copies.map(async (copy) => {
      for (let fault = queue.shift(); fault !== undefined && !stopped; fault = queue.shift()) {
        const startedAt = performance.now();
        const { outcome, by } = await outcomeOf(fault, copy, sound);
        if (stopped) return;
        const seconds = Math.round((performance.now() - startedAt) / 1000);
        judgements[fault.what] = {
          outcome,
          digest: fault.digest,
          commit,
          seconds,
          ...(by === undefined ? {} : { by }),
        };
        writeFileSync(RECORD, `${JSON.stringify(judgements, null, 2)}\n`);
        judged += 1;
        const place = `${time()} ${judged}/${pending.length}`;
        process.stdout.write(`${place} ${outcome.padEnd(8)} ${seconds} s  ${fault.what} (${fault.file})\n`);
      }
    }),
  );
}

/** Plants one fault and reports what its tests made of it. One that does not build proves nothing, nor does a run that came to no test. */
async function outcomeOf(
  { file, from, to, tests }: Mutation,
  copy: string,
  sound: ReadonlySet<string>,
): Promise<{ outcome: Outcome; by?: string }> {
  const path = join(copy, file);
  const text = existsSync(path) ? readFileSync(path, 'utf8') : '';
  if (text.split(from).length !== 2) return { outcome: 'NO FIT' };
  const chosenTests = tests.filter((test) => sound.has(test));
  if (chosenTests.length === 0) return { outcome: 'NO TEST' };
  writeFileSync(
    path,
    text.replace(from, () => to),
  );
  try {
    if (!(await builds(copy))) return { outcome: 'NO BUILD' };
    const { passed, files } = await runTests(copy, chosenTests, TEST_RUN_MS);
    if (passed) return { outcome: 'SURVIVED' };
    const failure = [...files].find(([, entry]) => !entry.passed);
    if (failure === undefined) return { outcome: 'NOT RUN' };
    return { outcome: 'killed', by: `${failure[0]} > ${failure[1].failure ?? 'no message'}` };
  } finally {
    writeFileSync(path, text);
  }
}

/** A copy of what git knows or does not ignore, with what is built. */
function copyTree(copy: string): void {
  const listed = git('ls-files', '-z', '--cached', '--others', '--exclude-standard').split('\0');
  const paths = listed.filter((path) => path !== '' && existsSync(join(ROOT, path)));
  const input = [...paths, 'runtime/dist', 'controller/dist', 'cli/dist', 'cli/oclif.manifest.json'].join('\0');
  execFileSync('xargs', ['-0', 'cp', '-a', '--parents', '-t', copy], { cwd: ROOT, input });
  // Links: nothing writes to packages, and their paths within the copy lead to the copy's own workspaces.
  execFileSync('cp', ['-al', 'node_modules', copy], { cwd: ROOT });
}

function builds(copy: string): Promise<boolean> {
  return inCopy(copy, ['node_modules/typescript/bin/tsc', '-b', 'runtime', 'controller', 'cli']);
}

/** Without `limitMs` as long as it takes; the run of a fault ends at its first failure. */
async function runTests(copy: string, tests: readonly string[], limitMs?: number): Promise<RunOfTests> {
  const output = join(copy, 'test-results', 'mutation-run.json');
  rmSync(output, { force: true });
  const args = [
    'run',
    '--reporter=json',
    `--outputFile=${output}`,
    ...(limitMs === undefined ? [] : ['--bail=1']),
    ...tests,
  ];
  const passed = await inCopy(copy, ['node_modules/vitest/vitest.mjs', ...args], limitMs);
  const record: VitestRecord = existsSync(output) ? JSON.parse(readFileSync(output, 'utf8')) : { testResults: [] };
  const files = record.testResults.map((result): [string, TestFile] => {
    const failed = result.assertionResults.find(({ status }) => status === 'failed');
    const failure = failed ? `${failed.fullName}: ${failed.failureMessages?.[0] ?? ''}` : result.message;
    const seconds = (result.endTime - result.startTime) / 1000;
    const text = failure.split('\n', 1)[0] ?? '';
    return [relative(copy, result.name), { passed: result.status === 'passed', seconds, failure: text.slice(0, 300) }];
  });
  return { passed, files: new Map(files) };
}

/** Whether the program succeeded within its limit. */
function inCopy(copy: string, args: readonly string[], timeout?: number): Promise<boolean> {
  return new Promise((done) => {
    const child = spawn(process.execPath, args, { cwd: copy, stdio: 'ignore', timeout });
    running.add(child);
    child.once('exit', (code) => {
      running.delete(child);
      done(code === 0);
    });
  });
}

function git(...args: string[]): string {
  return execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).trim();
}

function time(): string {
  return new Date().toISOString().slice(11, 19);
}
