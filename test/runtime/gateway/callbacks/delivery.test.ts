import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { claimDeliveries, DELIVERY_LEASE_MS } from '#runtime/gateway/callbacks/claim.js';
import { afterAttempt, finishAttempt } from '#runtime/gateway/callbacks/finish.js';
import { deliveryView, insertDeliveries, type StoredDelivery } from '#runtime/gateway/callbacks/record.js';
import { openMetrics } from '#runtime/gateway/metrics/metrics.js';
import { followSources } from '#runtime/gateway/metrics/sources.js';
import { readChain } from '#runtime/gateway/records/receipts/read-chains.js';
import { decodeEnvelope, verifyEnvelope } from '#runtime/protocol/envelope.js';
import { deliveryId } from '#runtime/protocol/hashes.js';
import { newId } from '#runtime/protocol/ids.js';
import { CALLBACK_RESPONSE_BYTES } from '#runtime/protocol/limits.js';
import { verifyReceiptChain } from '#runtime/protocol/receipts.js';
import { formatTime } from '#runtime/protocol/time.js';
import { check } from '#runtime/protocol/validate.js';
import { freshDatabase } from '../../../support/database.ts';
import { until } from '../../../support/until.ts';
import { capability, startActions, type TestGateway } from '../support/actions.ts';
import {
  admit,
  deliveredOf,
  key,
  newDelivery,
  principal,
  startTarget,
  startTestDeliverer,
  storedDeliveries,
  type Target,
} from './support.ts';

let database: Awaited<ReturnType<typeof freshDatabase>>;
let gateway: TestGateway;
let target: Target;
let stored: () => void = () => undefined;
const ends: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  database = await freshDatabase();
  gateway = await startActions(database.url, [capability('cap:work', async () => ({ done: true }))], Date.now, {
    callbacks: { admit, stored: () => stored() },
  });
});
afterAll(async () => {
  await gateway?.stop();
  await database?.drop();
});
beforeEach(async () => {
  await gateway.pool.query('DELETE FROM runtime.callback_deliveries');
  target = await startTarget();
});
afterEach(async () => {
  stored = () => undefined;
  await Promise.all([target.close(), ...ends.splice(0).map((end) => end())]);
});

/** Delivers until the end of the test. Attempts have time enough on a busy machine, unless `sending` says otherwise. */
function deliver(options: Parameters<typeof startTestDeliverer>[1] = { sending: { timeoutMs: 120_000 } }) {
  const deliverer = startTestDeliverer(gateway.pool, options);
  ends.push(deliverer.stop);
  stored = deliverer.wake;
  return deliverer;
}
const store = (...deliveries: ReturnType<typeof newDelivery>[]) => insertDeliveries(gateway.pool, deliveries);
const eventKinds = async (actionId: string | null): Promise<string[]> => {
  const text = `SELECT kind FROM runtime.events WHERE action_id = $1 AND kind LIKE 'aip.callback.%' ORDER BY xid, seq`;
  return (await gateway.pool.query<{ kind: string }>(text, [actionId])).rows.map(({ kind }) => kind);
};
const statuses = (...list: number[]) => {
  const left = [...list];
  target.answer = (response) => response.writeHead(left.shift() ?? 200).end();
};

test('the result of a queued action comes to its callback as a signed envelope under one idempotency key', async () => {
  deliver();
  const id = newId('action');
  await gateway.submit(
    { id, capability_id: 'cap:work', mode: 'async', callback: target.callback },
    { envelope: { correlation_id: 'corr_1', session_id: 'sess_1' } },
  );
  const delivery = await deliveredOf(gateway.pool, id);
  expect(target.received).toHaveLength(1);
  const [message] = target.received;
  const envelope = decodeEnvelope(JSON.parse(message?.text as string));
  expect(await verifyEnvelope(envelope)).toBe(key.did);
  expect(envelope).toMatchObject({
    message_type: 'aip.core.v1.action_result',
    message_id: delivery.message_id,
    correlation_id: 'corr_1',
    session_id: 'sess_1',
    from: { id: principal.id, did: key.did },
    to: { id: 'agent:desk', kind: 'agent' },
    body: { action_result: { action_id: id, status: 'completed', output: { done: true } } },
  });
  expect(message?.headers).toMatchObject({
    'idempotency-key': `callback:${delivery.delivery_id}`,
    'aip-trust-domain': 'test',
    'content-type': 'application/json',
  });
  expect(delivery.delivery_id).toBe(deliveryId(delivery.message_id, target.callback.profile, target.callback.target));
  const view = deliveryView(delivery, undefined);
  expect(check('CallbackDeliveryRecord', view)).toEqual([]);
  expect(view).toMatchObject({ status: 'delivered', action_id: id, tenant_id: 'acme', attempts: [{ attempt: 1 }] });
  const chainId = `callback:${delivery.delivery_id}`;
  const chain = await readChain(gateway.pool, { chainId, tenantId: delivery.tenant_id });
  expect(chain && verifyReceiptChain(chain)).toEqual({ ok: true });
  expect(chain?.receipts.map(({ receipt_type }) => receipt_type)).toEqual([
    'callback_delivery_attempted',
    'callback_delivered',
  ]);
  const events = await gateway.pool.query<{ kind: string }>(
    `SELECT kind FROM runtime.events WHERE action_id = $1 AND kind LIKE 'aip.callback.%' ORDER BY xid, seq`,
    [id],
  );
  expect(events.rows.map(({ kind }) => kind)).toEqual(['aip.callback.delivery_attempted', 'aip.callback.dispatched']);
});

test('a message to a callback continues the trace of its action, and one without a trace names none', async () => {
  deliver();
  const observability = { trace_id: '4bf92f3577b34da6a3ce929d0e0e4736', span_id: '00f067aa0ba902b7' };
  const submit = async (more: object): Promise<string | undefined> => {
    const id = newId('action');
    await gateway.submit({ id, capability_id: 'cap:work', mode: 'async', callback: target.callback, ...more });
    await deliveredOf(gateway.pool, id);
    return target.received.at(-1)?.headers.traceparent as string | undefined;
  };
  expect(await submit({ observability })).toBe(`00-${observability.trace_id}-${observability.span_id}-01`);
  expect(await submit({})).toBeUndefined();
});

test('an action whose caller waits for its result sends none to its callback', async () => {
  await gateway.submit({ capability_id: 'cap:work', callback: target.callback });
  expect(await storedDeliveries(gateway.pool)).toEqual([]);
});

test('a delivery succeeds with its third attempt: the same message id, signed freshly', async () => {
  statuses(500, 503, 202);
  deliver();
  const delivery = newDelivery(target.callback);
  await store(delivery);
  const done = await deliveredOf(gateway.pool, delivery.action_id as string);
  expect(done).toMatchObject({ status: 'delivered', last_error: null, dead_letter_reason: null });
  expect(done.attempts.map(({ attempt, error }) => [attempt, error])).toEqual([
    [1, 'the target answered with status 500'],
    [2, 'the target answered with status 503'],
    [3, undefined],
  ]);
  const envelopes = target.received.map(({ text }) => decodeEnvelope(JSON.parse(text)));
  expect(envelopes.map(({ message_id }) => message_id)).toEqual(Array(3).fill(delivery.message_id));
  expect(target.received.map(({ headers }) => headers['idempotency-key'])).toEqual(
    Array(3).fill(delivery.policy.idempotency_key),
  );
  for (const envelope of envelopes) expect(await verifyEnvelope(envelope)).toBe(key.did);
});

test('each further attempt waits as long as the policy says for it, and 250 ms where it says nothing', () => {
  const attempt = { started_at: '2026-01-01T00:00:00Z' };
  const failed = { kind: 'failed', error: 'busy', permanent: false } as const;
  const pauses = (retry_backoff_ms: number[] | undefined) =>
    [1, 2, 3].map((made) => {
      const policy = { max_attempts: 4, ...(retry_backoff_ms && { retry_backoff_ms }) };
      const delivery = { policy, attempts: Array.from({ length: made }, () => attempt) } as unknown as StoredDelivery;
      return (afterAttempt(delivery, failed, 1000).nextAttemptAt ?? 0) - 1000;
    });
  expect(pauses([100, 700, 9000])).toEqual([100, 700, 9000]);
  expect(pauses([100])).toEqual([100, 250, 250]);
  expect(pauses(undefined)).toEqual([250, 250, 250]);
});

test('a delivery that fails three times is dead-lettered with the reason, and not tried again', async () => {
  statuses(500, 500, 500);
  deliver();
  const delivery = newDelivery(target.callback);
  await store(delivery);
  const done = await deliveredOf(gateway.pool, delivery.action_id as string);
  expect(done).toMatchObject({ status: 'dead_lettered', last_error: 'the target answered with status 500' });
  expect(done.dead_letter_reason).toContain('3 attempts failed');
  expect(target.received).toHaveLength(3);
  const chainId = `callback:${delivery.delivery_id}`;
  const chain = await readChain(gateway.pool, { chainId, tenantId: delivery.tenant_id });
  expect(chain?.receipts.map(({ receipt_type }) => receipt_type)).toEqual([
    ...Array(3).fill('callback_delivery_attempted'),
    'callback_delivery_failed',
  ]);
});

test('an attempt whose connection breaks is made again, with its reason, events and receipts', async () => {
  target.answer = (response) => (target.received.length === 1 ? response.destroy() : response.writeHead(200).end());
  deliver();
  const delivery = newDelivery(target.callback);
  await store(delivery);
  const done = await deliveredOf(gateway.pool, delivery.action_id as string);
  expect(done).toMatchObject({ status: 'delivered', last_error: null });
  expect(done.attempts.map(({ error }) => error)).toEqual([expect.stringMatching(/./), undefined]);
  expect(await eventKinds(delivery.action_id)).toEqual([
    'aip.callback.delivery_attempted',
    'aip.callback.delivery_attempted',
    'aip.callback.dispatched',
  ]);
});

test('a target that nobody listens at is tried three times, then the delivery is failed with its event', async () => {
  const gone = await startTarget();
  await gone.close();
  deliver();
  const delivery = newDelivery(gone.callback);
  await store(delivery);
  const done = await deliveredOf(gateway.pool, delivery.action_id as string);
  expect(done.status).toBe('dead_lettered');
  expect(done.attempts).toHaveLength(3);
  expect(await eventKinds(delivery.action_id)).toEqual([
    ...Array(3).fill('aip.callback.delivery_attempted'),
    'aip.callback.failed',
  ]);
});

test('each state of a delivery is shown as it is: waiting for its next attempt, taken, delivered, given up', async () => {
  const delivery = newDelivery(target.callback);
  await store(delivery);
  let now = Date.now();
  const seen = async () => {
    const [row] = await storedDeliveries(gateway.pool);
    const view = deliveryView(row as StoredDelivery, undefined);
    expect(check('CallbackDeliveryRecord', view)).toEqual([]);
    return view;
  };
  const take = async () => {
    const claim = { nowMs: now, leasedBy: 'gateway-a', leaseId: 'lease', limit: 1 };
    return (await claimDeliveries(gateway.pool, claim))[0] as StoredDelivery;
  };
  const end = async (outcome: Parameters<typeof finishAttempt>[2]) =>
    finishAttempt(gateway.pool, (await storedDeliveries(gateway.pool))[0] as StoredDelivery, outcome, principal, now);
  const failed = { kind: 'failed', error: 'busy', permanent: false } as const;
  expect(await seen()).toMatchObject({ status: 'pending', next_attempt_at: formatTime(delivery.created_at) });
  expect((await seen()).attempts).toBeUndefined();
  await take();
  expect(await seen()).toMatchObject({ status: 'running', leased_by: 'gateway-a', attempts: [{ attempt: 1 }] });
  expect((await seen()).lease_expires_at).toBe(formatTime(now + DELIVERY_LEASE_MS));
  await end(failed);
  const waiting = await seen();
  expect(waiting).toMatchObject({ status: 'pending', last_error: 'busy', next_attempt_at: formatTime(now + 250) });
  expect([waiting.leased_by, waiting.lease_expires_at, waiting.completed_at]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
  // Before its time it is not taken.
  expect(await take()).toBeUndefined();
  now += 250;
  await take();
  await end({ ...failed, permanent: true });
  expect(await seen()).toMatchObject({
    status: 'dead_lettered',
    dead_letter_reason: 'busy',
    completed_at: formatTime(now),
    attempts: [
      { attempt: 1, error: 'busy' },
      { attempt: 2, error: 'busy' },
    ],
  });
  now += 600_000;
  expect(await take()).toBeUndefined();
});

test.each([400, 401, 404, 410, 422])('a target that answers %i is not asked again', async (status) => {
  statuses(status);
  deliver();
  const delivery = newDelivery(target.callback);
  await store(delivery);
  const done = await deliveredOf(gateway.pool, delivery.action_id as string);
  expect(done).toMatchObject({
    status: 'dead_lettered',
    dead_letter_reason: `the target answered with status ${status}`,
  });
  expect(target.received).toHaveLength(1);
});

test.each([408, 425, 429, 301])(
  'a target that answers %i is asked again; a redirect is not followed',
  async (status) => {
    target.answer = (response) =>
      target.received.length > 1
        ? response.writeHead(200).end()
        : response.writeHead(status, { location: `${target.callback.target}/elsewhere` }).end();
    deliver();
    const delivery = newDelivery(target.callback);
    await store(delivery);
    expect(await deliveredOf(gateway.pool, delivery.action_id as string)).toMatchObject({ status: 'delivered' });
    expect(target.received).toHaveLength(2);
  },
);

test('N-433 an answer within 5000 ms counts, a later one is a failed attempt', async () => {
  const gaveUp = Promise.withResolvers<number>();
  const begun = performance.now();
  target.answer = (response) => {
    if (target.received.length > 1) response.writeHead(200).end();
    else response.once('close', () => gaveUp.resolve(performance.now() - begun));
  };
  deliver({});
  const delivery = newDelivery(target.callback);
  await store(delivery);
  expect(await gaveUp.promise).toBeGreaterThan(4900);
  const done = await deliveredOf(gateway.pool, delivery.action_id as string);
  expect(done).toMatchObject({ status: 'delivered', policy: { timeout_ms: 5000 } });
  expect(done.attempts[0]?.error).toBe('no complete answer within 5000 ms');
});

test('N-434 an answer of 4194304 bytes passes, one byte more makes the attempt fail', async () => {
  target.answer = (response) => {
    const bytes = CALLBACK_RESPONSE_BYTES + (target.received.length === 1 ? 1 : 0);
    response.writeHead(200);
    response.end(Buffer.alloc(bytes, 'x'));
  };
  deliver();
  const delivery = newDelivery(target.callback);
  await store(delivery);
  const done = await deliveredOf(gateway.pool, delivery.action_id as string);
  expect(done.status).toBe('delivered');
  expect(done.attempts.map(({ error }) => error)).toEqual(['the answer is larger than 4194304 bytes', undefined]);
});

test('N-435 64 deliveries run at once, the 65th waits and is delivered later', async () => {
  const first = Promise.withResolvers<void>();
  const rest = Promise.withResolvers<void>();
  let arrived = 0;
  target.answer = async (response) => {
    arrived += 1;
    await (arrived === 1 ? first : rest).promise;
    response.writeHead(200).end();
  };
  const deliveries = Array.from({ length: 65 }, () => newDelivery(target.callback));
  await store(...deliveries);
  const { permits } = deliver();
  await until('64 have arrived', () => arrived === 64);
  expect([permits.capacity, permits.available()]).toEqual([64, 0]);
  const pending = (await storedDeliveries(gateway.pool)).filter(({ status }) => status === 'pending');
  expect(pending).toHaveLength(1);
  first.resolve();
  await until('the 65th arrives', () => arrived === 65);
  rest.resolve();
  await until('all are delivered', async () =>
    (await storedDeliveries(gateway.pool)).every(({ status }) => status === 'delivered'),
  );
  await until('every place is free', () => permits.available() === 64);
});

test('N-297 N-298 the gauges show the capacity, and one free place less for each delivery under way', async () => {
  const held = Promise.withResolvers<void>();
  target.answer = async (response) => {
    await held.promise;
    response.writeHead(200).end();
  };
  const { permits } = deliver();
  const metrics = openMetrics();
  followSources(metrics, { callbacks: permits });
  const gauges = async () =>
    (await metrics.render()).text.split('\n').filter((line) => line.startsWith('aip_runtime_callback_'));
  const shown = (available: number) => [
    'aip_runtime_callback_capacity 64',
    `aip_runtime_callback_available ${available}`,
  ];
  expect(await gauges()).toEqual(shown(64));
  await store(newDelivery(target.callback), newDelivery(target.callback));
  await until('two have arrived', () => target.received.length === 2);
  expect(await gauges()).toEqual(shown(62));
  held.resolve();
  await until('both are delivered', () => permits.available() === 64);
  expect(await gauges()).toEqual(shown(64));
});

test('N-436 one recovery batch takes 64 deliveries, the next one the 65th', async () => {
  await store(...Array.from({ length: 65 }, () => newDelivery(target.callback)));
  const batches: number[] = [];
  const pool = {
    ...gateway.pool,
    query: async (statement: Parameters<typeof gateway.pool.query>[0], values?: readonly unknown[]) => {
      const answer = await gateway.pool.query(statement, values);
      const claims = typeof statement === 'object' && statement.name === 'runtime.callbacks.claim';
      if (claims && answer.rows.length > 0) batches.push(answer.rows.length);
      return answer;
    },
  } as typeof gateway.pool;
  const deliverer = startTestDeliverer(pool, { maxInFlight: 500, sending: { timeoutMs: 120_000 } });
  ends.push(deliverer.stop);
  await until('all are delivered', async () =>
    (await storedDeliveries(gateway.pool)).every(({ status }) => status === 'delivered'),
  );
  expect(batches).toEqual([64, 1]);
});

test('an attempt whose gateway is gone is made again by another one once its lease has lapsed', async () => {
  const [lapsed, live] = [newDelivery(target.callback), newDelivery(target.callback)];
  await store(lapsed, live);
  const attempts = JSON.stringify([{ attempt: 1, started_at: '2026-01-01T00:00:00Z' }]);
  await gateway.pool.query(
    `UPDATE runtime.callback_deliveries SET status = 'running', lease_id = 'gone', next_attempt_at = NULL, attempts = $3::json,
     lease_expires_at = CASE WHEN delivery_id = $1 THEN 0 ELSE $2::bigint END`,
    [lapsed.delivery_id, Date.now() + 600_000, attempts],
  );
  deliver();
  const done = await deliveredOf(gateway.pool, lapsed.action_id as string);
  expect(done).toMatchObject({ status: 'delivered', attempts: [{ attempt: 1 }, { attempt: 2 }] });
  expect(target.received).toHaveLength(1);
  expect(
    (await storedDeliveries(gateway.pool)).find(({ delivery_id }) => delivery_id === live.delivery_id),
  ).toMatchObject({
    status: 'running',
    lease_id: 'gone',
  });
});

test('a delivery whose attempts were used up by gateways that are gone is dead-lettered without another attempt', async () => {
  const delivery = newDelivery(target.callback);
  await store(delivery);
  const attempts = JSON.stringify([1, 2, 3].map((attempt) => ({ attempt, started_at: '2026-01-01T00:00:00Z' })));
  await gateway.pool.query(
    `UPDATE runtime.callback_deliveries SET status = 'running', lease_id = 'gone', lease_expires_at = 0, next_attempt_at = NULL,
     attempts = $1::json`,
    [attempts],
  );
  deliver();
  const done = await deliveredOf(gateway.pool, delivery.action_id as string);
  expect(done.status).toBe('dead_lettered');
  expect(done.attempts).toHaveLength(3);
  expect(target.received).toEqual([]);
});

test('several gateways share the deliveries: each message arrives once', async () => {
  const deliveries = Array.from({ length: 100 }, () => newDelivery(target.callback));
  await store(...deliveries);
  deliver();
  deliver();
  await until('all are delivered', async () =>
    (await storedDeliveries(gateway.pool)).every(({ status }) => status === 'delivered'),
  );
  const ids = target.received.map(({ text }) => JSON.parse(text).message_id as string);
  expect(ids.sort()).toEqual(deliveries.map(({ message_id }) => message_id).sort());
});

test('an attempt whose lease another gateway took over writes nothing', async () => {
  await store(newDelivery(target.callback));
  const now = Date.now();
  const claim = async (nowMs: number, leaseId: string) =>
    (await claimDeliveries(gateway.pool, { nowMs, leasedBy: leaseId, leaseId, limit: 1 }))[0] as StoredDelivery;
  const late = await claim(now, 'first');
  const current = await claim(now + DELIVERY_LEASE_MS, 'second');
  const finish = (delivery: StoredDelivery) =>
    finishAttempt(gateway.pool, delivery, { kind: 'delivered' }, principal, now + DELIVERY_LEASE_MS);
  expect(await finish(late)).toBeUndefined();
  expect(await storedDeliveries(gateway.pool)).toMatchObject([{ status: 'running', lease_id: 'second' }]);
  expect(await finish(current)).toMatchObject({ status: 'delivered' });
  expect(await finish(current)).toBeUndefined();
});
