import type { Pool } from '../postgres/pool.js';
import type { Clock } from '../protocol/clock.js';
import { raiseCatalogRevision } from './catalog-revision.js';
import { RegistryConflict, RegistryInputInvalid } from './errors.js';

/** A kind of connector (docs/protocol/registry.md#types-and-versions). `owner` must equal the owner of every version's artifact. */
export interface ConnectorType {
  readonly id: string;
  readonly name: string;
  readonly owner: string;
  readonly enabled: boolean;
}

/** Stores a type. The identical record changes nothing; another one is RegistryConflict. Blank texts are RegistryInputInvalid. */
export async function putConnectorType(pool: Pool, clock: Clock, type: ConnectorType): Promise<void> {
  if (type.name.trim() === '' || type.owner.trim() === '')
    throw new RegistryInputInvalid('a connector type needs a name and an owner');
  await pool.tx(async (client) => {
    const made = await client.query(
      'INSERT INTO registry.types (id, name, owner, enabled) VALUES ($1, $2, $3, $4) ON CONFLICT (id) DO NOTHING',
      [type.id, type.name, type.owner, type.enabled],
    );
    if (made.rowCount > 0) {
      await raiseCatalogRevision(client, clock());
      return;
    }
    const { rows } = await client.query<ConnectorType>(
      'SELECT id, name, owner, enabled FROM registry.types WHERE id = $1',
      [type.id],
    );
    const stored = rows[0];
    if (stored?.name !== type.name || stored.owner !== type.owner || stored.enabled !== type.enabled)
      throw new RegistryConflict(`the connector type ${type.id} is stored with other members`);
  });
}

/** Enables or disables a type: a disabled one admits no versions and gets no new work. */
export async function setTypeEnabled(pool: Pool, clock: Clock, id: string, enabled: boolean): Promise<void> {
  await pool.tx(async (client) => {
    const changed = await client.query('UPDATE registry.types SET enabled = $2 WHERE id = $1 AND enabled <> $2', [
      id,
      enabled,
    ]);
    if (changed.rowCount > 0) await raiseCatalogRevision(client, clock());
  });
}
