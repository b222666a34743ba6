import type { Clock } from '../../protocol/clock.js';
import { AipError } from '../../protocol/errors.js';
import { after } from '../../time/timer.js';
import { fairQueue, type SchedulerSnapshot, type Waiter } from './fair-queue.js';
import { type SchedulerLimits, schedulerLimits } from './scheduler-limits.js';

/** The right to run one remote action. */
export interface Permit {
  /** Gives the place back; a second call does nothing. */
  release(): void;
}

/** Shares the places for remote work between tenants, in one process. */
export interface Scheduler {
  /**
   * Waits for a place. Throws `connector.request_rejected` (too large), `connector.scheduler_overloaded` (queues full, waited too long,
   * stopped), and the reason of `signal` when the caller gives up while it waits.
   */
  acquire(tenantId: string, bytes: number, signal?: AbortSignal): Promise<Permit>;
  /** A place that is free now, or undefined. */
  tryAcquire(tenantId: string, bytes: number): Permit | undefined;
  snapshot(): SchedulerSnapshot;
  /** Refuses everything that waits and everything to come; what runs continues. */
  stop(): void;
}

interface Ticket extends Waiter {
  grant(): void;
  refuse(reason: unknown): void;
}

/** Opens a scheduler. Throws SchedulerLimitInvalid for limits that contradict each other. */
export function openScheduler(options: { limits?: Partial<SchedulerLimits> | undefined; clock: Clock }): Scheduler {
  const { clock } = options;
  const limits = schedulerLimits(options.limits);
  const queue = fairQueue<Ticket>(limits);
  const tickets = new Set<Ticket>();
  let stopped = false;

  const dispatch = (): void => {
    const { granted, expired } = queue.pass(clock());
    for (const ticket of expired) ticket.refuse(tooOld());
    for (const ticket of granted) ticket.grant();
  };

  const permitOf = (tenantId: string): Permit => {
    let held = true;
    return {
      release: () => {
        if (!held) return;
        held = false;
        queue.release(tenantId);
        dispatch();
      },
    };
  };

  const wait = (tenantId: string, bytes: number, signal: AbortSignal | undefined): Promise<Permit> =>
    new Promise((resolve, reject) => {
      let cancelTimer: (() => void) | undefined;
      const leave = (): void => {
        cancelTimer?.();
        signal?.removeEventListener('abort', giveUp);
        tickets.delete(ticket);
      };
      const giveUp = (): void => {
        if (queue.abandon(ticket)) ticket.refuse(signal?.reason);
      };
      const ticket: Ticket = {
        tenantId,
        bytes,
        deadline: clock() + limits.maxQueueAgeMs,
        grant: () => {
          leave();
          resolve(permitOf(tenantId));
        },
        refuse: (reason) => {
          leave();
          reject(reason);
        },
      };
      if (queue.offer(ticket)) {
        resolve(permitOf(tenantId));
        return;
      }
      tickets.add(ticket);
      signal?.addEventListener('abort', giveUp, { once: true });
      cancelTimer = after(limits.maxQueueAgeMs, () => {
        if (queue.abandon(ticket)) ticket.refuse(tooOld());
      });
      dispatch();
    });

  return {
    acquire: async (tenantId, bytes, signal) => {
      signal?.throwIfAborted();
      if (stopped)
        throw new AipError('connector.scheduler_overloaded', 'the server stops and takes no more remote work');
      return wait(tenantId, bytes, signal);
    },
    tryAcquire: (tenantId, bytes) => (!stopped && queue.begin(tenantId, bytes) ? permitOf(tenantId) : undefined),
    snapshot: queue.snapshot,
    stop: () => {
      stopped = true;
      for (const ticket of [...tickets])
        if (queue.abandon(ticket))
          ticket.refuse(
            new AipError('connector.scheduler_overloaded', 'the server stops and takes no more remote work'),
          );
    },
  };
}

function tooOld(): AipError {
  return new AipError('connector.scheduler_overloaded', 'the action waited too long for a place');
}
