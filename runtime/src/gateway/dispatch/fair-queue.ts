import { ConnectorRequestRejected, SchedulerOverloaded } from '../../protocol/errors.js';
import type { SchedulerLimits } from './scheduler-limits.js';

/** One action that wants to run. */
export interface Waiter {
  readonly tenantId: string;
  /** Canonical size of the action. */
  readonly bytes: number;
  /** When it has waited too long, in milliseconds on the caller's clock. */
  readonly deadline: number;
}

/** How much runs and waits; it names no tenant. */
export interface SchedulerSnapshot {
  readonly active: number;
  readonly queued: number;
  readonly queuedBytes: number;
  readonly activeTenants: number;
  readonly queuedTenants: number;
}

/** The decisions of the scheduler, without time or waiting of its own. */
export interface FairQueue<W extends Waiter> {
  /**
   * Takes an action: true when it may run at once, false when it waits. Throws ConnectorRequestRejected for one that is
   * too large and SchedulerOverloaded when a queue or the byte budget is full.
   */
  offer(waiter: W): boolean;
  /** Takes an action that may run at once; false: it would have to wait, or is too large. */
  begin(tenantId: string, bytes: number): boolean;
  /** One pass over the waiting tenants: what may run now, and what waited too long and is out. */
  pass(nowMs: number): { granted: W[]; expired: W[] };
  /** A running action of the tenant has ended. */
  release(tenantId: string): void;
  /** A waiting action is given up; false when it does not wait. */
  abandon(waiter: W): boolean;
  snapshot(): SchedulerSnapshot;
}

interface TenantQueue<W> {
  readonly waiting: Set<W>;
  credit: number;
}

/**
 * Weighted round robin over the tenants that have waiting work (docs/protocol/registry.md#scheduler): a tenant that comes to the front without
 * credit gets its weight, each grant uses one, with credit and work left it stays in front, else it goes to the back.
 * First in, first out inside a tenant. A tenant at its active bound goes to the back and keeps its credit; one whose
 * queue empties loses it.
 */
export function fairQueue<W extends Waiter>(limits: SchedulerLimits): FairQueue<W> {
  /** Waiting work by tenant, in the order of their turns. */
  const turns = new Map<string, TenantQueue<W>>();
  const activeOf = new Map<string, number>();
  let active = 0;
  let queued = 0;
  let queuedBytes = 0;

  const mayRun = (tenantId: string): boolean =>
    active < limits.maxInFlight && (activeOf.get(tenantId) ?? 0) < limits.maxInFlightPerTenant;

  const begin = (tenantId: string): void => {
    active += 1;
    activeOf.set(tenantId, (activeOf.get(tenantId) ?? 0) + 1);
  };

  const remove = (waiter: W, queue: TenantQueue<W>): boolean => {
    if (!queue.waiting.delete(waiter)) return false;
    queued -= 1;
    queuedBytes -= waiter.bytes;
    if (queue.waiting.size === 0) turns.delete(waiter.tenantId);
    return true;
  };

  const toTheBack = (tenantId: string, queue: TenantQueue<W>): void => {
    turns.delete(tenantId);
    turns.set(tenantId, queue);
  };

  const dropExpired = (queue: TenantQueue<W>, nowMs: number, expired: W[]): void => {
    for (const waiter of queue.waiting) {
      if (waiter.deadline > nowMs) return;
      remove(waiter, queue);
      expired.push(waiter);
    }
  };

  return {
    offer: (waiter) => {
      const { tenantId, bytes } = waiter;
      if (bytes > limits.maxRequestBytes)
        throw new ConnectorRequestRejected('the action is larger than a remote action may be', {
          details: { size_bytes: bytes, max_bytes: limits.maxRequestBytes },
        });
      if (queued === 0 && mayRun(tenantId)) {
        begin(tenantId);
        return true;
      }
      const queue = turns.get(tenantId) ?? { waiting: new Set<W>(), credit: 0 };
      const full =
        queued >= limits.maxQueued ||
        queue.waiting.size >= limits.maxQueuedPerTenant ||
        queuedBytes + bytes > limits.maxQueueBytes;
      if (full) throw new SchedulerOverloaded();
      queue.waiting.add(waiter);
      turns.set(tenantId, queue);
      queued += 1;
      queuedBytes += bytes;
      return false;
    },

    begin: (tenantId, bytes) => {
      if (bytes > limits.maxRequestBytes || queued > 0 || !mayRun(tenantId)) return false;
      begin(tenantId);
      return true;
    },

    pass: (nowMs) => {
      const granted: W[] = [];
      const expired: W[] = [];
      let blocked = 0;
      for (;;) {
        const [front] = turns;
        if (!front || active >= limits.maxInFlight || blocked >= turns.size) break;
        const [tenantId, queue] = front;
        dropExpired(queue, nowMs, expired);
        if (queue.waiting.size === 0) continue;
        if (!mayRun(tenantId)) {
          toTheBack(tenantId, queue);
          blocked += 1;
          continue;
        }
        if (queue.credit === 0) queue.credit = limits.weights.get(tenantId) ?? 1;
        const [waiter] = queue.waiting as Set<W>;
        remove(waiter as W, queue);
        begin(tenantId);
        granted.push(waiter as W);
        queue.credit -= 1;
        blocked = 0;
        if (queue.waiting.size > 0 && queue.credit === 0) toTheBack(tenantId, queue);
      }
      return { granted, expired };
    },

    release: (tenantId) => {
      active -= 1;
      const left = (activeOf.get(tenantId) ?? 1) - 1;
      if (left === 0) activeOf.delete(tenantId);
      else activeOf.set(tenantId, left);
    },

    abandon: (waiter) => {
      const queue = turns.get(waiter.tenantId);
      return queue !== undefined && remove(waiter, queue);
    },

    snapshot: () => ({
      active,
      queued,
      queuedBytes,
      activeTenants: activeOf.size,
      queuedTenants: turns.size,
    }),
  };
}
