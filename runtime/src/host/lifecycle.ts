import type { Lease } from './lease/lease.js';

/**
 * The life of a host: it starts until it holds a lease, takes actions while it is ready, refuses new ones while it drains, and has stopped. A host
 * that drains still holds the lease it obtained before.
 */
export type Lifecycle =
  | { readonly phase: 'starting' }
  | { readonly phase: 'ready' }
  | { readonly phase: 'draining'; readonly leased: boolean }
  | { readonly phase: 'stopped' };

/** What moves a host on: its lease was obtained, it refuses new actions from now on, everything is closed. */
export type LifecycleEvent = 'leased' | 'drain' | 'stop';

/** The life after an event. No phase is entered twice: a lease that is obtained by a host that drains does not count, and nothing follows the stop. */
export function after(life: Lifecycle, event: LifecycleEvent): Lifecycle {
  if (life.phase === 'stopped' || event === 'stop') return { phase: 'stopped' };
  if (life.phase === 'draining') return life;
  if (event === 'drain') return { phase: 'draining', leased: life.phase === 'ready' };
  return { phase: 'ready' };
}

/** Whether new actions are refused. */
export function refusesWork({ phase }: Lifecycle): boolean {
  return phase === 'draining' || phase === 'stopped';
}

/** Whether a lease that is in force counts: one of a former process does not before it was confirmed. */
export function countsLease(life: Lifecycle): boolean {
  return life.phase === 'ready' || (life.phase === 'draining' && life.leased);
}

/** Whether a lease is to be expected within moments: at the start, and while the outcome of a command is unknown. */
export function expectsLease(life: Lifecycle, pending: boolean): boolean {
  return life.phase === 'starting' || (life.phase === 'ready' && pending);
}

/** The life of this process, with the lease that it depends on. */
export interface HostLife {
  readonly current: Lifecycle;
  enter(event: LifecycleEvent): void;
  draining(): boolean;
  /** A lease was obtained by this process and is in force. */
  leaseValid(): boolean;
  /** There is no lease now, and one is to be expected within moments. */
  leaseOnItsWay(): boolean;
}

/** The life of a host that starts. */
export function openLife(lease: Pick<Lease, 'valid' | 'record'>): HostLife {
  let current: Lifecycle = { phase: 'starting' };
  const leaseValid = (): boolean => countsLease(current) && lease.valid();
  return {
    get current() {
      return current;
    },
    enter: (event) => {
      current = after(current, event);
    },
    draining: () => refusesWork(current),
    leaseValid,
    leaseOnItsWay: () => !leaseValid() && expectsLease(current, lease.record.pending !== undefined),
  };
}
