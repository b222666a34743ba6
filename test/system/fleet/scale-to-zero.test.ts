import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { openPool, type Pool } from '#runtime/postgres/pool.js';
import { newEnvelope } from '#runtime/protocol/envelope.js';
import { newId } from '#runtime/protocol/ids.js';
import { verifyReceiptChain } from '#runtime/protocol/receipts.js';
import type { ActionResult } from '#runtime/protocol/types.js';
import { clientsOf, type TestClient } from '../../support/client.ts';
import { type Dev, startDev } from '../../support/dev.ts';
import { until } from '../../support/until.ts';

const INSTANCE = {
  apiVersion: 'fleet.aip.dev/v1alpha1',
  kind: 'ConnectorInstance',
  metadata: { name: 'demo' },
  spec: { connector: { type: 'demo', version: '1.0.0' }, tenantId: 'demo', replicas: 1, scaleToZero: {} },
};

let dev: Dev;
let clients: TestClient[];
let pool: Pool;

beforeAll(async () => {
  dev = await startDev({ documents: JSON.stringify(INSTANCE), args: ['--gateways', '2'] });
  clients = await clientsOf(dev);
  pool = openPool({ url: dev.ready.database_url, max: 2 });
});
afterEach(() => {
  dev?.process.kill('SIGCONT');
});
afterAll(async () => {
  await pool?.close();
  await dev?.stop();
});

const one = async <T extends object>(sql: string): Promise<T> => (await pool.query<T>(sql)).rows[0] as T;
const state = async (): Promise<string> => {
  const row = await one<{ idle: boolean; woken: boolean }>(
    'SELECT idle_since IS NOT NULL AS idle, wake_requested_at IS NOT NULL AS woken FROM registry.scaling',
  );
  return row.woken ? 'waking' : row.idle ? 'idle' : 'awake';
};
const hosts = () => dev.pids('aip-runtime', 'host');
/** Everything that was used was used long ago; waits until the hosts are gone. */
async function toSleep(): Promise<void> {
  await until('no action holds a place, and the hosts are gone', async () => {
    await pool.query(`UPDATE registry.assignments SET updated_at = 1 WHERE NOT reserved`);
    await pool.query(`UPDATE registry.scaling SET active_since = 1 WHERE idle_since IS NULL`);
    return (await state()) === 'idle' && (await hosts()).length === 0;
  });
}
const shown = async (): Promise<string> => {
  const status = JSON.parse(await readFile(join(dev.dataDir, 'status.json'), 'utf8')) as {
    instances: { conditions: { type: string; status: string; reason: string }[] }[];
  };
  const ready = status.instances[0]?.conditions.find(({ type }) => type === 'Ready');
  return `${ready?.status} ${ready?.reason}`;
};
const resultOf = (envelope: unknown) => (envelope as { body?: { action_result?: ActionResult } }).body?.action_result;

test('calls that are refused wake no host of an instance without one', async () => {
  await toSleep();
  const envelope = (input: object) =>
    newEnvelope(
      { action: { id: newId('action'), capability_id: 'cap:demo:echo', input, mode: 'async' } },
      { security: { did: dev.ready.gateway.did, signature: `${'A'.repeat(86)}==` } },
      { clock: Date.now },
    );
  const post = async (path: string, input: object, token?: string): Promise<number> => {
    const response = await fetch(`${dev.ready.gateway_url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) },
      body: JSON.stringify(envelope(input)),
    });
    await response.arrayBuffer();
    return response.status;
  };
  const echo = { text: 'x' };
  expect([
    await post('/aip/v1/messages', echo),
    await post('/aip/v1/actions', echo),
    await post('/aip/v1/actions', echo, 'wrong'),
    await post('/aip/v1/connector-events', echo),
  ]).toEqual([401, 401, 401, 401]);
  // What the caller may use, with an input that the capability does not take.
  const [client] = clients as [TestClient];
  const refused = await client.submit({ capability_id: 'cap:demo:echo', mode: 'async', input: { text: 7 } });
  expect(JSON.stringify(refused.body)).toContain('action.input_schema_invalid');
  expect([await state(), await hosts()]).toEqual(['idle', []]);
});

test('actions at two gateways wake an instance without hosts once, wait for it, and each runs once', async () => {
  const [a, b] = clients as [TestClient, TestClient];
  await toSleep();
  expect(await until('its status says so', async () => (await shown()) === 'True Idle')).toBe(true);
  for (const client of clients) {
    const listed = (await client.get('/aip/v1/capabilities')).body;
    expect(JSON.stringify(listed)).toContain('"cap:demo:echo"');
  }
  const [waiting, queued, streamed] = await Promise.all([
    a.submit({ capability_id: 'cap:demo:echo', mode: 'sync', input: { text: 'first' } }),
    b.submit({ capability_id: 'cap:demo:echo', mode: 'async', input: { text: 'second' } }),
    b.submit({ capability_id: 'cap:demo:count', mode: 'streaming', input: { n: 3 } }),
  ]);
  expect(resultOf(waiting.body)).toMatchObject({ status: 'completed', output: { echo: { text: 'first' } } });
  expect(resultOf(streamed.body)).toMatchObject({ status: 'completed', output: { count: 3 } });
  const ended = await until('the queued one has ended', async () => {
    const view = await b.status(queued.id);
    return view.state === 'completed' && view;
  });
  expect(ended.result).toMatchObject({ output: { echo: { text: 'second' } } });
  for (const { id } of [waiting, queued, streamed])
    expect(verifyReceiptChain(await a.receipts(id))).toMatchObject({ ok: true });
  // Waiting is no attempt.
  const { rows } = await pool.query<{ attempts: number }>('SELECT DISTINCT attempts FROM runtime.actions');
  expect(rows).toEqual([{ attempts: 1 }]);
  expect(await until('it is awake', async () => (await state()) === 'awake')).toBe(true);
  expect(await hosts()).toHaveLength(1);
  expect(await until('its status says so', async () => (await shown()) === 'True ReplicasReady')).toBe(true);
});

test('without a host in time actions end with the reason; the request to wake outlives a control plane that is away', async () => {
  const [a, b] = clients as [TestClient, TestClient];
  await toSleep();
  // What starts hosts is away.
  dev.process.kill('SIGSTOP');
  const late = await a.submit({ capability_id: 'cap:demo:echo', mode: 'sync', timeout_ms: 1500 });
  const reason = { code: 'connector.replica_unavailable', retryable: true };
  expect(resultOf(late.body)).toMatchObject({ status: 'failed', error: reason });
  expect(resultOf(late.body)?.error?.message).toContain('no host of the idle instance became ready in time');
  expect(await state()).toBe('waking');
  await pool.query('UPDATE registry.scaling SET wake_timeout_ms = 1500');
  const queued = await b.submit({ capability_id: 'cap:demo:echo', mode: 'async' });
  const ended = await until('the queued one has ended', async () => {
    const view = await b.status(queued.id);
    return view.state === 'dead_lettered' && view;
  });
  expect(ended.result).toMatchObject({ status: 'failed', error: reason });
  expect(verifyReceiptChain(await b.receipts(queued.id))).toMatchObject({ ok: true });
  await pool.query('UPDATE registry.scaling SET wake_timeout_ms = 300000');
  const patient = await b.submit({ capability_id: 'cap:demo:echo', mode: 'async', input: { text: 'patient' } });
  dev.process.kill('SIGCONT');
  const done = await until('the one that could wait has ended', async () => {
    const view = await a.status(patient.id);
    return view.state === 'completed' && view;
  });
  expect(done.result).toMatchObject({ output: { echo: { text: 'patient' } } });
});

test('an action whose time is over while the gateway requests a host ends with the reason too', async () => {
  const [a] = clients as [TestClient, TestClient];
  await toSleep();
  dev.process.kill('SIGSTOP');
  const sentAt = performance.now();
  const late = a.submit({ capability_id: 'cap:demo:echo', mode: 'sync', timeout_ms: 1500 });
  await until('it waits for a host', async () => (await state()) === 'waking');
  await pool.tx(async (client) => {
    await client.query('LOCK TABLE registry.scaling IN ACCESS EXCLUSIVE MODE');
    await until('its time is over', () => performance.now() - sentAt > 2500);
  });
  const reason = { code: 'connector.replica_unavailable', retryable: true };
  expect(resultOf((await late).body)).toMatchObject({ status: 'failed', error: reason });
});

test('a contract that bounds the time in the queue bounds the wait too', async () => {
  const [, b] = clients as [TestClient, TestClient];
  await toSleep();
  dev.process.kill('SIGSTOP');
  const { id } = await b.submit({ capability_id: 'cap:demo:echo', mode: 'async' });
  // As it is fixed for an action whose capability has such a contract.
  await pool.query(
    `UPDATE runtime.actions SET plan = (plan::jsonb || '{"max_queue_delay_ms":1}')::json WHERE action_id = $1`,
    [id],
  );
  const ended = await until('it has ended', async () => {
    const view = await b.status(id);
    return view.state === 'dead_lettered' && view;
  });
  expect(ended.result?.error?.code).toBe('sla.queue_delay_exceeded');
});

test('a waiting action can be cancelled', async () => {
  const [a, b] = clients as [TestClient, TestClient];
  await toSleep();
  dev.process.kill('SIGSTOP');
  const { id } = await a.submit({ capability_id: 'cap:demo:echo', mode: 'async' });
  await until('it waits', async () => JSON.stringify(await b.status(id)).includes('replica_unavailable'));
  const answer = await b.post(`/aip/v1/actions/${id}/cancel`, { reason: 'changed my mind' });
  expect(answer.status).toBe(200);
  expect(await until('it is cancelled', async () => (await a.status(id)).state === 'cancelled')).toBe(true);
});
