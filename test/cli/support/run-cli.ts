import { spawn } from 'node:child_process';
import { CLI } from '../../support/dev.ts';

/** How a command ended. */
export interface CliRun {
  code: number | null;
  stdout: string;
  stderr: string;
  /** Standard output as one JSON document. */
  json: () => Record<string, unknown>;
  /** Standard output as JSON lines. */
  lines: () => Record<string, unknown>[];
}

/** A command that is under way. */
export interface RunningCli {
  /** What it has printed so far as JSON lines. */
  lines(): Record<string, unknown>[];
  /** What it has printed on standard output so far. */
  text(): string;
  /** Ends it as Ctrl-C does, and waits for its end. */
  stop(): Promise<CliRun>;
  ended: Promise<CliRun>;
}

/** Runs `aip` with arguments and waits for its end; never on a terminal. */
export function runCli(args: readonly string[], options: CliOptions = {}): Promise<CliRun> {
  return startCli(args, options).ended;
}

interface CliOptions {
  /** The file to run in place of this checkout's `aip`. */
  program?: string;
  cwd?: string;
  env?: Record<string, string>;
  input?: string;
}

/** Starts `aip` with arguments; never on a terminal. */
export function startCli(args: readonly string[], options: CliOptions = {}): RunningCli {
  const child = spawn(process.execPath, [options.program ?? CLI, ...args], {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { ...process.env, NO_COLOR: '1', ...options.env },
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
  });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    stdout += chunk;
  });
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    stderr += chunk;
  });
  child.stdin.end(options.input ?? '');
  const lines = (): Record<string, unknown>[] =>
    stdout
      .split('\n')
      .slice(0, stdout.endsWith('\n') ? undefined : -1)
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  const ended = new Promise<CliRun>((done) => {
    child.once('close', (code) =>
      done({ code, stdout, stderr, json: () => JSON.parse(stdout) as Record<string, unknown>, lines }),
    );
  });
  return {
    lines,
    text: () => stdout,
    ended,
    stop: () => {
      child.kill('SIGINT');
      return ended;
    },
  };
}
