import type { Pool } from '@aip/runtime/postgres/pool.js';
import { sha256Hex } from '@aip/runtime/protocol/digest.js';

/** Role, schema and URL of an instance's own database area. */
export interface HostDatabase {
  role: string;
  url: string;
}

/** The role of an instance: stable, and short enough for PostgreSQL's 63 bytes. */
export function hostRole(instanceUid: string): string {
  return `host_${sha256Hex(instanceUid).slice(0, 16)}`;
}

/** Makes role and schema of an instance when they are not there; the role owns its schema and nothing else. May be repeated. */
export async function ensureHostDatabase(
  pool: Pool,
  adminUrl: string,
  instanceUid: string,
  password: string,
): Promise<HostDatabase> {
  const role = hostRole(instanceUid);
  if (!/^[0-9a-f]+$/.test(password)) throw new Error('the password of a host role is hexadecimal');
  // The role of one instance; DO because CREATE ROLE has no IF NOT EXISTS.
  await pool.query(
    `DO $$ BEGIN
       IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = '${role}') THEN CREATE ROLE ${role} LOGIN; END IF;
       ALTER ROLE ${role} PASSWORD '${password}' CONNECTION LIMIT 200;
       ALTER ROLE ${role} SET search_path = ${role};
       CREATE SCHEMA IF NOT EXISTS ${role} AUTHORIZATION ${role};
     END $$`,
  );
  const url = new URL(adminUrl);
  url.username = role;
  url.password = password;
  return { role, url: url.href };
}

/** Drops an instance's schema and role with everything in it (deletionPolicy Delete). */
export async function dropHostDatabase(pool: Pool, instanceUid: string): Promise<void> {
  const role = hostRole(instanceUid);
  // Everything the role owns goes before the role itself.
  await pool.query(
    `DO $$ BEGIN
       IF EXISTS (SELECT FROM pg_roles WHERE rolname = '${role}') THEN
         DROP OWNED BY ${role} CASCADE; DROP ROLE ${role};
       END IF;
     END $$`,
  );
}
