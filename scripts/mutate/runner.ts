import { resolve } from 'node:path';
import type { Reporter, TestCase, TestModule } from 'vitest/node';
import { createVitest } from 'vitest/node';
import type { FileRun, RunRequest } from './test-runner.ts';

/**
 * Runs the test files that its parent names, one after the other up to the first failure of each, in the folder that it is started in. One
 * Vitest with its PostgreSQL server and its transformed modules serves all of them. Ends in order when the parent disconnects.
 */
const ended: TestModule[] = [];
const reporter: Reporter = { onTestModuleEnd: (module) => void ended.push(module) };
const vitest = await createVitest('test', { watch: false, bail: 1, maxWorkers: 1, reporters: [reporter] });
await vitest.standalone();

process.on('message', ({ file, changed }: RunRequest) => {
  run(file, changed).then(
    (result) => process.send?.(result),
    (error: unknown) => process.send?.({ passed: false, seconds: 0, problem: String(error) } satisfies FileRun),
  );
});
process.once('disconnect', async () => {
  await vitest.cancelCurrentRun('keyboard-input');
  await vitest.close();
  process.exit(0);
});

/** `changed` is read again both in this run and in the next one, before which the parent restores it. */
async function run(file: string, changed: readonly string[]): Promise<FileRun> {
  const forget = (): void => {
    for (const path of changed) vitest.invalidateFile(resolve(path));
  };
  forget();
  try {
    return await runFile(file);
  } finally {
    forget();
  }
}

async function runFile(file: string): Promise<FileRun> {
  ended.length = 0;
  const startedAt = performance.now();
  const specification = vitest.getRootProject().createSpecification(resolve(file));
  const { unhandledErrors } = await vitest.runTestSpecifications([specification]);
  const seconds = (performance.now() - startedAt) / 1000;
  // Only modules that ended in this run: the state of Vitest keeps the results of earlier ones.
  const [module] = ended;
  if (module === undefined) return { passed: false, seconds, problem: firstLine(unhandledErrors[0]) };
  const failure = failureOf(module);
  if (failure !== undefined) return { passed: false, seconds, failure };
  if (unhandledErrors.length > 0) return { passed: false, seconds, problem: firstLine(unhandledErrors[0]) };
  return { passed: module.state() === 'passed', seconds };
}

/** The first test that failed, or what kept the file from running, with its message. */
function failureOf(module: TestModule): string | undefined {
  const [failed]: (TestCase | undefined)[] = [...module.children.allTests('failed')];
  if (failed !== undefined) return `${failed.fullName}: ${firstLine(failed.result().errors?.[0])}`;
  return module.state() === 'failed' ? firstLine(module.errors()[0]) : undefined;
}

function firstLine(error: unknown): string {
  const { message } = (error ?? {}) as { message?: unknown };
  return String(message ?? error ?? 'no message').split('\n', 1)[0] ?? '';
}
