import type { Pool } from '../postgres/pool.js';
import type { Clock } from '../protocol/clock.js';
import { raiseCatalogRevision } from './catalog-revision.js';
import { RegistryConflict, RegistryInputInvalid } from './errors.js';

/** A connector with one configuration for one tenant (docs/protocol/registry.md#instances). `configRevision` is that of its configuration and never falls. */
export interface ConnectorInstanceRecord {
  readonly id: string;
  readonly connectorTypeId: string;
  readonly versionId: string;
  readonly tenantId: string;
  readonly configRevision: number;
  readonly secretProviderRef: string;
  readonly enabled: boolean;
  /** Whether the routes of its completed actions stay, so that outcomes can be counted. Absent where it is stored: as before, for a new one false. */
  readonly keepsRoutes?: boolean;
}

interface Row {
  type_id: string;
  version_id: string;
  tenant_id: string;
  config_revision: number;
  secret_provider_ref: string;
  enabled: boolean;
  keeps_routes: boolean;
}

const INSERT = `
INSERT INTO registry.instances (id, type_id, version_id, tenant_id, config_revision, secret_provider_ref, enabled, routes_kept_since)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`;

const COLUMNS = `type_id, version_id, tenant_id, config_revision, secret_provider_ref, enabled, routes_kept_since IS NOT NULL AS keeps_routes`;

// An enabled binding that names a capability which the new version does not implement, if there is one.
const UNIMPLEMENTED = `
SELECT b.capability_id FROM registry.bindings b
WHERE b.instance_id = $1 AND b.enabled AND NOT EXISTS (
  SELECT FROM registry.version_capabilities c WHERE c.version_id = $2 AND c.capability_id = b.capability_id)
LIMIT 1`;

/**
 * Stores an instance. The identical record changes nothing. Throws RegistryConflict when type or tenant change, the revision falls,
 * or an enabled binding names a capability that the new version lacks; RegistryInputInvalid for blank texts and unknown versions.
 */
export async function putInstance(pool: Pool, clock: Clock, instance: ConnectorInstanceRecord): Promise<void> {
  if (instance.tenantId.trim() === '' || instance.secretProviderRef.trim() === '')
    throw new RegistryInputInvalid('an instance needs a tenant and a secret provider reference');
  await pool.tx(async (client) => {
    const { rows: versions } = await client.query<{ type_id: string }>(
      'SELECT type_id FROM registry.versions WHERE id = $1',
      [instance.versionId],
    );
    if (versions[0]?.type_id !== instance.connectorTypeId)
      throw new RegistryInputInvalid(`the version ${instance.versionId} is not one of ${instance.connectorTypeId}`);
    const { rows } = await client.query<Row>(`SELECT ${COLUMNS} FROM registry.instances WHERE id = $1 FOR UPDATE`, [
      instance.id,
    ]);
    const stored = rows[0];
    const values = [
      instance.id,
      instance.connectorTypeId,
      instance.versionId,
      instance.tenantId,
      instance.configRevision,
      instance.secretProviderRef,
      instance.enabled,
    ];
    if (!stored) {
      await client.query(INSERT, [...values, instance.keepsRoutes ? clock() : null]);
      await raiseCatalogRevision(client, clock());
      return;
    }
    const same =
      stored.version_id === instance.versionId &&
      stored.secret_provider_ref === instance.secretProviderRef &&
      stored.enabled === instance.enabled &&
      stored.config_revision === instance.configRevision;
    if (stored.type_id !== instance.connectorTypeId || stored.tenant_id !== instance.tenantId)
      throw new RegistryConflict(`type and tenant of the instance ${instance.id} never change`);
    if (instance.keepsRoutes !== undefined && instance.keepsRoutes !== stored.keeps_routes)
      await client.query('UPDATE registry.instances SET routes_kept_since = $2 WHERE id = $1', [
        instance.id,
        instance.keepsRoutes ? clock() : null,
      ]);
    if (same) return;
    if (instance.configRevision < stored.config_revision)
      throw new RegistryConflict(`the configuration revision of ${instance.id} is ${stored.config_revision} already`);
    if (stored.version_id !== instance.versionId) {
      const { rows: missing } = await client.query<{ capability_id: string }>(UNIMPLEMENTED, [
        instance.id,
        instance.versionId,
      ]);
      if (missing[0])
        throw new RegistryConflict(
          `the new version does not implement ${missing[0].capability_id}, which an enabled binding names: disable that binding first`,
        );
    }
    await client.query(
      'UPDATE registry.instances SET version_id = $2, config_revision = $3, secret_provider_ref = $4, enabled = $5 WHERE id = $1',
      [instance.id, instance.versionId, instance.configRevision, instance.secretProviderRef, instance.enabled],
    );
    await raiseCatalogRevision(client, clock());
  });
}

/** The stored instance, or undefined. */
export async function findInstance(pool: Pool, id: string): Promise<ConnectorInstanceRecord | undefined> {
  const { rows } = await pool.query<Row>(`SELECT ${COLUMNS} FROM registry.instances WHERE id = $1`, [id]);
  const row = rows[0];
  return (
    row && {
      id,
      connectorTypeId: row.type_id,
      versionId: row.version_id,
      tenantId: row.tenant_id,
      configRevision: row.config_revision,
      secretProviderRef: row.secret_provider_ref,
      enabled: row.enabled,
      keepsRoutes: row.keeps_routes,
    }
  );
}
