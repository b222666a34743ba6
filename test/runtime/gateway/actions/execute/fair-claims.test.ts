import { expect, onTestFinished, test } from 'vitest';
import { claimDue, nextDue } from '#runtime/gateway/actions/execute/claim.js';
import { newId } from '#runtime/protocol/ids.js';
import { blocksRead } from '../../../../support/postgres/blocks-read.ts';
import { actionsOverFreshDatabase, caller, capability } from '../../support/actions.ts';

const globex = caller('agent:witness', 'globex');

test('a tenant with more waiting actions than a gateway runs at once, none of which ends, leaves places for another tenant', async () => {
  const end = Promise.withResolvers<void>();
  const { gateway, end: close } = await actionsOverFreshDatabase([
    capability('cap:test:hang', () => end.promise),
    capability('cap:test:fast', async () => ({})),
  ]);
  onTestFinished(async () => {
    end.resolve();
    await close();
  });
  for (let n = 0; n < 10; n += 1)
    await Promise.all(
      Array.from({ length: 50 }, () => gateway.submit({ capability_id: 'cap:test:hang', mode: 'async' })),
    );
  for (const id of ['act_witness_1', 'act_witness_2']) {
    await gateway.submit({ id, capability_id: 'cap:test:fast', mode: 'async' }, { as: globex });
    expect(await gateway.ended(id)).toMatchObject({ state: 'completed' });
  }
});

test('the actions of a tenant that are due do not wait behind those of another that came before them', async () => {
  const { gateway, end } = await actionsOverFreshDatabase([capability('cap:test:fast', async () => ({}))]);
  onTestFinished(end);
  await gateway.actions.worker.stop(1000);
  const submit = (id: string, as = caller()) =>
    gateway.submit({ id, capability_id: 'cap:test:fast', mode: 'async' }, { as });
  for (let n = 0; n < 12; n += 1) await submit(`act_first_${n}`);
  for (let n = 0; n < 2; n += 1) await submit(`act_second_${n}`, globex);
  const claim = async (limit: number, running?: Map<string, number>, room?: number) =>
    (
      await claimDue(gateway.pool, {
        nowMs: Date.now() + 1000,
        lapsedAfter: 0,
        workerId: 'worker',
        leaseId: 'lease',
        leaseMs: 60_000,
        limit,
        ...(running && { running }),
        ...(room !== undefined && { room }),
      })
    ).map(({ action_id }) => action_id);
  // More wait of the first tenant than one claim reads. Each tenant in turn, its oldest first; one that has actions running comes after one that has none.
  expect(await claim(2)).toEqual(['act_first_0', 'act_second_0']);
  expect(await claim(2, new Map([['acme', 2]]))).toEqual(['act_first_1', 'act_second_1'].sort());
  // A tenant takes no more than there is room for beside what it runs.
  expect(await claim(4, new Map([['acme', 3]]), 4)).toEqual(['act_first_2']);
  expect(await claim(4, new Map([['acme', 4]]), 4)).toEqual([]);
  expect(await nextDue(gateway.pool, { nowMs: Date.now(), lapsedAfter: 0 })).toBeLessThanOrEqual(Date.now());
  expect(await claim(4)).toEqual(['act_first_3', 'act_first_4', 'act_first_5', 'act_first_6']);
});

test('a claim reads no more behind a backlog of 4,000 actions than behind one of 200', async () => {
  const { gateway, end } = await actionsOverFreshDatabase([capability('cap:test:fast', async () => ({}))]);
  onTestFinished(end);
  await gateway.actions.worker.stop(1000);
  const submit = (id: string, as = caller()) =>
    gateway.submit({ id, capability_id: 'cap:test:fast', mode: 'async' }, { as });
  await submit('act_first');
  let stored = 0;
  const blocksBehind = async (backlog: number): Promise<number> => {
    await gateway.pool.query({
      text: `INSERT INTO runtime.actions OVERRIDING SYSTEM VALUE
       SELECT (jsonb_populate_record(a, jsonb_build_object('action_id', 'act_many_' || n, 'seq', 1000000 + n, 'idempotency_key', NULL))).*
       FROM runtime.actions a, generate_series($1::bigint + 1, $2) n WHERE a.action_id = 'act_first'`,
      values: [stored, backlog],
      timeoutMs: 60_000,
    });
    stored = backlog;
    await gateway.pool.query({ text: 'ANALYZE runtime.actions', values: [], timeoutMs: 60_000 });
    await submit(newId('action'), globex);
    const claim = {
      nowMs: Date.now() + 1000,
      lapsedAfter: 0,
      workerId: 'worker',
      leaseId: 'lease',
      leaseMs: 60_000,
      limit: 4,
      room: 4,
    };
    const { blocks, result } = await blocksRead(gateway.pool, (db) =>
      claimDue(db, { ...claim, running: new Map([['acme', 4]]) }).then(async () => nextDue(db, claim)),
    );
    expect(result).toBeLessThanOrEqual(Date.now());
    return blocks;
  };
  const few = await blocksBehind(200);
  expect(await blocksBehind(4000)).toBeLessThan(few + 100);
});
