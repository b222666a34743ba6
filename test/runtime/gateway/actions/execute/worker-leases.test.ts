import { expect, onTestFinished, test } from 'vitest';
import { startWorker } from '#runtime/gateway/actions/execute/worker.js';
import { openPool, type Pool } from '#runtime/postgres/pool.js';
import { openLogger } from '#runtime/transport/process/logger.js';
import { freshDatabase } from '../../../../support/database.ts';
import { until } from '../../../../support/until.ts';

const HOUR_MS = 3_600_000;
/** Stands still, so that no minute passes after which a worker reads all leases again. */
const NOW = Date.now();

async function freshPool(): Promise<Pool> {
  const { url, drop } = await freshDatabase();
  const pool = openPool({ url, max: 4 });
  onTestFinished(async () => {
    await pool.close();
    await drop();
  });
  return pool;
}

/** Starts a worker whose executions end at once; returns the ids of what it runs. */
function workerOver(pool: Pool, maxActions: number): string[] {
  const ran: string[] = [];
  const worker = startWorker({
    pool,
    clock: () => NOW,
    log: openLogger({ component: 'test', level: 'silent' }),
    own: { gatewayId: 'service:gateway', connections: 'worker' },
    executor: {
      run: async ({ action_id }) => {
        ran.push(action_id);
        return undefined;
      },
    },
    keeper: {
      hold: () => ({ release: () => undefined }),
      cancel: () => false,
      abandon: () => undefined,
      size: () => 0,
      close: async () => undefined,
    },
    maxRunning: { actions: maxActions, bytes: 1024 * 1024 },
  });
  onTestFinished(() => worker.stop(0));
  return ran;
}

/** Running actions whose lease ended an hour ago. */
const insertLapsed = (pool: Pool, ids: readonly string[]) =>
  pool.query(
    `INSERT INTO runtime.actions (action_id, tenant_id, principal_id, principal_kind, capability_id, message_id, mode, state, request, plan,
       lease_id, lease_expires_at, accepted_at, updated_at)
     SELECT id, 'acme', 'agent:ann', 'agent', 'cap:test:any', 'msg', 'sync', 'running', '{}', '{}', 'lease', $2, 1, 1 FROM unnest($1::text[]) AS id`,
    [ids, NOW - HOUR_MS],
  );

test('more lapsed leases than one claim takes are all taken over', async () => {
  const pool = await freshPool();
  const ids = Array.from({ length: 12 }, (_, n) => `act_${n}`);
  await insertLapsed(pool, ids);
  const ran = workerOver(pool, 8);
  await until('all are taken over', () => ran.length === ids.length);
  expect(ran.toSorted()).toEqual(ids.toSorted());
});

test('a worker that has passed over a time takes over an action whose lease of that time comes late', async () => {
  const pool = await freshPool();
  const ran = workerOver(pool, 8);
  await until('the worker listens', async () => {
    const listening = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'LISTEN%'`;
    return (await pool.query(listening)).rows.length > 0;
  });
  await insertLapsed(pool, ['act_first']);
  await until('it is taken over', () => ran.length === 1);
  await insertLapsed(pool, ['act_second']);
  await until('the other one is taken over', () => ran.length === 2);
  expect(ran).toEqual(['act_first', 'act_second']);
});
