import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  DatabaseRightsMissing,
  dropHostDatabase,
  ensureHostDatabase,
  hostRole,
  retainHostDatabase,
} from '@aip/controller/fleet/host-database.js';
import { type EmbeddedPostgres, startEmbedded } from '@aip/runtime/postgres/embedded.js';
import { ensureOwnedDatabase } from '@aip/runtime/postgres/owned-database.js';
import { openPool, type Pool } from '@aip/runtime/postgres/pool.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { postgresPrograms } from '../support/postgres-releases.ts';

const PASSWORD = 'ab'.repeat(24);

describe.each([16, 17, 18] as const)(
  'databases of hosts on PostgreSQL %i, made by an owner that is no superuser',
  (release) => {
    let folder: string;
    let server: EmbeddedPostgres;
    let url: string;
    let pool: Pool;
    const asUser = async <T extends object>(address: string, sql: string): Promise<T[]> => {
      const own = openPool({ url: address, max: 1 });
      try {
        return (await own.query<T>(sql)).rows;
      } finally {
        await own.close();
      }
    };

    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'aip-host-database-'));
      const packageDir = await postgresPrograms(release);
      server = await startEmbedded({
        dataDir: join(folder, 'data'),
        durable: false,
        ...(packageDir === undefined ? {} : { packageDir }),
      });
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

    test('a dropped one leaves neither role nor schema', async () => {
      await dropHostDatabase(pool, 'uid-1');
      await dropHostDatabase(pool, 'uid-1');
      const role = hostRole('uid-1');
      expect((await pool.query('SELECT FROM pg_roles WHERE rolname = $1', [role])).rowCount).toBe(0);
      expect((await pool.query('SELECT FROM pg_namespace WHERE nspname = $1', [role])).rowCount).toBe(0);
    });

    test('a user without CREATEROLE, and a role that another user made, are refused in words that say what is needed', async () => {
      await asUser(server.url, `CREATE ROLE plain LOGIN PASSWORD 'plain'; CREATE ROLE ${hostRole('uid-3')}`);
      const plain = new URL(url);
      [plain.username, plain.password] = ['plain', 'plain'];
      const weak = openPool({ url: plain.href, max: 1 });
      await expect(ensureHostDatabase(weak, { url }, 'uid-4', PASSWORD)).rejects.toThrow(/CREATEROLE/);
      await weak.close();
      await expect(ensureHostDatabase(pool, { url }, 'uid-3', PASSWORD)).rejects.toBeInstanceOf(DatabaseRightsMissing);
    });
  },
);
