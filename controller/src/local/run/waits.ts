import { openDeadline, withDeadline } from '@aip/runtime/internal/time';

/** Waits for states that hold after a reconcile. */
export interface Waits {
  /** Checks all waits; called after every reconcile. */
  ended(): void;
  /** Resolves true once `state` holds, and false after `timeoutMs`, or when the fleet ends. */
  until(state: () => boolean, timeoutMs?: number): Promise<boolean>;
}

/** Opens the waits of a fleet that ends with `signal`. */
export function openWaits(signal: AbortSignal): Waits {
  const checks = new Set<() => void>();
  return {
    ended: () => {
      for (const check of [...checks]) check();
    },
    until: (state, timeoutMs) =>
      new Promise((done) => {
        const finish = (result: boolean): void => {
          limit.clear();
          checks.delete(check);
          done(result);
        };
        const check = (): void => {
          if (state()) finish(true);
        };
        const limit = timeoutMs === undefined ? openDeadline(signal) : withDeadline(signal, timeoutMs);
        limit.signal.addEventListener('abort', () => finish(false), { once: true });
        checks.add(check);
        check();
        if (limit.signal.aborted) finish(false);
      }),
  };
}
