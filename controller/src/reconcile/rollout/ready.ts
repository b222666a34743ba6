import type { ObservedReplica } from '../inputs.js';

/** Does it take new work: its host holds a lease and gateways reach it? */
export function ready(replica: ObservedReplica): boolean {
  return replica.record === 'ready' && !replica.unreachable;
}

/** When a replica that is not ready is late, in ms since the epoch: a host that lost its lease has as long to return as a new one has to start. */
export function deadlineOf({ createdAt, leaseUntil }: ObservedReplica, progressDeadlineMs: number): number {
  return (leaseUntil ?? createdAt) + progressDeadlineMs;
}
