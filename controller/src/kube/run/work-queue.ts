import { after, doubling } from '@aip/runtime/internal/time';
import { createTokenBucket } from './token-bucket.js';

/** How failed keys come back. */
export interface QueueRule {
  /** Pause after a key's first failure, doubled with every further one up to `maxMs`. */
  firstMs: number;
  maxMs: number;
  /** Failed keys of the whole queue that come back in a second, and how many may at once. */
  perSecond: number;
  burst: number;
}

/** The rule of client-go. */
export const QUEUE_RULE: QueueRule = { firstMs: 5, maxMs: 1_000_000, perSecond: 10, burst: 100 };

/** What a queue reports about its work; for metrics. Times in ms. */
export interface QueueHooks {
  depth?(keys: number): void;
  retried?(): void;
  started?(waitedMs: number): void;
  ended?(tookMs: number, failed: boolean): void;
}

/** Does the work of one key; what it throws brings the key back later, `requeueAfterMs` after a time of its own, in the place of any earlier one. */
export type QueueHandler = (
  key: string,
  signal: AbortSignal,
) => Promise<{ requeueAfterMs?: number | undefined } | undefined>;

/** Keys that wait for work, each at most once, and never two workers on one key. */
export interface WorkQueue {
  /** Queues the key, unless it is queued. While it is being worked on, it is worked on once more afterwards. */
  add(key: string): void;
  /** Keys that are queued now, without those that wait for a time. */
  depth(): number;
  /**
   * Works on keys until the signal aborts, then waits for the handlers that run and drops what is left. Once in a queue's life. A handler that
   * ends well makes its key's failures forgotten; `failed` is called for the others, whose keys come back after their back-off, or later when
   * the whole queue fails too often.
   */
  run(options: {
    workers: number;
    handler: QueueHandler;
    signal: AbortSignal;
    failed: (key: string, error: unknown, failures: number, retryMs: number) => void;
  }): Promise<void>;
}

/** An empty queue. */
export function createWorkQueue(options: { rule?: Partial<QueueRule>; hooks?: QueueHooks } = {}): WorkQueue {
  const rule = { ...QUEUE_RULE, ...options.rule };
  const { hooks } = options;
  const backoff = doubling(rule.firstMs, rule.maxMs);
  const bucket = createTokenBucket(rule);
  const ready = readyKeys(hooks);
  const delayed = delayedKeys(ready.add);
  const failures = new Map<string, number>();

  /** Counts a failure of the key and queues it after its pause. */
  const retry = (key: string): { count: number; retryMs: number } => {
    const count = (failures.get(key) ?? 0) + 1;
    failures.set(key, count);
    hooks?.retried?.();
    const retryMs = Math.max(backoff(count - 1), bucket.reserve());
    delayed.add(key, retryMs);
    return { count, retryMs };
  };
  return {
    add: ready.add,
    depth: ready.depth,
    run: async ({ workers, handler, signal, failed }) => {
      const handle = async (key: string): Promise<void> => {
        // What was due later is done now; the outcome says what is due next.
        delayed.drop(key);
        const startedAt = performance.now();
        let error: { reason: unknown } | undefined;
        try {
          const outcome = await handler(key, signal);
          failures.delete(key);
          if (outcome?.requeueAfterMs !== undefined) delayed.add(key, outcome.requeueAfterMs);
        } catch (reason) {
          error = { reason };
        }
        ready.worked(key);
        hooks?.ended?.(performance.now() - startedAt, error !== undefined);
        // A handler that was asked to end has not failed.
        if (error && !signal.aborted) {
          const { count, retryMs } = retry(key);
          failed(key, error.reason, count, retryMs);
        }
        ready.addAgain(key);
      };
      const work = async (): Promise<void> => {
        while (!signal.aborted) {
          const key = ready.take();
          if (key === undefined) await ready.next();
          else await handle(key);
        }
      };
      const stop = (): void => {
        delayed.stop();
        ready.stop();
      };
      signal.addEventListener('abort', stop, { once: true });
      if (signal.aborted) stop();
      await Promise.all(Array.from({ length: workers }, work));
    },
  };
}

/** Keys that may be worked on now, in order, and those that are. */
interface ReadyKeys {
  add(key: string): void;
  depth(): number;
  /** The next key, which is being worked on from here on; undefined when none is queued. */
  take(): string | undefined;
  /** The work on a key has ended. */
  worked(key: string): void;
  /** Queues a key that came while it was being worked on. */
  addAgain(key: string): void;
  /** Resolves when a key comes, or the queue stops. */
  next(): Promise<void>;
  /** Drops all keys and takes no more. */
  stop(): void;
}

function readyKeys(hooks: QueueHooks | undefined): ReadyKeys {
  /** Queued keys in order, with when they came. */
  const queued = new Map<string, number>();
  const working = new Set<string>();
  /** Keys that came while they were being worked on. */
  const again = new Set<string>();
  let idle: (() => void)[] = [];
  let stopped = false;

  const add = (key: string): void => {
    if (stopped || queued.has(key)) return;
    if (working.has(key)) {
      again.add(key);
      return;
    }
    queued.set(key, performance.now());
    hooks?.depth?.(queued.size);
    idle.pop()?.();
  };
  return {
    add,
    depth: () => queued.size,
    take: () => {
      const next = queued.entries().next().value;
      if (!next) return undefined;
      const [key, since] = next;
      queued.delete(key);
      working.add(key);
      hooks?.depth?.(queued.size);
      hooks?.started?.(performance.now() - since);
      return key;
    },
    worked: (key) => {
      working.delete(key);
    },
    addAgain: (key) => {
      if (again.delete(key)) add(key);
    },
    next: () => new Promise((wake) => idle.push(wake)),
    stop: () => {
      stopped = true;
      queued.clear();
      hooks?.depth?.(0);
      const sleeping = idle;
      idle = [];
      for (const wake of sleeping) wake();
    },
  };
}

/** Keys that wait for a time. */
interface DelayedKeys {
  /** Takes a key that waits for no other time. */
  add(key: string, ms: number): void;
  drop(key: string): void;
  /** Drops all keys and takes no more. */
  stop(): void;
}

function delayedKeys(due: (key: string) => void): DelayedKeys {
  const waiting = new Map<string, () => void>();
  let stopped = false;
  const drop = (key: string): void => {
    waiting.get(key)?.();
    waiting.delete(key);
  };
  return {
    add: (key, ms) => {
      if (stopped) return;
      if (ms <= 0) {
        due(key);
        return;
      }
      const cancel = after(ms, () => {
        waiting.delete(key);
        due(key);
      });
      waiting.set(key, cancel);
    },
    drop,
    stop: () => {
      stopped = true;
      for (const key of [...waiting.keys()]) drop(key);
    },
  };
}
