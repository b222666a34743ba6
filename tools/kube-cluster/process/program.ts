import { spawn } from 'node:child_process';
import { openSync } from 'node:fs';
import { mkdir, open } from 'node:fs/promises';
import { join } from 'node:path';

/** A program of the cluster: what to run, and where its output goes. */
export interface Program {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Its output is appended to `<logFolder>/<name>.log`. */
  readonly logFolder: string;
  /** true: it continues when this process ends. false: the kernel kills it then, however this process ended. */
  readonly outlives: boolean;
}

/** A program that was started. */
export interface Running {
  readonly name: string;
  readonly pid: number;
  readonly logFile: string;
  /** Resolves with its exit code or the signal that killed it. */
  readonly ended: Promise<number | string>;
  /** Has it ended? */
  over(): boolean;
  /** Sends a signal; nothing happens when it has ended. */
  signal(signal: NodeJS.Signals): void;
}

/** A program ended, or never got ready. The message has the end of its log. */
export class ProgramFailed extends Error {
  constructor(name: string, what: string, logTail: string) {
    super(`${name} ${what}; the end of its log:\n${logTail}`);
    this.name = 'ProgramFailed';
  }
}

/** Starts a program; it need not be ready yet. */
export async function startProgram(program: Program): Promise<Running> {
  await mkdir(program.logFolder, { recursive: true });
  const logFile = join(program.logFolder, `${program.name}.log`);
  const log = openSync(logFile, 'a', 0o600);
  const tied = program.outlives ? [] : ['setpriv', '--pdeathsig', 'KILL', '--'];
  const [command, ...args] = [...tied, program.command, ...program.args] as [string, ...string[]];
  const child = spawn(command, args, {
    stdio: ['ignore', log, log],
    detached: true,
    env: { ...process.env, ...program.env },
  });
  await new Promise<void>((done, fail) => {
    child.once('spawn', done);
    child.once('error', (error) => fail(new ProgramFailed(program.name, `can't be started (${error.message})`, '')));
  });
  if (program.outlives) child.unref();
  let over = false;
  const ended = new Promise<number | string>((done) =>
    child.once('exit', (code, signal) => {
      over = true;
      done(code ?? signal ?? 'nothing');
    }),
  );
  return {
    name: program.name,
    pid: child.pid as number,
    logFile,
    ended,
    over: () => over,
    signal: (signal) => {
      if (!over) child.kill(signal);
    },
  };
}

/** The last 4,000 bytes of a log. */
export async function logTail(file: string): Promise<string> {
  const handle = await open(file);
  try {
    const { size } = await handle.stat();
    const length = Math.min(size, 4000);
    const { buffer } = await handle.read(Buffer.alloc(length), 0, length, size - length);
    return buffer.toString('utf8');
  } finally {
    await handle.close();
  }
}
