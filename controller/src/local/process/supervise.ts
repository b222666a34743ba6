import { type ChildProcess, spawn } from 'node:child_process';
import type { Writable } from 'node:stream';
import { openTimer, within } from '@aip/runtime/internal/time';
import { identityOf } from '../../fleet/process-identity.js';
import type { ProcessRecord } from './orphans.js';

/** First and greatest pause before a program is started again, in ms. */
const FIRST_PAUSE_MS = 100;
const MAX_PAUSE_MS = 10_000;
/** How long the output of a program that ended is waited for, in ms. */
const WORDS_MS = 200;
/** A program that ran this long starts its pauses afresh. */
const STABLE_MS = 10_000;

/** What to run; `env` is read at each start, so a restart takes changed settings. */
export interface Program {
  name: string;
  command: string;
  args: readonly string[];
  env: () => NodeJS.ProcessEnv;
}

/** How a program ended. */
export interface Ending {
  code: number | null;
  signal: NodeJS.Signals | null;
}

/** A program that is started again whenever it ends, until it is stopped. */
export interface Supervised {
  readonly name: string;
  pid(): number | undefined;
  /** Sends `signal`, SIGKILL after `graceMs`; resolves when the process is gone. Not started again. */
  stop(signal: NodeJS.Signals, graceMs: number): Promise<void>;
  /** SIGKILL at once; not started again. */
  kill(): void;
}

/** Starts a program in a process group of its own and keeps it running. Its output goes to `output`; `onEnd` is called for ends that were not requested. */
export function supervise(
  program: Program,
  options: { output: Writable; record: ProcessRecord; onEnd?: (ending: Ending) => void; onStart?: () => void },
): Supervised {
  let child: ChildProcess | undefined;
  let stopping = false;
  let failures = 0;
  let gone: Promise<void> = Promise.resolve();

  const start = (): void => {
    const startedAt = Date.now();
    const started = spawn(program.command, program.args, {
      env: program.env(),
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    child = started;
    started.stdout?.pipe(options.output, { end: false });
    started.stderr?.pipe(options.output, { end: false });
    if (started.pid !== undefined)
      void identityOf(started.pid).then((identity) => {
        if (child === started) options.record.set(program.name, identity);
      });
    options.onStart?.();
    const closed = new Promise((done) => started.once('close', done));
    gone = new Promise((done) => {
      const ended = (code: number | null, signal: NodeJS.Signals | null): void => {
        if (child !== started) return;
        child = undefined;
        options.record.set(program.name, undefined);
        const ranMs = Date.now() - startedAt;
        failures = ranMs > STABLE_MS ? 1 : failures + 1;
        if (!stopping) again.restart(Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (failures - 1)));
        done();
        // Its last words may still be on their way.
        if (!stopping) void within(WORDS_MS, closed, () => undefined).then(() => options.onEnd?.({ code, signal }));
      };
      started.once('exit', ended);
      started.once('error', () => ended(null, null));
    });
  };
  const again = openTimer(start);
  start();

  const send = (signal: NodeJS.Signals): void => {
    if (child?.pid === undefined) return;
    try {
      process.kill(-child.pid, signal);
    } catch {
      child.kill(signal);
    }
  };
  return {
    name: program.name,
    pid: () => child?.pid,
    stop: async (signal, graceMs) => {
      stopping = true;
      again.stop();
      if (!child) return;
      child.kill(signal);
      await within(graceMs, gone, () => send('SIGKILL'));
      await gone;
    },
    kill: () => {
      stopping = true;
      again.stop();
      send('SIGKILL');
    },
  };
}
