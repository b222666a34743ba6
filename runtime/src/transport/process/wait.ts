import { setTimeout as pause } from 'node:timers/promises';
import { MAX_TIMER_MS } from '../../protocol/limits.js';

/** Waits `ms` milliseconds, or until the signal aborts; true when the time passed. Never rejects. */
export async function waited(ms: number, signal: AbortSignal): Promise<boolean> {
  try {
    await pause(ms, undefined, { signal });
    return true;
  } catch {
    return false;
  }
}

/** A signal that ends with another one or after a time. */
export interface Deadline {
  readonly signal: AbortSignal;
  /** Stops the time and the listening; the signal is not aborted any more. */
  clear(): void;
}

/** Aborts with `signal` for its reason, and after `ms` milliseconds, at most the longest of a timer, for `reason()`. */
export function withDeadline(signal: AbortSignal, ms: number, reason: () => unknown): Deadline {
  const controller = new AbortController();
  const pass = (): void => controller.abort(signal.reason);
  const timer = setTimeout(() => controller.abort(reason()), Math.min(ms, MAX_TIMER_MS));
  if (signal.aborted) pass();
  else signal.addEventListener('abort', pass, { once: true });
  return {
    signal: controller.signal,
    clear: () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', pass);
    },
  };
}

/** How work is repeated. */
export interface PollRule {
  /** Ends the loop, and the pause it may be in. */
  readonly signal: AbortSignal;
  /** Milliseconds until the next time; asked before each pause. */
  everyMs(): number;
  /** Whether the first time comes after a pause; default: it comes immediately. */
  readonly pauseFirst?: boolean;
  /** Called with each failure; without it the work must not reject. */
  failed?(error: unknown): void;
}

/** Repeats `work`, one at a time, until the signal aborts. Never rejects when `failed` is given. */
export async function pollLoop(work: () => Promise<unknown>, rule: PollRule): Promise<void> {
  const { signal } = rule;
  if (rule.pauseFirst && !(await waited(rule.everyMs(), signal))) return;
  while (!signal.aborted) {
    try {
      await work();
    } catch (error) {
      if (!rule.failed) throw error;
      rule.failed(error);
    }
    if (!(await waited(rule.everyMs(), signal))) return;
  }
}
