import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';

/** A test file, and the files of the tree that changed since the last request. */
export interface RunRequest {
  readonly file: string;
  readonly changed: readonly string[];
}

export interface FileRun {
  readonly passed: boolean;
  readonly seconds: number;
  /** The test that failed and the first line of its message. */
  readonly failure?: string;
  /** Why the run came to no test. */
  readonly problem?: string;
}

export interface TestRunner {
  /** Runs one test file up to its first failure. A run beyond `limitMs` is ended and came to no result. */
  run(request: RunRequest, limitMs: number): Promise<FileRun>;
  close(): Promise<void>;
}

/** How long a runner that lost its parent may take to stop its database before it is killed. */
const CLOSE_MS = 60_000;

/** Runs test files of a copy of the tree, one at a time, in a process that it starts when it needs one. */
export function openTestRunner(copy: string): TestRunner {
  let child: ChildProcess | undefined;

  async function close(): Promise<void> {
    const closing = child;
    child = undefined;
    if (closing === undefined || closing.exitCode !== null || closing.signalCode !== null) return;
    await new Promise<void>((done) => {
      const limit = setTimeout(() => closing.kill('SIGKILL'), CLOSE_MS);
      closing.once('exit', () => {
        clearTimeout(limit);
        done();
      });
      if (closing.connected) closing.disconnect();
    });
  }

  return {
    async run(request, limitMs) {
      child ??= start(copy);
      const run = await answerOf(child, request, limitMs);
      // What a run leaves behind that came to no test must not reach the next one.
      if (run.problem !== undefined) await close();
      return run;
    },
    close,
  };
}

function start(copy: string): ChildProcess {
  return spawn(process.execPath, [join(copy, 'scripts', 'mutate', 'runner.ts')], {
    cwd: copy,
    env: { ...process.env, NODE_ENV: 'test', TEST: 'true', VITEST: 'true' },
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
}

function answerOf(child: ChildProcess, request: RunRequest, limitMs: number): Promise<FileRun> {
  return new Promise((done) => {
    const end = (run: FileRun): void => {
      clearTimeout(limit);
      child.off('message', end).off('exit', exited);
      done(run);
    };
    const exited = (): void => end({ passed: false, seconds: 0, problem: 'the runner exited' });
    const limit = setTimeout(
      () => end({ passed: false, seconds: limitMs / 1000, problem: `no result within ${limitMs / 1000} s` }),
      limitMs,
    );
    child.on('message', end).once('exit', exited);
    child.send(request);
  });
}
