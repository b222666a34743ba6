import { MAX_TIMER_MS } from '../protocol/limits.js';

/** Waits `ms` milliseconds, at most the longest of a timer, or until the signal aborts; true when the time passed. Never rejects. */
export async function waited(ms: number, signal?: AbortSignal): Promise<boolean> {
  if (signal?.aborted) return false;
  return new Promise((done) => {
    const finish = (passed: boolean): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
      done(passed);
    };
    const abort = (): void => finish(false);
    const timer = setTimeout(finish, Math.min(ms, MAX_TIMER_MS), true);
    signal?.addEventListener('abort', abort, { once: true });
  });
}

/** How a condition is waited for. Times in milliseconds. */
export interface WaitRule extends Pick<PollRule, 'signal' | 'longestMs' | 'pauseFirst'> {
  /** Between two checks. */
  readonly everyMs: number;
}

/** Checks again and again until `holds`, once at least; false when the longest time passed or the signal aborted first. Throws what a check throws. */
export async function waitUntil(holds: () => boolean | Promise<boolean>, rule: WaitRule): Promise<boolean> {
  const check = async (): Promise<true | undefined> => ((await holds()) ? true : undefined);
  return (await pollUntil(check, { ...rule, everyMs: () => rule.everyMs })) === true;
}

/** Pauses of a poll loop that others may end early. */
export interface Waker {
  /** Ends the pause under way; while the work runs, the one after it. */
  wake(): void;
  /** Forgets what woke it since the last pause. */
  forget(): void;
  /** Whether it was woken since the last pause. */
  woken(): boolean;
  /** Waits `ms` milliseconds, until woken, or until the signal aborts; not at all when woken since the last pause. True when woken. */
  pause(ms: number, signal: AbortSignal): Promise<boolean>;
}

/** Opens pauses that `wake` ends; with `ref` false they do not keep the process alive. */
export function openWaker({ ref = true } = {}): Waker {
  let woken = false;
  let finish: (() => void) | undefined;
  return {
    wake: () => {
      woken = true;
      finish?.();
    },
    forget: () => {
      woken = false;
    },
    woken: () => woken,
    pause: async (ms, signal) => {
      if (!woken && !signal.aborted)
        await new Promise<void>((done) => {
          const end = (): void => {
            clearTimeout(timer);
            signal.removeEventListener('abort', end);
            finish = undefined;
            done();
          };
          const timer = setTimeout(end, Math.min(ms, MAX_TIMER_MS));
          if (!ref) timer.unref();
          signal.addEventListener('abort', end);
          finish = end;
        });
      const ended = woken;
      woken = false;
      return ended;
    },
  };
}

/** How work is repeated. */
export interface PollRule {
  /** Ends the loop, and the pause it may be in; default: nothing does. */
  readonly signal?: AbortSignal;
  /** Milliseconds after which the work is not repeated any more; default: no end. */
  readonly longestMs?: number;
  /** Milliseconds until the next time; asked before each pause. */
  everyMs(): number;
  /** Whether the first time comes after a pause; default: it comes immediately. */
  readonly pauseFirst?: boolean;
  /** Waits between two times, at most until the signal aborts; default: `waited`. */
  pause?(ms: number, signal: AbortSignal): Promise<unknown>;
  /** Called with each failure; without it the work must not reject. */
  failed?(error: unknown): void;
}

/** Repeats `work`, one at a time, until the rule ends it. Never rejects when `failed` is given. */
export async function pollLoop(work: () => Promise<unknown>, rule: PollRule): Promise<void> {
  await pollUntil(async () => {
    await work();
    return undefined;
  }, rule);
}

/** Repeats `work`, one at a time, until it gives something, which is returned; undefined when the rule ends it first. */
export async function pollUntil<T>(work: () => Promise<T | undefined>, rule: PollRule): Promise<T | undefined> {
  const { signal = new AbortController().signal, pause = waited } = rule;
  const lastAt = performance.now() + (rule.longestMs ?? Infinity);
  if (rule.pauseFirst && !signal.aborted) await pause(rule.everyMs(), signal);
  while (!signal.aborted) {
    try {
      const found = await work();
      if (found !== undefined) return found;
    } catch (error) {
      if (!rule.failed) throw error;
      rule.failed(error);
    }
    if (signal.aborted || performance.now() >= lastAt) return undefined;
    await pause(rule.everyMs(), signal);
  }
  return undefined;
}
