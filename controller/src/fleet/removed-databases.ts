import type { Pool, Queryable } from '@aip/runtime/internal/postgres';
import { dropHostRole, withoutLogin } from './host-database.js';

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

// Roles of hosts that may log in and whose schema is in this database, with the number of connections that they have.
const LOGINS = `
SELECT r.rolname AS role, (SELECT count(*)::int FROM pg_stat_activity a WHERE a.usesysid = r.oid) AS connections
  FROM pg_roles r JOIN pg_namespace n ON n.nspname = r.rolname AND n.nspowner = r.oid
 WHERE r.rolname ~ '^host_[0-9a-f]{16}$' AND r.rolcanlogin ORDER BY r.rolname`;

// A controller gives the right back, so it must be gone first.
const CONTROLLERS = `SELECT count(*)::int AS n FROM pg_stat_activity
 WHERE datname = current_database() AND application_name IN ('aip-controller', 'aip-control-plane', 'aip-dev')`;

/** A role of hosts that may log in. */
export interface HostLogin {
  role: string;
  connections: number;
}

/** Roles of hosts that may log in, by name. Throws StorageUnavailable. */
export async function hostLogins(database: Queryable): Promise<HostLogin[]> {
  return (await database.query<HostLogin>(LOGINS)).rows;
}

/** Whether a controller or an `aip dev` is connected to the database. Throws StorageUnavailable. */
export async function hasController(database: Queryable): Promise<boolean> {
  const { rows } = await database.query<{ n: number }>(CONTROLLERS);
  return (rows[0]?.n ?? 0) > 0;
}

/** Revokes the right of a role of hosts to log in, and ends its connections. Throws DatabaseRightsMissing, StorageUnavailable. */
export function disableHostLogin(pool: Pool, { role }: Pick<HostLogin, 'role'>): Promise<void> {
  return withoutLogin(pool, role);
}
