import type { ObservedReplica } from '../inputs.js';

/** Does it take new work: its host holds a lease and gateways reach it? */
export function ready(replica: ObservedReplica): boolean {
  return replica.record === 'ready' && !replica.unreachable;
}
