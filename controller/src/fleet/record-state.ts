import type { ObservedReplica } from '../reconcile/inputs.js';
import type { RegistryLease } from './fleet-registry.js';

/** Until when a record's host was last known to hold a lease, `now` at the latest; undefined when it never held one. */
export function leaseUntil(record: Pick<RegistryLease, 'leaseExpiresAt'> | undefined, now: number): number | undefined {
  return record === undefined || record.leaseExpiresAt === 0 ? undefined : Math.min(now, record.leaseExpiresAt);
}

/** A record's state as the fleet names it: a lapsed lease is `expired` whatever was last written. */
export function recordState(
  record: Pick<RegistryLease, 'status' | 'leaseExpiresAt'> | undefined,
  now: number,
): ObservedReplica['record'] {
  if (!record) return 'absent';
  if (record.status === 'offline') return 'offline';
  return record.leaseExpiresAt <= now ? 'expired' : record.status;
}
