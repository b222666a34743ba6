import type { Pool, Queryable } from '@aip/runtime/internal/postgres';
import { dropHostRole } from './host-database.js';

/** What a removed instance left in the fleet's database. */
export interface RemovedDatabase {
  /** Name of the role, and of its schema. */
  role: string;
  /** Whether its schema is in this database; without one only the role is left. */
  schema: boolean;
  /** Size of its tables and indexes on disk, in bytes. */
  bytes: number;
}

// Removal takes the right to log in from a role (deletionPolicy Retain). Roles belong to the whole server: one whose schema is elsewhere is another
// fleet's, so a role without a schema here counts only when no database has an object that depends on it.
const REMOVED = `
SELECT r.rolname AS role, n.oid IS NOT NULL AS schema,
       coalesce((SELECT sum(pg_total_relation_size(c.oid)) FROM pg_class c WHERE c.relnamespace = n.oid AND c.relkind IN ('r', 'm')), 0)::bigint AS bytes
  FROM pg_roles r LEFT JOIN pg_namespace n ON n.nspname = r.rolname AND n.nspowner = r.oid
 WHERE r.rolname ~ '^host_[0-9a-f]{16}$' AND NOT r.rolcanlogin
   AND (n.oid IS NOT NULL OR NOT EXISTS (
         SELECT FROM pg_shdepend d WHERE d.refclassid = 'pg_authid'::regclass AND d.refobjid = r.oid AND d.dbid <> 0))
 ORDER BY r.rolname`;

/** Schemas and roles of removed instances, by name; those in `kept` are left out. Throws StorageUnavailable. */
export async function removedDatabases(database: Queryable, kept: ReadonlySet<string>): Promise<RemovedDatabase[]> {
  const { rows } = await database.query<RemovedDatabase>(REMOVED);
  return rows.filter(({ role }) => !kept.has(role));
}

/** Drops one of them with everything in it; an instance that uses it again keeps it. Throws DatabaseRightsMissing, StorageUnavailable. */
export function dropRemovedDatabase(pool: Pool, { role }: Pick<RemovedDatabase, 'role'>): Promise<void> {
  return dropHostRole(pool, role, 'AND NOT rolcanlogin');
}
