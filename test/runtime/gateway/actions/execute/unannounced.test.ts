import { expect, onTestFinished, test } from 'vitest';
import { RemoteError } from '#runtime/protocol/errors.js';
import { until } from '../../../../support/until.ts';
import { actionsOverFreshDatabase, capability } from '../../support/actions.ts';

test('an idle worker finds a due action that no notification and no earlier check reported', async () => {
  let runs = 0;
  const busy = { code: 'provider.busy', message: 'busy', category: 'connector', retryable: true } as const;
  const flaky = capability('cap:test:flaky', async () => {
    runs += 1;
    if (runs === 1) throw new RemoteError({ ...busy, retry_after_ms: 30_000 });
    return {};
  });
  const { gateway, end } = await actionsOverFreshDatabase([flaky]);
  onTestFinished(end);
  let turns = 0;
  gateway.actions.worker.onPoll(() => {
    turns += 1;
  });
  const reply = await gateway.submit({ capability_id: 'cap:test:flaky', mode: 'async' });
  const actionId = 'ack' in reply ? (reply.ack.action_id as string) : '';
  const waiting = await until('it waits for its next attempt', async () => {
    const record = await gateway.record(actionId);
    return record.attempts === 1 && record.state === 'queued' && record;
  });
  expect(waiting.next_attempt_at).toBeGreaterThan(Date.now());
  const due = (at: number) =>
    gateway.pool.query('UPDATE runtime.actions SET next_attempt_at = $2 WHERE action_id = $1', [actionId, at]);
  await due(Date.now() + 3_600_000);
  const before = turns;
  await until('the worker found nothing twice', () => turns >= before + 2);
  await due(0);
  expect(await gateway.ended(actionId)).toMatchObject({ state: 'completed' });
});
