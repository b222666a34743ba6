import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { claimDue, nextDue } from '#runtime/gateway/actions/execute/claim.js';
import { openLapsedLeases } from '#runtime/gateway/actions/execute/lapsed-leases.js';
import { settledLeases } from '#runtime/gateway/actions/record/settled-leases.js';
import { blocksRead } from '../../../../support/postgres/blocks-read.ts';
import { until } from '../../../../support/until.ts';
import { actionsOverFreshDatabase, capability, type TestGateway } from '../../support/actions.ts';

const HOUR_MS = 3_600_000;
const quiet = { warn: () => undefined };

/** A gateway whose worker has stopped, over a database without actions. */
async function quietGateway(): Promise<{ gateway: TestGateway; url: string }> {
  const { gateway, url, end } = await actionsOverFreshDatabase([capability('cap:test:any', async () => ({}))]);
  onTestFinished(end);
  await gateway.actions.worker.stop(1000);
  return { gateway, url };
}

const ROW = `INSERT INTO runtime.actions (action_id, tenant_id, principal_id, principal_kind, capability_id, message_id, mode, state, request, plan,
  lease_id, lease_expires_at, accepted_at, updated_at, completed_at)
SELECT $1 || n, 'acme', 'agent:ann', 'agent', 'cap:test:any', 'msg', 'sync', $2, '{}', '{}', 'lease', $3, 1, 1, $4 FROM generate_series(1, $5::integer) n`;

const open = (leaseEnd: number): [string, unknown[]] => [ROW, ['act_open', 'running', leaseEnd, null, 1]];
const ended = (leaseEnd: number, rows = 1): [string, unknown[]] => [
  ROW,
  [`act_ended_${leaseEnd}_`, 'completed', leaseEnd, leaseEnd, rows],
];

/** What a worker that starts now claims. */
async function claimed({ pool }: TestGateway): Promise<string[]> {
  const nowMs = Date.now();
  const lapsedAfter = await openLapsedLeases(pool, quiet).after(nowMs);
  const worker = { workerId: 'worker', leaseId: 'lease_new', leaseMs: 60_000, limit: 10 };
  return (await claimDue(pool, { ...worker, nowMs, lapsedAfter })).map(({ action_id }) => action_id);
}

/** A process that starts, which may move the place; returns the place. */
async function swept({ pool }: TestGateway): Promise<number> {
  await openLapsedLeases(pool, quiet).after(Date.now());
  return settledLeases(pool);
}

/** Sweeps until the place is behind a time. */
const movedBehind = (gateway: TestGateway, time: number): Promise<number> =>
  until('the place has moved', async () => {
    const place = await swept(gateway);
    return place >= time && place;
  });

test('the place moves behind the leases of actions that have ended, and not behind that of an open one', async () => {
  const { gateway } = await quietGateway();
  const ago = Date.now() - HOUR_MS;
  await gateway.pool.query(...ended(ago));
  const place = await movedBehind(gateway, ago);
  expect(place).toBeLessThan(Date.now() - 30_000);
  // Nothing is written while no further lease lapsed.
  expect(await swept(gateway)).toBe(place);
  await gateway.pool.query(...open(place + 10));
  await gateway.pool.query(...ended(place + 20));
  await movedBehind(gateway, place + 9);
  await swept(gateway);
  expect(await swept(gateway)).toBe(place + 9);
  expect(await claimed(gateway)).toEqual(['act_open1']);
  await movedBehind(gateway, place + 20);
});

test('an action whose transaction ends long after its lease is taken over', async () => {
  const { gateway, url } = await quietGateway();
  const ago = Date.now() - HOUR_MS;
  // Only a transaction that waits for longer than this test has a lease that is old without having come late.
  await gateway.pool.query('DROP TRIGGER lease_came_late ON runtime.actions');
  await gateway.pool.query(...ended(ago));
  const late = new pg.Client({ connectionString: url });
  await late.connect();
  onTestFinished(() => late.end());
  await late.query('BEGIN');
  await late.query(...open(ago - 1000));
  for (let n = 0; n < 4; n += 1) await swept(gateway);
  await late.query('COMMIT');
  await movedBehind(gateway, ago - 1001);
  for (let n = 0; n < 4; n += 1) await swept(gateway);
  expect(await claimed(gateway)).toEqual(['act_open1']);
});

test('an action whose lease reaches the database when the place is behind it is taken over', async () => {
  const { gateway } = await quietGateway();
  const ago = Date.now() - HOUR_MS;
  await gateway.pool.query(...ended(ago));
  await movedBehind(gateway, ago);
  await gateway.pool.query(...open(ago - 1000));
  for (let n = 0; n < 4; n += 1) await swept(gateway);
  expect(await claimed(gateway)).toEqual(['act_open1']);
});

test('an action whose lease comes late while the place is being moved is taken over', async () => {
  const { gateway, url } = await quietGateway();
  const { pool } = gateway;
  const ago = Date.now() - HOUR_MS;
  await pool.query(...ended(ago));
  const before = await swept(gateway);
  const late = new pg.Client({ connectionString: url });
  await late.connect();
  onTestFinished(() => late.end());
  await late.query('BEGIN');
  await late.query(...open(ago - 1000));
  // A sweep moves the place once no transaction of the whole server is older than the one before: other tests have some.
  const moving = until('the place has moved', async () => {
    const place = await swept(gateway);
    return place > before && place;
  });
  await until('the sweep waits for the lease', async () => {
    const waiting = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
    return (await pool.query(waiting)).rows.length > 0;
  });
  await late.query('COMMIT');
  expect(await moving).toBeLessThan(ago - 1000);
  expect(await claimed(gateway)).toEqual(['act_open1']);
});

test('a worker passes over the leases of ended actions once, and reads those that lapsed since', async () => {
  const { gateway } = await quietGateway();
  const nowMs = Date.now();
  const leases = openLapsedLeases(gateway.pool, quiet);
  await gateway.pool.query(...open(nowMs - HOUR_MS));
  expect(await leases.after(nowMs)).toBe(nowMs - HOUR_MS - 1);
  leases.noneLeft(nowMs);
  expect(await leases.after(nowMs)).toBe(nowMs - 5000);
  // Once a minute it begins at the place again.
  expect(await leases.after(nowMs + 60_000)).toBe(nowMs - HOUR_MS - 1);
});

test('a worker whose sweep fails continues behind what it knows, and sweeps again a minute later', async () => {
  const { gateway } = await quietGateway();
  const { pool } = gateway;
  const nowMs = Date.now();
  const leases = openLapsedLeases(pool, quiet);
  const known = await leases.after(nowMs);
  await pool.query('ALTER TABLE runtime.settled_leases RENAME TO away');
  expect(await leases.after(nowMs + 60_000)).toBe(known);
  await expect(openLapsedLeases(pool, quiet).after(nowMs)).rejects.toThrow('settled_leases');
  await pool.query('ALTER TABLE runtime.away RENAME TO settled_leases');
  await pool.query(...open(nowMs - HOUR_MS));
  expect(await leases.after(nowMs + 60_001)).toBe(known);
  expect(await leases.after(nowMs + 120_000)).toBe(nowMs - HOUR_MS - 1);
});

test('claims and their next time read few blocks behind the leases of 20,000 ended actions, with plans that were made without any', async () => {
  const { gateway } = await quietGateway();
  const nowMs = Date.now();
  const read = async () => {
    const lapsedAfter = await openLapsedLeases(gateway.pool, quiet).after(nowMs);
    const claim = { nowMs, lapsedAfter, workerId: 'worker', leaseId: 'lease_new', leaseMs: 60_000, limit: 4 };
    return blocksRead(gateway.pool, (db) => claimDue(db, claim).then(() => nextDue(db, claim)));
  };
  for (let n = 0; n < 6; n += 1) await read();
  await gateway.pool.query({ text: ended(0)[0], values: ended(nowMs - HOUR_MS, 20_000)[1], timeoutMs: 60_000 });
  await movedBehind(gateway, nowMs - HOUR_MS);
  expect((await read()).blocks).toBeLessThan(60);
});
