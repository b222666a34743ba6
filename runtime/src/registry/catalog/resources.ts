import type { Queryable } from '../../postgres/pool.js';
import { isPlainId } from '../../protocol/ids.js';
import { parseJson } from '../../protocol/json.js';
import type { Capability, Resource } from '../../protocol/types.js';
import { readCatalogRevision } from '../catalog-revision.js';

/** A resource that a connector of the tenant offers. */
export interface TenantResource {
  readonly resource: Resource;
  /** The capability whose output is the content. */
  readonly capabilityId: string;
  /** The connector versions that offer it now, by label; each with the ids of its version records. */
  readonly versions: ReadonlyMap<string, ReadonlySet<string>>;
}

// What a tenant's enabled bindings lead to: each capability with the version behind it, the preferred instance first, and
// the resources that the manifest of the version declares for the capability.
const READ = `
SELECT c.id AS capability_id, c.record::text AS capability, c.record->>'kind' AS kind, v.id AS version_id, v.label,
  (SELECT json_agg(r) FROM json_array_elements(v.manifest->'resources') r WHERE r->>'capability_id' = c.id)::text AS declared
FROM registry.bindings b
JOIN registry.instances i ON i.id = b.instance_id AND i.enabled AND i.tenant_id = b.tenant_id
JOIN registry.versions v ON v.id = i.version_id AND v.status = 'active'
JOIN registry.version_capabilities vc ON vc.version_id = v.id AND vc.capability_id = b.capability_id
JOIN registry.types t ON t.id = i.type_id AND t.enabled
JOIN registry.capabilities c ON c.id = b.capability_id
WHERE b.tenant_id = $1 AND b.enabled AND (c.record->>'kind' = 'resource' OR v.manifest->'resources' IS NOT NULL)
ORDER BY b.priority, b.instance_id`;

/** Tenants whose resources are kept. */
const MAX_TENANTS = 256;

interface Row {
  capability_id: string;
  capability: string;
  kind: string;
  version_id: string;
  label: string;
  declared: string | null;
}

/**
 * Reads the resources of tenants, by id. A capability of kind resource is one even where no manifest declares it. The
 * answer is kept while the catalog revision stays.
 */
export function tenantResources(db: Queryable): (tenantId: string) => Promise<readonly TenantResource[]> {
  const known = new Map<string, { revision: number; resources: readonly TenantResource[] }>();
  return async (tenantId) => {
    const revision = await readCatalogRevision(db);
    const kept = known.get(tenantId);
    if (kept?.revision === revision) return kept.resources;
    const { rows } = await db.query<Row>({ name: 'registry.catalog.resources', text: READ, values: [tenantId] });
    const resources = resourcesOf(rows, tenantId);
    known.delete(tenantId);
    known.set(tenantId, { revision, resources });
    if (known.size > MAX_TENANTS) known.delete(known.keys().next().value as string);
    return resources;
  };
}

/** One resource an id, sorted by id: the preferred instance describes it, every version that offers it is named. */
function resourcesOf(rows: readonly Row[], tenantId: string): TenantResource[] {
  const found = new Map<string, { resource: Resource; capabilityId: string; versions: Map<string, Set<string>> }>();
  for (const row of rows) {
    for (const resource of declaredBy(row)) {
      if (!isPlainId(resource.id) || (resource.tenant_id ?? tenantId) !== tenantId) continue;
      const described = { ...resource, tenant_id: tenantId, capability_id: row.capability_id };
      const known = found.get(resource.id) ?? {
        resource: described,
        capabilityId: row.capability_id,
        versions: new Map<string, Set<string>>(),
      };
      if (known.capabilityId !== row.capability_id) continue;
      known.versions.set(row.label, (known.versions.get(row.label) ?? new Set()).add(row.version_id));
      found.set(resource.id, known);
    }
  }
  return [...found.values()].sort((a, b) => (a.resource.id < b.resource.id ? -1 : 1));
}

/** The resources that a version offers through a capability. */
function declaredBy(row: Row): Resource[] {
  if (row.declared !== null) return parseJson(row.declared) as Resource[];
  if (row.kind !== 'resource') return [];
  const { id, name, description } = parseJson(row.capability) as Capability;
  return [{ id, name, ...(description !== undefined && { description }) }];
}
