import { readFileSync } from 'node:fs';
import type { DatabaseAddress, Pool } from '@aip/runtime/internal/postgres';
import { NamedError } from '@aip/runtime/internal/protocol';
import { sha256Hex } from '@aip/runtime/internal/signing';

/** Role, schema and URL of an instance's own database area. */
export interface HostDatabase extends DatabaseAddress {
  role: string;
}

/** SQLSTATE of a statement that the user may not run. */
const INSUFFICIENT_PRIVILEGE = '42501';

/** The database user of the fleet lacks a right that roles and schemas of hosts need. */
export class DatabaseRightsMissing extends NamedError {
  constructor(cause: unknown) {
    super(
      `the database user lacks a right (${(cause as Error).message}): it must own the database, have CREATEROLE, and have made the roles of hosts itself`,
      { cause },
    );
  }
}

/** The role of an instance: stable, and short enough for PostgreSQL's 63 bytes. */
export function hostRole(instanceUid: string): string {
  return `host_${sha256Hex(instanceUid).slice(0, 16)}`;
}

/** Makes role and schema of an instance when they are not there; the role owns its schema and nothing else. May be repeated. */
export async function ensureHostDatabase(
  pool: Pool,
  admin: DatabaseAddress,
  instanceUid: string,
  password: string,
): Promise<HostDatabase> {
  const role = hostRole(instanceUid);
  if (!/^[0-9a-f]+$/.test(password)) throw new Error('the password of a host role is hexadecimal');
  // The role of one instance; DO because CREATE ROLE has no IF NOT EXISTS. Since PostgreSQL 16 the creator of a role may administer it and no
  // more: making a schema of the role needs SET, dropping what the role owns (and a backup of it) INHERIT.
  await allowed(
    pool.query(
      `DO $$ BEGIN
       IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = '${role}') THEN CREATE ROLE ${role}; END IF;
       IF NOT (pg_has_role(current_user, '${role}', 'SET') AND pg_has_role(current_user, '${role}', 'USAGE')) THEN
         GRANT ${role} TO CURRENT_USER WITH SET TRUE, INHERIT TRUE;
       END IF;
       ALTER ROLE ${role} LOGIN PASSWORD '${password}' CONNECTION LIMIT 200;
       ALTER ROLE ${role} SET search_path = ${role};
       CREATE SCHEMA IF NOT EXISTS ${role} AUTHORIZATION ${role};
     END $$`,
    ),
  );
  const { url, ca } = withoutFiles(admin);
  url.username = role;
  url.password = password;
  return { role, url: url.href, ca };
}

/** Whether hosts get an authority beside the URL. */
export function hostsNeedCa(admin: DatabaseAddress): boolean {
  return admin.ca !== undefined || (URL.canParse(admin.url) && new URL(admin.url).searchParams.has('sslrootcert'));
}

/** An address without names of files, which hosts do not have: the authority by its content, no certificate of the fleet's own user. */
function withoutFiles({ url, ca }: DatabaseAddress): { url: URL; ca: string | undefined } {
  const own = new URL(url);
  const rootFile = own.searchParams.get('sslrootcert');
  for (const name of ['sslrootcert', 'sslcert', 'sslkey']) own.searchParams.delete(name);
  return { url: own, ca: ca ?? (rootFile === null ? undefined : readFileSync(rootFile, 'utf8')) };
}

/** Keeps an instance's schema, which nobody can log in to any more (deletionPolicy Retain). May be repeated. */
export async function retainHostDatabase(pool: Pool, instanceUid: string): Promise<void> {
  const role = hostRole(instanceUid);
  await allowed(
    pool.query(
      `DO $$ BEGIN
       IF EXISTS (SELECT FROM pg_roles WHERE rolname = '${role}' AND rolcanlogin) THEN ALTER ROLE ${role} NOLOGIN; END IF;
     END $$`,
    ),
  );
}

/** Drops an instance's schema and role with everything in it (deletionPolicy Delete). */
export async function dropHostDatabase(pool: Pool, instanceUid: string): Promise<void> {
  await dropHostRole(pool, hostRole(instanceUid));
}

/** Drops a role of hosts with everything that it owns, where it exists and `condition` (SQL, of pg_roles) holds. Throws DatabaseRightsMissing. */
export async function dropHostRole(
  pool: Pool,
  role: string,
  condition: '' | 'AND NOT rolcanlogin' = '',
): Promise<void> {
  if (!/^host_[0-9a-f]{16}$/.test(role)) throw new RangeError(`${role} is not the name of a host's role`);
  // Everything the role owns goes before the role itself.
  await allowed(
    pool.query(
      `DO $$ BEGIN
       IF EXISTS (SELECT FROM pg_roles WHERE rolname = '${role}' ${condition}) THEN
         DROP OWNED BY ${role} CASCADE; DROP ROLE ${role};
       END IF;
     END $$`,
    ),
  );
}

/** Revokes the right of a role of hosts to log in, and ends its connections. Throws DatabaseRightsMissing. */
export async function withoutLogin(pool: Pool, role: string): Promise<void> {
  if (!/^host_[0-9a-f]{16}$/.test(role)) throw new RangeError(`${role} is not the name of a host's role`);
  await allowed(pool.query(`ALTER ROLE ${role} NOLOGIN`));
  await allowed(pool.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = $1', [role]));
}

/** Waits for a statement; a lack of rights is DatabaseRightsMissing. */
async function allowed(statement: Promise<unknown>): Promise<void> {
  try {
    await statement;
  } catch (cause) {
    throw (cause as { code?: string }).code === INSUFFICIENT_PRIVILEGE ? new DatabaseRightsMissing(cause) : cause;
  }
}
