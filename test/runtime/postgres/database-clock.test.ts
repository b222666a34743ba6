import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type DatabaseClock, openDatabaseClock } from '#runtime/postgres/database-clock.js';
import { openPool, type Pool, type Queryable } from '#runtime/postgres/pool.js';
import { StorageUnavailable } from '#runtime/protocol/errors.js';
import { freshDatabase } from '../../support/database.ts';
import { until } from '../../support/until.ts';

const HOUR = 3_600_000;

let pool: Pool;
let drop: () => Promise<void>;
let clock: DatabaseClock | undefined;
beforeAll(async () => {
  const database = await freshDatabase();
  drop = database.drop;
  pool = openPool({ url: database.url, max: 2 });
});
afterEach(() => clock?.stop());
afterAll(async () => {
  await pool?.close();
  await drop?.();
});

const databaseTime = async (): Promise<number> => {
  const { rows } = await pool.query<{ now: number }>(
    'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::int8 AS now',
  );
  return rows[0]?.now as number;
};

test.each([HOUR, -HOUR])(
  'the time of the database does not depend on a clock that is %d ms off; the difference is reported',
  async (off) => {
    let own = (): number => Date.now() + off;
    clock = openDatabaseClock({ db: pool, clock: () => own() });
    await clock.measured;
    const expectRight = async (): Promise<void> => {
      const before = await databaseTime();
      const now = (clock as DatabaseClock).now();
      const after = await databaseTime();
      // The way to the database and back is not known more exactly than it took.
      expect(now).toBeGreaterThan(before - HOUR / 100);
      expect(now).toBeLessThan(after + HOUR / 100);
    };
    await expectRight();
    expect(Math.round(clock.skewMs() / HOUR)).toBe(Math.sign(off));
    own = () => Date.now() - 3 * off;
    await expectRight();
  },
);

test('while the database cannot be read the own clock counts, and the measurement is made up for', async () => {
  let away = true;
  const db: Queryable = {
    query: (...asked) => (away ? Promise.reject(new StorageUnavailable()) : pool.query(...asked)),
  };
  clock = openDatabaseClock({ db, clock: () => 7, everyMs: 10 });
  await clock.measured;
  expect(clock.now()).toBe(7);
  away = false;
  await until('it is measured', () => (clock as DatabaseClock).now() > HOUR);
});
