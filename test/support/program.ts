import { type ChildProcess, spawn } from 'node:child_process';
import { resolve } from 'node:path';
import { NeverComes, until } from './until.ts';

const ROOT = resolve(import.meta.dirname, '..', '..');

/** A program of the project in a process of its own. */
export interface RunningProgram {
  readonly child: ChildProcess;
  /** What it wrote on standard error so far, as parsed JSON lines. */
  lines(): Record<string, unknown>[];
  /** Kills it if it still runs and waits for its end. */
  end(): Promise<void>;
}

/** Starts `aip-runtime` or `aip-controller` with these variables and of the test's own PATH and the run's compile cache; waits for nothing. */
export function startProgram(
  program: 'runtime' | 'controller',
  args: readonly string[],
  env: Record<string, string>,
): RunningProgram {
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const child = spawn(process.execPath, [resolve(ROOT, program, 'dist', 'main.js'), ...args], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { PATH, NODE_COMPILE_CACHE, ...env },
  });
  let text = '';
  child.stderr?.setEncoding('utf8').on('data', (part: string) => {
    text += part;
  });
  const ended = new Promise<void>((done) => child.once('exit', () => done()));
  return {
    child,
    lines: () =>
      text
        .split('\n')
        .filter((line) => line.startsWith('{') && line.endsWith('}'))
        .map((line) => JSON.parse(line) as Record<string, unknown>),
    end: async () => {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
      await ended;
    },
  };
}

/** Whether a process has ended and all that it wrote on standard error is here. */
export function hasEnded({ exitCode, stderr }: ChildProcess): boolean {
  return exitCode !== null && (stderr === null || stderr.readableEnded);
}

/** Waits for a log line of a program. */
export function lineOf<T extends Record<string, unknown>>(
  program: Pick<RunningProgram, 'child' | 'lines'>,
  what: string,
  wanted: (line: Record<string, unknown>) => boolean,
): Promise<T> {
  return until(what, () => {
    if (hasEnded(program.child)) throw new NeverComes(`it ended: ${JSON.stringify(program.lines().at(-1))}`);
    return program.lines().find(wanted) as T | undefined;
  }) as Promise<T>;
}
