import type { Capability, Manifest, ManifestFilter } from '../../../protocol/types.js';

/** Whether one capability passes one member of the filter; an absent or empty member passes every capability. */
type FilterRule = (capability: Capability, filter: ManifestFilter) => boolean;

const wanted = <T>(items: readonly T[] | undefined, test: (items: readonly T[]) => boolean): boolean =>
  items === undefined || items.length === 0 || test(items);

const RULES: readonly FilterRule[] = [
  (capability, filter) => wanted(filter.capability_ids, (ids) => ids.includes(capability.id)),
  (capability, filter) =>
    wanted(filter.profiles, (profiles) =>
      (capability.bindings ?? []).some((binding) => profiles.includes(binding.profile)),
    ),
  (capability, filter) =>
    wanted(filter.risk, (risks) => capability.risk !== undefined && risks.includes(capability.risk)),
  (capability, filter) =>
    wanted(filter.side_effects, (effects) =>
      effects.every((effect) => capability.contract?.side_effects?.includes(effect) ?? false),
    ),
  (capability, filter) =>
    filter.requires_approval === undefined || filter.requires_approval === requiresApproval(capability),
  (capability, filter) =>
    filter.supports_streaming === undefined ||
    filter.supports_streaming === (capability.contract?.execution.supports_streaming ?? false),
  (capability, filter) =>
    filter.supports_transactions === undefined ||
    filter.supports_transactions === (capability.contract?.transaction !== undefined),
];

/**
 * The part of a manifest that a filter leaves (docs/protocol/client-api.md#parameters): capabilities by every member, resources by
 * resource_kinds, and the list of profiles by profiles. An empty filter leaves the manifest as it is.
 */
export function filterManifest(manifest: Manifest, filter: ManifestFilter): Manifest {
  const { profiles, resource_kinds: kinds } = filter;
  return {
    ...manifest,
    capabilities: (manifest.capabilities ?? []).filter((capability) => RULES.every((rule) => rule(capability, filter))),
    profiles: manifest.profiles.filter((profile) => wanted(profiles, (names) => names.includes(profile))),
    ...(manifest.resources && {
      resources: manifest.resources.filter((resource) =>
        wanted(kinds, (names) => resource.kind !== undefined && names.includes(resource.kind)),
      ),
    }),
  };
}

function requiresApproval(capability: Capability): boolean {
  return capability.requires_human_approval === true || capability.contract?.approval?.required === true;
}
