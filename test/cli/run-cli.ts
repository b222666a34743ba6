import { spawn } from 'node:child_process';
import { CLI } from '../support/dev.ts';

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

/** Runs `aip` with arguments and waits for its end; never on a terminal. */
export function runCli(
  args: readonly string[],
  options: { env?: Record<string, string>; input?: string } = {},
): Promise<CliRun> {
  const child = spawn(process.execPath, [CLI, ...args], {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { ...process.env, NO_COLOR: '1', ...options.env },
  });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk: Buffer) => {
    stdout += chunk;
  });
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk;
  });
  child.stdin.end(options.input ?? '');
  return new Promise((done) => {
    child.once('close', (code) =>
      done({
        code,
        stdout,
        stderr,
        json: () => JSON.parse(stdout) as Record<string, unknown>,
        lines: () =>
          stdout
            .split('\n')
            .filter((line) => line !== '')
            .map((line) => JSON.parse(line) as Record<string, unknown>),
      }),
    );
  });
}
