import type { Pool } from '../../postgres/pool.js';
import type { Clock } from '../../protocol/clock.js';
import { openPauses } from '../../transport/process/pauses.js';
import { doubling, jittered } from '../../transport/process/retry.js';
import { EVENTS_CHANNEL } from '../events/log/append.js';
import type { Loop } from './loop.js';

/** When due work runs, in milliseconds. */
export interface DueRule {
  /** Shortest pause between two passes, also while other work is done. */
  readonly minMs: number;
  /** Longest pause: what no wake reported, as the work of a gateway that ended, is found so late. */
  readonly idleMs: number;
  /** Pause after the first failure; doubled with every further one up to `maxBackoffMs`. */
  readonly firstBackoffMs: number;
  readonly maxBackoffMs: number;
}

/** The rule of passes over records that become due. */
export const DUE_RULE: DueRule = { minMs: 1000, idleMs: 5000, firstBackoffMs: 1000, maxBackoffMs: 30_000 };

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
  const pauses = openPauses();
  const unobserve = pool.observe(EVENTS_CHANNEL, pauses.wake);
  let stopped = false;

  const passed = async (): Promise<number> => {
    const at = await work.next();
    if (at === null || at > clock()) return duePauseMs(at, clock(), rule);
    await work.pass();
    return rule.minMs;
  };
  const run = async (): Promise<void> => {
    let inARow = 0;
    while (!stopped) {
      let pauseMs: number;
      pauses.beginning();
      try {
        pauseMs = await passed();
        inARow = 0;
      } catch (error) {
        if (stopped) return;
        inARow += 1;
        failed(error, inARow);
        pauseMs = jittered(doubling(rule.firstBackoffMs, rule.maxBackoffMs)(inARow - 1), JITTER);
      }
      if (!stopped) await pauses.pause(inARow > 0 ? pauseMs : rule.minMs, false);
      if (!stopped && inARow === 0) await pauses.pause(pauseMs - rule.minMs, true);
    }
  };
  const ended = run();
  return {
    stop: async () => {
      stopped = true;
      unobserve();
      pauses.interrupt();
      await ended;
    },
  };
}
