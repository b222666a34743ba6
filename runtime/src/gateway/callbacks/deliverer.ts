import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import type { Pool } from '../../postgres/pool.js';
import type { Clock } from '../../protocol/clock.js';
import { CALLBACK_BATCH, CALLBACK_CONCURRENCY } from '../../protocol/limits.js';
import type { Principal } from '../../protocol/types.js';
import { within } from '../../time/deadline.js';
import { after, openTimer } from '../../time/timer.js';
import { openWaker, pollLoop } from '../../time/wait.js';
import { retryWhileUnavailable } from '../../transport/process/retry-while-unavailable.js';
import { countsByKey } from '../claims/counts-by-key.js';
import { openPermits, type Permits } from '../claims/permits.js';
import { EVENTS_CHANNEL } from '../events/log/append.js';
import type { CallbackSender } from './attempt.js';
import { claimDeliveries, nextDelivery } from './claim.js';
import { finishAttempt, isUsedUp, USED_UP } from './finish.js';
import type { StoredDelivery } from './record.js';

/** Pause between polls while this process stores events, the longest without any, and the one after a poll that failed, in milliseconds. */
const POLL_MS = 500;
const IDLE_POLL_MS = 10_000;
const FAILED_POLL_MS = 2000;
/** How long attempts under way may take when the gateway stops, in milliseconds. */
const STOP_MS = 3500;

/** What delivers the messages to callbacks of one gateway. Several gateways share the deliveries that are due. */
export interface Deliverer {
  /** Deliveries that may run concurrently here. */
  readonly permits: Permits;
  /** Says that a delivery was stored. */
  wake(): void;
  /** Begins no attempt any more and waits shortly for those under way; what is left is continued by another gateway. */
  stop(): Promise<void>;
}

/** What the deliverer is made of. */
export interface DelivererOptions {
  readonly pool: Pool;
  readonly clock: Clock;
  readonly log: Logger;
  readonly gateway: Principal;
  readonly sender: CallbackSender;
  /** Deliveries at once, and those that one claim takes at most (docs/protocol/limits.md). */
  readonly maxInFlight?: number | undefined;
  readonly batch?: number | undefined;
}

/** Starts delivering: what is due at the start first, then whatever becomes due. */
export function startDeliverer(options: DelivererOptions): Deliverer {
  const { pool, clock, log, gateway, sender } = options;
  const permits = openPermits(options.maxInFlight ?? CALLBACK_CONCURRENCY);
  const batch = options.batch ?? CALLBACK_BATCH;
  const leasedBy = `${gateway.id}:${randomUUID()}`;
  const running = new Set<Promise<void>>();
  const byTenant = countsByKey();
  const stopping = new AbortController();
  const pauses = deliveryPauses(clock);
  const { wake } = pauses;

  const deliver = async (delivery: StoredDelivery): Promise<void> => {
    const end = isUsedUp(delivery) ? USED_UP : await sender.attempt(delivery);
    const next = await retryWhileUnavailable(() => finishAttempt(pool, delivery, end, gateway, clock()));
    if (!next) return;
    const fields = { delivery_id: delivery.delivery_id, action_id: delivery.action_id, attempt: next.attempts.length };
    if (next.status === 'dead_lettered')
      log.warn({ ...fields, reason: next.deadLetterReason }, 'callback delivery failed');
    if (next.nextAttemptAt !== null) pauses.wakeAt(next.nextAttemptAt);
  };
  const start = (delivery: StoredDelivery, release: () => void): void => {
    const ended = byTenant.add(delivery.tenant_id ?? '');
    const work: Promise<void> = deliver(delivery)
      .catch((error) => log.warn({ err: error, delivery_id: delivery.delivery_id }, 'callback attempt not written'))
      .finally(() => {
        release();
        ended();
        running.delete(work);
        // A place became free: what waits for one is claimed now.
        if (permits.available() === 1) wake();
      });
    running.add(work);
  };
  const pauseUntil = (at: number | null): number =>
    at === null ? IDLE_POLL_MS : Math.max(POLL_MS, Math.min(at - clock(), IDLE_POLL_MS));
  /** Whether deliveries may be due, as far as is known. */
  let expected = true;
  /** Claims what is due, and returns the pause until the next poll. */
  const poll = async (): Promise<number> => {
    const limit = Math.min(batch, permits.available());
    if (limit === 0) return FAILED_POLL_MS;
    // A claim costs more than the time of the next delivery, which is all that an idle deliverer reads.
    const next = expected ? undefined : await nextDelivery(pool);
    if (next === null || (next !== undefined && next > clock())) return pauseUntil(next);
    expected = true;
    const claimed = await claimDeliveries(pool, {
      nowMs: clock(),
      leasedBy,
      leaseId: randomUUID(),
      limit,
      running: byTenant.counts,
    });
    for (const delivery of claimed) start(delivery, permits.tryAcquire() as () => void);
    if (claimed.length === limit) wake();
    if (claimed.length > 0 || pauses.stirred()) return POLL_MS;
    expected = false;
    return pauseUntil(next ?? (await nextDelivery(pool)));
  };
  const unobserve = pool.observe(EVENTS_CHANNEL, pauses.stir);
  let pauseMs: number | undefined;
  const looping = pollLoop(
    async () => {
      pauseMs = undefined;
      pauses.beginning();
      pauseMs = await poll();
    },
    {
      signal: stopping.signal,
      everyMs: () => pauseMs ?? FAILED_POLL_MS,
      pause: async (ms, signal) => {
        expected = (await pauses.pause(ms, signal, pauseMs !== undefined)) || expected;
      },
      failed: (error) => log.warn({ err: error }, 'callback deliveries not claimed'),
    },
  );

  return {
    permits,
    wake,
    stop: async () => {
      stopping.abort();
      unobserve();
      pauses.stop();
      await looping;
      await within(STOP_MS, Promise.all(running), () => undefined);
      await sender.close();
    },
  };
}

/** The pauses between polls: a stored delivery ends each, a stored event only those of an idle deliverer, and not sooner than polls follow one another. */
function deliveryPauses(clock: Clock) {
  const waker = openWaker();
  const timers = new Set<() => void>();
  /** An event was stored since the last poll, perhaps with a delivery that wakes nobody. */
  let stirred = false;
  let idling = false;
  let polledAt = Number.NEGATIVE_INFINITY;
  const stirring = openTimer(waker.wake, { ref: false });
  return {
    wake: waker.wake,
    wakeAt: (ms: number): void => {
      const wake = (): void => {
        timers.delete(cancel);
        waker.wake();
      };
      const cancel = after(Math.max(0, ms - clock()), wake, { ref: false });
      timers.add(cancel);
    },
    stir: (): void => {
      stirred = true;
      if (idling) stirring.start(Math.max(0, polledAt + POLL_MS - performance.now()));
    },
    stirred: (): boolean => stirred,
    /** A poll begins: what is stored from here on is for the next one. */
    beginning: (): void => {
      stirred = false;
      polledAt = performance.now();
      stirring.stop();
      waker.forget();
    },
    /** True when something was stored. `mayIdle` is false after a poll that failed: what is stored meanwhile waits for the next one. */
    pause: async (ms: number, signal: AbortSignal, mayIdle: boolean): Promise<boolean> => {
      idling = mayIdle && ms > POLL_MS;
      const woken = await waker.pause(idling && stirred ? POLL_MS : ms, signal);
      idling = false;
      return woken || stirred;
    },
    stop: (): void => {
      for (const cancel of timers) cancel();
      stirring.stop();
    },
  };
}
