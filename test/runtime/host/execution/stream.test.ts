import { afterAll, afterEach, beforeAll, expect, onTestFinished, test } from 'vitest';
import { newId } from '#runtime/protocol/ids.js';
import { newSeedHex, signingKeyFromSeed } from '#runtime/protocol/signing.js';
import { until } from '../../../support/until.ts';
import { approvedRefund } from '../support/approval.ts';
import { end } from '../support/host-process.ts';
import type { IngressReply, Published } from '../support/ingress.ts';
import { startTestbed, type Testbed } from '../support/testbed.ts';

const stranger = signingKeyFromSeed(newSeedHex());

let testbed: Testbed;
beforeAll(async () => {
  testbed = await startTestbed({ ttlMs: 60_000 });
});
afterAll(async () => {
  await testbed?.stop();
});
afterEach(() => {
  testbed.ingress.answer = () => 200;
});

/** Variables of a host whose routes pin a credential revision. */
const CREDENTIAL = {
  AIP_CONNECTOR_HOST_CREDENTIAL_ID: 'credential:demo',
  AIP_CONNECTOR_HOST_CREDENTIAL_ISSUER: 'issuer:demo',
  AIP_CONNECTOR_HOST_CREDENTIAL_REVISION: 'revision-9',
  AIP_CONNECTOR_HOST_CREDENTIAL_SCOPES: 'demo:read',
};

const counting = (n: number, interval_ms = 0) => ({
  id: newId('action'),
  capability_id: 'cap:demo:count',
  mode: 'streaming' as const,
  input: { n, interval_ms },
});

test('F-044 F-045 F-046 F-047 F-048 F-049 F-202 F-265 every chunk is signed, goes to the callback path and carries the whole assigned route', async () => {
  const testbed = await startTestbed({ ttlMs: 60_000, env: CREDENTIAL });
  onTestFinished(() => testbed.stop());
  const action = counting(5);
  const pins = { credential_revision_ref: 'revision-9', quota_policy_ref: 'quota:gold' };
  const envelope = await testbed.central.action(action, { route: pins });
  const route = (envelope.security as { connector_route: Record<string, unknown> }).connector_route;
  expect(route).toMatchObject({
    ...pins,
    catalog_revision: 7,
    binding_policy_revision: 3,
    original_mode: 'streaming',
  });
  expect(await testbed.central.post(envelope)).toMatchObject({
    status: 200,
    result: { status: 'completed', output: { count: 5 } },
  });
  expect(testbed.ingress.chunks(action.id)).toEqual([
    ...[1, 2, 3, 4, 5].map((value) => ({
      action_id: action.id,
      sequence: value,
      kind: 'data',
      data: { value, of: 5 },
    })),
    { action_id: action.id, sequence: 6, kind: 'done', data: { count: 5 } },
  ]);
  for (const callback of testbed.ingress.callbackRoutes(action.id)) expect(callback).toEqual(route);
  for (const published of testbed.ingress.received) {
    expect(published.path).toBe('/aip/v1/connector-callbacks');
    expect(published.did).toBe(testbed.key.did);
    expect(published.envelope).toMatchObject({
      from: { id: 'agent:demo:test', did: testbed.key.did },
      to: testbed.central.principal,
      correlation_id: envelope.correlation_id,
    });
  }
});

test('chunks leave one at a time and in order, and only after the one before was taken', async () => {
  const action = counting(20);
  let open = 0;
  let most = 0;
  testbed.ingress.answer = async () => {
    open += 1;
    most = Math.max(most, open);
    await new Promise((done) => setImmediate(done));
    open -= 1;
    return 200;
  };
  await testbed.central.send(action);
  expect(most).toBe(1);
  expect(testbed.ingress.chunks(action.id).map(({ sequence }) => sequence)).toEqual(
    Array.from({ length: 21 }, (_, index) => index + 1),
  );
});

test('a chunk is repeated with the same bytes while the central server is away, then the stream continues', async () => {
  const action = counting(3);
  const before = testbed.ingress.received.length;
  const answers: (number | 'hang up')[] = [200, 503, 'hang up', 429];
  testbed.ingress.answer = () => answers.shift() ?? 200;
  expect(await testbed.central.send(action)).toMatchObject({ result: { status: 'completed' } });
  expect(testbed.ingress.chunks(action.id).map(({ sequence }) => sequence)).toEqual([1, 2, 3, 4]);
  const texts = testbed.ingress.received.slice(before).map(({ text }) => text);
  expect(texts).toHaveLength(7);
  expect(new Set(texts.slice(1, 5)).size).toBe(1);
});

test('a chunk that the central server refuses fails the action with a clear error', async () => {
  const action = counting(3);
  testbed.ingress.answer = ({ envelope }) =>
    (envelope.body as { stream_chunk: { sequence: number } }).stream_chunk.sequence === 2 ? 401 : 200;
  expect((await testbed.central.send(action)).result).toMatchObject({
    status: 'failed',
    error: {
      code: 'connector.stream_undelivered',
      category: 'transport',
      message: expect.stringContaining('401'),
      details: { operation: 'streaming' },
    },
  });
  expect(testbed.ingress.chunks(action.id).map(({ sequence }) => sequence)).toEqual([1]);
});

test.each<[string, (published: Published) => Promise<IngressReply> | IngressReply]>([
  ['a page with status 200', () => ({ status: 200, text: '<html>welcome</html>' })],
  ['a page with status 404', () => ({ status: 404, text: '<html>nothing here</html>' })],
  ['the signature of another key', async (p) => ({ status: 200, text: await testbed.ingress.honest(p, {}, stranger) })],
  [
    'an answer to another message',
    async (p) => ({ status: 200, text: await testbed.ingress.honest(p, { in_response_to: 'msg_else' }) }),
  ],
  [
    'an answer that ends early',
    async (p) => ({ status: 200, text: await testbed.ingress.honest(p), headers: { 'content-length': '900000' } }),
  ],
])('%s does not count for a chunk: the same bytes go again', async (_what, answer) => {
  const action = counting(2);
  const before = testbed.ingress.received.length;
  let wrong = 0;
  testbed.ingress.answer = (published) => {
    wrong += 1;
    return wrong === 2 ? answer(published) : 200;
  };
  expect((await testbed.central.send(action)).result).toMatchObject({ status: 'completed' });
  expect(testbed.ingress.chunks(action.id).map(({ sequence }) => sequence)).toEqual([1, 2, 3]);
  const texts = testbed.ingress.received.slice(before).map(({ text }) => text);
  expect(texts).toHaveLength(4);
  expect(texts[1]).toBe(texts[2]);
});

test('a cancelled stream stops while a chunk cannot be delivered', async () => {
  const action = counting(1000);
  testbed.ingress.answer = () => 503;
  const waiting = testbed.central.send(action);
  await until('it tries', () => testbed.ingress.received.length > 0);
  const answer = await testbed.central.post(await testbed.central.cancel(action.id, action.capability_id));
  expect(answer).toMatchObject({ status: 200, result: { status: 'cancelled' } });
  expect(await waiting).toMatchObject({ result: { status: 'cancelled' } });
});

test('a streaming action may name the callback route with or without the approval record; chunks carry it without', async () => {
  const { action, record } = approvedRefund(100);
  const refund = { ...action, mode: 'streaming' as const };
  const withRecord = await testbed.central.send(refund, { route: { approval_authorization: record } });
  expect(withRecord).toMatchObject({ status: 200, result: { status: 'completed' } });
});

test('a host killed in the middle of a stream sends the same chunks again when the action is delivered again', async () => {
  const action = counting(30, 40);
  const envelope = await testbed.central.action(action);
  const lost = testbed.central.post(envelope).catch(() => undefined);
  await until('some chunks came', () => testbed.ingress.chunks(action.id).length >= 4);
  await end(testbed.host, 'SIGKILL');
  await lost;
  await testbed.start();
  await testbed.ready();
  const again = testbed.central.post(envelope);
  await until('it runs again', async () => (await testbed.metrics()).in_flight === 1);
  expect(await again).toMatchObject({ status: 200, result: { status: 'completed', output: { count: 30 } } });
  const bySequence = Map.groupBy(testbed.ingress.chunks(action.id), ({ sequence }) => sequence);
  expect([...bySequence.keys()]).toEqual(Array.from({ length: 31 }, (_, index) => index + 1));
  for (const copies of bySequence.values()) for (const copy of copies) expect(copy).toEqual(copies[0]);
  expect(bySequence.get(1)).toHaveLength(2);
});
