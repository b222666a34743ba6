import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { canonicalJson } from '#runtime/protocol/canonical.js';
import { digestOf } from '#runtime/protocol/digest.js';
import { newId } from '#runtime/protocol/ids.js';
import { parseLeaseArray } from '#runtime/protocol/time.js';
import type { ConnectorHostRegistration, Manifest } from '#runtime/protocol/types.js';
import { until } from '../../../support/until.ts';
import { callsOf, isJournaled } from '../support/calls.ts';
import type { Answer } from '../support/central.ts';
import type { Intercept } from '../support/control-plane.ts';
import { end } from '../support/host-process.ts';
import { startTestbed, type Testbed } from '../support/testbed.ts';

let testbed: Testbed;
beforeAll(async () => {
  testbed = await startTestbed({ ttlMs: 30_000 });
});
afterAll(async () => {
  await testbed?.stop();
});

const hangUp: Intercept = async () => 'hang up';
const unhealthy = (): string => join(testbed.folder, 'unhealthy');

/** Sends an action that must be refused as not ready, signed and without a call. */
async function notReady(): Promise<Answer> {
  const id = newId('action');
  const { rejected_total: before = 0 } = await testbed.metrics();
  const answer = await testbed.central.send({ id, capability_id: 'cap:demo:flaky', input: { mode: 'ok' } });
  expect(answer).toMatchObject({
    status: 503,
    signer: testbed.key.did,
    error: { code: 'connector_host.not_ready', category: 'temporary', retryable: true, retry_after_ms: 300 },
  });
  expect((await testbed.metrics()).rejected_total).toBe(before + 1);
  return answer;
}

test('F-052 F-129 F-132 health says it is alive, to anybody', async () => {
  const response = await testbed.get('/health');
  expect(response.status).toBe(200);
  expect(await response.json()).toEqual({
    status: 'ok',
    protocol: 'AIP',
    version: '1.0',
    service: 'aip-connector-host',
  });
});

test('F-053 F-054 F-055 F-056 F-057 F-118 F-129 F-133 ready is 200 with all its members when all four conditions hold', async () => {
  const { status, body } = await testbed.readiness();
  expect(status).toBe(200);
  expect(Object.keys(body)).toEqual(['status', 'lease_valid', 'draining', 'runtime', 'connector']);
  expect(body).toMatchObject({
    status: 'ready',
    lease_valid: true,
    draining: false,
    runtime: { durability: 'durable_shared', ready: true, detail: expect.any(String) },
    connector: { ready: true, detail: expect.any(String) },
  });
  const { recovered_at, ...counts } = body.runtime.recovery as { recovered_at: number[] } & Record<string, number>;
  expect(Math.abs(parseLeaseArray(recovered_at) - Date.now())).toBeLessThan(60_000);
  expect(counts).toEqual({
    pending_approvals: 0,
    recoverable_transactions: 0,
    queued_results: 0,
    delegation_results: 0,
    callback_deliveries: 0,
  });
});

test('F-129 F-135 F-136 the manifest is bound to the host, stays the same, and has the registered digest', async () => {
  const read = async () => (await (await testbed.get('/aip/v1/manifest')).json()) as Manifest;
  const manifest = await read();
  expect(manifest.agent).toEqual({
    id: 'agent:demo:test',
    kind: 'agent',
    display_name: 'Demo connector',
    trust_domain: 'fleet.test',
  });
  expect(canonicalJson(await read())).toBe(canonicalJson(manifest));
  const registration = testbed.control.received[0]?.request.command.payload as ConnectorHostRegistration;
  expect(digestOf(manifest)).toBe(registration.manifest_digest);
  expect(registration.capability_count).toBe(manifest.capabilities?.length);
});

const FAMILIES: [string, 'gauge' | 'counter'][] = [
  ['ready', 'gauge'],
  ['storage_ready', 'gauge'],
  ['in_flight', 'gauge'],
  ['requests_total', 'counter'],
  ['rejected_total', 'counter'],
  ['heartbeat_failures_total', 'counter'],
  ['lease_recovery_attempts_total', 'counter'],
  ['lease_recoveries_total', 'counter'],
];
const COUNTERS = FAMILIES.filter(([, type]) => type === 'counter').map(([name]) => name);

test('F-129 F-134 F-239 F-240 F-241 F-242 F-243 F-244 F-248 F-249 F-250 metrics are the eight families, before any request too', async () => {
  const response = await testbed.get('/metrics');
  expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
  expect(await scrape(response)).toEqual(FAMILIES.map(([name], index) => `${name} ${index < 2 ? 1 : 0}`));
});

/** The samples of a scrape without their prefix; it must have the eight families, in their order and with their types. */
async function scrape(response: Response): Promise<string[]> {
  const lines = (await response.text()).trimEnd().split('\n');
  expect(lines.filter((line) => line.startsWith('#'))).toEqual(
    FAMILIES.map(([name, type]) => `# TYPE aip_connector_host_${name} ${type}`),
  );
  return lines.filter((line) => !line.startsWith('#')).map((line) => line.replace(/^aip_connector_host_/, ''));
}

test('F-134 F-239 a scrape after accepted, failed and refused requests has the same eight families, without labels', async () => {
  await testbed.central.send({ capability_id: 'cap:demo:flaky', input: { mode: 'ok' } });
  await testbed.central.send({ capability_id: 'cap:demo:flaky', input: { mode: 'permanent' } });
  await testbed.central.send({ capability_id: 'cap:demo:none', input: {} });
  await testbed.central.post('{');
  const samples = await scrape(await testbed.get('/metrics'));
  expect(samples.map((sample) => sample.replace(/ \d+$/, ''))).toEqual(FAMILIES.map(([name]) => name));
  expect(samples).toEqual(expect.arrayContaining(['requests_total 4', 'rejected_total 2']));
});

test('F-057 F-122 F-240 F-275 F-073 only the connector probe not ready: 503, refused actions, heartbeats that say so', async () => {
  // Nothing is renewed: a heartbeat that says so would end the lease too.
  testbed.control.intercept = hangUp;
  await writeFile(unhealthy(), '');
  const { status, body } = await testbed.readiness();
  expect(status).toBe(503);
  expect(body).toMatchObject({
    status: 'not_ready',
    lease_valid: true,
    draining: false,
    runtime: { ready: true },
    connector: { ready: false },
  });
  expect(await testbed.metrics()).toMatchObject({ ready: 0, storage_ready: 1 });
  await notReady();
  expect((await testbed.get('/health')).status).toBe(200);
  testbed.control.intercept = undefined;
  const reported = await until('a heartbeat says so', () =>
    testbed.control.received.find(
      ({ request: { command } }) => command.operation === 'heartbeat' && !command.payload.connector_ready,
    ),
  );
  expect(reported).toBeDefined();
  await until('the lease has ended', async () => !(await testbed.readiness()).body.lease_valid);
  expect((await testbed.get('/health')).status).toBe(200);
  await rm(unhealthy());
  await testbed.ready();
  const recovered = testbed.control.operations().lastIndexOf('register');
  const ready = await until('a heartbeat says that it is ready again', () =>
    testbed.control.received.slice(recovered).find(({ operation }) => operation === 'heartbeat'),
  );
  expect(ready.request.command.payload).toMatchObject({ connector_ready: true });
  expect(await testbed.metrics()).toMatchObject({ ready: 1 });
});

test('F-121 F-133 F-240 F-241 F-275 only the storage probe failing: 503, refused actions, storage_ready 0', async () => {
  testbed.control.intercept = hangUp;
  await testbed.pool.query('ALTER TABLE aip_host.storage_probe RENAME TO away');
  // A probe that had written before the table went away still answers that storage is ready.
  const { status, body } = await until('a probe that began after it', async () => {
    const seen = await testbed.readiness();
    return seen.status === 503 && seen;
  });
  expect(status).toBe(503);
  expect(body).toMatchObject({
    status: 'not_ready',
    lease_valid: true,
    draining: false,
    runtime: { ready: false },
    connector: { ready: true },
  });
  expect(await testbed.metrics()).toMatchObject({ ready: 0, storage_ready: 0 });
  await notReady();
  testbed.control.intercept = undefined;
  await testbed.pool.query('ALTER TABLE aip_host.away RENAME TO storage_probe');
  await testbed.ready();
  expect(await testbed.metrics()).toMatchObject({ ready: 1, storage_ready: 1 });
});

test('F-054 F-112 F-120 F-132 F-133 F-240 F-274 only the lease lapsed: 503 at once, refused actions', async () => {
  testbed.control.ttlMs = 900;
  testbed.control.intercept = async (_received, decide) => {
    const reply = await decide();
    testbed.control.intercept = hangUp;
    return reply;
  };
  await until('the short lease is applied', async () => {
    const { rows } = await testbed.pool.query('SELECT FROM aip_host.leases WHERE sequence = $1', [
      testbed.control.replica.sequence,
    ]);
    return testbed.control.intercept === hangUp && rows.length > 0;
  });
  const end = testbed.control.replica.leaseEnd;
  // Of no request that came after the end may the answer be that the lease is valid.
  const late: number[] = [];
  await until('the lease has lapsed', async () => {
    const asked = Date.now();
    const { body } = await testbed.readiness();
    if (body.lease_valid && asked >= end) late.push(asked - end);
    return !body.lease_valid;
  });
  expect(late).toEqual([]);
  const { status, body } = await testbed.readiness();
  expect(status).toBe(503);
  expect(body).toMatchObject({
    status: 'not_ready',
    lease_valid: false,
    draining: false,
    runtime: { ready: true },
    connector: { ready: true },
  });
  expect(await testbed.metrics()).toMatchObject({ ready: 0, storage_ready: 1 });
  await notReady();
  expect((await testbed.get('/health')).status).toBe(200);
  testbed.control.intercept = undefined;
  testbed.control.ttlMs = 30_000;
  await testbed.ready();
});

test('F-242 F-072 F-276 F-245 capacity: the slots fill, the next action gets 429, a freed slot is used again', async () => {
  const ended = { id: newId('action'), capability_id: 'cap:demo:flaky', input: { mode: 'ok' } };
  const { result: recorded } = await testbed.central.send(ended);
  const retryable = { ...ended, id: newId('action'), input: { mode: 'retryable', fail_times: 1 } };
  await testbed.central.send(retryable);
  const ids = Array.from({ length: 4 }, () => newId('action'));
  const running = ids.map((id) =>
    testbed.central.send({ id, capability_id: 'cap:demo:report', input: { seconds: 60 } }),
  );
  await until('all run', async () => (await Promise.all(ids.map((id) => isJournaled(testbed, id)))).every(Boolean));
  expect(await testbed.metrics()).toMatchObject({ in_flight: 4 });
  await until('a heartbeat counts them', () =>
    testbed.control.received.some(
      ({ request: { command } }) => command.operation === 'heartbeat' && command.payload.in_flight === 4,
    ),
  );
  const id = newId('action');
  const { rejected_total: before = 0 } = await testbed.metrics();
  expect(await testbed.central.send({ id, capability_id: 'cap:demo:flaky', input: { mode: 'ok' } })).toMatchObject({
    status: 429,
    signer: testbed.key.did,
    error: { code: 'connector_host.capacity', category: 'temporary', retryable: true, retry_after_ms: 100 },
  });
  expect(await callsOf(testbed, id)).toBe(0);
  expect((await testbed.metrics()).rejected_total).toBe(before + 1);
  // What is over needs no slot: its result is in the journal. A failure that may run again does need one.
  expect(await testbed.central.send(ended)).toMatchObject({ status: 200, signer: testbed.key.did, result: recorded });
  expect(await callsOf(testbed, ended.id)).toBe(1);
  const changed = { ...ended, input: { mode: 'permanent' } };
  for (const action of [changed, retryable])
    expect(await testbed.central.send(action)).toMatchObject({
      status: 429,
      error: { code: 'connector_host.capacity' },
    });
  const cancel = await testbed.central.cancel(ids[0] as string, 'cap:demo:report');
  expect(await testbed.central.post(cancel)).toMatchObject({ status: 200, result: { status: 'cancelled' } });
  await until('a slot is free', async () => (await testbed.metrics()).in_flight === 3);
  expect(await testbed.central.send({ id, capability_id: 'cap:demo:flaky', input: { mode: 'ok' } })).toMatchObject({
    status: 200,
    result: { status: 'completed' },
  });
  for (const other of ids.slice(1)) await testbed.central.post(await testbed.central.cancel(other, 'cap:demo:report'));
  await Promise.all(running);
  await until('nothing runs', async () => (await testbed.metrics()).in_flight === 0);
  const sent = testbed.control.received.length;
  await until('a heartbeat counts none', () =>
    testbed.control.received
      .slice(sent)
      .some(({ request: { command } }) => command.operation === 'heartbeat' && command.payload.in_flight === 0),
  );
});

test.each([
  ['that the provider refused', { input: { mode: 'permanent' } }, 'connector.demo.refused'],
  ['whose outcome is unknown', { input: { mode: 'unknown_outcome' } }, 'connector.outcome_unknown'],
  ['that took too long', { input: { mode: 'timeout' }, timeout_ms: 100 }, 'sla.timeout_exceeded'],
])('F-251 an action %s was a request and no rejection', async (_what, action, code) => {
  const before = await testbed.metrics();
  const answer = await testbed.central.send({ capability_id: 'cap:demo:flaky', ...action });
  expect(answer).toMatchObject({ status: 200, result: { status: 'failed', error: { code } } });
  const after = await testbed.metrics();
  expect(after.requests_total).toBe((before.requests_total ?? 0) + 1);
  expect(after.rejected_total).toBe(before.rejected_total);
});

test('F-055 F-119 F-136 F-240 F-273 F-132 F-252 draining: 503, actions refused, pinned work, its repeats and its cancellation still answered; then offline and exit 0', async () => {
  const ended = { id: newId('action'), capability_id: 'cap:demo:flaky', input: { mode: 'ok' } };
  const { result: recorded } = await testbed.central.send(ended);
  const [finishing, cancelled] = [newId('action'), newId('action')];
  const report = { capability_id: 'cap:demo:report' };
  const first = testbed.central.send({ ...report, id: finishing, input: { seconds: 1.5 } });
  const second = testbed.central.send({ ...report, id: cancelled, input: { seconds: 60 } });
  await until('both run', async () => (await testbed.metrics()).in_flight === 2);
  // What the restart has to forget: the tests above raised every counter.
  const counters = COUNTERS.map((name) => [name, 0]);
  const raised = await testbed.metrics();
  expect(COUNTERS.filter((name) => !raised[name])).toEqual([]);
  testbed.host.child.kill('SIGTERM');
  await until('it drains', async () => (await testbed.readiness()).body.draining);
  const { status, body } = await testbed.readiness();
  expect(status).toBe(503);
  expect(body).toMatchObject({
    status: 'not_ready',
    draining: true,
    lease_valid: true,
    runtime: { ready: true },
    connector: { ready: true },
  });
  expect(await testbed.metrics()).toMatchObject({ ready: 0, storage_ready: 1 });
  expect((await testbed.get('/health')).status).toBe(200);
  // It was read at the start of this process, before leases, faults and repairs.
  expect(await (await testbed.get('/aip/v1/manifest')).json()).toEqual(testbed.manifest());
  await notReady();
  // A gateway that lost the answer, or took the action over from one that ended, still gets the result.
  expect(await testbed.central.send(ended)).toMatchObject({ status: 200, signer: testbed.key.did, result: recorded });
  const cancel = await testbed.central.cancel(cancelled, 'cap:demo:report');
  expect(await testbed.central.post(cancel)).toMatchObject({ status: 200, result: { status: 'cancelled' } });
  expect(await second).toMatchObject({ result: { status: 'cancelled' } });
  expect(await first).toMatchObject({ status: 200, result: { action_id: finishing, status: 'completed' } });
  expect(await testbed.host.exit).toBe(0);
  const operations = testbed.control.operations();
  expect(operations.at(-1)).toBe('offline');
  expect(operations).toContain('drain');

  await testbed.start();
  await testbed.ready();
  expect(await testbed.metrics()).toMatchObject(Object.fromEntries(counters));
  await end(testbed.host);
});
