import type { ObservedReplica } from '../reconcile/inputs.js';
import type { RegistryLease } from './fleet-registry.js';

/** A record's state as the fleet names it: a lapsed lease is `expired` whatever was last written. */
export function recordState(
  record: Pick<RegistryLease, 'status' | 'leaseExpiresAt'> | undefined,
  now: number,
): ObservedReplica['record'] {
  if (!record) return 'absent';
  if (record.status === 'offline') return 'offline';
  return record.leaseExpiresAt <= now ? 'expired' : record.status;
}
