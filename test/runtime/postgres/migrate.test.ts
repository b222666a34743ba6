import { afterAll, beforeAll, expect, test } from 'vitest';
import { migrate, schemaVersion } from '#runtime/postgres/migrate.js';
import { openPool, type Pool } from '#runtime/postgres/pool.js';
import { StorageUnavailable } from '#runtime/protocol/errors.js';
import { emptyDatabase } from '../../support/database.ts';
import { until } from '../../support/until.ts';

let url: string;
let drop: () => Promise<void>;
let pool: Pool;
beforeAll(async () => {
  ({ url, drop } = await emptyDatabase());
  pool = openPool({ url, max: 8 });
});
afterAll(async () => {
  await pool?.close();
  await drop?.();
});

const steps = (schema: string, count: number) =>
  Array.from({ length: count }, (_, n) => ({
    id: n + 1,
    name: `step ${n + 1}`,
    sql: `CREATE TABLE ${schema}.t${n + 1} (id int)`,
  }));
const tables = async (schema: string) =>
  (await pool.query<{ n: number }>('SELECT count(*) AS n FROM pg_tables WHERE schemaname = $1', [schema])).rows[0]?.n;

test('brings an empty database to the newest step, and does nothing the second time', async () => {
  const target = { schema: 'one', migrations: steps('one', 2) };
  expect(await schemaVersion(pool, 'one')).toBe(0);
  expect(await migrate(pool, target)).toBe(2);
  expect(await migrate(pool, target)).toBe(2);
  expect(await schemaVersion(pool, 'one')).toBe(2);
  expect(await tables('one')).toBe(3);
  expect(await migrate(pool, { schema: 'one', migrations: steps('one', 3) })).toBe(3);
  expect(await tables('one')).toBe(4);
});

test('processes that start at once make each step once', async () => {
  const pools = Array.from({ length: 6 }, () => openPool({ url, max: 1 }));
  const target = { schema: 'many', migrations: steps('many', 4) };
  expect(await Promise.all(pools.map((each) => migrate(each, target)))).toEqual([4, 4, 4, 4, 4, 4]);
  expect(await tables('many')).toBe(5);
  await Promise.all(pools.map((each) => each.close()));
});

test('a newer schema is refused', async () => {
  await migrate(pool, { schema: 'newer', migrations: steps('newer', 3) });
  await expect(migrate(pool, { schema: 'newer', migrations: steps('newer', 2) })).rejects.toMatchObject({
    name: 'SchemaMismatch',
  });
  expect(await schemaVersion(pool, 'newer')).toBe(3);
});

test('a step that was applied with another text is refused', async () => {
  const [first, second] = steps('changed', 2) as [ReturnType<typeof steps>[number], ReturnType<typeof steps>[number]];
  await migrate(pool, { schema: 'changed', migrations: [first] });
  const edited = { ...first, sql: `${first.sql} ` };
  await expect(migrate(pool, { schema: 'changed', migrations: [edited, second] })).rejects.toMatchObject({
    name: 'SchemaMismatch',
  });
  expect(await tables('changed')).toBe(2);
});

test('a step that fails leaves nothing behind', async () => {
  const broken = [...steps('broken', 1), { id: 2, name: 'bad', sql: 'CREATE TABLE broken.t2 (id nothing)' }];
  await expect(migrate(pool, { schema: 'broken', migrations: broken })).rejects.toMatchObject({ code: '42704' });
  expect(await schemaVersion(pool, 'broken')).toBe(0);
  expect(await tables('broken')).toBe(0);
  expect(await migrate(pool, { schema: 'broken', migrations: steps('broken', 2) })).toBe(2);
});

/** Reads a table in a transaction that stays open, as a backup does. Gives what ends it. */
async function reading(table: string): Promise<() => Promise<void>> {
  const begun = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  const reader = pool.tx(async (client) => {
    await client.query(`SELECT FROM ${table}`);
    begun.resolve();
    await ended.promise;
  });
  await begun.promise;
  return () => {
    ended.resolve();
    return reader;
  };
}

test('a step that waits for the lock of a table that a backup reads lets statements pass, says so, and is made when the backup has ended', async () => {
  await migrate(pool, { schema: 'busy', migrations: steps('busy', 1) });
  const end = await reading('busy.t1');
  const warned: unknown[] = [];
  const log = { warn: (...line: unknown[]) => void warned.push(line) };
  const altering = [...steps('busy', 1), { id: 2, name: 'more', sql: 'ALTER TABLE busy.t1 ADD COLUMN more int' }];
  const migrated = migrate(pool, { schema: 'busy', migrations: altering, log });
  await until('the step waits for its lock', async () => {
    const waiting = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
    return (await pool.query(waiting)).rowCount === 1;
  });
  await pool.query('SELECT FROM busy.t1');
  await until('the wait was reported', () => warned.length > 0);
  expect(warned).toMatchObject([[{ schema: 'busy' }, expect.stringContaining('another session')]]);
  expect(await schemaVersion(pool, 'busy')).toBe(1);
  await end();
  expect(await migrated).toBe(2);
});

test('a process that waits for the steps of another one says so', async () => {
  const [held, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const other = pool.tx(async (client) => {
    await client.query(`SELECT pg_advisory_xact_lock(hashtextextended('aip migrate after', 0))`);
    held.resolve();
    await ended.promise;
  });
  await held.promise;
  const warned: unknown[] = [];
  const log = { warn: (...line: unknown[]) => void warned.push(line) };
  const migrated = migrate(pool, { schema: 'after', migrations: steps('after', 1), log });
  try {
    await until('the wait was reported', () => warned.length > 0);
    expect(warned).toEqual([[{ schema: 'after' }, 'another process changes tables: waiting for it to end']]);
  } finally {
    ended.resolve();
    await other;
  }
  expect(await migrated).toBe(1);
  expect(warned).toHaveLength(1);
});

test('a schema that stays locked is given up, and left as it was', async () => {
  await migrate(pool, { schema: 'held', migrations: steps('held', 1) });
  const end = await reading('held.t1');
  const altering = [...steps('held', 1), { id: 2, name: 'less', sql: 'DROP TABLE held.t1' }];
  await expect(migrate(pool, { schema: 'held', migrations: altering, attempts: 1 })).rejects.toMatchObject({
    name: 'SchemaLocked',
    message: expect.stringContaining('step 2'),
  });
  await end();
  expect(await schemaVersion(pool, 'held')).toBe(1);
});

test('a role that owns the schema needs no right to make one', async () => {
  await pool.query(`CREATE ROLE r_migrate LOGIN PASSWORD 'pw'`);
  try {
    await pool.query('GRANT r_migrate TO CURRENT_USER WITH SET TRUE, INHERIT TRUE');
    await pool.query('CREATE SCHEMA owned AUTHORIZATION r_migrate');
    const own = new URL(url);
    own.username = 'r_migrate';
    own.password = 'pw';
    const narrow = openPool({ url: own.href, max: 1 });
    expect(await migrate(narrow, { schema: 'owned', migrations: steps('owned', 1) })).toBe(1);
    await expect(migrate(narrow, { schema: 'foreign_one', migrations: [] })).rejects.toMatchObject({ code: '42501' });
    await narrow.close();
  } finally {
    await pool.query('DROP OWNED BY r_migrate CASCADE');
    await pool.query('DROP ROLE r_migrate');
  }
});

test('the version of a database that is away is StorageUnavailable, not 0', async () => {
  const dead = openPool({ url: 'postgres://nobody:none@127.0.0.1:1/none', max: 1 });
  await expect(schemaVersion(dead, 'one')).rejects.toBeInstanceOf(StorageUnavailable);
  await expect(migrate(dead, { schema: 'one', migrations: [] })).rejects.toBeInstanceOf(StorageUnavailable);
  await dead.close();
});
