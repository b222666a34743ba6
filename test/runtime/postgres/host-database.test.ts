import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { missingDatabaseRights } from '#controller/fleet/database-rights.js';
import {
  DatabaseRightsMissing,
  dropHostDatabase,
  ensureHostDatabase,
  hostRole,
  retainHostDatabase,
} from '#controller/fleet/host-database.js';
import { dropRemovedDatabase, removedDatabases } from '#controller/fleet/removed-databases.js';
import { type EmbeddedPostgres, startEmbedded } from '#runtime/postgres/embedded/embedded.js';
import { ensureOwnedDatabase } from '#runtime/postgres/owned-database.js';
import { openPool, type Pool } from '#runtime/postgres/pool.js';
import { postgresPrograms } from '../../support/postgres/postgres-releases.ts';

const PASSWORD = 'ab'.repeat(24);

async function asUser<T extends object>(address: string, sql: string): Promise<T[]> {
  const own = openPool({ url: address, max: 1 });
  try {
    return (await own.query<T>(sql)).rows;
  } finally {
    await own.close();
  }
}

/** A server of a release whose data may be lost. */
async function startRelease(release: 16 | 17 | 18, dataDir: string): Promise<EmbeddedPostgres> {
  const packageDir = await postgresPrograms(release);
  return startEmbedded({ dataDir, durable: false, ...(packageDir === undefined ? {} : { packageDir }) });
}

/** A pool of a role whose password is its name. */
function poolOf(url: string, role: string): Pool {
  const own = new URL(url);
  [own.username, own.password] = [role, role];
  return openPool({ url: own.href, max: 1 });
}

describe.each([16, 17, 18] as const)(
  'databases of hosts on PostgreSQL %i, made by an owner that is not a superuser',
  (release) => {
    let folder: string;
    let server: EmbeddedPostgres;
    let url: string;
    let pool: Pool;

    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'aip-host-database-'));
      server = await startRelease(release, join(folder, 'data'));
      url = await ensureOwnedDatabase(server.url, { database: 'fleet', owner: 'fleet', password: 'fleet' });
      pool = openPool({ url, max: 2 });
    });
    afterAll(async () => {
      await pool?.close();
      await server?.stop();
      await rm(folder, { recursive: true, force: true });
    });

    test('a host gets a role and a schema that it owns, and making them again changes nothing', async () => {
      const { url: own, role } = await ensureHostDatabase(pool, { url }, 'uid-1', PASSWORD);
      await ensureHostDatabase(pool, { url }, 'uid-1', PASSWORD);
      await asUser(own, 'CREATE TABLE journal (id int)');
      expect(await asUser(own, 'SELECT current_schema() AS schema')).toEqual([{ schema: role }]);
      expect(await asUser(server.url, `SELECT version() AS text`)).toEqual([
        { text: expect.stringContaining(`PostgreSQL ${release}.`) },
      ]);
    });

    test("the owner reads what hosts store, as a backup does; another host's role does not", async () => {
      const { role } = await ensureHostDatabase(pool, { url }, 'uid-1', PASSWORD);
      expect((await pool.query(`SELECT count(*) AS n FROM ${role}.journal`)).rows).toEqual([{ n: 0 }]);
      const other = await ensureHostDatabase(pool, { url }, 'uid-2', PASSWORD);
      await expect(asUser(other.url, `SELECT * FROM ${role}.journal`)).rejects.toThrow('permission denied');
    });

    test('a retained schema stays, its role can no longer log in, and it comes back with the instance', async () => {
      const { url: own, role } = await ensureHostDatabase(pool, { url }, 'uid-1', PASSWORD);
      await retainHostDatabase(pool, 'uid-1');
      await expect(asUser(own, 'SELECT 1 AS one')).rejects.toThrow();
      expect((await pool.query(`SELECT count(*) AS n FROM ${role}.journal`)).rows).toEqual([{ n: 0 }]);
      await ensureHostDatabase(pool, { url }, 'uid-1', PASSWORD);
      expect(await asUser(own, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    });

    test('prune finds what removed instances left and drops it; existing instances and other databases keep theirs', async () => {
      const [kept, gone] = ['uid-5', 'uid-6'];
      for (const uid of [kept, gone]) {
        const { url: own } = await ensureHostDatabase(pool, { url }, uid, PASSWORD);
        await asUser(own, 'CREATE TABLE journal AS SELECT generate_series(1, 1000) AS id');
        await retainHostDatabase(pool, uid);
      }
      const elsewhere = await ensureOwnedDatabase(server.url, { database: 'other', owner: 'other', password: 'other' });
      const otherPool = openPool({ url: elsewhere, max: 1 });
      await ensureHostDatabase(otherPool, { url: elsewhere }, 'uid-7', PASSWORD);
      await retainHostDatabase(otherPool, 'uid-7');
      const found = await removedDatabases(pool, new Set([hostRole(kept)]));
      expect(found).toEqual([{ role: hostRole(gone), schema: true, bytes: expect.any(Number) }]);
      expect(found[0]?.bytes).toBeGreaterThan(8192);
      await dropRemovedDatabase(pool, { role: hostRole(kept) });
      await ensureHostDatabase(pool, { url }, gone, PASSWORD);
      for (const each of found) await dropRemovedDatabase(pool, each);
      const left = await pool.query<{ rolname: string }>('SELECT rolname FROM pg_roles WHERE rolname = ANY($1)', [
        [kept, gone, 'uid-7'].map(hostRole),
      ]);
      expect(left.rows.map(({ rolname }) => rolname).sort()).toEqual([hostRole(gone), hostRole('uid-7')].sort());
      expect((await otherPool.query(`SELECT FROM pg_namespace WHERE nspname = '${hostRole('uid-7')}'`)).rowCount).toBe(
        1,
      );
      await otherPool.close();
      await expect(dropRemovedDatabase(pool, { role: 'registry' })).rejects.toThrow("is not the name of a host's role");
    });

    test('rights that the database user lacks are listed with the statements that give them', async () => {
      expect(await missingDatabaseRights(pool)).toEqual([]);
      await asUser(server.url, `CREATE ROLE bare LOGIN PASSWORD 'bare'`);
      await ensureHostDatabase(pool, { url }, 'uid-8', PASSWORD);
      const weak = poolOf(url, 'bare');
      const missing = await missingDatabaseRights(weak);
      expect(missing.map(({ message }) => message)).toEqual([
        'the database user bare may not make roles',
        'the database user bare may not make schemas',
        expect.stringContaining(hostRole('uid-8')),
      ]);
      for (const { advice } of missing)
        await asUser(server.url, advice.replace(/^[^:]*: /, '').replaceAll('DATABASE fleet', 'DATABASE "fleet"'));
      expect(await missingDatabaseRights(weak)).toEqual([]);
      await weak.close();
      await asUser(server.url, 'ALTER DATABASE fleet OWNER TO fleet');
    });

    test('a dropped one leaves neither role nor schema', async () => {
      await dropHostDatabase(pool, 'uid-1');
      await dropHostDatabase(pool, 'uid-1');
      const role = hostRole('uid-1');
      expect((await pool.query('SELECT FROM pg_roles WHERE rolname = $1', [role])).rowCount).toBe(0);
      expect((await pool.query('SELECT FROM pg_namespace WHERE nspname = $1', [role])).rowCount).toBe(0);
    });

    test('a user without CREATEROLE, and a role that another user made, are refused in words that say what is needed', async () => {
      await asUser(server.url, `CREATE ROLE plain LOGIN PASSWORD 'plain'; CREATE ROLE ${hostRole('uid-3')}`);
      const weak = poolOf(url, 'plain');
      await expect(ensureHostDatabase(weak, { url }, 'uid-4', PASSWORD)).rejects.toThrow(/CREATEROLE/);
      await weak.close();
      await expect(ensureHostDatabase(pool, { url }, 'uid-3', PASSWORD)).rejects.toBeInstanceOf(DatabaseRightsMissing);
    });
  },
);
