import { execFile, execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { cheapestFirst, digestOf, isKilled, type Judgement, plantedIn } from '../test/mutations/plan.ts';
import { mutations } from '../test/mutations/read.ts';
import { compileFaults } from './mutate/compile.ts';
import { type Copy, openJudge } from './mutate/judge.ts';
import { readKills, writeKills } from './mutate/kills.ts';
import { openTestRunner } from './mutate/test-runner.ts';

/**
 * `npm run mutate [-- [--resume] [--jobs N] [WORD]]` plants each fault of test/mutations (those whose description has the word) in a copy of the
 * tree and runs the tests that must notice, `--jobs` faults at a time. The compiler checks all faults first, many in one build, and what it
 * writes for each is planted as well. Keeps each outcome in test-results/mutations.json, and what noticed each fault in test/mutations/generated;
 * `--resume` leaves out the faults there whose source and tests are unchanged. Exits with 1 unless all were killed. A test that fails without a fault
 * proves nothing: what is run of a test file is run without one first.
 */
const ROOT = resolve(import.meta.dirname, '..');
const RESULTS = join(ROOT, 'test-results');
const RECORD = join(RESULTS, 'mutations.json');

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
const faults = mutations();
const whats = new Set(faults.map(({ what }) => what));
const chosen = faults
  .filter(({ what }) => what.includes(positionals[0] ?? ''))
  .map((fault) => ({ ...fault, digest: digestOf(fault, readRoot(fault.file), readRoot) }));
const judgements: Record<string, Judgement> = existsSync(RECORD) ? JSON.parse(readFileSync(RECORD, 'utf8')) : {};
const earlierSeconds = new Map(Object.entries(judgements).map(([what, { seconds }]) => [what, seconds]));
const kills = readKills(ROOT);
const pending = chosen.filter(({ what, digest }) => !values.resume || !isKilled(what, digest, kills));
let killed = chosen.length - pending.length;

mkdirSync(RESULTS, { recursive: true });
const copies = pending.slice(0, jobs).map((): Copy => {
  const path = mkdtempSync(join(RESULTS, 'mutate-'));
  return { path, runner: openTestRunner(path) };
});
const stopping = new AbortController();
const stop = (): void => {
  stopping.abort();
  for (const { runner } of copies) void runner.close();
};
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, stop);
// npm hands no signal on to what its shell runs: the end of the shell is the signal.
const { ppid } = process;
const orphaned = setInterval(() => process.ppid !== ppid && stop(), 1000).unref();
if (process.env.npm_lifecycle_event === undefined) clearInterval(orphaned);

try {
  await judgePending();
} catch (error) {
  if (!stopping.signal.aborted) throw error;
} finally {
  await Promise.all(copies.map(({ runner }) => runner.close()));
  for (const { path } of copies) rmSync(path, { recursive: true, force: true });
}
process.stdout.write(`\n${killed} of ${chosen.length} killed (${chosen.length - pending.length} of them earlier)\n`);
process.exitCode = killed < chosen.length || chosen.length === 0 ? 1 : 0;

async function judgePending(): Promise<void> {
  process.stdout.write(`${pending.length} of ${chosen.length} faults to plant at ${commit}\n`);
  for (const { path } of copies) copyTree(path);
  const [first] = copies;
  if (first === undefined) return;
  const fitting = pending.filter((fault) => plantedIn(readRoot(fault.file), fault) !== undefined);
  const compiled = await compileFaults(first.path, fitting, () => build(first.path));
  process.stdout.write(`${time()} ${compiled.size} of ${pending.length} compile\n`);
  let judged = 0;
  const judge = openJudge(readRoot, stopping.signal, (problem) =>
    process.stdout.write(`${time()} FAILS WITHOUT A FAULT ${problem}\n`),
  );
  await withEachCopy(cheapestFirst(pending, earlierSeconds), async (fault, copy) => {
    const startedAt = performance.now();
    const { what, digest } = fault;
    const { noticed, ...verdict } = await judge(fault, compiled.get(what), kills.get(what), copy);
    if (stopping.signal.aborted) return;
    const seconds = Math.round((performance.now() - startedAt) / 1000);
    const { outcome } = verdict;
    judgements[what] = { ...verdict, commit, seconds };
    writeFileSync(RECORD, `${JSON.stringify(judgements, null, 2)}\n`);
    if (noticed === undefined) kills.delete(what);
    else kills.set(what, { digest, ...noticed });
    writeKills(ROOT, kills, whats);
    killed += noticed === undefined ? 0 : 1;
    judged += 1;
    const place = `${time()} ${judged}/${pending.length}`;
    process.stdout.write(`${place} ${outcome.padEnd(8)} ${seconds} s  ${what} (${fault.file})\n`);
  });
}

/** Hands the items out to the copies, each of which works on one at a time, until none is left or the run is stopped. */
async function withEachCopy<T>(items: readonly T[], work: (item: T, copy: Copy) => Promise<void>): Promise<void> {
  const queue = [...items];
  await Promise.all(
    copies.map(async (copy) => {
      for (let item = queue.shift(); item !== undefined && !stopping.signal.aborted; item = queue.shift())
        await work(item, copy);
    }),
  );
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

/** Builds a copy; what the compiler refuses, if anything. */
function build(copy: string): Promise<string | undefined> {
  const args = ['node_modules/typescript/bin/tsc', '-b', '--pretty', 'false', 'runtime', 'controller', 'cli'];
  return new Promise((done, failed) => {
    const options = { cwd: copy, maxBuffer: Number.MAX_SAFE_INTEGER, signal: stopping.signal };
    execFile(process.execPath, args, options, (error, stdout) => {
      if (stopping.signal.aborted) failed(stopping.signal.reason);
      else done(error ? stdout : undefined);
    });
  });
}

function git(...args: string[]): string {
  return execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).trim();
}

function time(): string {
  return new Date().toISOString().slice(11, 19);
}
