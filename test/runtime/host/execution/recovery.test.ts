import { afterAll, beforeAll, expect, test } from 'vitest';
import { newId } from '#runtime/protocol/ids.js';
import { parseLeaseArray } from '#runtime/protocol/time.js';
import { until } from '../../../support/until.ts';
import { isJournaled } from '../support/calls.ts';
import { startTestbed, type Testbed } from '../support/testbed.ts';

let testbed: Testbed;
beforeAll(async () => {
  testbed = await startTestbed({ ttlMs: 60_000 });
});
afterAll(async () => {
  await testbed?.stop();
});

interface Recovery extends Record<string, unknown> {
  recovered_at: number[];
}
const recovery = async () => (await testbed.readiness()).body.runtime.recovery as Recovery;
const counts = (queued_results: number, callback_deliveries: number) => ({
  recovered_at: expect.any(Array),
  pending_approvals: 0,
  recoverable_transactions: 0,
  queued_results,
  delegation_results: 0,
  callback_deliveries,
});
/** What a host reports once it has counted: it does so behind its start. */
const counted = (queued: number) =>
  until(`it counted ${queued}`, async () => {
    const found = await recovery();
    return found.queued_results === queued && found;
  });
const staged = async (): Promise<number> => {
  const { rows } = await testbed.pool.query<{ n: number }>('SELECT count(*)::int AS n FROM aip_host.outbox');
  return rows[0]?.n ?? 0;
};

test('F-056 part: a host that was killed reports the executions without a result and the batches that wait, as its start found them', async () => {
  const first = await recovery();
  expect(first).toEqual(counts(0, 0));
  testbed.ingress.answer = () => 503;
  for (let n = 0; n < 3; n += 1) {
    const published = { id: newId('event'), kind: 'demo.happened', occurred_at: '2026-07-09T00:00:00Z', data: { n } };
    const answer = await testbed.central.send({
      capability_id: 'cap:demo:echo',
      input: { publish_event: published },
    });
    expect(answer.result?.status).toBe('completed');
  }
  const ids = [newId('action'), newId('action')];
  const lost = ids.map((id) =>
    testbed.central.send({ id, capability_id: 'cap:demo:report', input: { seconds: 600 } }).catch(() => undefined),
  );
  for (const id of ids) await until('it runs', () => isJournaled(testbed, id));
  // What is under way now is no recovery.
  expect(await recovery()).toEqual(first);
  await testbed.crash();
  await Promise.all(lost);
  const second = await counted(2);
  expect(second).toEqual(counts(2, 3));
  expect(parseLeaseArray(second.recovered_at)).toBeGreaterThan(parseLeaseArray(first.recovered_at));

  testbed.ingress.answer = () => 200;
  await until('the batches are delivered', async () => {
    await testbed.pool.query('UPDATE aip_host.outbox SET next_attempt_at = 0, lease_expires_at = 0');
    return (await staged()) === 0;
  });
  expect(await recovery()).toEqual(second);
  await testbed.crash();
  expect(await counted(2)).toEqual(counts(2, 0));
});

test('a host whose journal cannot be counted starts, and reports the executions without a result once it can', async () => {
  const begun = Promise.withResolvers<void>();
  const started = Promise.withResolvers<void>();
  const lock = testbed.pool.tx(async (client) => {
    await client.query('LOCK TABLE aip_host.executions');
    begun.resolve();
    await started.promise;
  });
  await begun.promise;
  await testbed.crash().finally(started.resolve);
  await lock;
  expect(await counted(2)).toEqual(counts(2, 0));
});
