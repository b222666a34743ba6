import type { DatabaseAddress } from '../postgres/address.js';
import { type MigrationLog, migrate } from '../postgres/migrate.js';
import { openPool, type Pool } from '../postgres/pool.js';
import { HOST_MIGRATIONS } from './schema/migrations.js';

/** Schema of a host that was given no schema of its own. */
const DEFAULT_SCHEMA = 'aip_host';

/** Where unqualified names lead for this role: its own schema when it has one, else `public`. */
const CURRENT_SCHEMA = 'SELECT current_schema() AS schema';

/**
 * Opens the host's database and makes its tables when they are missing: in the schema that the role's search path leads to, or in
 * `aip_host` when that is `public` or nothing. All statements of the host name tables without a schema.
 */
export async function openHostDatabase(
  given: string | (() => DatabaseAddress),
  connections: number,
  log?: MigrationLog,
): Promise<Pool> {
  const address = typeof given === 'string' ? (): DatabaseAddress => ({ url: given }) : given;
  const schema = await schemaOf(address);
  const pool = openPool({
    url: () => withSearchPath(address(), schema),
    max: connections,
    applicationName: 'aip-connector-host',
    keepPlans: true,
  });
  try {
    await migrate(pool, { schema, migrations: HOST_MIGRATIONS, log });
    return pool;
  } catch (error) {
    await pool.close();
    throw error;
  }
}

async function schemaOf(address: () => DatabaseAddress): Promise<string> {
  const pool = openPool({ url: address, max: 1, applicationName: 'aip-connector-host' });
  try {
    const { rows } = await pool.query<{ schema: string | null }>(CURRENT_SCHEMA);
    const schema = rows[0]?.schema ?? 'public';
    return schema === 'public' ? DEFAULT_SCHEMA : `"${schema.replaceAll('"', '""')}"`;
  } finally {
    await pool.close();
  }
}

function withSearchPath({ url, ca }: DatabaseAddress, schema: string): DatabaseAddress {
  const target = new URL(url);
  const options = target.searchParams.get('options');
  target.searchParams.set('options', `${options === null ? '' : `${options} `}-c search_path=${schema}`);
  return { url: target.href, ca };
}
