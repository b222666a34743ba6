import type { DesiredBinding, InstanceInputs, ObservedBinding } from '../inputs.js';
import type { Decision, Step } from '../step.js';

/** Which capabilities may the tenant call here? One binding a capability; what is no longer wanted is disabled, never deleted (what the version lacks: admit). */
export function bind({ desired, description, registry }: InstanceInputs): Decision {
  const capabilityIds = description?.ok && !desired.deleted ? description.capabilityIds : [];
  const wanted = expandBindings(desired.bindings, capabilityIds);
  const present = new Map(registry.bindings.map((binding) => [binding.capabilityId, binding]));
  const steps: Step[] = [];
  for (const [capabilityId, binding] of wanted) {
    const before = present.get(capabilityId);
    if (before && sameBinding(before, binding)) continue;
    steps.push({
      do: 'put-binding',
      capabilityId,
      priority: binding.priority,
      quotaPolicy: binding.quotaPolicy,
      credentialRevision: binding.credentialRevision,
      enabled: true,
      reason: before ? 'BindingChanged' : 'BindingMissing',
      message: `Binding ${capabilityId} to the tenant at priority ${binding.priority}`,
    });
  }
  for (const before of registry.bindings) {
    if (!before.enabled || wanted.has(before.capabilityId)) continue;
    if (!desired.deleted && !capabilityIds.includes(before.capabilityId)) continue;
    steps.push({
      do: 'put-binding',
      capabilityId: before.capabilityId,
      priority: before.priority,
      quotaPolicy: before.quotaPolicy,
      credentialRevision: before.credentialRevision,
      enabled: false,
      reason: desired.deleted ? 'InstanceRemoved' : 'BindingRemoved',
      message: `Removing the binding of ${before.capabilityId}: spec.bindings does not name it`,
    });
  }
  if (desired.deleted) return { steps, proceed: true };
  const unknown = desired.bindings
    .flatMap((binding) => binding.capabilities)
    .filter((pattern) => !capabilityIds.some((id) => matches(pattern, id)));
  if (unknown.length > 0)
    return {
      steps,
      observation: {
        type: 'Bound',
        status: 'False',
        reason: 'CapabilityUnknown',
        message: `the manifest has no capability ${unknown.join(', ')}; it has ${capabilityIds.join(', ')}`,
      },
      proceed: true,
    };
  return {
    steps,
    observation: { type: 'Bound', status: 'True', reason: 'Bound', message: `${wanted.size} capabilities` },
    proceed: true,
  };
}

/** One binding a capability id; a later entry of the list wins over an earlier one. */
export function expandBindings(
  bindings: readonly DesiredBinding[],
  capabilityIds: readonly string[],
): Map<string, DesiredBinding> {
  const expanded = new Map<string, DesiredBinding>();
  for (const binding of bindings)
    for (const id of capabilityIds)
      if (binding.capabilities.some((pattern) => matches(pattern, id))) expanded.set(id, binding);
  return expanded;
}

function matches(pattern: string, id: string): boolean {
  return pattern.endsWith('*') ? id.startsWith(pattern.slice(0, -1)) : id === pattern;
}

function sameBinding(before: ObservedBinding, wanted: DesiredBinding): boolean {
  return (
    before.enabled &&
    before.priority === wanted.priority &&
    before.quotaPolicy === wanted.quotaPolicy &&
    before.credentialRevision === wanted.credentialRevision
  );
}
