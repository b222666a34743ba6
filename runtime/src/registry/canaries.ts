import type { Pool, Queryable } from '../postgres/pool.js';
import type { Clock } from '../protocol/clock.js';
import { raiseCatalogRevision } from './catalog-revision.js';
import { RegistryInputInvalid } from './errors.js';

/** A version that takes a share of an instance's new work beside the version in force (docs/protocol/registry.md#canaries). */
export interface Canary {
  readonly versionId: string;
  /** Share of new actions, 1 to 99. */
  readonly percent: number;
}

// Only a version of the instance's own type may run for it.
const PUT = `
INSERT INTO registry.canaries AS k (instance_id, version_id, percent)
SELECT i.id, v.id, $3 FROM registry.instances i JOIN registry.versions v ON v.id = $2 AND v.type_id = i.type_id WHERE i.id = $1
ON CONFLICT (instance_id) DO UPDATE SET version_id = excluded.version_id, percent = excluded.percent`;

/**
 * Stores the canary of an instance, or that it has none. The identical one changes nothing. Throws RegistryInputInvalid when the instance is not
 * known, or the version is not one of its type.
 */
export async function putCanary(
  pool: Pool,
  clock: Clock,
  instanceId: string,
  canary: Canary | undefined,
): Promise<void> {
  await pool.tx(async (client) => {
    const stored = await canaryOf(client, instanceId);
    if (stored?.versionId === canary?.versionId && stored?.percent === canary?.percent) return;
    if (canary) {
      const { rowCount } = await client.query(PUT, [instanceId, canary.versionId, canary.percent]);
      if (rowCount === 0)
        throw new RegistryInputInvalid(`the version ${canary.versionId} is not one of the type of ${instanceId}`);
    } else await client.query('DELETE FROM registry.canaries WHERE instance_id = $1', [instanceId]);
    await raiseCatalogRevision(client, clock());
  });
}

/** The canary of an instance, if it has one. */
export async function canaryOf(db: Queryable, instanceId: string): Promise<Canary | undefined> {
  const { rows } = await db.query<Canary>(
    'SELECT version_id AS "versionId", percent FROM registry.canaries WHERE instance_id = $1',
    [instanceId],
  );
  return rows[0];
}
