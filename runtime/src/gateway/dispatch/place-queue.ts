import { ReplicaUnavailable } from '../../protocol/errors.js';
import { InstanceWaking } from '../../registry/scaling.js';
import { doubling, retry } from '../../time/retry.js';
import { openWaker, type Waker } from '../../time/wait.js';

/** How long a place is looked for while every replica is full or away, and the pauses between two looks, in milliseconds. */
const LOOKING_MS = 1000;
const PAUSE_MS = doubling(8, 50);

/** Actions of this process that wait for a place, in the order in which they came, by what they need: what has one key needs the same places. */
export interface PlaceQueue {
  /**
   * Looks for a place, once where nothing of the key waits, and otherwise in its turn: when one is given back here, and after pauses, since places
   * become free elsewhere too. Throws what `look` throws, ReplicaUnavailable after a second, and the reason of `signal`.
   */
  find<T>(key: string, look: () => Promise<T>, signal: AbortSignal): Promise<T>;
  isWaiting(key: string): boolean;
  /** A place was given back: what has waited longest looks for it. */
  freed(key: string): void;
}

export function openPlaceQueue(): PlaceQueue {
  const queues = new Map<string, Set<Waker>>();

  const freed = (key: string): void => {
    for (const waker of queues.get(key) ?? [])
      if (!waker.woken()) {
        waker.wake();
        return;
      }
  };
  const enter = (key: string, waker: Waker): Set<Waker> => {
    const queue = queues.get(key) ?? new Set();
    queues.set(key, queue.add(waker));
    return queue;
  };
  const leave = (key: string, queue: Set<Waker>, waker: Waker, signal: AbortSignal): void => {
    queue.delete(waker);
    if (queue.size === 0) queues.delete(key);
    // It may have been woken for a place that it does not take.
    else if (waker.woken() || signal.aborted) freed(key);
  };

  return {
    isWaiting: (key) => queues.has(key),
    freed,
    find: async (key, look, signal) => {
      signal.throwIfAborted();
      const until = performance.now() + LOOKING_MS;
      const isRetryable = (error: unknown): boolean =>
        error instanceof ReplicaUnavailable && !(error instanceof InstanceWaking) && performance.now() < until;
      if (!queues.has(key))
        try {
          return await look();
        } catch (error) {
          if (!isRetryable(error)) throw error;
        }
      const waker = openWaker();
      const queue = enter(key, waker);
      const wait = (ms: number): Promise<boolean> => waker.pause(ms, signal);
      try {
        await wait(PAUSE_MS(0));
        return await retry(look, {
          attempts: Infinity,
          delayMs: (n) => PAUSE_MS(n + 1),
          retryable: isRetryable,
          signal,
          wait,
        });
      } finally {
        leave(key, queue, waker, signal);
      }
    },
  };
}
