import type { Pool } from '../postgres/pool.js';
import type { Clock } from '../protocol/clock.js';
import { raiseCatalogRevision } from './catalog-revision.js';
import { RegistryInputInvalid } from './errors.js';

/** What a tenant may call where, and under which policies (docs/protocol/registry.md#bindings). The lowest priority value is tried first. */
export interface CapabilityBinding {
  readonly tenantId: string;
  readonly capabilityId: string;
  readonly instanceId: string;
  readonly priority: number;
  readonly credentialRevisionRef?: string | undefined;
  readonly quotaPolicyRef?: string | undefined;
  readonly enabled: boolean;
}

// Stores a binding where it differs; its revision rises with every effective change.
const PUT = `
INSERT INTO registry.bindings AS b
  (tenant_id, capability_id, instance_id, priority, policy_revision, credential_revision_ref, quota_policy_ref, enabled)
VALUES ($1, $2, $3, $4, 1, $5, $6, $7)
ON CONFLICT (tenant_id, capability_id, instance_id) DO UPDATE SET priority = excluded.priority,
  policy_revision = b.policy_revision + 1, credential_revision_ref = excluded.credential_revision_ref,
  quota_policy_ref = excluded.quota_policy_ref, enabled = excluded.enabled
WHERE (b.priority, b.credential_revision_ref, b.quota_policy_ref, b.enabled)
  IS DISTINCT FROM (excluded.priority, excluded.credential_revision_ref, excluded.quota_policy_ref, excluded.enabled)
RETURNING policy_revision`;

// Whether the instance belongs to the tenant and implements the capability now, and whether the policy exists.
const CHECK = `
SELECT i.tenant_id = $1 AS owned,
  EXISTS (SELECT FROM registry.version_capabilities c WHERE c.version_id = i.version_id AND c.capability_id = $2) AS implemented,
  $4::text IS NULL OR EXISTS (SELECT FROM registry.policies p WHERE p.ref = $4) AS policy_known
FROM registry.instances i WHERE i.id = $3`;

/**
 * Stores a binding; the identical one changes nothing. Throws RegistryInputInvalid when the tenant does not own the instance, the instance
 * does not implement the capability (an enabled binding only), or the quota policy is unknown.
 */
export async function putBinding(pool: Pool, clock: Clock, binding: CapabilityBinding): Promise<void> {
  const {
    tenantId,
    capabilityId,
    instanceId,
    priority,
    credentialRevisionRef = null,
    quotaPolicyRef = null,
    enabled,
  } = binding;
  await pool.tx(async (client) => {
    const { rows } = await client.query<{ owned: boolean; implemented: boolean; policy_known: boolean }>(CHECK, [
      tenantId,
      capabilityId,
      instanceId,
      quotaPolicyRef,
    ]);
    const found = rows[0];
    if (!found?.owned) throw new RegistryInputInvalid(`the tenant ${tenantId} has no instance ${instanceId}`);
    if (enabled && !found.implemented)
      throw new RegistryInputInvalid(`the instance ${instanceId} does not implement ${capabilityId}`);
    if (!found.policy_known) throw new RegistryInputInvalid(`no quota policy ${quotaPolicyRef}`);
    const written = await client.query(PUT, [
      tenantId,
      capabilityId,
      instanceId,
      priority,
      credentialRevisionRef,
      quotaPolicyRef,
      enabled,
    ]);
    if (written.rowCount > 0) await raiseCatalogRevision(client, clock());
  });
}

/** All bindings of an instance. */
export async function bindingsOf(pool: Pool, instanceId: string): Promise<CapabilityBinding[]> {
  const { rows } = await pool.query<{
    tenant_id: string;
    capability_id: string;
    priority: number;
    credential_revision_ref: string | null;
    quota_policy_ref: string | null;
    enabled: boolean;
  }>('SELECT * FROM registry.bindings WHERE instance_id = $1 ORDER BY capability_id', [instanceId]);
  return rows.map((row) => ({
    tenantId: row.tenant_id,
    capabilityId: row.capability_id,
    instanceId,
    priority: row.priority,
    credentialRevisionRef: row.credential_revision_ref ?? undefined,
    quotaPolicyRef: row.quota_policy_ref ?? undefined,
    enabled: row.enabled,
  }));
}
