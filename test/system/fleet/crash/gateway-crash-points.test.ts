import pg from 'pg';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { openPool, type Pool } from '#runtime/postgres/pool.js';
import { decodeEnvelope, verifyEnvelope } from '#runtime/protocol/envelope.js';
import { newId } from '#runtime/protocol/ids.js';
import { verifyReceiptChain } from '#runtime/protocol/receipts.js';
import type { ReceiptChain, TransactionView } from '#runtime/protocol/types.js';
import { startTarget, type Target } from '../../../runtime/gateway/callbacks/support.ts';
import { clientOf, type TestClient } from '../../../support/client.ts';
import { startPaymentsFleet } from '../../../support/connectors/payments-fleet.ts';
import type { Dev } from '../../../support/dev.ts';
import { type Provider, startProvider } from '../../../support/provider.ts';
import { until } from '../../../support/until.ts';

/** Where a gateway is held: the statement that waits for an advisory lock, and when it does. */
const GATES = {
  'after accept': {
    lock: 8_001,
    on: 'UPDATE ON runtime.actions',
    when: `NEW.state = 'running' AND OLD.state = 'queued'`,
  },
  'after claim': { lock: 8_002, on: 'INSERT ON registry.assignments', when: 'true' },
  'before settle': {
    lock: 8_003,
    on: 'UPDATE ON runtime.actions',
    when: 'NEW.completed_at IS NOT NULL AND OLD.completed_at IS NULL',
  },
  'before callback': { lock: 8_004, on: 'UPDATE ON runtime.callback_deliveries', when: `NEW.status = 'running'` },
} as const;
type Gate = keyof typeof GATES;
const POINTS = ['after accept', 'after claim', 'after dispatch', 'before settle', 'before callback'] as const;

let provider: Provider;
let target: Target;
let dev: Dev;
let client: TestClient;
let pool: Pool;
let keeper: pg.Client;

beforeAll(async () => {
  provider = await startProvider();
  target = await startTarget();
  const env = {
    AIP_GATEWAY_CALLBACK_ALLOWED_HOSTS: '127.0.0.1',
    AIP_GATEWAY_CALLBACK_ALLOW_HTTP: 'true',
    AIP_GATEWAY_CALLBACK_ALLOW_PRIVATE_NETWORKS: 'true',
  };
  dev = await startPaymentsFleet(provider, 1, { env });
  client = clientOf(dev);
  pool = openPool({ url: dev.ready.database_url, max: 4 });
  keeper = new pg.Client({ connectionString: dev.ready.database_url });
  await keeper.connect();
  for (const { lock, on, when } of Object.values(GATES))
    await keeper.query(`
      CREATE FUNCTION public.gate_${lock}() RETURNS trigger LANGUAGE plpgsql AS
        'BEGIN PERFORM pg_advisory_xact_lock_shared(${lock}); RETURN NEW; END';
      CREATE TRIGGER gate_${lock} BEFORE ${on} FOR EACH ROW WHEN (${when}) EXECUTE FUNCTION public.gate_${lock}();`);
});
afterAll(async () => {
  await keeper?.end();
  await pool?.close();
  await dev?.stop();
  await Promise.all([provider?.close(), target?.close()]);
});
afterEach(async () => {
  await keeper.query('SELECT pg_advisory_unlock_all()');
  provider.before = async () => undefined;
});

/** The database sessions that wait at a gate. */
async function waitingAt(gate: Gate): Promise<number[]> {
  const text = `SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND objid = $1`;
  return (await keeper.query<{ pid: number }>(text, [GATES[gate].lock])).rows.map(({ pid }) => pid);
}

async function killGateway(): Promise<void> {
  for (const pid of await dev.pids('aip-runtime', 'gateway')) process.kill(pid, 'SIGKILL');
}

/** Kills the gateway where it stands at a gate; what its session waits to write is never written. */
async function killAt(gate: Gate): Promise<void> {
  await until(`a gateway is ${gate}`, async () => (await waitingAt(gate)).length > 0);
  await killGateway();
  for (const pid of await waitingAt(gate)) await keeper.query('SELECT pg_terminate_backend($1)', [pid]);
  await keeper.query('SELECT pg_advisory_unlock($1)', [GATES[gate].lock]);
}

test.each(POINTS)(
  'N-003 a gateway killed %s leaves one terminal state, one effect of a keyed action, one transaction and its callback',
  async (point) => {
    const key = newId('message');
    const transaction_id = newId('transaction');
    const held = Promise.withResolvers<void>();
    if (point === 'after dispatch') provider.before = () => held.promise;
    else await keeper.query('SELECT pg_advisory_lock($1)', [GATES[point].lock]);
    const { id, status } = await client.submit({
      capability_id: 'cap:payments:pay',
      mode: 'async',
      input: { amount: 12 },
      idempotency_key: key,
      transaction: { mode: 'execute', transaction_id },
      callback: target.callback,
    });
    expect(status).toBe(200);
    if (point === 'after dispatch') {
      await until('the provider is asked', () => provider.requests.includes(key));
      await killGateway();
      provider.before = async () => undefined;
      held.resolve();
    } else await killAt(point);
    // The lease of a process that is gone lapses.
    await pool.query(
      `UPDATE runtime.actions SET lease_expires_at = 0 WHERE completed_at IS NULL AND lease_id IS NOT NULL`,
    );
    await pool.query(
      `UPDATE runtime.callback_deliveries SET lease_expires_at = 0 WHERE completed_at IS NULL AND lease_id IS NOT NULL`,
    );

    const result = await until(
      'the action has its result',
      async () => {
        const view = await client.status(id);
        return view.state === 'completed' && view.result;
      },
      90_000,
    );
    expect(result).toMatchObject({ action_id: id, status: 'completed', output: { key, amount: 12 } });
    expect(provider.payments.filter((payment) => payment.key === key)).toEqual([{ key, amount: 12 }]);
    const chain = await client.receipts(id);
    expect(verifyReceiptChain(chain)).toEqual({ ok: true });
    expect(chain.receipts.map(({ receipt_type }) => receipt_type)).toEqual(['action_accepted', 'result_returned']);
    // The place of an action is released after its settlement was committed.
    const released = async (): Promise<boolean> => {
      const { rowCount } = await pool.query(
        'SELECT 1 FROM registry.assignments WHERE action_id = $1 AND NOT reserved',
        [id],
      );
      return rowCount === 1;
    };
    expect(await until('the place is released', released)).toBeTruthy();
    const { rows } = await pool.query(
      `SELECT (SELECT count(*) FROM runtime.events WHERE action_id = $1 AND kind = 'aip.action.result') AS results,
        (SELECT count(*) FROM runtime.audit WHERE action_id = $1) AS audits,
        (SELECT count(*) FROM registry.assignments WHERE action_id = $1 AND NOT reserved) AS settled,
        (SELECT count(*) FROM runtime.callback_deliveries WHERE action_id = $1) AS deliveries`,
      [id],
    );
    expect(rows).toEqual([{ results: 1, audits: 1, settled: 1, deliveries: 1 }]);
    const path = `/aip/v1/transactions/${transaction_id}?include_receipts=true`;
    const view = (await client.get(path)).body as TransactionView;
    expect(view).toMatchObject({ status: 'committed', action_id: id });
    expect(verifyReceiptChain(view.receipt_chain as ReceiptChain)).toEqual({ ok: true });
    expect(view.receipt_chain?.receipts.map(({ receipt_type }) => receipt_type)).toEqual([
      'transaction_commit_started',
      'transaction_committed',
    ]);
    const message = await until('the callback has its message', () =>
      target.received.find(({ text }) => JSON.parse(text).body.action_result?.action_id === id),
    );
    const envelope = decodeEnvelope(JSON.parse(message.text));
    expect(await verifyEnvelope(envelope)).toBe(dev.ready.gateway.did);
    expect(envelope.body).toMatchObject({ action_result: { action_id: id, status: 'completed' } });
  },
  150_000,
);
