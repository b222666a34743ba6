import type { Pool } from '../postgres/pool.js';
import type { Clock } from '../protocol/clock.js';
import { raiseCatalogRevision } from './catalog-revision.js';
import { RegistryConflict, RegistryInputInvalid } from './errors.js';

/** Work in flight at most by scope, and the circuit of each replica (docs/protocol/registry.md#quota-policies). An absent limit is off. */
export interface PolicyLimits {
  readonly max_global_in_flight?: number;
  readonly max_tenant_in_flight?: number;
  readonly max_connector_type_in_flight?: number;
  readonly max_instance_in_flight?: number;
  readonly max_binding_in_flight?: number;
  readonly max_tenant_retry_in_flight?: number;
  /** Unknown outcomes in a row that open a replica's circuit. */
  readonly circuit_failure_threshold: number;
  /** How long it stays open, 100 to 3600000 ms. */
  readonly circuit_open_ms: number;
}

export interface AdmissionPolicy {
  readonly ref: string;
  readonly revision: number;
  readonly enabled: boolean;
  readonly limits: PolicyLimits;
}

/** The value that stands for "off" in policy documents of the protocol. */
const OFF = 4_294_967_295;

/** Used where a binding names no policy: bounds per tenant, instance and binding; nothing that all work would share one row for. */
export const DEFAULT_POLICY: AdmissionPolicy = {
  ref: 'quota:implicit-default',
  revision: 1,
  enabled: true,
  limits: {
    max_tenant_in_flight: 1000,
    max_instance_in_flight: 500,
    max_binding_in_flight: 250,
    max_tenant_retry_in_flight: 100,
    circuit_failure_threshold: 5,
    circuit_open_ms: 30_000,
  },
};

/** Stores a policy. Throws RegistryInputInvalid for limits out of bounds, RegistryConflict when it changes without a higher revision. */
export async function putPolicy(pool: Pool, clock: Clock, policy: AdmissionPolicy): Promise<void> {
  const bytes = Buffer.byteLength(policy.ref);
  if (bytes < 1 || bytes > 256) throw new RegistryInputInvalid('a policy reference has 1 to 256 bytes');
  const { circuit_open_ms, ...counts } = policy.limits;
  if (!(Number.isInteger(circuit_open_ms) && circuit_open_ms >= 100 && circuit_open_ms <= 3_600_000))
    throw new RegistryInputInvalid('circuit_open_ms must be a whole number from 100 to 3600000');
  const wrong = Object.entries(counts).find(
    ([, value]) => value !== undefined && !(Number.isInteger(value) && value > 0),
  );
  if (wrong) throw new RegistryInputInvalid(`${wrong[0]} must be a whole number above 0`);
  const limits = JSON.stringify(Object.fromEntries(Object.entries(policy.limits).filter(([, value]) => value !== OFF)));
  await pool.tx(async (client) => {
    const { rows } = await client.query<{ revision: number; enabled: boolean; limits: string }>(
      'SELECT revision, enabled, limits::text AS limits FROM registry.policies WHERE ref = $1 FOR UPDATE',
      [policy.ref],
    );
    const stored = rows[0];
    if (stored?.revision === policy.revision && stored.enabled === policy.enabled && stored.limits === limits) return;
    if (stored && policy.revision <= stored.revision)
      throw new RegistryConflict(
        `the policy ${policy.ref} has revision ${stored.revision} already; a change needs a higher one`,
      );
    await client.query(
      `INSERT INTO registry.policies (ref, revision, enabled, limits) VALUES ($1, $2, $3, $4)
       ON CONFLICT (ref) DO UPDATE SET revision = excluded.revision, enabled = excluded.enabled, limits = excluded.limits`,
      [policy.ref, policy.revision, policy.enabled, limits],
    );
    await raiseCatalogRevision(client, clock());
  });
}
