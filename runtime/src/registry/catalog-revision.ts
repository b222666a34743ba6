import type { Queryable } from '../postgres/pool.js';

// Raises the revision inside the transaction of the write that it stands for; the row lock puts catalog writers one behind the other.
const RAISE = 'UPDATE registry.catalog SET revision = revision + 1, published_at = $1 RETURNING revision';

// The revision that is published now.
const READ = 'SELECT revision FROM registry.catalog';

/** Raises the catalog revision in the transaction of `client` and returns it. */
export async function raiseCatalogRevision(client: Queryable, nowMs: number): Promise<number> {
  const { rows } = await client.query<{ revision: number }>(RAISE, [nowMs]);
  return rows[0]?.revision as number;
}

/** The published catalog revision; 0 before the first write. */
export async function readCatalogRevision(db: Queryable): Promise<number> {
  const { rows } = await db.query<{ revision: number }>({ name: 'registry.catalog.revision', text: READ });
  return rows[0]?.revision as number;
}
