import { afterAll, beforeAll, expect, test } from 'vitest';
import { openPool, type Pool } from '#runtime/postgres/pool.js';
import { pollUntil } from '#runtime/time/wait.js';
import { type Dev, startDev } from '../../support/dev.ts';

/** An idle fleet of two hosts has 2 to 3 a second, and this test one; vacuum of what starting wrote may add two. The polls that this replaced had 22, and 10 later. */
const MOST_A_SECOND = 8;
/** Heartbeats of each host that the count lasts: some 30 seconds. */
const HEARTBEATS = 3;

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

/** The sequences of all leases together: one more with each heartbeat. */
async function heartbeats(): Promise<number> {
  const { rows } = await pool.query<{ n: number }>(
    `SELECT sum(health_revision)::float8 AS n FROM registry.replicas WHERE status = 'ready'`,
  );
  return rows[0]?.n ?? 0;
}

/** Waits for so many heartbeats of two hosts; asks once a second, since each question is counted too. */
async function nextHeartbeats(count: number): Promise<void> {
  const enough = (await heartbeats()) + 2 * count;
  await pollUntil(async () => (await heartbeats()) >= enough || undefined, { everyMs: () => 1000 });
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
  await nextHeartbeats(HEARTBEATS);
  const before = await counted();
  await nextHeartbeats(HEARTBEATS);
  const after = await counted();
  const rate = (after.transactions - before.transactions) / (after.at - before.at);
  expect(rate).toBeGreaterThan(0);
  expect(rate).toBeLessThanOrEqual(MOST_A_SECOND);
}, 180_000);
