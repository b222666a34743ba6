import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { openPredecessors, type WorkerName, workerIdOf } from '#runtime/gateway/actions/execute/predecessors.js';
import type { Queryable } from '#runtime/postgres/pool.js';
import { until } from '../../../../support/until.ts';
import { actionsOverFreshDatabase, capability } from '../../support/actions.ts';

const ROW = `INSERT INTO runtime.actions (action_id, tenant_id, principal_id, principal_kind, capability_id, message_id, mode, state, request, plan,
  worker_id, lease_id, lease_expires_at, accepted_at, updated_at, completed_at)
VALUES ($1, 'acme', 'agent:ann', 'agent', 'cap:test:any', 'msg', 'sync', $2, '{}', '{}', $3, 'lease', $4, 1, 1, $5)`;

const named = (name: string | undefined, process: string): WorkerName => ({
  gatewayId: 'service:gateway',
  name,
  connections: `aip-gateway ${process}`,
});

/** A worker starts at 7000 ms: whether it has predecessors left after it ended their leases. */
async function started(db: Queryable, own: WorkerName): Promise<boolean> {
  const predecessors = openPredecessors(db, own, () => 7000, { info: () => undefined });
  if (predecessors.left()) await predecessors.end();
  return predecessors.left();
}

/** A database whose worker has stopped, with the actions of other processes; `leases` reads when their leases end. */
async function stored(...actions: { id: string; worker: string; state?: string; endedAt?: number }[]) {
  const { gateway, url, end } = await actionsOverFreshDatabase([capability('cap:test:any', async () => ({}))]);
  onTestFinished(end);
  await gateway.actions.worker.stop(1000);
  for (const { id, worker, state = 'running', endedAt = null } of actions)
    await gateway.pool.query(ROW, [id, state, worker, 50_000, endedAt]);
  const leases = async () => {
    const { rows } = await gateway.pool.query<{ id: string; at: number }>(
      'SELECT action_id AS id, lease_expires_at AS at FROM runtime.actions',
    );
    return Object.fromEntries(rows.map(({ id, at }) => [id, at]));
  };
  return { pool: gateway.pool, url, leases };
}

test('the leases of earlier processes of the name end, and no others', async () => {
  const own = named('one', 'aaaaaaaa');
  const earlier = workerIdOf(named('one', 'bbbbbbbb'));
  const { pool, leases } = await stored(
    { id: 'act_earlier', worker: earlier },
    { id: 'act_cancelling', worker: earlier, state: 'cancelling' },
    { id: 'act_approval', worker: earlier, state: 'pending_approval' },
    { id: 'act_ended', worker: earlier, state: 'completed', endedAt: 5 },
    { id: 'act_own', worker: workerIdOf(own) },
    { id: 'act_other', worker: workerIdOf(named('one-more', 'bbbbbbbb')) },
    { id: 'act_unnamed', worker: workerIdOf(named(undefined, 'bbbbbbbb')) },
    { id: 'act_gateway', worker: workerIdOf({ ...named('one', 'bbbbbbbb'), gatewayId: 'service:other' }) },
  );
  const unchanged = await leases();
  expect(await started(pool, named(undefined, 'aaaaaaaa'))).toBe(false);
  expect(await leases()).toEqual(unchanged);
  expect(await started(pool, own)).toBe(false);
  expect(await leases()).toEqual({ ...unchanged, act_earlier: 7000, act_cancelling: 7000 });
});

test('a lease stays while its process has a connection', async () => {
  const { pool, url, leases } = await stored({ id: 'act_one', worker: workerIdOf(named('one', 'bbbbbbbb')) });
  const connection = new pg.Client({ connectionString: url, application_name: 'aip-gateway bbbbbbbb' });
  await connection.connect();
  const own = named('one', 'aaaaaaaa');
  expect(await started(pool, own)).toBe(true);
  expect(await leases()).toEqual({ act_one: 50_000 });
  await connection.end();
  await until('no predecessor is left', async () => !(await started(pool, own)));
  expect(await leases()).toEqual({ act_one: 7000 });
});
