import { AipError } from '../../../protocol/errors.js';
import type { Capability } from '../../../protocol/types.js';
import type { Registry } from '../../../registry/registry.js';
import type { Placement } from '../record/plan.js';
import type { LocalCapabilities } from './local-capabilities.js';

/** A capability a caller may name, and where it runs. */
export interface KnownCapability {
  readonly capability: Capability;
  readonly placement: Placement;
}

/** Finds capabilities: those of this server first, then the tenant's fleet catalog (docs/protocol/actions.md#order-of-acceptance). */
export interface CapabilityLookup {
  /** The capability, or undefined when the tenant has none of that id. */
  find(tenantId: string | null, capabilityId: string): Promise<KnownCapability | undefined>;
  /** As find; throws `resource.not_found`. */
  get(tenantId: string | null, capabilityId: string): Promise<KnownCapability>;
}

/** Builds the lookup; without a registry only this server's own capabilities are known. */
export function capabilityLookup(
  local: LocalCapabilities,
  registry: Pick<Registry, 'catalog'> | undefined,
): CapabilityLookup {
  const find: CapabilityLookup['find'] = async (tenantId, capabilityId) => {
    const own = local.get(capabilityId);
    if (own) return { capability: own.capability, placement: 'local' };
    if (!registry || tenantId === null) return undefined;
    const found = await registry.catalog.capability(tenantId, capabilityId);
    return found && { capability: found.capability as Capability, placement: 'remote' };
  };
  return {
    find,
    get: async (tenantId, capabilityId) => {
      const found = await find(tenantId, capabilityId);
      if (!found)
        throw new AipError('resource.not_found', 'no such capability', { details: { capability_id: capabilityId } });
      return found;
    },
  };
}
