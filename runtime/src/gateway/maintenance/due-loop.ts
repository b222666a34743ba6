import type { Pool } from '../../postgres/pool.js';
import type { Clock } from '../../protocol/clock.js';
import { doubling, jittered } from '../../time/retry.js';
import { openWaker, pollLoop, waited } from '../../time/wait.js';
import { EVENTS_CHANNEL } from '../events/log/append.js';
import type { Loop } from './loop.js';

/** When due work runs, in milliseconds. */
export interface DueRule {
  /** Shortest pause between two passes, also while other work is done. */
  readonly minMs: number;
  /** Longest pause, after which work is found that no wake reported, such as that of a gateway that ended. */
  readonly idleMs: number;
  /** Pause after the first failure; doubled with every further one up to `maxBackoffMs`. */
  readonly firstBackoffMs: number;
  readonly maxBackoffMs: number;
}

/** The rule of passes over records that become due. */
export const DUE_RULE: DueRule = { minMs: 1000, idleMs: 10_000, firstBackoffMs: 1000, maxBackoffMs: 30_000 };

/** Longest pauses move by at most this share, so that processes started together drift apart. */
const JITTER = 0.2;

/** Work whose next time the storage knows. */
export interface DueWork {
  /** When the earliest item is due, in milliseconds since the epoch; null when there is none. */
  next(): Promise<number | null>;
  /** Does what is due, at most one batch. */
  pass(): Promise<unknown>;
}

/** How long to pause before the next check of work that is due at `at`. Pure. */
export function duePauseMs(at: number | null, nowMs: number, { minMs, idleMs }: DueRule): number {
  const idle = jittered(idleMs, JITTER);
  return at === null ? idle : Math.max(minMs, Math.min(at - nowMs, idle));
}

/**
 * Runs a pass whenever something is due: at the time that the storage names, and after this process has stored an event, since whatever becomes
 * due is stored with one; in any case it checks every few seconds. `failed` is called with each failure and how many there were in a row.
 */
export function startDueLoop(
  { pool, clock, work }: { readonly pool: Pool; readonly clock: Clock; readonly work: DueWork },
  rule: DueRule,
  failed: (error: unknown, inARow: number) => void,
): Loop {
  const waker = openWaker();
  const unobserve = pool.observe(EVENTS_CHANNEL, waker.wake);
  const stopping = new AbortController();
  const { signal } = stopping;
  const backoffMs = doubling(rule.firstBackoffMs, rule.maxBackoffMs);
  let inARow = 0;
  let pauseMs = rule.minMs;

  const passed = async (): Promise<void> => {
    waker.forget();
    const at = await work.next();
    if (at === null || at > clock()) {
      pauseMs = duePauseMs(at, clock(), rule);
    } else {
      await work.pass();
      pauseMs = rule.minMs;
    }
    inARow = 0;
  };
  const ended = pollLoop(passed, {
    signal,
    everyMs: () => (inARow > 0 ? jittered(backoffMs(inARow - 1), JITTER) : pauseMs),
    // What is stored meanwhile ends the pause, but for its first part and the one after a failure.
    pause: async (ms) => {
      const begun = performance.now();
      const woken = inARow === 0 && (await waker.pause(ms, signal));
      if (inARow > 0) await waited(ms, signal);
      else if (woken) await waited(Math.max(0, rule.minMs - (performance.now() - begun)), signal);
    },
    failed: (error) => {
      if (signal.aborted) return;
      inARow += 1;
      failed(error, inARow);
    },
  });
  return {
    stop: async () => {
      stopping.abort();
      unobserve();
      await ended;
    },
  };
}
