import type { InstanceInputs } from '../inputs.js';
import type { Decision, Step } from '../step.js';

/** Is the described version in the registry, and does the instance's record say what the resource says? */
export function admit({ desired, refusal, description, registry }: InstanceInputs): Decision {
  if (desired.deleted) return { steps: [], proceed: true };
  if (refusal) return refused(refusal.reason, refusal.message);
  if (!description)
    return {
      steps: [{ do: 'describe', reason: 'Describing', message: 'asks the connector for its manifest' }],
      observation: {
        type: 'Admitted',
        status: 'Unknown',
        reason: 'Describing',
        message: 'the connector is being asked for its manifest',
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
      message: `puts version ${versionId} into the registry with ${description.capabilityIds.length} capabilities`,
    });
  }
  // An instance can't move to a version while a binding names what that version lacks.
  for (const binding of registry.bindings) {
    if (!binding.enabled || description.capabilityIds.includes(binding.capabilityId)) continue;
    steps.push({
      do: 'put-binding',
      ...binding,
      enabled: false,
      reason: 'CapabilityGone',
      message: `the tenant may no longer call ${binding.capabilityId}: the version does not have it`,
    });
  }
  const { instance } = registry;
  const { configRevision, enabled } = desired;
  if (
    !instance ||
    instance.versionId !== versionId ||
    instance.configRevision !== configRevision ||
    instance.enabled !== enabled
  ) {
    steps.push({
      do: 'put-instance',
      versionId,
      configRevision,
      enabled,
      reason: instance ? 'InstanceChanged' : 'InstanceUnknown',
      message: `the instance has version ${versionId}, configuration ${configRevision}, ${enabled ? 'enabled' : 'disabled'}`,
    });
  }
  return {
    steps,
    observation: {
      type: 'Admitted',
      status: 'True',
      reason: 'VersionAdmitted',
      message: `version ${versionId} with ${description.capabilityIds.length} capabilities`,
    },
    proceed: true,
  };
}

function refused(reason: string, message: string): Decision {
  return { steps: [], observation: { type: 'Admitted', status: 'False', reason, message }, proceed: false };
}
