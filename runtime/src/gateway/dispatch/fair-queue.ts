import { AipError } from '../../protocol/errors.js';
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
   * Takes an action: true when it may run at once, false when it waits. Throws `connector.request_rejected` for one that is
   * too large and `connector.scheduler_overloaded` when a queue or the byte budget is full.
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

/**
 * Weighted round robin over the tenants that have waiting work (docs/protocol/registry.md#scheduler): a tenant that comes to the front without
 * credit gets its weight, each grant uses one, with credit and work left it stays in front, else it goes to the back.
 * First in, first out inside a tenant. A tenant at its active bound goes to the back and keeps its credit; one whose
 * queue empties loses it.
 */
export function fairQueue<W extends Waiter>(limits: SchedulerLimits): FairQueue<W> {
  const active = activeWork(limits);
  const waiting = waitingWork<W>();

  return {
    offer: (waiter) => {
      const { tenantId, bytes } = waiter;
      if (bytes > limits.maxRequestBytes)
        throw new AipError('connector.request_rejected', 'the action is larger than a remote action may be', {
          details: { size_bytes: bytes, max_bytes: limits.maxRequestBytes },
        });
      if (waiting.count() === 0 && active.mayRun(tenantId)) {
        active.begin(tenantId);
        return true;
      }
      const full =
        waiting.count() >= limits.maxQueued ||
        waiting.countOf(tenantId) >= limits.maxQueuedPerTenant ||
        waiting.bytes() + bytes > limits.maxQueueBytes;
      if (full) throw new AipError('connector.scheduler_overloaded');
      waiting.add(waiter);
      return false;
    },

    begin: (tenantId, bytes) => {
      // Passes follow every offer and release: while there is a place, what waits of other tenants waits for these tenants' own bounds.
      if (bytes > limits.maxRequestBytes || waiting.countOf(tenantId) > 0 || !active.mayRun(tenantId)) return false;
      active.begin(tenantId);
      return true;
    },

    pass: (nowMs) => {
      const granted: W[] = [];
      const expired: W[] = [];
      let blocked = 0;
      for (;;) {
        const front = waiting.front();
        if (!front || active.isFull() || blocked >= waiting.tenants()) break;
        const { tenantId, queue } = front;
        expired.push(...waiting.dropExpired(queue, nowMs));
        if (queue.waiting.size === 0) continue;
        if (!active.mayRun(tenantId)) {
          waiting.toTheBack(tenantId, queue);
          blocked += 1;
          continue;
        }
        if (queue.credit === 0) queue.credit = limits.weights.get(tenantId) ?? 1;
        const [waiter] = queue.waiting as Set<W>;
        waiting.remove(waiter as W);
        active.begin(tenantId);
        granted.push(waiter as W);
        queue.credit -= 1;
        blocked = 0;
        if (queue.waiting.size > 0 && queue.credit === 0) waiting.toTheBack(tenantId, queue);
      }
      return { granted, expired };
    },

    release: active.end,
    abandon: waiting.remove,
    snapshot: () => ({
      active: active.count(),
      queued: waiting.count(),
      queuedBytes: waiting.bytes(),
      activeTenants: active.tenants(),
      queuedTenants: waiting.tenants(),
    }),
  };
}

/** How much runs, in all and of each tenant, against the bounds of both. */
function activeWork(limits: SchedulerLimits) {
  const activeOf = new Map<string, number>();
  let active = 0;
  return {
    isFull: (): boolean => active >= limits.maxInFlight,
    mayRun: (tenantId: string): boolean =>
      active < limits.maxInFlight && (activeOf.get(tenantId) ?? 0) < limits.maxInFlightPerTenant,
    begin: (tenantId: string): void => {
      active += 1;
      activeOf.set(tenantId, (activeOf.get(tenantId) ?? 0) + 1);
    },
    end: (tenantId: string): void => {
      active -= 1;
      const left = (activeOf.get(tenantId) ?? 1) - 1;
      if (left === 0) activeOf.delete(tenantId);
      else activeOf.set(tenantId, left);
    },
    count: (): number => active,
    tenants: (): number => activeOf.size,
  };
}

interface TenantQueue<W> {
  readonly waiting: Set<W>;
  credit: number;
}

/** What waits, by tenant, in the order of their turns; a tenant without waiting work has no queue. */
function waitingWork<W extends Waiter>() {
  const turns = new Map<string, TenantQueue<W>>();
  let queued = 0;
  let queuedBytes = 0;

  /** False when it does not wait. */
  const remove = (waiter: W): boolean => {
    const queue = turns.get(waiter.tenantId);
    if (!queue?.waiting.delete(waiter)) return false;
    queued -= 1;
    queuedBytes -= waiter.bytes;
    if (queue.waiting.size === 0) turns.delete(waiter.tenantId);
    return true;
  };
  return {
    add: (waiter: W): void => {
      const queue = turns.get(waiter.tenantId) ?? { waiting: new Set<W>(), credit: 0 };
      queue.waiting.add(waiter);
      turns.set(waiter.tenantId, queue);
      queued += 1;
      queuedBytes += waiter.bytes;
    },
    remove,
    front: (): { tenantId: string; queue: TenantQueue<W> } | undefined => {
      const [front] = turns;
      return front && { tenantId: front[0], queue: front[1] };
    },
    toTheBack: (tenantId: string, queue: TenantQueue<W>): void => {
      turns.delete(tenantId);
      turns.set(tenantId, queue);
    },
    /** Removes what has waited too long from the front of a queue, and returns it. */
    dropExpired: (queue: TenantQueue<W>, nowMs: number): W[] => {
      const expired: W[] = [];
      for (const waiter of queue.waiting) {
        if (waiter.deadline > nowMs) break;
        remove(waiter);
        expired.push(waiter);
      }
      return expired;
    },
    count: (): number => queued,
    countOf: (tenantId: string): number => turns.get(tenantId)?.waiting.size ?? 0,
    bytes: (): number => queuedBytes,
    tenants: (): number => turns.size,
  };
}
