import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import type { Pool } from '../../postgres/pool.js';
import type { Clock } from '../../protocol/clock.js';
import { CALLBACK_BATCH, CALLBACK_CONCURRENCY } from '../../protocol/limits.js';
import type { Principal } from '../../protocol/types.js';
import { retryWhileUnavailable } from '../../transport/process/retry-while-unavailable.js';
import { EVENTS_CHANNEL } from '../events/log/append.js';
import { openPermits, type Permits } from '../permits.js';
import type { CallbackSender } from './attempt.js';
import { claimDeliveries, nextDelivery } from './claim.js';
import { finishAttempt, isUsedUp, USED_UP } from './finish.js';
import type { StoredDelivery } from './record.js';

/** Pause between polls while this process stores events, the longest without any, and the one after a poll that failed, in milliseconds. */
const POLL_MS = 500;
const IDLE_POLL_MS = 5000;
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
  const timers = new Set<NodeJS.Timeout>();
  let stopping = false;
  let awake = false;
  /** An event was stored since the last poll, perhaps with a delivery that wakes nobody. */
  let stirred = false;
  let idling = false;
  let interrupt: (() => void) | undefined;

  const wake = (): void => {
    awake = true;
    interrupt?.();
  };
  const stir = (): void => {
    stirred = true;
    if (idling) interrupt?.();
  };
  const wakeAt = (ms: number): void => {
    const timer = setTimeout(
      () => {
        timers.delete(timer);
        wake();
      },
      Math.max(0, ms - clock()),
    );
    timer.unref();
    timers.add(timer);
  };
  const idle = async (ms: number): Promise<void> => {
    if (awake || stopping) return;
    await new Promise<void>((done) => {
      const timer = setTimeout(done, ms);
      interrupt = () => {
        clearTimeout(timer);
        done();
      };
    });
    interrupt = undefined;
  };

  const deliver = async (delivery: StoredDelivery): Promise<void> => {
    const end = isUsedUp(delivery) ? USED_UP : await sender.attempt(delivery);
    const next = await retryWhileUnavailable(() => finishAttempt(pool, delivery, end, gateway, clock()));
    if (!next) return;
    const fields = { delivery_id: delivery.delivery_id, action_id: delivery.action_id, attempt: next.attempts.length };
    if (next.status === 'dead_lettered')
      log.warn({ ...fields, reason: next.deadLetterReason }, 'callback delivery failed');
    if (next.nextAttemptAt !== null) wakeAt(next.nextAttemptAt);
  };
  const start = (delivery: StoredDelivery, release: () => void): void => {
    const work: Promise<void> = deliver(delivery)
      .catch((error) => log.warn({ err: error, delivery_id: delivery.delivery_id }, 'callback attempt not written'))
      .finally(() => {
        release();
        running.delete(work);
        // A place became free: what waits for one is claimed now.
        if (permits.available() === 1) wake();
      });
    running.add(work);
  };
  /** Claims what is due, and returns the pause until the next poll. */
  const poll = async (): Promise<number> => {
    const limit = Math.min(batch, permits.available());
    if (limit === 0) return FAILED_POLL_MS;
    const claimed = await claimDeliveries(pool, { nowMs: clock(), leasedBy, leaseId: randomUUID(), limit });
    for (const delivery of claimed) start(delivery, permits.tryAcquire() as () => void);
    if (claimed.length === limit) awake = true;
    if (claimed.length > 0 || stirred) return POLL_MS;
    const at = await nextDelivery(pool);
    return at === null ? IDLE_POLL_MS : Math.max(POLL_MS, Math.min(at - clock(), IDLE_POLL_MS));
  };
  const loop = async (): Promise<void> => {
    while (!stopping) {
      awake = false;
      stirred = false;
      try {
        const pauseMs = await poll();
        idling = pauseMs > POLL_MS;
        await idle(idling && stirred ? POLL_MS : pauseMs);
        idling = false;
      } catch (error) {
        log.warn({ err: error }, 'callback deliveries not claimed');
        await idle(FAILED_POLL_MS);
      }
    }
  };
  const unobserve = pool.observe(EVENTS_CHANNEL, stir);
  const looping = loop();

  return {
    permits,
    wake,
    stop: async () => {
      stopping = true;
      unobserve();
      interrupt?.();
      for (const timer of timers) clearTimeout(timer);
      await looping;
      await Promise.race([Promise.all(running), new Promise((done) => setTimeout(done, STOP_MS).unref())]);
      await sender.close();
    },
  };
}
