import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { newId } from '#runtime/protocol/ids.js';
import { actionsOverFreshDatabase, capability, contractOf, startActions } from '../../support/actions.ts';

/** The statement by which the restore Job marks what had not ended in the backup. */
const MARK = /"(UPDATE runtime\.actions SET restored[^"]+;)"/.exec(
  readFileSync(join(import.meta.dirname, '../../../../../charts/aip-fleet/files/restore.sh'), 'utf8'),
)?.[1] as string;

const UNKNOWN = { code: 'connector.outcome_unknown', details: { restored: true } };

/** The end of an action that was waiting in a backup, and how often it ran after the restore. */
async function afterRestore(mode: 'async' | 'streaming', execution: object) {
  let runs = 0;
  const pay = capability(
    'cap:test:pay',
    async () => {
      runs += 1;
      return {};
    },
    { contract: contractOf({ execution }) },
  );
  const { gateway, url, end } = await actionsOverFreshDatabase([pay]);
  onTestFinished(end);
  // Nobody runs what is accepted from here on.
  await gateway.actions.stop(1000);
  const id = newId('action');
  const reply = await gateway.submit({ id, capability_id: 'cap:test:pay', mode: 'async' });
  expect(reply).toHaveProperty('ack');
  await gateway.pool.query(MARK);
  if (mode === 'streaming') await gateway.pool.query(`UPDATE runtime.actions SET mode = 'streaming'`);
  const restored = await startActions(url, [pay]);
  onTestFinished(() => restored.stop());
  return { record: await restored.ended(id), runs };
}

test('after a restore an action that may run once is not run: it may have run since the backup', async () => {
  const { record, runs } = await afterRestore('async', { supports_retry: false, retry_safety: 'unsafe' });
  expect(record).toMatchObject({ state: 'dead_lettered', attempts: 2, result: { error: UNKNOWN } });
  expect(runs).toBe(0);
});

test('after a restore an action that may run again is run', async () => {
  const { record, runs } = await afterRestore('async', {});
  expect(record).toMatchObject({ state: 'completed', attempts: 2 });
  expect(runs).toBe(1);
});

test('after a restore a streaming action is not run, whatever its contract permits', async () => {
  const { record, runs } = await afterRestore('streaming', {});
  expect(record).toMatchObject({ state: 'failed', result: { error: UNKNOWN } });
  expect(runs).toBe(0);
});
