import { MAX_TIMER_MS } from '../protocol/limits.js';

/** What ends a call: one signal, and one timer that may fire it. */
export interface Deadline {
  readonly signal: AbortSignal;
  /** Ends the call; without a reason for an AbortError. */
  abort(reason?: unknown): void;
  /** Calls `fire` in `ms` milliseconds, at most the longest of a timer; an earlier time no longer counts. */
  after(ms: number, fire: () => void): void;
  /** The call is over: neither the time, nor `abort`, nor another signal fires the signal any more. */
  clear(): void;
}

/** Opens a deadline without a time, which also ends with `signal`, for its reason. */
export function openDeadline(signal?: AbortSignal): Deadline {
  const controller = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let over = false;
  const abort = (reason?: unknown): void => {
    if (!over) controller.abort(reason);
  };
  const pass = (): void => abort(signal?.reason);
  if (signal?.aborted) pass();
  else signal?.addEventListener('abort', pass, { once: true });
  return {
    signal: controller.signal,
    abort,
    after: (ms, fire) => {
      clearTimeout(timer);
      if (!over) timer = setTimeout(fire, Math.min(ms, MAX_TIMER_MS));
    },
    clear: () => {
      over = true;
      clearTimeout(timer);
      signal?.removeEventListener('abort', pass);
    },
  };
}

const timedOut = (): unknown => new DOMException('The operation was aborted due to timeout', 'TimeoutError');

/** A deadline that ends after `ms` milliseconds, for `reason()` (default: a TimeoutError), or with `signal` before. */
export function withDeadline(signal: AbortSignal | undefined, ms: number, reason: () => unknown = timedOut): Deadline {
  const deadline = openDeadline(signal);
  deadline.after(ms, () => deadline.abort(reason()));
  return deadline;
}

/** What `work` gives; its signal aborts with a TimeoutError after `ms` milliseconds. Work that ignores the signal is awaited all the same. */
export async function timed<T>(ms: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const deadline = withDeadline(undefined, ms);
  try {
    return await work(deadline.signal);
  } finally {
    deadline.clear();
  }
}

/** A signal that aborts with either of two, for work whose end its caller does not see, such as a body that is read later; else `openDeadline`. */
export function joined(signal: AbortSignal, other: AbortSignal): AbortSignal {
  return AbortSignal.any([signal, other]);
}

/** What `work` gives, or what `late` gives or throws after `ms` milliseconds. The work is not ended by that. */
export async function within<T, L>(ms: number, work: T | Promise<T>, late: () => L): Promise<T | L> {
  const over = Promise.withResolvers<void>();
  const timer = setTimeout(over.resolve, Math.min(ms, MAX_TIMER_MS));
  try {
    return await Promise.race([work, over.promise.then(late)]);
  } finally {
    clearTimeout(timer);
  }
}
