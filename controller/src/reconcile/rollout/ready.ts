import type { ObservedReplica } from '../inputs.js';

/** Does it take new work: its host holds a lease and gateways reach it? */
export function ready(replica: ObservedReplica): boolean {
  return replica.record === 'ready' && !replica.unreachable;
}

/**
 * When a replica that is not ready is late, in ms since the epoch: a host that lost its lease has as long to return as a new one has to start. One
 * that holds its lease and is not reached counts from its creation, since nothing says whether a gateway ever reached it.
 */
export function deadlineOf({ record, createdAt, leaseUntil }: ObservedReplica, progressDeadlineMs: number): number {
  return (record === 'ready' ? createdAt : (leaseUntil ?? createdAt)) + progressDeadlineMs;
}
