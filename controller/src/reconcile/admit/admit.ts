import type { InstanceInputs, ObservedReplica } from '../inputs.js';
import { type Canary, canaryOf } from '../rollout/canary.js';
import type { Decision, Step } from '../step.js';

/** Is the described version in the registry, and does the instance's record say what the resource says? */
export function admit(inputs: InstanceInputs): Decision {
  const { desired, refusal, description, registry } = inputs;
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
    (isTried || !mayMove(instance.versionId, versionId, inputs));
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
  const share = stays ? shareOf(versionId, isTried ? trial : undefined, instance.versionId, inputs) : undefined;
  const canary = share === undefined ? undefined : { versionId, percent: share };
  if (registry.canary?.versionId !== canary?.versionId || registry.canary?.percent !== canary?.percent)
    steps.push({
      do: 'put-canary',
      canary,
      reason: isTried ? 'CanaryChanged' : 'WorkShared',
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

/**
 * Percent of the new work that the wanted version takes beside the one in force, so that no ready host goes without: that of a trial, else its share
 * of the ready hosts. Undefined for none: no host of it is ready, or its trial failed.
 */
function shareOf(
  versionId: string,
  trial: Canary | undefined,
  inForce: string,
  { desired, replicas }: InstanceInputs,
): number | undefined {
  if (trial && desired.canary) return trial.state === 'failed' ? undefined : desired.canary.percent;
  const present = takingWork(inForce, replicas);
  const wanted = takingWork(versionId, replicas);
  if (wanted === 0) return undefined;
  return Math.min(99, Math.max(1, Math.round((100 * wanted) / (wanted + present))));
}

/**
 * Whether the instance moves from one version to the other: when no host of the first takes new work, and one of the other does or none of the first may
 * come back. Nobody retires the old hosts of a user, so there it moves when as many of the other are ready.
 */
function mayMove(from: string, to: string, { desired, replicas }: InstanceInputs): boolean {
  const left = takingWork(from, replicas);
  if (desired.hosting === 'External') return left <= takingWork(to, replicas);
  const mayReturn = replicas.some(({ retiring, versionId }) => !retiring && versionId === from);
  return left === 0 && (takingWork(to, replicas) > 0 || !mayReturn);
}

/** How many hosts of a version hold a lease and stay. */
function takingWork(version: string, replicas: readonly ObservedReplica[]): number {
  return replicas.filter(({ record, retiring, versionId }) => record === 'ready' && !retiring && versionId === version)
    .length;
}

function refused(reason: string, message: string): Decision {
  return { steps: [], observation: { type: 'Admitted', status: 'False', reason, message }, proceed: false };
}

function capabilityCount(count: number): string {
  return count === 1 ? '1 capability' : `${count} capabilities`;
}
