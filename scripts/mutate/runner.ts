import { resolve } from 'node:path';
import type { Reporter, TestCase, TestModule } from 'vitest/node';
import { createVitest } from 'vitest/node';
import { killProcessesIn } from './processes.ts';
import type { FileRun, RunRequest } from './test-runner.ts';

/**
 * Runs the test files that its parent names, one after the other up to the first failure of each, in the folder that it is started in. One
 * Vitest of the configuration in its argument, with its PostgreSQL server and its transformed modules, serves all of them. Ends when the
 * parent disconnects or is gone: in order, or by killing what still runs in the folder.
 */

/** How long a running test may take to end before the processes of the folder are killed. */
const CANCEL_MS = 10_000;
/** How long Vitest may take after that to remove what its set-up made. */
const TEAR_DOWN_MS = 40_000;

const ended: TestModule[] = [];
const reporter: Reporter = { onTestModuleEnd: (module) => void ended.push(module) };
const [, , config] = process.argv as [string, string, string];
const vitest = await createVitest('test', { config, watch: false, bail: 1, maxWorkers: 1, reporters: [reporter] });
const { testTimeout: TEST_MS, hookTimeout: HOOK_MS } = vitest.config;
process.once('disconnect', end);
if (process.connected) await vitest.standalone();
else await end();

process.on('message', (request: RunRequest) => {
  run(request).then(answer, (error: unknown) => answer({ passed: false, seconds: 0, problem: String(error) }));
});

/** A parent that is gone takes no answer: sending one would end this process before it has removed what it made. */
function answer(result: FileRun): void {
  if (process.connected) process.send?.(result);
}

/** Ends this process. A test that runs may take its own limit to end: after a while it and its servers are killed. */
async function end(): Promise<void> {
  setTimeout(() => killProcessesIn(process.cwd()), CANCEL_MS);
  setTimeout(() => process.exit(1), CANCEL_MS + TEAR_DOWN_MS);
  await vitest.cancelCurrentRun('keyboard-input');
  await vitest.close();
  killProcessesIn(process.cwd());
  process.exit(0);
}

/** `changed` is read again both in this run and in the next one, before which the parent restores it. */
async function run({ changed, ...request }: RunRequest): Promise<FileRun> {
  const forget = (): void => {
    for (const path of changed) vitest.invalidateFile(resolve(path));
  };
  forget();
  try {
    return await runFile(request);
  } finally {
    forget();
  }
}

async function runFile({ file, tests, testMs }: Omit<RunRequest, 'changed'>): Promise<FileRun> {
  ended.length = 0;
  const startedAt = performance.now();
  const project = vitest.getRootProject();
  project.config.testTimeout = testMs ?? TEST_MS;
  project.config.hookTimeout = testMs ?? HOOK_MS;
  const options = tests === undefined ? {} : { testNames: [...tests] };
  const specification = project.createSpecification(resolve(file), options);
  const { unhandledErrors } = await vitest.runTestSpecifications([specification]);
  const seconds = (performance.now() - startedAt) / 1000;
  // Only modules that ended in this run: the state of Vitest keeps the results of earlier ones.
  const [module] = ended;
  if (module === undefined) return { passed: false, seconds, problem: firstLine(unhandledErrors[0]) };
  const failure = failureOf(module);
  if (failure !== undefined) return { passed: false, seconds, ...failure };
  if (unhandledErrors.length > 0) return { passed: false, seconds, problem: firstLine(unhandledErrors[0]) };
  return { passed: module.state() === 'passed', seconds, longestMs: longestOf(module, seconds * 1000) };
}

/** The first test that failed, or what kept the file from running, with its message. */
function failureOf(module: TestModule): Pick<FileRun, 'failure' | 'test'> | undefined {
  const [failed]: (TestCase | undefined)[] = [...module.children.allTests('failed')];
  if (failed !== undefined)
    return { failure: `${failed.fullName}: ${firstLine(failed.result().errors?.[0])}`, test: failed.fullName };
  return module.state() === 'failed' ? { failure: firstLine(module.errors()[0]) } : undefined;
}

/** The time of the slowest test, or of all that is not a test where that is longer: no test and no hook took more. */
function longestOf(module: TestModule, wholeMs: number): number {
  const times = [...module.children.allTests()].map((test) => test.diagnostic()?.duration ?? 0);
  return Math.max(...times, wholeMs - times.reduce((sum, time) => sum + time, 0));
}

function firstLine(error: unknown): string {
  const { message } = (error ?? {}) as { message?: unknown };
  return String(message ?? error ?? 'no message').split('\n', 1)[0] ?? '';
}
