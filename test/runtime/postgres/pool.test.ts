import { inspect } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openPool, type Pool } from '#runtime/postgres/pool.js';
import { StorageUnavailable } from '#runtime/protocol/errors.js';
import { ACQUIRE_TIMEOUT_MS, REGISTRY_CONNECTIONS } from '#runtime/protocol/limits.js';
import { freshDatabase } from '../../support/database.ts';
import { silentProxy } from '../../support/network/silent-proxy.ts';
import { until } from '../../support/until.ts';

let url: string;
let drop: () => Promise<void>;
let pool: Pool;
const pools: Pool[] = [];
/** A pool that ends with the file. */
function open(options: Partial<Parameters<typeof openPool>[0]> = {}): Pool {
  const made = openPool({ url, max: 4, ...options });
  pools.push(made);
  return made;
}
beforeAll(async () => {
  ({ url, drop } = await freshDatabase());
  pool = open();
  await pool.query('CREATE TABLE t (id int PRIMARY KEY, n int NOT NULL)');
});
afterAll(async () => {
  await Promise.all(pools.map((each) => each.close()));
  await drop?.();
});

/** Takes one connection of a pool until it is released. */
async function hold(from: Pool): Promise<() => Promise<void>> {
  const held = Promise.withResolvers<void>();
  const began = Promise.withResolvers<void>();
  const work = from.tx(async () => {
    began.resolve();
    await held.promise;
  });
  await began.promise;
  return () => {
    held.resolve();
    return work;
  };
}

test('int8 comes as a number, and one that numbers cannot hold is refused', async () => {
  const { rows } = await pool.query<{ n: number; s: number }>(
    'SELECT 9007199254740991::int8 AS n, count(*) AS s FROM t',
  );
  expect(rows).toEqual([{ n: 9007199254740991, s: 0 }]);
  await expect(pool.query('SELECT 9007199254740993::int8')).rejects.toBeInstanceOf(RangeError);
  expect((await pool.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
});

test('a named statement runs with its values, and rowCount counts what it touched', async () => {
  await pool.query('DELETE FROM t');
  const insert = { name: 'insert', text: 'INSERT INTO t VALUES ($1, $2), ($3, $2)' };
  expect((await pool.query({ ...insert, values: [1, 7, 2] })).rowCount).toBe(2);
  expect((await pool.query({ ...insert, values: [3, 8, 4] })).rowCount).toBe(2);
  expect((await pool.query('SELECT sum(n) AS s FROM t')).rows).toEqual([{ s: 30 }]);
});

test('what is wrong with a statement stays its own error; the connection continues', async () => {
  await expect(pool.query('SELECT * FROM nowhere')).rejects.toMatchObject({ code: '42P01' });
  await expect(pool.query('INSERT INTO t VALUES (1, 1), (1, 1)')).rejects.not.toBeInstanceOf(StorageUnavailable);
  expect(pool.idle()).toBe(pool.size());
});

test('settings in the address stand beside those of the pool', async () => {
  const address = new URL(url);
  address.searchParams.set('options', '-c search_path=elsewhere');
  const setting = async (of: Pool, name: string) =>
    (await of.query<Record<string, string>>(`SHOW ${name}`)).rows[0]?.[name];
  const kept = open({ url: address.href, keepPlans: true });
  expect(await setting(kept, 'search_path')).toBe('elsewhere');
  expect(await setting(kept, 'enable_seqscan')).toBe('off');
  expect(await setting(kept, 'plan_cache_mode')).toBe('force_generic_plan');
  expect(await setting(pool, 'plan_cache_mode')).toBe('auto');
});

test('statements of a transaction that travel together are done in their order; one that fails undoes all', async () => {
  await pool.query('DELETE FROM t');
  const insert = { name: 'together', text: 'INSERT INTO t VALUES ($1, $2) RETURNING id, n' };
  const both = await pool.tx((client) =>
    Promise.all([client.query({ ...insert, values: [1, 1] }), client.query('UPDATE t SET n = n + 1 RETURNING n')]),
  );
  expect(both.map(({ rows }) => rows)).toEqual([[{ id: 1, n: 1 }], [{ n: 2 }]]);
  const failing = pool.tx((client) =>
    Promise.all([
      client.query('UPDATE t SET n = 7'),
      client.query({ ...insert, values: [1, 1] }),
      client.query('UPDATE t SET n = 8'),
    ]),
  );
  await expect(failing).rejects.toMatchObject({ code: '23505' });
  expect((await pool.query('SELECT id, n FROM t')).rows).toEqual([{ id: 1, n: 2 }]);
  expect(pool.idle()).toBe(pool.size());
});

test('a server that is not there is StorageUnavailable, for statements and transactions', async () => {
  const dead = open({ url: 'postgres://nobody:none@127.0.0.1:1/none' });
  await expect(dead.query('SELECT 1')).rejects.toBeInstanceOf(StorageUnavailable);
  await expect(dead.tx(async () => 1)).rejects.toBeInstanceOf(StorageUnavailable);
  const nobody = new URL(url);
  nobody.password = 'wrong';
  await expect(open({ url: nobody.href }).query('SELECT 1')).rejects.toBeInstanceOf(StorageUnavailable);
  expect(dead.size()).toBe(0);
  const wrong = await open({ url: 'postgres://nobody:sec/ret@127.0.0.1:port/none' }).query('SELECT 1').catch(inspect);
  expect(wrong).toContain('StorageUnavailable');
  expect(wrong).not.toContain('sec/ret');
});

test('a connection that is cut is StorageUnavailable and replaced, whether a statement runs on it or nothing does', async () => {
  const victim = open({ max: 1, applicationName: 'victim' });
  const cut = (pid: number) => pool.query('SELECT pg_terminate_backend($1)', [pid]);
  const pidOf = async (from: Pick<Pool, 'query'>) =>
    (await from.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')).rows[0]?.pid as number;
  const gone = async (pid: number) =>
    (await pool.query('SELECT FROM pg_stat_activity WHERE pid = $1', [pid])).rowCount === 0;

  const running = victim.query('SELECT pg_sleep(60)');
  const settled = expect(running).rejects.toBeInstanceOf(StorageUnavailable);
  const busy = await until(
    'the statement runs',
    async () =>
      (await pool.query<{ pid: number }>("SELECT pid FROM pg_stat_activity WHERE query = 'SELECT pg_sleep(60)'"))
        .rows[0]?.pid,
  );
  await cut(busy);
  await settled;

  // What the socket says of it differs from time to time: ended, reset or EPIPE.
  for (let times = 0; times < 20; times += 1) {
    const between = victim.tx(async (client) => {
      const pid = await pidOf(client);
      await cut(pid);
      await until('the backend is gone', () => gone(pid));
      await client.query('SELECT 1');
    });
    await expect(between).rejects.toBeInstanceOf(StorageUnavailable);
  }

  const idle = await pidOf(victim);
  await cut(idle);
  await until('the pool noticed', () => victim.size() === 0);
  expect((await victim.query('SELECT 2 AS two')).rows).toEqual([{ two: 2 }]);
});

test('a database that does not answer is StorageUnavailable after the time of a statement, and its connections are destroyed', async () => {
  const way = await silentProxy(url);
  const hung = openPool({ url: way.url, max: 3, statementTimeoutMs: 3000, acquireTimeoutMs: 3000 });
  await Promise.all([1, 2, 3].map(() => hung.query('SELECT pg_sleep(0.01)')));
  expect(hung.size()).toBe(3);
  way.silence();
  const failed = await Promise.allSettled([
    hung.query('SELECT 1'),
    hung.tx(async (client) => client.query('SELECT 1')),
    hung.tx(async () => 1),
    hung.query('SELECT 1'),
  ]);
  for (const each of failed) expect(each).toMatchObject({ reason: expect.any(StorageUnavailable) });
  expect(hung.size()).toBe(0);
  way.resume();
  expect((await hung.query('SELECT 1 AS n')).rows).toEqual([{ n: 1 }]);
  await hung.close();
  await way.close();
});

test('a statement may be given another time than that of its pool', async () => {
  const quick = open({ max: 1, statementTimeoutMs: 50 });
  await expect(quick.query('SELECT pg_sleep(60)')).rejects.toBeInstanceOf(StorageUnavailable);
  const slow = await quick.query({ text: 'SELECT 1 AS n FROM pg_sleep(0.2)', timeoutMs: 60_000 });
  expect(slow.rows).toEqual([{ n: 1 }]);
});

test('F-303 at most 32 connections by default; further work waits for one', async () => {
  expect(REGISTRY_CONNECTIONS).toBe(32);
  const wide = open({ max: REGISTRY_CONNECTIONS });
  const release = await Promise.all(Array.from({ length: 32 }, () => hold(wide)));
  expect(wide.size()).toBe(32);
  let answered = false;
  const waiting = wide.query('SELECT 1').then(() => {
    answered = true;
  });
  await pool.query('SELECT 1');
  expect({ answered, size: wide.size(), idle: wide.idle() }).toEqual({ answered: false, size: 32, idle: 0 });
  await release.pop()?.();
  await waiting;
  await Promise.all(release.map((each) => each()));
  expect(wide.size()).toBe(32);
});

test('F-304 waiting for a connection fails after the acquire timeout, 5 s by default', async () => {
  expect(ACQUIRE_TIMEOUT_MS).toBe(5000);
  const failed: number[] = [];
  const waits = async (options: { max: number; acquireTimeoutMs?: number }, timeout: number): Promise<void> => {
    const narrow = open(options);
    const release = await hold(narrow);
    const began = performance.now();
    await expect(narrow.query('SELECT 1')).rejects.toBeInstanceOf(StorageUnavailable);
    const waited = performance.now() - began;
    expect(waited).toBeGreaterThan(timeout - 20);
    failed.push(timeout);
    await release();
    expect((await narrow.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
  };
  const [long, standard] = [waits({ max: 1, acquireTimeoutMs: 20_000 }, 20_000), waits({ max: 1 }, 5000)];
  await waits({ max: 1, acquireTimeoutMs: 2000 }, 2000);
  await Promise.all([long, standard]);
  expect(failed).toEqual([2000, 5000, 20_000]);
});

test('F-304 a connection that is freed earlier is used', async () => {
  const narrow = open({ max: 1, acquireTimeoutMs: 10_000 });
  const release = await hold(narrow);
  const waiting = narrow.query('SELECT 3 AS three');
  await release();
  expect((await waiting).rows).toEqual([{ three: 3 }]);
});

test('a transaction is all or nothing', async () => {
  await pool.query('DELETE FROM t');
  const failed = pool.tx(async (client) => {
    await client.query('INSERT INTO t VALUES (1, 1)');
    throw new TypeError('no');
  });
  await expect(failed).rejects.toBeInstanceOf(TypeError);
  expect((await pool.query('SELECT FROM t')).rowCount).toBe(0);
  expect(await pool.tx(async (client) => (await client.query('INSERT INTO t VALUES (1, 1)')).rowCount)).toBe(1);
});

test('a transaction that continues after a failed statement is refused, not taken for written', async () => {
  await pool.query('DELETE FROM t');
  const hidden = pool.tx(async (client) => {
    await client.query('INSERT INTO t VALUES (1, 1)');
    await client.query('SELECT 1 / 0').catch(() => undefined);
  });
  await expect(hidden).rejects.toMatchObject({ name: 'TransactionUndone' });
  expect((await pool.query('SELECT FROM t')).rowCount).toBe(0);
});

test('a serialization failure runs the transaction again, until it is through', async () => {
  await pool.query('DELETE FROM t');
  await pool.query('INSERT INTO t VALUES (1, 0)');
  let runs = 0;
  await pool.tx(async (client) => {
    runs += 1;
    await client.query('SET TRANSACTION ISOLATION LEVEL SERIALIZABLE');
    await client.query('SELECT n FROM t');
    if (runs < 3) await pool.query('UPDATE t SET n = n + 1');
    await client.query('UPDATE t SET n = n + 100');
  });
  expect(runs).toBe(3);
  expect((await pool.query('SELECT n FROM t')).rows).toEqual([{ n: 102 }]);
});

test('a transaction that always loses is given up after four runs', async () => {
  let runs = 0;
  const lost = pool.tx(async (client) => {
    runs += 1;
    await client.query('SET TRANSACTION ISOLATION LEVEL SERIALIZABLE');
    await client.query('SELECT n FROM t');
    await pool.query('UPDATE t SET n = n + 1');
    await client.query('UPDATE t SET n = n + 100');
  });
  await expect(lost).rejects.toMatchObject({ code: '40001' });
  expect(runs).toBe(4);
});

test('of two transactions that lock each other both get through', async () => {
  await pool.query('DELETE FROM t');
  await pool.query('INSERT INTO t VALUES (1, 0), (2, 0)');
  const met = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const both = (first: number, second: number, at: number) =>
    pool.tx(async (client) => {
      await client.query('UPDATE t SET n = n + 1 WHERE id = $1', [first]);
      met[at]?.resolve();
      await met[1 - at]?.promise;
      await client.query('UPDATE t SET n = n + 1 WHERE id = $1', [second]);
    });
  await Promise.all([both(1, 2, 0), both(2, 1, 1)]);
  expect((await pool.query('SELECT n FROM t')).rows).toEqual([{ n: 2 }, { n: 2 }]);
});

test('a listener receives notifications, also after its connection was cut, until it is ended', async () => {
  const heard: string[] = [];
  const end = await pool.listen('news', (payload) => heard.push(payload));
  await pool.query("SELECT pg_notify('news', 'one')");
  await until('the first is heard', () => heard.includes('one'));
  await pool.query(
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN%' AND datname = current_database()",
  );
  // What was notified while nobody listened is lost: the listener learns of that.
  await until('it listens again', () => heard.includes(''));
  await pool.query("SELECT pg_notify('news', 'two')");
  await until('the second is heard', () => heard.includes('two'));
  expect(heard).toEqual(['one', '', 'two']);
  await end();
  const count = heard.length;
  await pool.query("SELECT pg_notify('news', 'three')");
  await until(
    'nobody listens',
    async () =>
      (await pool.query("SELECT FROM pg_stat_activity WHERE query LIKE 'LISTEN%' AND datname = current_database()"))
        .rowCount === 0,
  );
  expect(heard.slice(count).filter((each) => each === 'three')).toEqual([]);
});
