import { expect, onTestFinished, test } from 'vitest';
import { leaseKeeper, type StopReason } from '#runtime/gateway/actions/execute/lease-keeper.js';
import { openPool, type Pool } from '#runtime/postgres/pool.js';
import { openLogger } from '#runtime/transport/process/logger.js';
import { freshDatabase } from '../../../../support/database.ts';
import { until } from '../../../../support/until.ts';

const NOW = Date.now();
const FAR = NOW + 3_600_000;

/** A pool over a database with these running actions, whose leases end in an hour, and the keeper of the process that has them. */
async function keeperOf(...ids: string[]) {
  const { url, drop } = await freshDatabase();
  const pool = openPool({ url, max: 2 });
  onTestFinished(async () => {
    await pool.close();
    await drop();
  });
  await pool.query(
    `INSERT INTO runtime.actions (action_id, tenant_id, principal_id, principal_kind, capability_id, message_id, mode, state, request, plan,
       lease_id, lease_expires_at, accepted_at, updated_at)
     SELECT id, 'acme', 'agent:ann', 'agent', 'cap:test:any', 'msg', 'sync', 'running', '{}', '{}', 'lease', $2, 1, 1 FROM unnest($1::text[]) AS id`,
    [ids, FAR],
  );
  const log = openLogger({ component: 'test', level: 'silent' });
  return { pool, keeper: leaseKeeper({ pool, clock: () => NOW, log }) };
}

const lease = (actionId: string) => ({ actionId, tenantId: 'acme', leaseId: 'lease' });

async function leaseEnds(pool: Pool): Promise<Record<string, number>> {
  const { rows } = await pool.query<{ action_id: string; lease_expires_at: number }>(
    'SELECT action_id, lease_expires_at FROM runtime.actions',
  );
  return Object.fromEntries(rows.map(({ action_id, lease_expires_at }) => [action_id, lease_expires_at]));
}

test('executions stop whose lease another worker has, or whose cancellation no notification reported', async () => {
  const { pool, keeper } = await keeperOf('act_kept', 'act_lost', 'act_cancelled');
  const stopped = new Map<string, StopReason>();
  for (const id of ['act_kept', 'act_lost', 'act_cancelled'])
    keeper.hold(lease(id), (reason) => stopped.set(id, reason));
  onTestFinished(() => keeper.close(false));
  await pool.query(`UPDATE runtime.actions SET lease_id = 'other' WHERE action_id = 'act_lost'`);
  await pool.query(`UPDATE runtime.actions SET cancel_requested = true WHERE action_id = 'act_cancelled'`);
  await until('the leases are renewed', async () => (await leaseEnds(pool)).act_kept !== FAR);
  await until('both executions are stopped', () => stopped.size === 2);
  expect(Object.fromEntries(stopped)).toEqual({ act_lost: 'lease_lost', act_cancelled: 'cancel' });
  expect(await leaseEnds(pool)).toMatchObject({ act_kept: NOW + 30_000, act_lost: FAR });
});

test('a lease that could not be given up is given up when the storage answers again', async () => {
  const { pool, keeper } = await keeperOf('act_kept', 'act_left');
  await pool.query('ALTER TABLE runtime.actions RENAME TO away');
  keeper.abandon(lease('act_left'));
  // To close is to try once more.
  await keeper.close(false);
  await pool.query('ALTER TABLE runtime.away RENAME TO actions');
  await keeper.close(false);
  expect(await leaseEnds(pool)).toEqual({ act_kept: FAR, act_left: NOW });
});

test.each([
  [true, NOW],
  [false, FAR],
])('a keeper that closes gives up what it holds: %s', async (abandonHeld, end) => {
  const { pool, keeper } = await keeperOf('act_held');
  keeper.hold(lease('act_held'), () => undefined);
  await keeper.close(abandonHeld);
  expect(await leaseEnds(pool)).toEqual({ act_held: end });
});
