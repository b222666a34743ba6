import type { Resource } from '../../../protocol/types.js';
import type { Registry } from '../../../registry/registry.js';

/** A resource and where its content comes from. */
export interface KnownResource {
  readonly resource: Resource;
  /** The capability of the fleet whose output is the content; absent for a resource of this server's manifest. */
  readonly capabilityId?: string | undefined;
  /** The versions it has now, each with the ids of the connector versions behind it; absent where it has none. */
  readonly versions?: ReadonlyMap<string, ReadonlySet<string>> | undefined;
}

/** The resources that a tenant may know of. */
export type ResourceSource = (tenant: string | null | 'any') => Promise<readonly KnownResource[]>;

/**
 * The resources of this server's manifest and those of the tenant's connectors, sorted by id; one of this server hides
 * one of a connector under its id. Outside a tenant there are no connectors.
 */
export function resourceSource(
  own: readonly Resource[],
  registry: Pick<Registry, 'catalog'> | undefined,
): ResourceSource {
  return async (tenant) => {
    const named = typeof tenant === 'string' && tenant !== 'any' ? tenant : undefined;
    const mine = own.filter((each) => each.tenant_id === undefined || tenant === 'any' || each.tenant_id === named);
    const hidden = new Set(mine.map((each) => each.id));
    const fleet = named !== undefined && registry ? await registry.catalog.resources(named) : [];
    const all: KnownResource[] = [
      ...mine.map((resource) => ({ resource })),
      ...fleet.filter(({ resource }) => !hidden.has(resource.id)),
    ];
    return all.sort((a, b) => (a.resource.id < b.resource.id ? -1 : 1));
  };
}
