import { waited } from './wait.js';

/** How often and when a failed operation is tried again. */
export interface RetryRule {
  /** Attempts in all, the first included. */
  attempts: number;
  /** Milliseconds to wait before retry `n`, counted from 0. */
  delayMs(n: number): number;
  /** Whether this failure may be followed by another attempt. */
  retryable(error: unknown): boolean;
  /** Ends the waiting and prevents further attempts; its reason is thrown. */
  signal?: AbortSignal | undefined;
  /** Waits between two attempts, at most until the signal aborts; default: `waited`. */
  wait?(ms: number): Promise<unknown>;
}

/** Runs `attempt` until it succeeds, fails permanently, or the attempts are used up; then throws the last failure. */
export async function retry<T>(attempt: (n: number) => Promise<T>, rule: RetryRule): Promise<T> {
  const wait = rule.wait ?? ((ms: number) => waited(ms, rule.signal));
  for (let n = 0; ; n += 1) {
    rule.signal?.throwIfAborted();
    try {
      return await attempt(n);
    } catch (error) {
      if (n + 1 >= rule.attempts || !rule.retryable(error)) throw error;
    }
    await wait(rule.delayMs(n));
  }
}

/** `firstMs` doubled for every retry, at most `maxMs`: a `delayMs` for a RetryRule. */
export function doubling(firstMs: number, maxMs: number): (n: number) => number {
  return (n) => Math.min(maxMs, firstMs * 2 ** Math.min(n, 30));
}

/** `ms` moved at random by at most `share` of itself either way, so that processes started together drift apart. */
export function jittered(ms: number, share: number): number {
  return ms * (1 - share + 2 * share * Math.random());
}
