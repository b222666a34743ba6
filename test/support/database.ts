import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { inject } from 'vitest';

/** How long a pool of a fixture waits for a connection, in milliseconds: on a busy machine a new one takes longer than a program should wait. */
export const CONNECT_MS = 60_000;

/** A database of one test file, and the function that drops it. */
export interface TestDatabase {
  readonly url: string;
  drop(): Promise<void>;
}

/**
 * Makes a database for one test file, in which the migrations of gateway and registry have run. Its owner is what an installation has: a role
 * that may make roles, and no superuser.
 */
export function freshDatabase(): Promise<TestDatabase> {
  return copyOf(inject('migratedDatabase'));
}

/** As freshDatabase, without a schema: for tests of the migrations themselves. */
export function emptyDatabase(): Promise<TestDatabase> {
  return copyOf('template0');
}

async function copyOf(template: string): Promise<TestDatabase> {
  const admin = inject('postgresUrl');
  const { name: owner, password } = inject('databaseOwner');
  const name = `t_${randomBytes(6).toString('hex')}`;
  // The default strategy writes every page to the log: six times the processor time of a copy of the files.
  await run(admin, `CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY file_copy OWNER ${owner}`);
  const url = new URL(admin);
  Object.assign(url, { username: owner, password, pathname: `/${name}` });
  return { url: url.href, drop: () => run(admin, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`) };
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
