import type { Queryable } from '../../postgres/pool.js';
import type { Clock } from '../../protocol/clock.js';
import { parseJson } from '../../protocol/json.js';
import type { Capability } from '../../protocol/types.js';
import { readCatalogRevision } from '../catalog-revision.js';

/** A capability that a tenant may call. */
export interface TenantCapability {
  readonly capability: Capability;
  readonly contractDigest: string;
}

// The capability, when some enabled binding of the tenant leads to an active version of it. Replica health plays no part.
const READ = `
SELECT c.record::text AS record, c.contract_digest FROM registry.capabilities c
WHERE c.id = $2 AND EXISTS (
  SELECT FROM registry.bindings b
  JOIN registry.instances i ON i.id = b.instance_id AND i.enabled AND i.tenant_id = b.tenant_id
  JOIN registry.versions v ON v.id = i.version_id AND v.status = 'active'
  JOIN registry.version_capabilities vc ON vc.version_id = v.id AND vc.capability_id = c.id
  JOIN registry.types t ON t.id = i.type_id AND t.enabled
  WHERE b.tenant_id = $1 AND b.capability_id = c.id AND b.enabled)`;

/** How long the revision is trusted before it is read again, in milliseconds. */
const REVALIDATE_MS = 250;
const MAX_ENTRIES = 20_000;

/** Looks capabilities up for tenants. Answers are kept while the catalog revision stays, which is read at most every 250 ms. */
export function tenantCapabilities(
  db: Queryable,
  clock: Clock,
): (tenantId: string, capabilityId: string) => Promise<TenantCapability | undefined> {
  const known = new Map<string, TenantCapability | undefined>();
  let revision = -1;
  let checkedAt = Number.NEGATIVE_INFINITY;
  let checking: Promise<void> | undefined;

  const check = async (): Promise<void> => {
    const now = clock();
    const current = await readCatalogRevision(db);
    if (current !== revision || known.size > MAX_ENTRIES) known.clear();
    revision = current;
    checkedAt = now;
  };
  return async (tenantId, capabilityId) => {
    if (clock() - checkedAt >= REVALIDATE_MS) {
      checking ??= check().finally(() => {
        checking = undefined;
      });
      await checking;
    }
    const key = `${tenantId}\u001f${capabilityId}`;
    if (known.has(key)) return known.get(key);
    const at = revision;
    const { rows } = await db.query<{ record: string; contract_digest: string }>({
      name: 'registry.catalog.capability',
      text: READ,
      values: [tenantId, capabilityId],
    });
    const row = rows[0];
    const found = row && {
      capability: parseJson(row.record) as Capability,
      contractDigest: row.contract_digest,
    };
    if (at === revision) known.set(key, found);
    return found;
  };
}
