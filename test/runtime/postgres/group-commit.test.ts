import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { groupCommit, openCommitLane } from '#runtime/postgres/group-commit.js';
import { openPool, type Pool } from '#runtime/postgres/pool.js';
import { StorageUnavailable } from '#runtime/protocol/errors.js';
import { freshDatabase } from '../../support/database.ts';
import { until } from '../../support/until.ts';

let drop: () => Promise<void>;
let pool: Pool;
let dead: Pool;
beforeAll(async () => {
  const database = await freshDatabase();
  drop = database.drop;
  pool = openPool({ url: database.url, max: 4 });
  dead = openPool({ url: 'postgres://nobody:none@127.0.0.1:1/none', max: 1 });
  await pool.query('CREATE TABLE items (at serial, n int PRIMARY KEY, x xid8 DEFAULT pg_current_xact_id())');
});
afterAll(async () => {
  await dead?.close();
  await pool?.close();
  await drop?.();
});
beforeEach(async () => {
  await pool.query('TRUNCATE items');
});

const INSERT = 'INSERT INTO items (n) SELECT u FROM unnest($1::int[]) WITH ORDINALITY AS i(u, o) ORDER BY o';
const stored = async () => (await pool.query<{ n: number }>('SELECT n FROM items ORDER BY at')).rows.map(({ n }) => n);
const outcome = (promise: Promise<unknown>) =>
  promise.then(
    (value) => value,
    (error: Error) => error.constructor.name,
  );

/** A writer of numbers that notes its batches. */
function numbers(over: { pool?: Pool; maxBatch?: number } = {}) {
  const batches: number[][] = [];
  const write = groupCommit<number, number>({
    pool,
    name: 'test',
    maxBatch: 100,
    ...over,
    run: async (client, items) => {
      batches.push([...items]);
      await client.query(INSERT, [items]);
      return items.map((n) => (n < 0 ? new RangeError(`${n}`) : n * 2));
    },
  });
  return { write, batches };
}

describe('group commit', () => {
  test('writes what comes at once in one commit, in order, and answers each item', async () => {
    const { write, batches } = numbers();
    const items = Array.from({ length: 40 }, (_, n) => n + 1);
    expect(await Promise.all(items.map(write))).toEqual(items.map((n) => n * 2));
    expect(batches).toEqual([items]);
    expect(await stored()).toEqual(items);
    expect((await pool.query('SELECT DISTINCT x FROM items')).rowCount).toBe(1);
  });

  test('what comes while a commit is in flight goes into the next one', async () => {
    const held = Promise.withResolvers<void>();
    const batches: number[][] = [];
    const write = groupCommit<number, number>({
      pool,
      name: 'test',
      maxBatch: 100,
      run: async (_, items) => {
        batches.push([...items]);
        if (batches.length === 1) await held.promise;
        return items;
      },
    });
    const first = write(1);
    while (batches.length === 0) await new Promise((done) => setImmediate(done));
    const rest = [write(2), write(3), write(4)];
    held.resolve();
    expect(await Promise.all([first, ...rest])).toEqual([1, 2, 3, 4]);
    expect(batches).toEqual([[1], [2, 3, 4]]);
  });

  test('a writer of several items at a time also takes what the next turns bring, unless these take long', async () => {
    const batches: number[][] = [];
    let time = 0;
    let turnMs = 0;
    const write = groupCommit<number, number>({
      pool,
      name: 'turns',
      maxBatch: 4,
      now: () => {
        time += turnMs;
        return time;
      },
      wait: async () => undefined,
      run: async (_, items) => {
        batches.push([...items]);
        return items;
      },
    });
    const turn = (): Promise<void> => new Promise((done) => setImmediate(done));
    const later = async (n: number, turns: number): Promise<number> => {
      for (let at = 0; at < turns; at += 1) await turn();
      return write(n);
    };
    await write(0);
    await Promise.all([write(1), write(2)]);
    await Promise.all([write(3), later(4, 2), later(5, 3), write(6)]);
    await later(7, 20);
    expect(batches).toEqual([[0], [1, 2], [3, 6, 4, 5], [7]]);
    turnMs = 100;
    batches.length = 0;
    await Promise.all([write(1), write(2)]);
    await Promise.all([write(3), later(4, 5)]);
    expect(batches).toEqual([[1, 2], [3], [4]]);
  });

  test('a writer of several items at a time waits for more as long as its last commit took, 15 ms at most', async () => {
    const batches: number[][] = [];
    const waits: number[] = [];
    let time = 0;
    let tookMs = 6;
    let meanwhile: number[] = [];
    const written: Promise<number>[] = [];
    const write = groupCommit<number, number>({
      pool,
      name: 'waits',
      maxBatch: 4,
      now: () => time,
      wait: async (ms) => {
        waits.push(ms);
        written.push(...meanwhile.splice(0).map(write));
      },
      run: async (_, items) => {
        batches.push([...items]);
        time += tookMs;
        return items;
      },
    });
    await write(0);
    expect(waits).toEqual([]);
    meanwhile = [3, 4];
    await Promise.all([write(1), write(2)]);
    await until('what came in the wait is written', () => written.length === 2);
    await Promise.all(written);
    expect(batches).toEqual([[0], [1, 2], [3, 4]]);
    expect(waits[0]).toBe(6);
    tookMs = 40;
    await Promise.all([write(5), write(6)]);
    await until('it has waited', () => waits.length === 3);
    expect(waits[2]).toBe(15);
    // Enough for the next commit is not waited for.
    await Promise.all([write(7), write(8), write(9), write(10), write(11), write(12), write(13), write(14)]);
    expect(batches.slice(-2)).toEqual([
      [7, 8, 9, 10],
      [11, 12, 13, 14],
    ]);
    await until('it has waited again', () => waits.length === 4);
  });

  test('a wait ends when as many items wait as the last commit held, and lasts at most as long as that took, times the patience', async () => {
    const batches: number[][] = [];
    const waits: { ms: number; signal: AbortSignal; end: () => void }[] = [];
    let time = 0;
    const write = groupCommit<number, number>({
      pool,
      name: 'patience',
      maxBatch: 10,
      patience: 2,
      now: () => time,
      wait: (ms, signal) =>
        new Promise<void>((end) => {
          waits.push({ ms, signal, end });
          signal.addEventListener('abort', () => end());
        }),
      run: async (_, items) => {
        batches.push([...items]);
        time += 4;
        return items;
      },
    });
    await Promise.all([write(1), write(2), write(3)]);
    await until('it waits', () => waits.length === 1);
    expect(waits[0]).toMatchObject({ ms: 8, signal: { aborted: false } });
    await Promise.all([write(4), write(5), write(6)]);
    expect(waits[0]?.signal.aborted).toBe(true);
    await until('it waits again', () => waits.length === 2);
    const fewer = [write(7), write(8)];
    expect(waits[1]?.signal.aborted).toBe(false);
    waits[1]?.end();
    await Promise.all(fewer);
    expect(batches).toEqual([
      [1, 2, 3],
      [4, 5, 6],
      [7, 8],
    ]);
    await until('it waits for two', () => waits.length === 3);
    waits[2]?.end();
  });

  test('no commit holds more than its bound', async () => {
    const { write, batches } = numbers({ maxBatch: 3 });
    await Promise.all([1, 2, 3, 4, 5, 6, 7].map(write));
    expect(batches).toEqual([[1, 2, 3], [4, 5, 6], [7]]);
  });

  test('a bad item harms no other of its batch', async () => {
    const { write } = numbers();
    await write(5);
    const outcomes = await Promise.all([1, 5, 2, -3, 4].map((n) => outcome(write(n))));
    expect(outcomes).toEqual([2, 'DatabaseError', 4, 'RangeError', 8]);
    expect((await stored()).sort((a, b) => a - b)).toEqual([-3, 1, 2, 4, 5]);
    expect(await write(6)).toBe(12);
  });

  test('writers of one lane commit at the same time, each in a commit of its own, and a bad item of one harms none of the other', async () => {
    const begun: string[] = [];
    const both = Promise.withResolvers<void>();
    const lane = openCommitLane();
    const [first, second] = ['first', 'second'].map((name) =>
      lane.writer<number, number>({
        pool,
        name,
        maxBatch: 100,
        run: async (client, items) => {
          begun.push(`${name} ${items.length}`);
          if (begun.length === 2) both.resolve();
          await both.promise;
          await client.query(INSERT, [items]);
          return items;
        },
      }),
    ) as [(n: number) => Promise<number>, (n: number) => Promise<number>];
    await pool.query(INSERT, [[3]]);
    const outcomes = await Promise.all([first(1), second(2), first(3), second(4), first(5)].map(outcome));
    expect(outcomes).toEqual([1, 2, 'DatabaseError', 4, 5]);
    expect(begun).toEqual(['first 3', 'second 2', 'first 1', 'first 1', 'first 1']);
    expect((await pool.query('SELECT DISTINCT x FROM items WHERE n IN (2, 4)')).rowCount).toBe(1);
  });

  test('all of it is StorageUnavailable while the database is away, asked once', async () => {
    const { write } = numbers({ pool: dead });
    const outcomes = await Promise.allSettled([1, 2, 3].map(write));
    for (const each of outcomes) expect((each as PromiseRejectedResult).reason).toBeInstanceOf(StorageUnavailable);
  });

  test('what is one statement is written without a transaction around it', async () => {
    const inside: boolean[] = [];
    const write = groupCommit<number, number>({
      pool,
      name: 'single',
      maxBatch: 10,
      single: (items) => items.length < 3,
      run: async (client, items) => {
        inside.push(client !== pool);
        await client.query(INSERT, [items]);
        return items;
      },
    });
    await Promise.all([1, 2].map(write));
    await Promise.all([3, 4, 5].map(write));
    expect(inside).toEqual([false, true]);
    expect(await Promise.all([6, 4].map((n) => outcome(write(n))))).toEqual([6, 'DatabaseError']);
    expect(await stored()).toEqual([1, 2, 3, 4, 5, 6]);
  });

  test('a writer that answers another number of items fails the items, and the next ones continue', async () => {
    const write = groupCommit<number, number>({
      pool,
      name: 'short',
      maxBatch: 10,
      run: async (_, items) => (items.includes(0) ? [] : items),
    });
    expect(await Promise.all([0, 1].map((n) => outcome(write(n))))).toEqual(['RangeError', 1]);
  });
});
