import pg from 'pg';
import { openPool } from './pool.js';

/** A database and the plain role that owns it. */
export interface OwnedDatabase {
  readonly database: string;
  /** Name of the role: it may log in and make roles, and is not a superuser. */
  readonly owner: string;
  readonly password: string;
}

/** Copying the files of a new database may wait for a slow disk. */
const CREATE_MS = 60_000;

/**
 * Creates a role and a database that it owns, as a superuser, unless they exist; returns the role's URL of the database. The role has the rights
 * that the fleet needs in an installation, and no more.
 */
export async function ensureOwnedDatabase(
  superuserUrl: string,
  { database, owner, password }: OwnedDatabase,
): Promise<string> {
  const pool = openPool({ url: superuserUrl, max: 1, acquireTimeoutMs: CREATE_MS, statementTimeoutMs: CREATE_MS });
  try {
    const role = pg.escapeIdentifier(owner);
    const has = async (sql: string, name: string): Promise<boolean> => (await pool.query(sql, [name])).rowCount > 0;
    if (!(await has('SELECT FROM pg_roles WHERE rolname = $1', owner)))
      await pool.query(`CREATE ROLE ${role} LOGIN CREATEROLE PASSWORD ${pg.escapeLiteral(password)}`);
    if (!(await has('SELECT FROM pg_database WHERE datname = $1', database)))
      await pool.query(`CREATE DATABASE ${pg.escapeIdentifier(database)} TEMPLATE template0 OWNER ${role}`);
  } finally {
    await pool.close();
  }
  const url = new URL(superuserUrl);
  url.username = owner;
  url.password = password;
  url.pathname = `/${database}`;
  return url.href;
}
