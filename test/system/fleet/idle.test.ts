import { afterAll, beforeAll, expect, test } from 'vitest';
import { openPool, type Pool } from '#runtime/postgres/pool.js';
import { type Dev, startDev } from '../../support/dev.ts';
import { until } from '../../support/until.ts';

/** An idle fleet of two hosts has 9 to 11 a second, two of them of fleet maintenance; the polls that this replaced had 22. */
const MOST_A_SECOND = 16;
/** Passes of fleet maintenance that the count lasts: some 20 seconds. */
const PASSES = 20;

let dev: Dev;
let pool: Pool;
beforeAll(async () => {
  dev = await startDev();
  pool = openPool({ url: dev.ready.database_url, max: 1 });
}, 120_000);
afterAll(async () => {
  await pool?.close();
  await dev?.stop();
});

/** Waits for the next pass of the gateway's fleet maintenance. */
async function nextPass(): Promise<void> {
  const at = async (): Promise<string | undefined> => {
    const answer = await fetch(`${dev.ready.gateway_url}/ready`);
    return ((await answer.json()) as { fleet?: { last_success_at?: string } }).fleet?.last_success_at;
  };
  const last = await until('a pass', at);
  await until('the next pass', async () => (await at()) !== last);
}

/** Transactions of all processes so far, and the database's own time in seconds. */
async function counted(): Promise<{ transactions: number; at: number }> {
  const { rows } = await pool.query<{ transactions: number; at: number }>(
    `SELECT sum(xact_commit + xact_rollback)::float8 AS transactions, extract(epoch FROM clock_timestamp())::float8 AS at
     FROM pg_stat_database WHERE datname = current_database()`,
  );
  return rows[0] as { transactions: number; at: number };
}

test('a fleet that nobody uses asks its database a few times a second: what is due wakes it, not a poll', async () => {
  // What starting leaves behind ends meanwhile, and sessions report what they did.
  for (let pass = 0; pass < PASSES; pass += 1) await nextPass();
  const before = await counted();
  for (let pass = 0; pass < PASSES; pass += 1) await nextPass();
  const after = await counted();
  // GET /ready, which this test polls, asks the database too, at most twice a second.
  const rate = (after.transactions - before.transactions) / (after.at - before.at);
  expect(rate).toBeGreaterThan(0);
  expect(rate).toBeLessThanOrEqual(MOST_A_SECOND);
}, 180_000);
