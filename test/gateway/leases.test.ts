import { renewLeases } from '@aip/runtime/gateway/actions/execute/claim.js';
import { expect, onTestFinished, test } from 'vitest';
import { openTestbed } from '../ingress/testbed.ts';

test('a lease that another worker holds by now is not renewed, and its time stays', async () => {
  const testbed = await openTestbed();
  onTestFinished(() => testbed.close());
  const { actionId } = await testbed.streaming(await testbed.host());
  await testbed.pool.query('UPDATE runtime.actions SET lease_id = $2, lease_expires_at = 1000 WHERE action_id = $1', [
    actionId,
    'lease_new',
  ]);
  expect(await renewLeases(testbed.pool, [{ actionId, leaseId: 'lease_old' }], 5000)).toEqual(new Map());
  expect(await renewLeases(testbed.pool, [{ actionId, leaseId: 'lease_new' }], 3000)).toEqual(
    new Map([[actionId, false]]),
  );
  const { rows } = await testbed.pool.query('SELECT lease_expires_at FROM runtime.actions');
  expect(rows).toEqual([{ lease_expires_at: 3000 }]);
});
