import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { openPool, type Pool } from '#runtime/postgres/pool.js';
import { newId } from '#runtime/protocol/ids.js';
import { verifyReceiptChain } from '#runtime/protocol/receipts.js';
import type { ActionResult, ReceiptChain, TransactionView } from '#runtime/protocol/types.js';
import { clientOf, type TestClient } from '../../../support/client.ts';
import { startPaymentsFleet } from '../../../support/connectors/payments-fleet.ts';
import type { Dev } from '../../../support/dev.ts';
import { type Provider, startProvider } from '../../../support/provider.ts';
import { until } from '../../../support/until.ts';

let provider: Provider;
let dev: Dev;
let client: TestClient;
let pool: Pool;
beforeAll(async () => {
  provider = await startProvider();
  dev = await startPaymentsFleet(provider, 1, { args: ['--gateways', '2'] });
  client = clientOf(dev);
  pool = openPool({ url: dev.ready.database_url, max: 2 });
});
afterAll(async () => {
  await pool?.close();
  await dev?.stop();
  await provider?.close();
});
afterEach(() => {
  provider.before = async () => undefined;
  provider.after = async () => undefined;
});

const view = async (id: string) =>
  (await client.get(`/aip/v1/transactions/${id}?include_result=true&include_receipts=true`)).body as TransactionView;

test.each([
  ['has paid', 'after', true],
  ['has not paid', 'before', false],
] as const)(
  'gateways find out on their own that a provider whose answer was lost %s, and ask it once',
  async (_what, point, committed) => {
    const id = newId('action');
    const transaction_id = newId('transaction');
    const held = Promise.withResolvers<void>();
    const reached = Promise.withResolvers<void>();
    provider[point] = async () => {
      reached.resolve();
      await held.promise;
    };
    // The key of cap:payments:book is the id of its action, which the question has to name.
    const submitted = client.submit({
      id,
      capability_id: 'cap:payments:book',
      input: { amount: 7 },
      timeout_ms: 1500,
      transaction: { mode: 'execute', transaction_id },
    });
    await reached.promise;
    const { body } = await submitted;
    const result = (body as { body: { action_result: ActionResult } }).body.action_result;
    expect(result).toMatchObject({ status: 'failed', error: { code: 'sla.timeout_exceeded', retryable: false } });
    const reconciled = await until('the transaction is reconciled', async () => {
      const found = await view(transaction_id);
      return found.status === 'reconciled' && found;
    });
    held.resolve();
    expect(reconciled.result).toMatchObject({
      status: 'completed',
      output: { reconciliation: { terminal: true, committed } },
    });
    expect(verifyReceiptChain(reconciled.receipt_chain as ReceiptChain)).toEqual({ ok: true });
    expect(reconciled.receipt_chain?.receipts.map(({ id: receipt }) => receipt)).toEqual(
      ['commit_started', 'outcome_pending', 'reconciled'].map((end) => `rcpt_${transaction_id}_${end}`),
    );
    const { rows } = await pool.query(
      `SELECT principal_id, state FROM runtime.actions WHERE transaction_id = $1 AND action_id <> $2`,
      [transaction_id, id],
    );
    expect(rows).toEqual([{ principal_id: 'system:aip-runtime', state: 'completed' }]);
  },
  120_000,
);
