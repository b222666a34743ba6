import { afterAll, beforeAll, expect, test } from 'vitest';
import { retentionPass } from '#runtime/gateway/maintenance/retention.js';
import { openMetrics } from '#runtime/gateway/metrics/metrics.js';
import { actionChainId, EMPTY_CHAIN, nextReceipt } from '#runtime/gateway/records/receipts/action-chain.js';
import { findChain } from '#runtime/gateway/records/receipts/find-chain.js';
import { RUNTIME_SCHEMA, runtimeMigrations } from '#runtime/gateway/schema/migrations.js';
import { migrate } from '#runtime/postgres/migrate.js';
import { openPool } from '#runtime/postgres/pool.js';
import { newId } from '#runtime/protocol/ids.js';
import { verifyReceiptChain } from '#runtime/protocol/receipts.js';
import { emptyDatabase } from '../../../../support/database.ts';
import { caller, capability, startActions, type TestGateway } from '../../support/actions.ts';

const capabilities = [capability('cap:test:echo', async ({ input }) => ({ echoed: input }))];
/** The first action was accepted, and its first receipt stored, before rows of actions had receipts. */
const OLD = newId('action');
const PLAN = { placement: 'local', timeout_ms: 60_000, max_attempts: 1, supports_retry: false, supports_cancel: false };

let drop: () => Promise<void>;
let gateway: TestGateway;
beforeAll(async () => {
  const database = await emptyDatabase();
  drop = database.drop;
  const pool = openPool({ url: database.url, max: 1 });
  try {
    await migrate(pool, { schema: RUNTIME_SCHEMA, migrations: runtimeMigrations.filter(({ id }) => id < 18) });
    const actor = { id: 'agent:desk', kind: 'agent' } as const;
    const data = { action_id: OLD, capability_id: 'cap:test:echo', message_id: 'msg_old' };
    const { stored, head } = nextReceipt(EMPTY_CHAIN, {
      chainId: actionChainId(OLD),
      subject: OLD,
      type: 'action_accepted',
      actor,
      atMs: 1000,
      data,
    });
    await pool.query(
      `INSERT INTO runtime.actions (action_id, tenant_id, principal_id, principal_kind, capability_id, message_id, mode, state, request, plan,
         next_attempt_at, receipt_head, receipt_count, accepted_at, updated_at)
       VALUES ($1, 'acme', 'agent:desk', 'agent', 'cap:test:echo', 'msg_old', 'async', 'queued', $2, $3, 0, $4, 1, $5, $5)`,
      [
        OLD,
        JSON.stringify({ id: OLD, capability_id: 'cap:test:echo', input: { n: 1 } }),
        JSON.stringify(PLAN),
        head.hash,
        Date.now(),
      ],
    );
    await pool.query(
      `INSERT INTO runtime.receipts (chain_id, position, receipt_id, tenant_id, principal_id, hash, record)
       VALUES ($1, 0, $2, 'acme', 'agent:desk', $3, $4)`,
      [stored.chain_id, stored.receipt_id, stored.hash, JSON.stringify(stored.record)],
    );
  } finally {
    await pool.close();
  }
  gateway = await startActions(database.url, capabilities);
});
afterAll(async () => {
  await gateway?.stop();
  await drop?.();
});

/** The chain of an action as it is found by its id and by each receipt of it; the types of its receipts. */
async function chainOf(actionId: string): Promise<string[]> {
  const find = (selector: { chainId?: string; receiptId?: string }) =>
    findChain(gateway.pool, caller(), selector, Date.now());
  const chain = await find({ chainId: actionChainId(actionId) });
  expect(verifyReceiptChain(chain)).toEqual({ ok: true });
  for (const { id } of chain.receipts) expect(await find({ receiptId: id })).toEqual(chain);
  return chain.receipts.map(({ receipt_type }) => receipt_type);
}

/** Removes every ended action; how many there were. */
async function removeEnded(): Promise<number | undefined> {
  const rules = { actionsMs: 0 };
  const clock = (): number => Date.now() + 1000;
  return (await retentionPass({ pool: gateway.pool, rules, metrics: openMetrics(), clock })).actions;
}

test('an action that was accepted before its row had receipts runs, and its chain continues in the row', async () => {
  expect(await gateway.ended(OLD)).toMatchObject({ state: 'completed', receipt_count: 2 });
  expect(await chainOf(OLD)).toEqual(['action_accepted', 'result_returned']);
});

test('the receipts of an action stay when retention removes it, and another action of its id has a chain of its own', async () => {
  const id = newId('action');
  await gateway.submit({ id, capability_id: 'cap:test:echo', input: { n: 1 } });
  expect(await chainOf(id)).toEqual(['action_accepted', 'result_returned']);
  const find = () => findChain(gateway.pool, caller(), { chainId: actionChainId(id) }, Date.now());
  const first = await find();
  expect(await removeEnded()).toBeGreaterThan(0);
  expect(await find()).toEqual(first);
  expect(await chainOf(id)).toEqual(['action_accepted', 'result_returned']);
  expect(await chainOf(OLD)).toEqual(['action_accepted', 'result_returned']);

  await gateway.submit({ id, capability_id: 'cap:test:echo', input: { n: 2 } });
  expect(await chainOf(id)).toEqual(['action_accepted', 'result_returned']);
  expect(await find()).not.toEqual(first);
});
