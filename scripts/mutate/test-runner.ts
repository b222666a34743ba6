import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { killProcessesIn } from './processes.ts';

/** A test file, and the files of the tree that changed since the last request. */
export interface RunRequest {
  readonly file: string;
  readonly changed: readonly string[];
  /** Full names of the tests to run; without them all of the file. */
  readonly tests?: readonly string[];
  /** How long a test or a hook may take; without it as long as the configuration says. */
  readonly testMs?: number;
}

export interface FileRun {
  readonly passed: boolean;
  readonly seconds: number;
  /** How long the slowest test or hook of a run that passed took at most. */
  readonly longestMs?: number;
  /** The test that failed and the first line of its message. */
  readonly failure?: string;
  /** The full name of that test; missing when the file failed outside its tests. */
  readonly test?: string;
  /** Why the run came to no test. */
  readonly problem?: string;
}

export interface TestRunner {
  /** Runs one test file up to its first failure. A run beyond `limitMs` is ended and came to no result. */
  run(request: RunRequest, limitMs: number): Promise<FileRun>;
  /** Ends the process and what its tests started. */
  close(): Promise<void>;
}

/** How long a runner that lost its parent may take to end before it is killed, longer than it gives itself. */
const CLOSE_MS = 60_000;

/** The Vitest configuration that a test file runs under. */
function configurationOf(file: string): string {
  return file.startsWith('test/system/kube/') ? 'vitest.kube.config.ts' : 'vitest.config.ts';
}

/**
 * Runs test files of a copy of the tree, one at a time, in a process that it starts when it needs one, and again when a file has
 * another configuration than the last.
 */
export function openTestRunner(copy: string): TestRunner {
  let child: ChildProcess | undefined;
  let configuration: string | undefined;
  let closed = Promise.resolve();

  /** Callers of a runner that is being ended wait for the same end. */
  function close(): Promise<void> {
    if (child !== undefined) closed = end(child);
    child = undefined;
    return closed;
  }

  async function end(ending: ChildProcess): Promise<void> {
    if (ending.exitCode === null && ending.signalCode === null)
      await new Promise<void>((done) => {
        const limit = setTimeout(() => ending.kill('SIGKILL'), CLOSE_MS);
        ending.once('exit', () => {
          clearTimeout(limit);
          done();
        });
        if (ending.connected) ending.disconnect();
      });
    killProcessesIn(copy);
  }

  return {
    async run(request, limitMs) {
      const wanted = configurationOf(request.file);
      if (wanted !== configuration) await close();
      configuration = wanted;
      child ??= start(copy, configuration);
      const run = await answerOf(child, request, limitMs);
      // What a run leaves behind that came to no test must not reach the next one.
      if (run.problem !== undefined) await close();
      return run;
    },
    close,
  };
}

/** In a process group of its own: a Ctrl-C in the terminal reaches the parent, which ends it in order. */
function start(copy: string, configuration: string): ChildProcess {
  return spawn(process.execPath, [join(copy, 'scripts', 'mutate', 'runner.ts'), configuration], {
    cwd: copy,
    detached: true,
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
