import type { KubeObject } from '../kube.js';
import { microTime } from '../micro-time.js';

/** A Lease of coordination.k8s.io/v1. */
export interface Lease extends KubeObject {
  spec?: LeaseSpec;
}

/** Who holds a lease; no or an empty holder means that nobody does. */
export interface LeaseSpec {
  holderIdentity?: string;
  /** Seconds without renewal after which others may take it. */
  leaseDurationSeconds?: number;
  acquireTime?: string;
  renewTime?: string;
  /** How often the holder changed. */
  leaseTransitions?: number;
}

/** A lease as this process saw it change last; `at` by its own monotonic clock, as clocks of other machines prove nothing. */
export interface ObservedLease {
  readonly spec: LeaseSpec;
  readonly at: number;
}

/** What is known after seeing `spec`: the time moves only when the record did. */
export function observe(known: ObservedLease | undefined, spec: LeaseSpec, now: number): ObservedLease {
  const same =
    known &&
    known.spec.holderIdentity === spec.holderIdentity &&
    known.spec.renewTime === spec.renewTime &&
    known.spec.leaseTransitions === spec.leaseTransitions;
  return same ? known : { spec, at: now };
}

/** Whether `identity` may take the lease: nobody holds it, it does itself, or the holder let a whole lease pass before our eyes. */
export function mayTake({ spec, at }: ObservedLease, identity: string, now: number): boolean {
  const holder = spec.holderIdentity ?? '';
  if (holder === '' || holder === identity) return true;
  return now >= at + (spec.leaseDurationSeconds ?? 0) * 1000;
}

/** The record of `identity` holding or renewing the lease; `wallMs` is for people who read it. */
export function heldBy(identity: string, leaseMs: number, before: LeaseSpec | undefined, wallMs: number): LeaseSpec {
  const time = microTime(wallMs);
  const same = before?.holderIdentity === identity;
  const transitions = before?.leaseTransitions ?? 0;
  return {
    ...before,
    holderIdentity: identity,
    leaseDurationSeconds: Math.ceil(leaseMs / 1000),
    acquireTime: same ? (before.acquireTime ?? time) : time,
    renewTime: time,
    leaseTransitions: before === undefined || same ? transitions : transitions + 1,
  };
}

/** The record of a lease that was given back, which anybody may take at once. */
export function givenBack(before: LeaseSpec, wallMs: number): LeaseSpec {
  const time = microTime(wallMs);
  return { ...before, holderIdentity: '', leaseDurationSeconds: 1, acquireTime: time, renewTime: time };
}
