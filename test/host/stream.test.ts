import { newId } from '@aip/runtime/protocol/ids.js';
import { newSeedHex, signingKeyFromSeed } from '@aip/runtime/protocol/signing.js';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { until } from '../support/until.ts';
import { approvedRefund } from './support/approval.ts';
import { end } from './support/host-process.ts';
import type { IngressReply, Published } from './support/ingress.ts';
import { type Rig, startRig } from './support/testbed.ts';

const stranger = signingKeyFromSeed(newSeedHex());

let rig: Rig;
beforeAll(async () => {
  rig = await startRig({ ttlMs: 60_000 });
});
afterAll(async () => {
  await rig?.stop();
});
afterEach(() => {
  rig.ingress.answer = () => 200;
});

const counting = (n: number, interval_ms = 0) => ({
  id: newId('action'),
  capability_id: 'cap:demo:count',
  mode: 'streaming' as const,
  input: { n, interval_ms },
});

test('F-044 F-045 F-046 F-047 F-048 F-049 F-202 F-265 every chunk is signed, goes to the callback path and carries the whole assigned route', async () => {
  const action = counting(5);
  const envelope = await rig.central.action(action);
  const route = (envelope.security as { connector_route: Record<string, unknown> }).connector_route;
  expect(await rig.central.post(envelope)).toMatchObject({
    status: 200,
    result: { status: 'completed', output: { count: 5 } },
  });
  expect(rig.ingress.chunks(action.id)).toEqual([
    ...[1, 2, 3, 4, 5].map((value) => ({
      action_id: action.id,
      sequence: value,
      kind: 'data',
      data: { value, of: 5 },
    })),
    { action_id: action.id, sequence: 6, kind: 'done', data: { count: 5 } },
  ]);
  for (const callback of rig.ingress.callbackRoutes(action.id)) expect(callback).toEqual(route);
  for (const published of rig.ingress.received) {
    expect(published.path).toBe('/aip/v1/connector-callbacks');
    expect(published.did).toBe(rig.key.did);
    expect(published.envelope).toMatchObject({
      from: { id: 'agent:demo:test', did: rig.key.did },
      to: rig.central.principal,
      correlation_id: envelope.correlation_id,
    });
  }
});

test('chunks leave one at a time and in order, and only after the one before was taken', async () => {
  const action = counting(20);
  let open = 0;
  let most = 0;
  rig.ingress.answer = async () => {
    open += 1;
    most = Math.max(most, open);
    await new Promise((done) => setImmediate(done));
    open -= 1;
    return 200;
  };
  await rig.central.send(action);
  expect(most).toBe(1);
  expect(rig.ingress.chunks(action.id).map(({ sequence }) => sequence)).toEqual(
    Array.from({ length: 21 }, (_, index) => index + 1),
  );
});

test('a chunk is repeated with the same bytes while the central server is away, then the stream goes on', async () => {
  const action = counting(3);
  const before = rig.ingress.received.length;
  const answers: (number | 'hang up')[] = [200, 503, 'hang up', 429];
  rig.ingress.answer = () => answers.shift() ?? 200;
  expect(await rig.central.send(action)).toMatchObject({ result: { status: 'completed' } });
  expect(rig.ingress.chunks(action.id).map(({ sequence }) => sequence)).toEqual([1, 2, 3, 4]);
  const texts = rig.ingress.received.slice(before).map(({ text }) => text);
  expect(texts).toHaveLength(7);
  expect(new Set(texts.slice(1, 5)).size).toBe(1);
});

test('a chunk that the central server refuses fails the action with a clear error', async () => {
  const action = counting(3);
  rig.ingress.answer = ({ envelope }) =>
    (envelope.body as { stream_chunk: { sequence: number } }).stream_chunk.sequence === 2 ? 401 : 200;
  expect((await rig.central.send(action)).result).toMatchObject({
    status: 'failed',
    error: {
      code: 'connector.stream_undelivered',
      category: 'transport',
      message: expect.stringContaining('401'),
      details: { operation: 'streaming' },
    },
  });
  expect(rig.ingress.chunks(action.id).map(({ sequence }) => sequence)).toEqual([1]);
});

test.each<[string, (published: Published) => Promise<IngressReply> | IngressReply]>([
  ['a page with status 200', () => ({ status: 200, text: '<html>welcome</html>' })],
  ['the signature of another key', async (p) => ({ status: 200, text: await rig.ingress.honest(p, {}, stranger) })],
  [
    'an answer to another message',
    async (p) => ({ status: 200, text: await rig.ingress.honest(p, { in_response_to: 'msg_else' }) }),
  ],
  [
    'an answer that ends early',
    async (p) => ({ status: 200, text: await rig.ingress.honest(p), headers: { 'content-length': '900000' } }),
  ],
])('%s does not count for a chunk: the same bytes go again', async (_what, answer) => {
  const action = counting(2);
  const before = rig.ingress.received.length;
  let wrong = 0;
  rig.ingress.answer = (published) => {
    wrong += 1;
    return wrong === 2 ? answer(published) : 200;
  };
  expect((await rig.central.send(action)).result).toMatchObject({ status: 'completed' });
  expect(rig.ingress.chunks(action.id).map(({ sequence }) => sequence)).toEqual([1, 2, 3]);
  const texts = rig.ingress.received.slice(before).map(({ text }) => text);
  expect(texts).toHaveLength(4);
  expect(texts[1]).toBe(texts[2]);
});

test('a cancelled stream stops while a chunk cannot be delivered', async () => {
  const action = counting(1000);
  rig.ingress.answer = () => 503;
  const waiting = rig.central.send(action);
  await until('it tries', () => rig.ingress.received.length > 0);
  const answer = await rig.central.post(await rig.central.cancel(action.id, action.capability_id));
  expect(answer).toMatchObject({ status: 200, result: { status: 'cancelled' } });
  expect(await waiting).toMatchObject({ result: { status: 'cancelled' } });
});

test('a streaming action may name the callback route with or without the approval record; chunks carry it without', async () => {
  const { action, record } = approvedRefund(100);
  const refund = { ...action, mode: 'streaming' as const };
  const withRecord = await rig.central.send(refund, { route: { approval_authorization: record } });
  expect(withRecord).toMatchObject({ status: 200, result: { status: 'completed' } });
});

test('a host killed in the middle of a stream sends the same chunks again when the action is delivered again', async () => {
  const action = counting(30, 40);
  const envelope = await rig.central.action(action);
  const lost = rig.central.post(envelope).catch(() => undefined);
  await until('some chunks came', () => rig.ingress.chunks(action.id).length >= 4);
  await end(rig.host, 'SIGKILL');
  await lost;
  await rig.start();
  await rig.ready();
  const again = rig.central.post(envelope);
  await until('it runs again', async () => (await rig.metrics()).in_flight === 1);
  expect(await again).toMatchObject({ status: 200, result: { status: 'completed', output: { count: 30 } } });
  const bySequence = Map.groupBy(rig.ingress.chunks(action.id), ({ sequence }) => sequence);
  expect([...bySequence.keys()]).toEqual(Array.from({ length: 31 }, (_, index) => index + 1));
  for (const copies of bySequence.values()) for (const copy of copies) expect(copy).toEqual(copies[0]);
  expect(bySequence.get(1)).toHaveLength(2);
});
