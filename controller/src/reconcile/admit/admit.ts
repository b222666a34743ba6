import type { InstanceInputs, ObservedReplica } from '../inputs.js';
import { type Canary, canaryOf } from '../rollout/canary.js';
import type { Decision, Step } from '../step.js';

/** Is the described version in the registry, and does the instance's record say what the resource says? */
export function admit(inputs: InstanceInputs): Decision {
  const { desired, refusal, description, registry, replicas } = inputs;
  if (desired.deleted) return { steps: [], proceed: true };
  if (refusal) return refused(refusal.reason, refusal.message);
  if (!description)
    return {
      steps: [{ do: 'describe', reason: 'Describing', message: 'Requesting the manifest of the connector' }],
      observation: {
        type: 'Admitted',
        status: 'Unknown',
        reason: 'Describing',
        message: "reading the connector's manifest",
      },
      proceed: false,
    };
  if (!description.ok) return refused(description.reason ?? 'DescribeFailed', description.message);

  const steps: Step[] = [];
  const { versionId } = description;
  if (registry.version?.id !== versionId || !registry.version.active) {
    steps.push({
      do: 'admit-version',
      versionId,
      reason: registry.version ? 'VersionInactive' : 'VersionUnknown',
      message: `Registering version ${versionId} with ${capabilityCount(description.capabilityIds.length)}`,
    });
  }
  const { instance } = registry;
  const { configRevision, enabled } = desired;
  const trial = desired.paused ? undefined : canaryOf(inputs);
  const isTried = trial !== undefined && trial.state !== 'passed';
  const stays =
    instance !== undefined &&
    instance.versionId !== versionId &&
    (isTried || !mayMove(instance.versionId, versionId, replicas));
  if (!stays) {
    // An instance can't move to a version while a binding names what that version lacks.
    for (const binding of registry.bindings) {
      if (!binding.enabled || description.capabilityIds.includes(binding.capabilityId)) continue;
      steps.push({
        do: 'put-binding',
        ...binding,
        enabled: false,
        reason: 'CapabilityGone',
        message: `Removing the binding of ${binding.capabilityId}: the version does not have it`,
      });
    }
  }
  const held = stays ? instance.versionId : versionId;
  // How the actions of a trial ended is counted by their routes, also of hosts that were there before it.
  const keepsRoutes = desired.canary !== undefined;
  if (
    !instance ||
    instance.versionId !== held ||
    instance.configRevision !== configRevision ||
    instance.enabled !== enabled ||
    (instance.keepsRoutes ?? false) !== keepsRoutes
  ) {
    steps.push({
      do: 'put-instance',
      versionId: held,
      configRevision,
      enabled,
      keepsRoutes,
      reason: instance ? 'InstanceChanged' : 'InstanceUnknown',
      message: `Registering the instance with version ${held}, configuration ${configRevision}, ${enabled ? 'enabled' : 'disabled'}`,
    });
  }
  const canary = stays ? canaryVersion(inputs, versionId, trial) : undefined;
  if (registry.canary?.versionId !== canary?.versionId || registry.canary?.percent !== canary?.percent)
    steps.push({
      do: 'put-canary',
      canary,
      reason: 'CanaryChanged',
      message: canary
        ? `version ${versionId} takes ${canary.percent} percent of the new work`
        : 'the version in force takes all new work',
    });
  return {
    steps,
    observation: {
      type: 'Admitted',
      status: 'True',
      reason: 'VersionAdmitted',
      message: `version ${versionId} with ${capabilityCount(description.capabilityIds.length)}`,
    },
    proceed: true,
    moveAwaited: stays,
  };
}

/** Which version takes a share of the new work: the one that is tried, also after it has passed, until the instance moves to it. */
function canaryVersion(
  { desired, registry }: InstanceInputs,
  versionId: string,
  trial: Canary | undefined,
): { versionId: string; percent: number } | undefined {
  if (trial && desired.canary)
    return trial.state === 'failed' ? undefined : { versionId, percent: desired.canary.percent };
  return registry.canary?.versionId === versionId ? registry.canary : undefined;
}

/**
 * New work goes to replicas of the instance's version alone. So the instance moves to another one when as many replicas of that are ready as
 * of its present one: before, the old ones take all new work, and after it they finish what they have.
 */
function mayMove(from: string, to: string, replicas: readonly ObservedReplica[]): boolean {
  const ready = (version: string): number =>
    replicas.filter(({ record, retiring, versionId }) => record === 'ready' && !retiring && versionId === version)
      .length;
  return ready(from) <= ready(to);
}

function refused(reason: string, message: string): Decision {
  return { steps: [], observation: { type: 'Admitted', status: 'False', reason, message }, proceed: false };
}

function capabilityCount(count: number): string {
  return count === 1 ? '1 capability' : `${count} capabilities`;
}
