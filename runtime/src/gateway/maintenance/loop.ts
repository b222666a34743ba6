import { doubling, jittered } from '../../time/retry.js';
import { pollLoop } from '../../time/wait.js';

/** A run moves by at most this share of its interval, so that processes started together drift apart. */
const JITTER = 0.2;

/** Work that is repeated until it is stopped. */
export interface Loop {
  /** Ends the pause, waits for a run under way, and starts none any more. */
  stop(): Promise<void>;
}

/** When the work runs, in milliseconds. */
export interface LoopRule {
  /** Pause after a success. */
  intervalMs: number;
  /** Pause after the first failure; doubled with every further one up to `maxBackoffMs`. */
  firstBackoffMs: number;
  maxBackoffMs: number;
}

/** The pause after so many failures in a row, 0 after a success; moved at random within its jitter. */
export function pauseMs({ intervalMs, firstBackoffMs, maxBackoffMs }: LoopRule, failures: number): number {
  return jittered(failures === 0 ? intervalMs : doubling(firstBackoffMs, maxBackoffMs)(failures - 1), JITTER);
}

/** Runs `work` immediately and then repeatedly. `failed` is called with each failure and how many there were in a row. */
export function startLoop(
  work: (signal: AbortSignal) => Promise<void>,
  rule: LoopRule,
  failed: (error: unknown, inARow: number) => void,
): Loop {
  const stopping = new AbortController();
  const { signal } = stopping;
  let inARow = 0;
  const succeeded = async (): Promise<void> => {
    await work(signal);
    inARow = 0;
  };
  const ended = pollLoop(succeeded, {
    signal,
    everyMs: () => pauseMs(rule, inARow),
    failed: (error) => {
      if (signal.aborted) return;
      inARow += 1;
      failed(error, inARow);
    },
  });
  return {
    stop: () => {
      stopping.abort();
      return ended;
    },
  };
}
