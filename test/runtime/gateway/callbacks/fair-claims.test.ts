import { expect, onTestFinished, test } from 'vitest';
import { claimDeliveries } from '#runtime/gateway/callbacks/claim.js';
import { insertDeliveries } from '#runtime/gateway/callbacks/record.js';
import { RUNTIME_SCHEMA, runtimeMigrations } from '#runtime/gateway/schema/migrations.js';
import { migrate } from '#runtime/postgres/migrate.js';
import { openPool } from '#runtime/postgres/pool.js';
import { freshDatabase } from '../../../support/database.ts';
import { until } from '../../../support/until.ts';
import { newDelivery, startTarget, startTestDeliverer } from './support.ts';

async function openDatabase() {
  const { url, drop } = await freshDatabase();
  const pool = openPool({ url, max: 4 });
  await migrate(pool, { schema: RUNTIME_SCHEMA, migrations: runtimeMigrations });
  onTestFinished(async () => {
    await pool.close();
    await drop();
  });
  return pool;
}

test('the deliveries of a tenant that are due do not wait behind those of another that came before them', async () => {
  const pool = await openDatabase();
  const callback = { profile: 'aip.native.http.v1', target: 'http://127.0.0.1:1/' };
  const made = Array.from({ length: 6 }, () => newDelivery(callback));
  const own = newDelivery(callback, { tenant_id: 'globex' });
  await insertDeliveries(pool, [...made, own]);
  const claim = async (limit: number, running: ReadonlyMap<string, number>) =>
    (
      await claimDeliveries(pool, { nowMs: Date.now() + 1000, leasedBy: 'gateway', leaseId: 'lease', limit, running })
    ).map(({ delivery_id }) => delivery_id);
  expect(new Set(await claim(2, new Map()))).toEqual(new Set([made[0]?.delivery_id, own.delivery_id]));
  expect(await claim(4, new Map([['acme', 1]]))).toHaveLength(4);
  expect(await claim(4, new Map())).toEqual([made[5]?.delivery_id]);
});

test('a tenant whose receiver never answers delays the deliveries of another by one attempt, not by all of its own', async () => {
  const pool = await openDatabase();
  const silent = await startTarget();
  silent.answer = () => undefined;
  const target = await startTarget();
  onTestFinished(async () => {
    await silent.close();
    await target.close();
  });
  await insertDeliveries(
    pool,
    Array.from({ length: 40 }, () => newDelivery(silent.callback)),
  );
  const deliverer = startTestDeliverer(pool, { maxInFlight: 2, sending: { timeoutMs: 300 } });
  onTestFinished(() => deliverer.stop());
  await until('the silent receiver is asked', async () => silent.received.length >= 2);
  await insertDeliveries(pool, [newDelivery(target.callback, { tenant_id: 'globex' })]);
  deliverer.wake();
  await until('the delivery of the other tenant arrives', async () => target.received.length === 1);
  // Two attempts at a time: 40 deliveries would have had 20 turns before it.
  expect(silent.received.length).toBeLessThan(20);
});
