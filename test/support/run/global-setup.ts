import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { RUNTIME_SCHEMA, runtimeMigrations } from '#runtime/gateway/schema/migrations.js';
import { startEmbedded } from '#runtime/postgres/embedded/embedded.js';
import { migrate } from '#runtime/postgres/migrate.js';
import { ensureOwnedDatabase } from '#runtime/postgres/owned-database.js';
import { openPool } from '#runtime/postgres/pool.js';
import { openRegistry } from '#runtime/registry/registry.js';

declare module 'vitest' {
  interface ProvidedContext {
    /** The run's server as its superuser. */
    postgresUrl: string;
    /** Name and password of the plain role that owns the databases of tests. */
    databaseOwner: { name: string; password: string };
    /** The database that those of tests are copies of; no connection may stay open to it. */
    migratedDatabase: string;
  }
}

/** One PostgreSQL server for the whole run, with one database that was migrated; every test file makes a copy of its own (support/database.ts). */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'aip-test-pg-'));
  // Each fleet of a test has a data folder of its own, whose programs would all be compiled again.
  project.config.env = { ...project.config.env, NODE_COMPILE_CACHE: join(folder, 'compiled') };
  const server = await startEmbedded({ dataDir: join(folder, 'data'), durable: false });
  const owner = { name: 'fleet', password: 'fleet' };
  const migrated = 'migrated';
  await migrateOnce(
    await ensureOwnedDatabase(server.url, { database: migrated, owner: owner.name, password: owner.password }),
  );
  project.provide('postgresUrl', server.url);
  project.provide('databaseOwner', owner);
  project.provide('migratedDatabase', migrated);
  return async () => {
    await server.stop();
    // A process that ends at this moment may still write what it compiled.
    await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  };
}

/** Runs every migration of the gateway and of the registry. */
async function migrateOnce(url: string): Promise<void> {
  const pool = openPool({ url, max: 1 });
  try {
    await migrate(pool, { schema: RUNTIME_SCHEMA, migrations: runtimeMigrations });
    await openRegistry({ data: pool, clock: Date.now }).migrate();
  } finally {
    await pool.close();
  }
}
