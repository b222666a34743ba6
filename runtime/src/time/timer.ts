import { MAX_TIMER_MS } from '../protocol/limits.js';

/** How a timer runs. */
export interface TimerOptions {
  /** Whether it keeps the process alive; default: true. */
  readonly ref?: boolean;
}

/** One time at which something happens, which may be moved or dropped. */
export interface Timer {
  /** Fires in `ms` milliseconds, unless a time is set. */
  start(ms: number): void;
  /** Fires in `ms` milliseconds; an earlier time no longer counts. */
  restart(ms: number): void;
  isSet(): boolean;
  /** Drops the time. */
  stop(): void;
}

/** Opens a timer without a time. */
export function openTimer(fire: () => unknown, { ref = true }: TimerOptions = {}): Timer {
  let timer: NodeJS.Timeout | undefined;
  let lastMs: number | undefined;
  const expire = (): void => {
    timer = undefined;
    fire();
  };
  const restart = (ms: number): void => {
    if (timer && ms === lastMs) {
      timer.refresh();
      return;
    }
    clearTimeout(timer);
    lastMs = ms;
    timer = setTimeout(expire, Math.min(ms, MAX_TIMER_MS));
    if (!ref) timer.unref();
  };
  return {
    start: (ms) => {
      if (!timer) restart(ms);
    },
    restart,
    isSet: () => timer !== undefined,
    stop: () => {
      clearTimeout(timer);
      timer = undefined;
    },
  };
}

/** Calls `fire` once, in `ms` milliseconds at most the longest of a timer; the returned function prevents it. */
export function after(ms: number, fire: () => unknown, { ref = true }: TimerOptions = {}): () => void {
  const timer = setTimeout(fire, Math.min(ms, MAX_TIMER_MS));
  if (!ref) timer.unref();
  return () => clearTimeout(timer);
}

/** Calls `fire` every `ms` milliseconds, however long it takes, until the returned function is called; for work of which one at a time may run: `pollLoop`. */
export function every(ms: number, fire: () => unknown, { ref = true }: TimerOptions = {}): () => void {
  const timer = setInterval(fire, ms);
  if (!ref) timer.unref();
  return () => clearInterval(timer);
}
