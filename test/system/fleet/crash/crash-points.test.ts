import pg from 'pg';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { openPool, type Pool } from '#runtime/postgres/pool.js';
import { newId } from '#runtime/protocol/ids.js';
import { verifyReceiptChain } from '#runtime/protocol/receipts.js';
import type { ActionResult } from '#runtime/protocol/types.js';
import { clientOf, type TestClient } from '../../../support/client.ts';
import { startPaymentsFleet } from '../../../support/connectors/payments-fleet.ts';
import type { Dev } from '../../../support/dev.ts';
import { type Provider, startProvider } from '../../../support/provider.ts';
import { until } from '../../../support/until.ts';

/** Advisory locks that the triggers below wait for: before an intent is written, and before a result is. */
const GATES = { intent: 7_001, result: 7_002 } as const;
type Gate = keyof typeof GATES;

let provider: Provider;
let dev: Dev;
let client: TestClient;
let pool: Pool;
let keeper: pg.Client;

beforeAll(async () => {
  provider = await startProvider();
  dev = await startPaymentsFleet(provider, 1);
  client = clientOf(dev);
  pool = openPool({ url: dev.ready.database_url, max: 4 });
  keeper = new pg.Client({ connectionString: dev.ready.database_url });
  await keeper.connect();
  const { rows } = await pool.query<{ schema: string }>(
    "SELECT schemaname AS schema FROM pg_tables WHERE tablename = 'executions'",
  );
  const schema = rows[0]?.schema as string;
  const gate = (name: Gate, when: string) => `
    CREATE FUNCTION ${schema}.gate_${name}() RETURNS trigger LANGUAGE plpgsql AS
      'BEGIN PERFORM pg_advisory_xact_lock_shared(${GATES[name]}); RETURN NEW; END';
    CREATE TRIGGER gate_${name} ${when} EXECUTE FUNCTION ${schema}.gate_${name}();`;
  await keeper.query(gate('intent', `BEFORE INSERT ON ${schema}.executions FOR EACH ROW`));
  await keeper.query(
    gate('result', `BEFORE UPDATE ON ${schema}.executions FOR EACH ROW WHEN (NEW.state = 'finished')`),
  );
});
afterAll(async () => {
  await keeper?.end();
  await pool?.close();
  await dev?.stop();
  await provider?.close();
});
afterEach(async () => {
  await keeper.query('SELECT pg_advisory_unlock_all()');
  provider.before = async () => undefined;
  provider.after = async () => undefined;
});

const shut = (gate: Gate) => keeper.query('SELECT pg_advisory_lock($1)', [GATES[gate]]);
const open = (gate: Gate) => keeper.query('SELECT pg_advisory_unlock($1)', [GATES[gate]]);
/** The database sessions that wait at a gate. */
const waiting = async (gate: Gate): Promise<number[]> => {
  const text = `SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND objid = $1`;
  return (await keeper.query<{ pid: number }>(text, [GATES[gate]])).rows.map(({ pid }) => pid);
};
const somebodyAt = (gate: Gate) =>
  until(`a host waits to write the ${gate}`, async () => (await waiting(gate)).length > 0);
const hostPid = async (): Promise<number> => (await dev.pids('aip-runtime', 'host'))[0] as number;

/** Kills the host where it stands; what its sessions wait to write is never written. */
async function killAt(gate: Gate): Promise<void> {
  process.kill(await hostPid(), 'SIGKILL');
  for (const pid of await waiting(gate)) await keeper.query('SELECT pg_terminate_backend($1)', [pid]);
  await open(gate);
}

/** Takes a host to one point of the work on the action with this idempotency key, and kills it there. */
const POINTS: Record<string, (key: string) => Promise<void>> = {
  before_intent_persistence: async () => {
    await somebodyAt('intent');
    await killAt('intent');
  },
  intent_persisted: async (key) => {
    await until('the provider is asked', () => provider.requests.includes(key));
    process.kill(await hostPid(), 'SIGKILL');
  },
  provider_effect_committed: async (key) => {
    await until('the provider has paid', () => provider.payments.some((payment) => payment.key === key));
    process.kill(await hostPid(), 'SIGKILL');
  },
  provider_response_received: async () => {
    await somebodyAt('result');
    await killAt('result');
  },
  result_persisted: async (key) => {
    await somebodyAt('result');
    const pid = await hostPid();
    process.kill(pid, 'SIGSTOP');
    await open('result');
    await until('the result is in the journal', async () => (await waiting('result')).length === 0);
    process.kill(pid, 'SIGKILL');
    expect(provider.payments.some((payment) => payment.key === key)).toBe(true);
  },
};

/** Holds the work at the point until the host is killed there. */
async function prepare(point: string): Promise<() => void> {
  const held = Promise.withResolvers<void>();
  if (point === 'before_intent_persistence') await shut('intent');
  if (point === 'intent_persisted') provider.before = () => held.promise;
  if (point === 'provider_effect_committed') provider.after = () => held.promise;
  if (point === 'provider_response_received' || point === 'result_persisted') await shut('result');
  return () => {
    provider.before = async () => undefined;
    provider.after = async () => undefined;
    held.resolve();
  };
}

const resultOf = (body: unknown) => (body as { body: { action_result?: ActionResult } }).body.action_result;

test.each(
  ['cap:payments:pay', 'cap:payments:book'].flatMap((capability) =>
    Object.keys(POINTS).map((point) => [point, capability] as const),
  ),
)(
  'N-003 SIGKILL at %s of %s, then the same action, transaction and key again: one effect, one settlement, one result, one receipt chain',
  async (point, capability_id) => {
    const id = newId('action');
    const key = capability_id === 'cap:payments:pay' ? newId('message') : id;
    const transaction_id = newId('transaction');
    const action = {
      id,
      capability_id,
      mode: 'sync' as const,
      input: { amount: 12 },
      transaction: { mode: 'execute' as const, transaction_id },
      ...(key !== id && { idempotency_key: key }),
    };
    const letGo = await prepare(point);
    const first = client.submit(action);
    await (POINTS[point] as (key: string) => Promise<void>)(key);
    letGo();
    await first;
    const result = await until(
      'the same action again has its result',
      async () => {
        const again = resultOf((await client.submit(action)).body);
        return again?.status === 'completed' && again;
      },
      60_000,
    );
    expect(result).toMatchObject({ action_id: id, output: { key, amount: 12 } });
    expect(await client.result(id)).toEqual(result);
    expect(provider.payments.filter((payment) => payment.key === key)).toEqual([{ key, amount: 12 }]);
    const chain = await client.receipts(id);
    expect(verifyReceiptChain(chain)).toEqual({ ok: true });
    expect(chain.receipts.map(({ receipt_type }) => receipt_type).filter((type) => type === 'result_returned')).toEqual(
      ['result_returned'],
    );
    const { rows } = await pool.query(
      `SELECT (SELECT count(*) FROM registry.assignments WHERE action_id = $1) AS assignments,
        (SELECT count(*) FROM registry.assignments WHERE action_id = $1 AND NOT reserved AND settlement = 'completed') AS settled,
        (SELECT count(*) FROM runtime.events WHERE action_id = $1 AND kind = 'aip.action.result') AS results,
        (SELECT transaction_id FROM runtime.actions WHERE action_id = $1) AS transaction_id`,
      [id],
    );
    expect(rows).toEqual([{ assignments: 1, settled: 1, results: 1, transaction_id }]);
    // The gateway keeps the place for its next action for a moment.
    const places = 'SELECT sum(active)::int AS active FROM registry.replicas';
    const free = async () => (await pool.query<{ active: number }>(places)).rows[0]?.active === 0;
    expect(await until('the place is free', free)).toBe(true);
  },
  120_000,
);
