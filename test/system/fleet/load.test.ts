import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ActionState, isTerminal } from '#runtime/gateway/actions/record/states.js';
import { openPool, type Pool } from '#runtime/postgres/pool.js';
import { clientsOf } from '../../support/client.ts';
import { type Dev, startDev } from '../../support/dev.ts';
import { until } from '../../support/until.ts';

const CALLERS = 32;
const ROUNDS = 15;
/** A statement that looks rows up by their keys reads a few a look, also of what was just updated; one that reads its table reads hundreds. */
const ROWS_A_LOOK = 25;
/** Read by maintenance alone, once a second, with every place that was held since the last vacuum. */
const OF_MAINTENANCE = 'assignments_reserved';

const KINDS = [
  { capability_id: 'cap:demo:echo', mode: 'sync', input: { text: 'hello' } },
  { capability_id: 'cap:demo:count', mode: 'streaming', input: { n: 4, interval_ms: 1 } },
  { capability_id: 'cap:demo:echo', mode: 'async', input: { text: 'later' } },
] as const;

let dev: Dev;
let pool: Pool;

beforeAll(async () => {
  dev = await startDev({ args: ['--gateways', '2'] });
  pool = openPool({ url: dev.ready.database_url, max: 1 });
});
afterAll(async () => {
  await pool?.close();
  await dev?.stop();
});

test('two gateways on the same hosts fail nothing under load, and their writes never wait in a circle', async () => {
  const clients = await clientsOf(dev);
  expect(clients).toHaveLength(2);
  const caller = async (number: number): Promise<void> => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const action = KINDS[(number + round) % KINDS.length] as (typeof KINDS)[number];
      expect((await clients[number % clients.length]?.submit(action))?.status).toBe(200);
    }
  };
  await Promise.all(Array.from({ length: CALLERS }, (_, number) => caller(number)));
  const ends = 'SELECT state, count(*) FROM runtime.actions GROUP BY 1 ORDER BY 1';
  await until('no action is under way', async () =>
    (await pool.query<{ state: ActionState }>(ends)).rows.every(({ state }) => isTerminal(state)),
  );
  expect((await pool.query(ends)).rows).toEqual([{ state: 'completed', count: CALLERS * ROUNDS }]);
  const circles = await pool.query('SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()');
  expect(circles.rows).toEqual([{ deadlocks: 0 }]);
});

test('no statement of an action reads more rows the more actions were there before', async () => {
  const often = `FROM pg_stat_user_indexes WHERE idx_scan > ${ROUNDS} AND indexrelname <> '${OF_MAINTENANCE}'`;
  await until('the statistics of gateways and hosts are there', async () => {
    const known = await pool.query(`SELECT ${often} AND indexrelname IN ('assignments_pkey', 'executions_pkey')`);
    return known.rowCount === 2;
  });
  const { rows } = await pool.query(
    `SELECT schemaname, indexrelname, idx_scan AS looks, idx_tup_read AS rows ${often} AND idx_tup_read > ${ROWS_A_LOOK} * idx_scan`,
  );
  expect(rows).toEqual([]);
});
