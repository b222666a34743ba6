import type { InstanceInputs, ObservedReplica } from '../inputs.js';
import type { Decision, Step } from '../step.js';

/** What has drained and ended can go; when the last of a removed instance is gone, so can the instance. */
export function remove({ desired, replicas }: InstanceInputs): Decision {
  const going = replicas.filter((replica) => goes(replica, desired.external, desired.deleted));
  const isGone = (replica: ObservedReplica): boolean => gone(replica, desired.forced ?? false);
  const steps = going.filter(isGone).map(
    (replica): Step => ({
      do: 'remove',
      replica: replica.name,
      reason: 'Drained',
      message: `Removing ${replica.name}: it has ended`,
    }),
  );
  if (desired.deleted && steps.length === replicas.length)
    steps.push({
      do: 'forget-instance',
      reason: 'InstanceRemoved',
      message: `Removing ${desired.name}: all its replicas are removed`,
    });
  const waiting = going.filter((replica) => !replica.managed && !isGone(replica));
  if (waiting.length > 0)
    return {
      steps,
      observation: {
        type: 'Progressing',
        status: 'Unknown',
        reason: 'WaitsForHost',
        message: `${waiting.map((replica) => replica.name).join(', ')} holds a lease; stop its host, it is removed when the lease has ended`,
      },
      proceed: true,
    };
  return { steps, proceed: true };
}

/** Whether a replica is to be removed once its host has ended. */
export function goes(replica: ObservedReplica, external: readonly string[], deleted: boolean): boolean {
  return replica.managed ? replica.retiring : deleted || replica.retiring || !external.includes(replica.name);
}

function gone(replica: ObservedReplica, forced: boolean): boolean {
  if (replica.runner !== 'absent') return false;
  return forced || (replica.record !== 'ready' && replica.record !== 'draining');
}
