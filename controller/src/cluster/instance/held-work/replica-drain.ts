import { formatTime } from '@aip/runtime/internal/protocol';
import type { ConnectorReplicaStatus } from '../../../api/connector-replica.js';
import { isFinishing } from '../../../reconcile/drain/finishing.js';
import type { ObservedReplica } from '../../../reconcile/inputs.js';

/** A count is written again after this time at the earliest, in ms: actions that end one by one are not a write each. */
export const COUNT_PAUSE_MS = 5_000;

type ReplicaDrain = NonNullable<ConnectorReplicaStatus['drain']>;

/** What a replica that takes no new work still holds, and until when; undefined once it holds nothing. Pure. */
export function replicaDrain(
  before: ReplicaDrain | undefined,
  seen: ObservedReplica,
  now: number,
): ReplicaDrain | undefined {
  if (!isFinishing(seen)) return undefined;
  const deadline = seen.endsAt === undefined ? undefined : formatTime(seen.endsAt);
  const isKept =
    before !== undefined &&
    before.deadline === deadline &&
    (before.pinnedActions === seen.inFlight || now - Date.parse(before.observedTime) < COUNT_PAUSE_MS);
  if (isKept) return before;
  return { pinnedActions: seen.inFlight, observedTime: formatTime(now), ...(deadline && { deadline }) };
}
