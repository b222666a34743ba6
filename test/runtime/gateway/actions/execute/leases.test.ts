import { expect, onTestFinished, test } from 'vitest';
import { renewLeases } from '#runtime/gateway/actions/execute/claim.js';
import { requeue } from '#runtime/gateway/actions/execute/requeue.js';
import { actionKey } from '#runtime/protocol/content/action-ref.js';
import { openTestbed } from '../../ingress/testbed.ts';

test('a lease that another worker holds by now is not renewed, and its time stays', async () => {
  const testbed = await openTestbed();
  onTestFinished(() => testbed.close());
  const { actionId, tenantId } = await testbed.streaming(await testbed.host());
  await testbed.pool.query('UPDATE runtime.actions SET lease_id = $2, lease_expires_at = 1000 WHERE action_id = $1', [
    actionId,
    'lease_new',
  ]);
  expect(await renewLeases(testbed.pool, [{ actionId, tenantId, leaseId: 'lease_old' }], 5000)).toEqual(new Map());
  expect(await renewLeases(testbed.pool, [{ actionId, tenantId, leaseId: 'lease_new' }], 3000)).toEqual(
    new Map([[actionKey({ actionId, tenantId }), false]]),
  );
  const { rows } = await testbed.pool.query('SELECT lease_expires_at FROM runtime.actions');
  expect(rows).toEqual([{ lease_expires_at: 3000 }]);
});

test('an attempt is put back into the queue only under the lease that it has', async () => {
  const testbed = await openTestbed();
  onTestFinished(() => testbed.close());
  const { actionId, tenantId } = await testbed.streaming(await testbed.host());
  await testbed.pool.query('UPDATE runtime.actions SET lease_id = $2 WHERE action_id = $1', [actionId, 'lease_new']);
  const put = (leaseId: string) =>
    requeue(testbed.pool, { actionId, tenantId, leaseId, nextAttemptAt: 5000, error: undefined, nowMs: 4000 });
  const stateOf = async () =>
    (await testbed.pool.query('SELECT lease_id, next_attempt_at FROM runtime.actions')).rows[0];
  expect(await put('lease_old')).toBe(false);
  expect(await stateOf()).toMatchObject({ lease_id: 'lease_new' });
  expect(await put('lease_new')).toBe(true);
  expect(await stateOf()).toEqual({ lease_id: null, next_attempt_at: 5000 });
});
