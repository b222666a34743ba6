import type { Queryable } from '../../../postgres/pool.js';

// Statistics and file sizes: counting a tenant's actions would cost the write path a record for each, or a scrape a walk over all.
const READ = `
SELECT greatest(reltuples, 0)::bigint AS actions, pg_total_relation_size(oid) AS bytes
FROM pg_class WHERE oid = 'runtime.actions'::regclass`;

/** What the actions of all tenants take. */
export interface StoredActions {
  /** As the statistics of the database estimate. */
  readonly actions: number;
  /** With indexes and what was moved out of line. */
  readonly bytes: number;
}

/** Reads how many actions are stored, and their bytes. */
export async function readStoredActions(db: Queryable): Promise<StoredActions> {
  const { rows } = await db.query<StoredActions>({ name: 'runtime.stock.actions', text: READ, values: [] });
  return rows[0] as StoredActions;
}
