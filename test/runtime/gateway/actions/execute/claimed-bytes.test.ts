import { randomBytes } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import { claimDue } from '#runtime/gateway/actions/execute/claim.js';
import { freshDatabase } from '../../../../support/database.ts';
import { until } from '../../../../support/until.ts';
import { actionsOverFreshDatabase, caller, capability, startActions } from '../../support/actions.ts';

const KIB = 1024;
const globex = caller('agent:witness', 'globex');
/** Text that the storage cannot compress. */
const noise = (bytes: number): string => randomBytes((bytes * 3) / 4).toString('base64');

/** Claims under a bound of 400 KiB behind these inputs; returns how many actions it takes. */
async function claimedOf(inputs: readonly string[]): Promise<number> {
  const { gateway, end } = await actionsOverFreshDatabase([capability('cap:test:keep', async () => ({}))]);
  onTestFinished(end);
  await gateway.actions.worker.stop(1000);
  for (const text of inputs) await gateway.submit({ capability_id: 'cap:test:keep', mode: 'async', input: { text } });
  const claim = { workerId: 'worker', leaseId: 'lease', leaseMs: 60_000, lapsedAfter: 0, limit: 64, bytes: 400 * KIB };
  return (await claimDue(gateway.pool, { ...claim, nowMs: Date.now() + 1000 })).length;
}

test('one claim takes actions until their requests reach its bytes, and a single one of any size', async () => {
  const large = noise(150 * KIB);
  expect(await claimedOf(Array.from({ length: 5 }, () => large))).toBe(3);
  expect(await claimedOf([noise(500 * KIB), large])).toBe(1);
  expect(await claimedOf(Array.from({ length: 40 }, () => 'short'))).toBe(40);
});

test('requests that the storage compresses count as what they may take when they are read', async () => {
  const spaces = ' '.repeat(150 * KIB);
  expect(await claimedOf(Array.from({ length: 5 }, () => spaces))).toBeLessThanOrEqual(3);
});

test('the requests of the background actions that a process runs are bounded in bytes, and leave places for another tenant', async () => {
  const end = Promise.withResolvers<void>();
  let running = 0;
  let most = 0;
  const { url, drop } = await freshDatabase();
  const gateway = await startActions(
    url,
    [
      capability('cap:test:hang', async () => {
        running += 1;
        most = Math.max(most, running);
        await end.promise;
        running -= 1;
      }),
      capability('cap:test:fast', async () => ({})),
    ],
    Date.now,
    { maxRunning: { actions: 256, bytes: 1024 * KIB } },
  );
  onTestFinished(async () => {
    end.resolve();
    await gateway.stop();
    await drop();
  });
  const text = noise(100 * KIB);
  const submit = (id: string) => gateway.submit({ id, capability_id: 'cap:test:hang', mode: 'async', input: { text } });
  const ids = Array.from({ length: 20 }, (_, n) => `act_large_${n}`);
  for (const id of ids) await submit(id);
  expect(await until('some are running', () => running >= 4)).toBe(true);
  for (const id of ['act_witness_1', 'act_witness_2']) {
    const input = { text };
    await gateway.submit({ id, capability_id: 'cap:test:fast', mode: 'async', input }, { as: globex });
    expect(await gateway.ended(id)).toMatchObject({ state: 'completed' });
  }
  // Half of the bytes, and what one more claim takes.
  expect(most).toBeLessThanOrEqual(8);
  end.resolve();
  for (const id of ids) expect(await gateway.ended(id)).toMatchObject({ state: 'completed' });
  expect(most).toBeLessThanOrEqual(12);
});
