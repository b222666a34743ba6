import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { inject } from 'vitest';
import { ensureOwnedDatabase } from '#runtime/postgres/owned-database.js';

/** How long a pool of a fixture waits for a connection, in milliseconds: on a busy machine a new one takes longer than a program should wait. */
export const CONNECT_MS = 60_000;

/**
 * Makes an empty database for one test file and returns its URL with a function that drops it. Its owner is what an installation has: a role that
 * may make roles, and no superuser.
 */
export async function freshDatabase(): Promise<{ url: string; drop: () => Promise<void> }> {
  const admin = inject('postgresUrl');
  const name = `t_${randomBytes(6).toString('hex')}`;
  const { name: owner, password } = inject('databaseOwner');
  const url = await ensureOwnedDatabase(admin, { database: name, owner, password });
  return { url, drop: () => run(admin, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`) };
}

async function run(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
