import type { ObservedReplica } from '../inputs.js';

/** Whether a replica takes no new work and still holds some: it stops or is to be removed, and actions pinned to it have not ended. Pure. */
export function isFinishing(
  seen: Pick<ObservedReplica, 'runner' | 'inFlight' | 'retiring' | 'cordoned' | 'record'>,
): boolean {
  if (seen.inFlight === 0 || seen.runner === 'running') return false;
  return seen.runner === 'stopping' || seen.retiring || seen.cordoned === true || seen.record === 'draining';
}
