import { spawn } from 'node:child_process';

/** A command ended with something else than 0. `output` holds the last of what it printed. */
export class CommandFailed extends Error {
  readonly output: string;

  constructor(command: string, code: number | string, output: string) {
    super(`${command} ended with ${code}: ${output.trim().slice(-2000)}`);
    this.name = 'CommandFailed';
    this.output = output;
  }
}

/** The program of a command is not on this machine. */
export class CommandMissing extends Error {
  constructor(program: string) {
    super(`${program} is not installed`);
    this.name = 'CommandMissing';
  }
}

export interface CommandOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Given to standard input. */
  readonly input?: string | Buffer;
  /** Ends the command with SIGKILL; the call then fails with CommandFailed. */
  readonly signal?: AbortSignal;
}

/**
 * Runs a command to its end and returns its standard output.
 * Throws CommandMissing when there is no such program, CommandFailed when it does not end with 0.
 */
export function run(program: string, args: readonly string[], options: CommandOptions = {}): Promise<string> {
  return new Promise((done, fail) => {
    const child = spawn(program, args, {
      stdio: ['pipe', 'pipe', 'pipe'],
      env: { ...process.env, ...options.env },
      killSignal: 'SIGKILL',
      ...(options.cwd ? { cwd: options.cwd } : {}),
      ...(options.signal ? { signal: options.signal } : {}),
    });
    const out: Buffer[] = [];
    const all: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => {
      out.push(chunk);
      all.push(chunk);
    });
    child.stderr.on('data', (chunk: Buffer) => all.push(chunk));
    // A command may end before it has read its input; its exit code says what happened.
    child.stdin.on('error', () => undefined);
    child.once('error', (error: NodeJS.ErrnoException) =>
      fail(error.code === 'ENOENT' ? new CommandMissing(program) : error),
    );
    child.once('close', (code, signal) => {
      if (code === 0) done(Buffer.concat(out).toString('utf8'));
      else
        fail(
          new CommandFailed([program, ...args].join(' '), code ?? signal ?? 'nothing', Buffer.concat(all).toString()),
        );
    });
    child.stdin.end(options.input);
  });
}
