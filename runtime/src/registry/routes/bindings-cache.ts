import type { Queryable } from '../../postgres/pool.js';
import { parseJson } from '../../protocol/json.js';
import { readCatalogRevision } from '../catalog-revision.js';
import type { PolicyLimits } from '../policies.js';

/** One way a tenant's capability may go: binding, instance and version, as of one catalog revision. */
export interface RouteOption {
  readonly instanceId: string;
  readonly typeId: string;
  readonly versionId: string;
  readonly manifestDigest: string;
  readonly priority: number;
  readonly policyRevision: number;
  readonly credentialRevisionRef: string | null;
  readonly quotaPolicyRef: string | null;
  /** Share of the instance's new work that its canary takes; null without one. */
  readonly canaryPercent: number | null;
  /** Whether this is the version that is tried. */
  readonly isCanary: boolean;
  /** Absent: the default policy. */
  readonly policy?: { readonly enabled: boolean; readonly limits: PolicyLimits } | undefined;
}

/** The options of one tenant and capability, best priority first, at one catalog revision. */
export interface RouteOptions {
  readonly revision: number;
  readonly options: readonly RouteOption[];
}

// Every usable binding of a tenant's capability, twice where another version is tried. Replica health plays no part here.
const READ = `
SELECT b.instance_id AS "instanceId", i.type_id AS "typeId", v.id AS "versionId", k.percent AS "canaryPercent", s.canary AS "isCanary", v.manifest_digest AS "manifestDigest",
  b.priority, b.policy_revision AS "policyRevision", b.credential_revision_ref AS "credentialRevisionRef",
  b.quota_policy_ref AS "quotaPolicyRef", p.enabled AS policy_enabled, p.limits::text AS policy_limits
FROM registry.bindings b
JOIN registry.instances i ON i.id = b.instance_id AND i.enabled AND i.tenant_id = b.tenant_id
LEFT JOIN registry.canaries k ON k.instance_id = i.id AND k.version_id <> i.version_id
CROSS JOIN LATERAL (VALUES (i.version_id, false), (k.version_id, true)) AS s (version_id, canary)
JOIN registry.versions v ON v.id = s.version_id AND v.status = 'active'
JOIN registry.version_capabilities c ON c.version_id = v.id AND c.capability_id = b.capability_id
JOIN registry.types t ON t.id = i.type_id AND t.enabled
LEFT JOIN registry.policies p ON p.ref = b.quota_policy_ref
WHERE b.tenant_id = $1 AND b.capability_id = $2 AND b.enabled
ORDER BY b.priority, b.instance_id, s.canary`;

type Row = Omit<RouteOption, 'policy'> & { policy_enabled: boolean | null; policy_limits: string | null };

/** Reads of the catalog that are kept until its revision moves; the writing statement checks the revision, so a stale one only costs a retry. */
export interface BindingsCache {
  get(tenantId: string, capabilityId: string): Promise<RouteOptions>;
  /** Forgets everything: the revision has moved. */
  clear(): void;
}

/** Lists of at most this many tenant-capability pairs are kept. */
const MAX_ENTRIES = 50_000;

export function bindingsCache(db: Queryable): BindingsCache {
  const known = new Map<string, Promise<RouteOptions>>();
  const read = async (tenantId: string, capabilityId: string): Promise<RouteOptions> => {
    const revision = await readCatalogRevision(db);
    const { rows } = await db.query<Row>({
      name: 'registry.route.options',
      text: READ,
      values: [tenantId, capabilityId],
    });
    const options = rows.map(({ policy_enabled, policy_limits, ...option }) => ({
      ...option,
      ...(policy_limits !== null && {
        policy: { enabled: policy_enabled === true, limits: parseJson(policy_limits) as PolicyLimits },
      }),
    }));
    return { revision, options };
  };
  return {
    get: (tenantId, capabilityId) => {
      const key = `${tenantId}\u001f${capabilityId}`;
      let entry = known.get(key);
      if (!entry) {
        if (known.size >= MAX_ENTRIES) known.clear();
        entry = read(tenantId, capabilityId);
        known.set(key, entry);
        entry.catch(() => known.delete(key));
      }
      return entry;
    },
    clear: () => known.clear(),
  };
}
