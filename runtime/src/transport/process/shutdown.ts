import { constants } from 'node:os';
import { within } from '../../time/deadline.js';

/** One thing to end, in its place in the order. */
export interface ShutdownStep {
  name: string;
  run(): void | Promise<void>;
  /** The step is given up after this time, in milliseconds; the next ones still run. */
  boundMs: number;
}

/** The parts of a logger that shutdown uses. */
export interface ShutdownLog {
  info(fields: object, text: string): void;
  error(fields: object, text: string): void;
}

/** The one way a process ends. */
export interface Shutdown {
  /** Aborted as soon as the end has begun. */
  readonly signal: AbortSignal;
  /** Begins the end, once; later calls get the same promise. The process exits with `code`, or 1 when that is 0 and a step failed. */
  begin(reason: string, code?: number): Promise<void>;
}

const SIGNALS = ['SIGTERM', 'SIGINT'] as const;

const endNow = (signal: NodeJS.Signals): void => process.exit(128 + constants.signals[signal]);

/**
 * Until `onShutdown` takes over, SIGTERM and SIGINT end the process at once, with 128 and the signal's number as the exit code. Process 1 of
 * a container has no such default: it would not receive them, and be killed only when its time of grace is over.
 */
export function endAtOnceOnSignals(): void {
  for (const name of SIGNALS) process.on(name, endNow);
}

/**
 * Ends the process in an orderly way on one of the signals: runs the steps in order, each within its bound, then exits with 0,
 * or 1 when a step failed or took too long. A second signal exits with 1 at once. Steps may be pushed until the end begins.
 */
export function onShutdown(options: {
  steps: readonly ShutdownStep[];
  signals?: readonly NodeJS.Signals[];
  log?: ShutdownLog | undefined;
  exit?: (code: number) => void;
}): Shutdown {
  const exit = options.exit ?? ((code) => process.exit(code));
  const controller = new AbortController();
  let ending: Promise<void> | undefined;

  const end = async (reason: string, code: number): Promise<void> => {
    options.log?.info({ reason }, 'stopping');
    controller.abort(new Error(reason));
    let failed = false;
    for (const step of options.steps) {
      const problem = await runStep(step);
      if (problem === undefined) continue;
      failed = true;
      options.log?.error({ step: step.name, problem }, 'a stop step failed');
    }
    exit(failed && code === 0 ? 1 : code);
  };
  const begin = (reason: string, code = 0): Promise<void> => {
    ending ??= end(reason, code);
    return ending;
  };
  for (const name of options.signals ?? SIGNALS) {
    process.on(name, () => {
      if (ending) exit(1);
      else void begin(name);
    });
    // Only now: while a signal has no listener, Node.js drops one that has already come.
    process.off(name, endNow);
  }
  return { signal: controller.signal, begin };
}

async function runStep(step: ShutdownStep): Promise<string | undefined> {
  try {
    const ended = Promise.resolve(step.run()).then(() => undefined);
    return await within(step.boundMs, ended, () => `it took longer than ${step.boundMs} ms`);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
