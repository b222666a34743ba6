import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { startEmbedded } from '#runtime/postgres/embedded.js';
import { ensureOwnedDatabase } from '#runtime/postgres/owned-database.js';

declare module 'vitest' {
  interface ProvidedContext {
    /** The run's server as its superuser. */
    postgresUrl: string;
    /** Name and password of the plain role that owns the databases of tests. */
    databaseOwner: { name: string; password: string };
  }
}

/** One PostgreSQL server for the whole run; every test file makes a database of its own in it (support/database.ts). */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'aip-test-pg-'));
  const server = await startEmbedded({ dataDir: join(folder, 'data'), durable: false });
  const owner = { name: 'fleet', password: 'fleet' };
  await ensureOwnedDatabase(server.url, { database: 'fleet', owner: owner.name, password: owner.password });
  project.provide('postgresUrl', server.url);
  project.provide('databaseOwner', owner);
  return async () => {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  };
}
