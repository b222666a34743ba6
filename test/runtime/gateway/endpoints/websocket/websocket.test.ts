import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { startEmbedded } from '#runtime/postgres/embedded/embedded.js';
import { openPool, type Pool } from '#runtime/postgres/pool.js';
import { decodeEnvelope, newEnvelope } from '#runtime/protocol/envelope.js';
import { newId } from '#runtime/protocol/ids.js';
import { FOLLOW_POLL_MS } from '#runtime/protocol/limits.js';
import { until } from '../../../../support/until.ts';
import { complete, newEvent, store, storeAction, storeChunk, TENANT } from '../../events/fixture.ts';
import { actionEnvelope, errorOf, type HttpGateway, principalEntry, startHttpGateway } from '../../support/gateway.ts';
import { type Client, connect, eventIds, type Received } from './client.ts';

let folder: string;
let postgres: Awaited<ReturnType<typeof startEmbedded>>;
let gateway: HttpGateway;
let pool: Pool;
const clients: Client[] = [];

beforeAll(async () => {
  // A server of its own: no other test's transaction delays what is settled.
  folder = await mkdtemp(join(tmpdir(), 'aip-websocket-'));
  postgres = await startEmbedded({ dataDir: join(folder, 'data'), durable: false });
  gateway = await startHttpGateway({
    databaseUrl: postgres.url,
    principals: [
      principalEntry('owner', { tenant_id: TENANT, scopes: ['action:read', 'events:read'] }),
      principalEntry('second', { tenant_id: TENANT, scopes: ['action:read', 'events:read'] }),
      principalEntry('unscoped', { tenant_id: TENANT, scopes: [] }),
      principalEntry('operator', { tenant_id: TENANT, scopes: ['*'] }),
    ],
  });
  pool = openPool({ url: gateway.databaseUrl, max: 4 });
});
afterEach(async () => {
  for (const client of clients.splice(0)) await client.close();
});
afterAll(async () => {
  await pool?.close();
  await gateway?.stop();
  await postgres?.stop();
  await rm(folder, { recursive: true, force: true });
});

const open = async (token = 'owner'): Promise<Client> => {
  const client = await connect(gateway.url, token);
  clients.push(client);
  return client;
};
const traceOf = (frame: Received | undefined) => frame?.trace.websocket;
const codeOf = (frame: Received | undefined): string | undefined => frame?.body.error?.error.code;
const first = (client: Client, id: string): Promise<Received> =>
  client.waitFor(`the first response of ${id}`, (each) => each.of(id)[0]);

describe('the upgrade', () => {
  test('N-238 an authenticated caller is upgraded', async () => {
    expect((await open()).socket.readyState).toBe(1);
  });

  test('N-239 a missing or invalid credential is refused with 401 in the error form', async () => {
    for (const token of [undefined, 'wrong']) {
      const answer = await upgrade({ ...(token === undefined ? {} : { authorization: `Bearer ${token}` }) });
      expect([answer.status, errorOf(answer).code]).toEqual([401, 'auth.native_http_unauthorized']);
    }
  });

  test('a request that is not a valid upgrade is answered 426, an unknown parameter 400', async () => {
    const plain = await gateway.call('GET', '/aip/v1/ws', { token: 'owner' });
    expect([plain.status, errorOf(plain).code]).toEqual([426, 'http.upgrade_required']);
    const old = await upgrade({ authorization: 'Bearer owner', 'sec-websocket-version': '7' });
    expect([old.status, errorOf(old).code]).toEqual([426, 'http.upgrade_required']);
    const unknown = await upgrade({ authorization: 'Bearer owner' }, '/aip/v1/ws?x=1');
    expect([unknown.status, errorOf(unknown).code]).toEqual([400, 'query.invalid']);
  });

  test('an upgrade on another path is an ordinary request', async () => {
    const answer = await upgrade({ authorization: 'Bearer owner' }, '/aip/v1/unknown');
    expect([answer.status, errorOf(answer).code]).toEqual([404, 'http.not_found']);
  });
});

describe('envelopes', () => {
  test('N-240 an envelope is answered with exactly one complete envelope, correlated to it', async () => {
    const client = await open('operator');
    const sent = actionEnvelope({}, { correlation_id: newId('correlation') });
    client.send(sent);
    const answer = await client.waitFor('the answer', ({ frames }) => frames[0]);
    expect(decodeEnvelope(answer).body).toMatchObject({ action_result: { status: 'completed' } });
    expect(answer).toMatchObject({
      in_response_to: sent.message_id,
      correlation_id: sent.correlation_id,
      to: { id: 'human:operator' },
    });
    const second = actionEnvelope();
    client.send(second);
    await client.waitFor('the second answer', ({ frames }) =>
      frames.find((each) => each.in_response_to === second.message_id),
    );
    // What was sent before the pong comes before it.
    client.socket.ping();
    await once(client.socket, 'pong');
    expect(client.frames.map((each) => each.in_response_to)).toEqual([sent.message_id, second.message_id]);
  });

  test('N-254 answers, refusals and every response of a subscription are complete envelopes of their own', async () => {
    const actionId = await storeAction(pool);
    const client = await open('operator');
    const unknown = actionEnvelope({ capability_id: 'cap:none' });
    const query = { type: 'subscribe', subscription_id: 's1', action_id: actionId, follow: true };
    for (const frame of [
      actionEnvelope(),
      unknown,
      '{"half":',
      { type: 'unsubscribe', subscription_id: 's0' },
      { ...query, subscription_id: 's2', action_id: 'act_none' },
      { type: 'subscribe', subscription_id: 's3', kind: 'none' },
      query,
    ])
      client.send(frame);
    await client.waitFor('one response each', ({ frames }) => frames.length === 7);
    await complete(pool, actionId);
    await client.waitFor('the end', (each) => traceOf(each.of('s1').at(-1)).terminal);
    const bodies = client.frames.map((frame) => Object.keys(decodeEnvelope(structuredClone(frame)).body)[0]);
    expect(bodies.toSorted()).toEqual([
      'action_events',
      'action_events',
      'action_result',
      'error',
      'error',
      'error',
      'error',
      'event_stream',
    ]);
    expect(new Set(client.frames.map(({ message_id }) => message_id)).size).toBe(8);
  });

  test('N-353 each frame is authorized by the rights of the caller, not by the connection', async () => {
    const client = await open('unscoped');
    client.send(newEnvelope({ action_list_request: {} } as never, {}, { clock: Date.now }));
    client.send({ type: 'subscribe', subscription_id: 's1' });
    await client.waitFor('both answers', ({ frames }) => frames.length === 2);
    expect(client.frames.map(codeOf)).toEqual(['auth.not_authorized', 'auth.not_authorized']);
  });

  test('N-013 part: a frame that is refused has the code that the same body has over HTTP', async () => {
    const client = await open('operator');
    const unknown = actionEnvelope({ capability_id: 'cap:none' });
    client.send(unknown);
    const answer = await client.waitFor('the refusal', ({ frames }) => frames[0]);
    const http = await gateway.call('POST', '/aip/v1/messages', {
      token: 'operator',
      body: { ...unknown, message_id: newId('message') },
    });
    const { source: _here, ...refusal } = answer.body.error.error;
    expect(errorOf(http)).toMatchObject(refusal);
    for (const frame of ['{"half":', '[]', '"text"', '{}']) client.send(frame);
    await client.waitFor('four refusals', ({ frames }) => frames.length === 5);
    expect(client.frames.slice(1).map(codeOf).sort()).toEqual([
      'schema.envelope.invalid',
      'schema.envelope.invalid',
      'schema.envelope.invalid',
      'ws.decode_failed',
    ]);
  });

  test('N-011 part: a message id that was taken over HTTP is refused here', async () => {
    const client = await open('operator');
    const envelope = actionEnvelope();
    expect((await gateway.call('POST', '/aip/v1/messages', { token: 'operator', body: envelope })).status).toBe(200);
    client.send(envelope);
    expect(codeOf(await client.waitFor('the refusal', ({ frames }) => frames[0]))).toBe('replay.message_id');
  });
});

describe('subscriptions', () => {
  test('N-241 N-242 N-243 N-253 N-256 with action_id one response shows the events of the action', async () => {
    const actionId = await storeAction(pool);
    const event = newEvent({ action_id: actionId });
    await store(pool, event, newEvent());
    const client = await open();
    client.send({ type: 'subscribe', subscription_id: 's1', action_id: actionId });
    const frame = await first(client, 's1');
    expect(frame.body.action_events).toMatchObject({ action_id: actionId, terminal: false });
    expect(eventIds(frame)).toEqual([event.event.id]);
    expect(traceOf(frame)).toEqual({
      subscription_id: 's1',
      action_id: actionId,
      session_id: null,
      tenant_id: null,
      cursor: null,
      next_cursor: frame.body.action_events.cursor,
      terminal: false,
      follow: false,
    });
    decodeEnvelope(frame);
    await complete(pool, actionId);
    client.send({ type: 'subscribe', subscription_id: 's2', action_id: actionId });
    expect(traceOf(await first(client, 's2'))).toMatchObject({ terminal: true });
    expect(client.of('s1')).toHaveLength(1);
  });

  test('N-253 part: without follow, and with follow false, what is stored later brings no further response', async () => {
    const actionId = await storeAction(pool);
    const client = await open();
    const query = { type: 'subscribe', action_id: actionId };
    for (const more of [{ subscription_id: 'absent' }, { subscription_id: 'false', follow: false }]) {
      client.send({ ...query, ...more });
      await first(client, more.subscription_id);
    }
    await storeWatched(client, { ...query, subscription_id: 'witness', follow: true }, actionId);
    expect([client.of('absent').length, client.of('false').length]).toEqual([1, 1]);
  });

  test('N-244 without action_id the response shows the events of every action', async () => {
    const [one, two] = [await storeAction(pool), await storeAction(pool)];
    const events = [newEvent({ action_id: one, kind: 'test.span' }), newEvent({ action_id: two, kind: 'test.span' })];
    await store(pool, ...events);
    const client = await open();
    client.send({ type: 'subscribe', subscription_id: 's1', kind: 'test.span' });
    const frame = await first(client, 's1');
    expect(frame.body.event_stream.events.map((event: { id: string }) => event.id)).toEqual(
      events.map(({ event }) => event.id),
    );
    decodeEnvelope(frame);
  });

  test('N-245 session_id makes the responses those of the session', async () => {
    const sessionId = newId('session');
    const client = await open();
    client.send({ type: 'subscribe', subscription_id: 's1', session_id: sessionId });
    const frame = await first(client, 's1');
    expect([frame.session_id, traceOf(frame).session_id]).toEqual([sessionId, sessionId]);
    client.send({ type: 'subscribe', subscription_id: 's2', session_id: 'x' });
    expect(codeOf(await first(client, 's2'))).toBe('ws.invalid_session_id');
  });

  test('N-246 N-247 tenant_id counts for an action and not for the global query', async () => {
    const actionId = await storeAction(pool);
    const span = newEvent({ action_id: actionId, kind: 'test.span' });
    await store(pool, span);
    const client = await open();
    client.send({ type: 'subscribe', subscription_id: 'own', action_id: actionId, tenant_id: TENANT });
    expect(traceOf(await first(client, 'own')).tenant_id).toBe(TENANT);
    client.send({ type: 'subscribe', subscription_id: 'foreign', action_id: actionId, tenant_id: 'tenant-b' });
    expect(codeOf(await first(client, 'foreign'))).toBe('auth.tenant_mismatch');
    client.send({ type: 'subscribe', subscription_id: 'all', kind: 'test.span' });
    client.send({ type: 'subscribe', subscription_id: 'named', kind: 'test.span', tenant_id: 'tenant-b' });
    const seen = eventIds(await first(client, 'all'));
    expect(seen).toContain(span.event.id);
    expect(eventIds(await first(client, 'named'))).toEqual(seen);
  });

  test('N-248 N-249 N-255 pages of limit rows go from cursor to next_cursor without loss or repeat', async () => {
    const actionId = await storeAction(pool);
    const events = Array.from({ length: 7 }, () => newEvent({ action_id: actionId }));
    await store(pool, ...events);
    const client = await open();
    const seen: string[] = [];
    let cursor: string | undefined;
    for (let page = 0; seen.length < events.length; page += 1) {
      client.send({ type: 'subscribe', subscription_id: `p${page}`, action_id: actionId, limit: 3, cursor });
      const frame = await first(client, `p${page}`);
      expect(eventIds(frame).length).toBeLessThanOrEqual(3);
      expect(traceOf(frame).cursor).toBe(cursor ?? null);
      seen.push(...eventIds(frame));
      cursor = traceOf(frame).next_cursor;
    }
    expect(seen).toEqual(events.map(({ event }) => event.id));
  });

  test('N-249 part: a follow has at most limit rows in a response, also of what arrives at once', async () => {
    const actionId = await storeAction(pool);
    const client = await open();
    client.send({
      type: 'subscribe',
      subscription_id: 's1',
      action_id: actionId,
      limit: 2,
      follow: true,
      include_chunks: true,
    });
    await first(client, 's1');
    const events = Array.from({ length: 5 }, () => newEvent({ action_id: actionId }));
    await pool.tx(async (tx) => {
      await store({ tx: (run: (client: unknown) => unknown) => run(tx) } as never, ...events);
      for (const sequence of [1, 2, 3]) await storeChunk(tx, actionId, sequence);
    });
    await complete(pool, actionId);
    const frames = await client.waitFor(
      'the end',
      (each) => each.of('s1').at(-1)?.trace.websocket.terminal && each.of('s1'),
    );
    const rows = frames.map(
      ({ body }: Received) => body.action_events.events.length + (body.action_events.chunks?.length ?? 0),
    );
    expect(Math.max(...rows)).toBe(2);
    const ids = frames.flatMap(eventIds);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.length).toBe(9);
    expect(
      frames.flatMap(({ body }: Received) => body.action_events.chunks ?? []).map((chunk: Received) => chunk.sequence),
    ).toEqual([1, 2, 3]);
    for (const [index, frame] of frames.entries())
      if (index > 0) expect(traceOf(frame).cursor).toBe(traceOf(frames[index - 1]).next_cursor);
    const middle = frames.at(-3) as Received;
    client.send({
      type: 'subscribe',
      subscription_id: 's2',
      action_id: actionId,
      include_chunks: true,
      cursor: traceOf(middle).next_cursor,
    });
    const rest = await first(client, 's2');
    const later = frames.slice(frames.indexOf(middle) + 1);
    expect(eventIds(rest)).toEqual(later.flatMap(eventIds));
    expect(rest.body.action_events.chunks ?? []).toEqual(
      later.flatMap(({ body }: Received) => body.action_events.chunks ?? []),
    );
  });

  test('N-250 N-251 kind and kinds filter', async () => {
    const actionId = await storeAction(pool);
    const [a, b, c] = ['test.a', 'test.b', 'test.c'].map((kind) => newEvent({ action_id: actionId, kind }));
    if (!a || !b || !c) throw new Error('three events');
    await store(pool, a, b, c);
    const client = await open();
    client.send({ type: 'subscribe', subscription_id: 'kind', action_id: actionId, kind: 'test.b' });
    client.send({ type: 'subscribe', subscription_id: 'kinds', action_id: actionId, kinds: ['test.a', 'test.c'] });
    expect(eventIds(await first(client, 'kind'))).toEqual([b.event.id]);
    expect(eventIds(await first(client, 'kinds'))).toEqual([a.event.id, c.event.id]);
  });

  test('N-252 include_chunks adds the chunks of the action', async () => {
    const actionId = await storeAction(pool);
    await pool.tx((tx) => storeChunk(tx, actionId, 4, { text: 'x' }));
    const client = await open();
    client.send({ type: 'subscribe', subscription_id: 'with', action_id: actionId, include_chunks: true });
    client.send({ type: 'subscribe', subscription_id: 'without', action_id: actionId });
    expect((await first(client, 'with')).body.action_events.chunks).toMatchObject([{ sequence: 4 }]);
    expect((await first(client, 'without')).body.action_events.chunks).toBeUndefined();
  });

  test.each([
    [{ type: 'unsubscribe', subscription_id: 'x' }, 'ws.invalid_message'],
    [{ type: 'subscribe' }, 'ws.invalid_message'],
    [{ type: 'subscribe', subscription_id: 5 }, 'ws.invalid_message'],
    [{ type: 'subscribe', subscription_id: 'x', action_id: 'nothing' }, 'query.invalid'],
    [{ type: 'subscribe', subscription_id: 'x', limit: 'ten' }, 'ws.decode_failed'],
    [{ type: 'subscribe', subscription_id: 'x', follow: 'yes' }, 'ws.decode_failed'],
    [{ type: 'subscribe', subscription_id: 'x', kinds: 'a,b' }, 'ws.decode_failed'],
    [{ type: 'subscribe', subscription_id: 'x', cursor: 'made-up' }, 'query.cursor_invalid'],
    [{ type: 'subscribe', subscription_id: 'x', action_id: 'act_unknown' }, 'action.not_found'],
  ])(
    'a subscribe object that cannot be served is an error frame, and the connection stays: %j',
    async (control, code) => {
      const client = await open();
      client.send(control);
      const frame = await client.waitFor('the refusal', ({ frames }) => frames[0]);
      expect(codeOf(frame)).toBe(code);
      expect(traceOf(frame)).toMatchObject({ next_cursor: null, terminal: true });
      client.send({ type: 'subscribe', subscription_id: 'good', kind: 'none' });
      await first(client, 'good');
    },
  );
});

describe('follow', () => {
  test('N-257 part: an event that another process stores without notifying comes with the next query, every 500 ms', async () => {
    expect(FOLLOW_POLL_MS).toBe(500);
    const client = await open('operator');
    client.send({ type: 'subscribe', subscription_id: 's1', kind: 'test.silent', follow: true });
    await first(client, 's1');
    for (let n = 0; n < 2; n += 1) {
      const { event } = newEvent({ kind: 'test.silent' });
      await pool.query(
        `INSERT INTO runtime.events (event_id, kind, tenant_id, principal_id, occurred_at, record) VALUES ($1, 'test.silent', $2, 'p', 1, $3)`,
        [event.id, TENANT, JSON.stringify(event)],
      );
      await client.waitFor('it came', (each) => each.of('s1').flatMap(eventIds).includes(event.id));
    }
  });

  test('N-258 D-17 events come as they are stored, nothing for polls without news, until the action is terminal', async () => {
    const actionId = await storeAction(pool);
    const client = await open();
    client.send({ type: 'subscribe', subscription_id: 's1', action_id: actionId, follow: true });
    expect(eventIds(await first(client, 's1'))).toEqual([]);
    const events = [newEvent({ action_id: actionId }), newEvent({ action_id: actionId })];
    for (const event of events) {
      await store(pool, event);
      await client.waitFor('the event', (each) => each.of('s1').flatMap(eventIds).includes(event.event.id));
    }
    expect(client.of('s1')).toHaveLength(3);
    const last = await complete(pool, actionId);
    await client.waitFor('the end', (each) => traceOf(each.of('s1').at(-1)).terminal);
    expect(client.of('s1').flatMap(eventIds)).toEqual([...events.map(({ event }) => event.id), last]);
    await storeWatched(
      client,
      { type: 'subscribe', subscription_id: 'witness', kind: 'test.late', follow: true },
      actionId,
    );
    expect(client.of('s1').flatMap(eventIds)).toEqual([...events.map(({ event }) => event.id), last]);
  });

  test('N-424 D-15 sixteen subscriptions run, the seventeenth is refused, and an id that runs is replaced', async () => {
    const client = await open();
    const ids = Array.from({ length: 16 }, (_, index) => `s${index}`);
    for (const id of ids) client.send({ type: 'subscribe', subscription_id: id, kind: 'test.many', follow: true });
    await client.waitFor('sixteen first responses', ({ frames }) => frames.length === 16);
    client.send({ type: 'subscribe', subscription_id: 's17', kind: 'test.many', follow: true });
    expect(codeOf(await first(client, 's17'))).toBe('ws.subscription_capacity');
    client.send({ type: 'subscribe', subscription_id: 's0', kind: 'test.replaced', follow: true });
    await client.waitFor('the replaced one answers', (each) => each.of('s0').length === 2);
    await store(pool, newEvent({ kind: 'test.many' }), newEvent({ kind: 'test.replaced' }));
    await client.waitFor('all have the news', (each) => ids.every((id) => each.of(id).flatMap(eventIds).length === 1));
    expect(client.of('s0').at(-1)?.body.event_stream.events[0].kind).toBe('test.replaced');
  });

  test('N-259 a follow whose query fails ends with that error', async () => {
    const client = await open('unscoped');
    client.send({ type: 'subscribe', subscription_id: 's1', follow: true });
    const frame = await first(client, 's1');
    expect([codeOf(frame), traceOf(frame).terminal]).toEqual(['auth.not_authorized', true]);
    const owner = await open();
    owner.send({ type: 'subscribe', subscription_id: 's1', action_id: 'act_none', follow: true });
    expect(codeOf(await first(owner, 's1'))).toBe('action.not_found');
    await storeWatched(
      owner,
      { type: 'subscribe', subscription_id: 'witness', kind: 'test.late', follow: true },
      'act_none',
    );
    expect(owner.of('s1')).toHaveLength(1);
  });

  test('N-012 part: closing the connection leaves the action that it follows as it is', async () => {
    const actionId = await storeAction(pool);
    const client = await open();
    client.send({ type: 'subscribe', subscription_id: 's1', action_id: actionId, follow: true });
    await first(client, 's1');
    await client.close();
    const { rows } = await pool.query<{ state: string }>('SELECT state FROM runtime.actions WHERE action_id = $1', [
      actionId,
    ]);
    expect(rows[0]?.state).toBe('running');
    await complete(pool, actionId);
    const status = await gateway.call('GET', `/aip/v1/actions/${actionId}`, { token: 'owner' });
    expect(status.body.state).toBe('completed');
  });

  test('N-425 D-16 a peer that stops to read for a while loses nothing', async () => {
    const client = await open();
    client.send({ type: 'subscribe', subscription_id: 's1', kind: 'test.bulk', follow: true, limit: 20 });
    await first(client, 's1');
    client.socket.pause();
    const sent: string[] = [];
    for (let batch = 0; batch < 8; batch += 1) {
      const events = Array.from({ length: 20 }, () =>
        newEvent({ kind: 'test.bulk', data: { pad: 'x'.repeat(20_000) } }),
      );
      await store(pool, ...events);
      sent.push(...events.map(({ event }) => event.id));
    }
    client.socket.resume();
    await client.waitFor('everything', (each) => each.of('s1').flatMap(eventIds).length === sent.length);
    expect(client.of('s1').flatMap(eventIds)).toEqual(sent);
  });
});

describe('control frames', () => {
  test('N-261 a ping is answered with a pong of the same payload', async () => {
    const client = await open();
    const payload = randomBytes(100);
    client.socket.ping(payload);
    const [answer] = await once(client.socket, 'pong');
    expect(answer).toEqual(payload);
  });

  test('N-262 a close is echoed with its code, on an idle connection and behind frames that have not left the buffer', async () => {
    const idle = await connect(gateway.url, 'owner');
    idle.socket.close(4001, 'done');
    expect(await idle.closed).toBe(4001);
    await store(pool, newEvent({ kind: 'test.n262', data: { pad: 'x'.repeat(200_000) } }));
    const busy = await connect(gateway.url, 'owner');
    busy.socket.pause();
    for (const id of ['a', 'b', 'c', 'd', 'e', 'f', 'g'])
      busy.send({ type: 'subscribe', subscription_id: id, kind: 'test.n262' });
    busy.socket.close(4002, 'done');
    busy.socket.resume();
    expect(await busy.closed).toBe(4002);
  });

  test('N-263 N-264 a binary frame and a pong are ignored', async () => {
    const client = await open('operator');
    // As text the first would be refused before anything behind it is answered, and the second carried out.
    const ignored = actionEnvelope();
    for (const text of ['{"half":', JSON.stringify(ignored)]) client.socket.send(Buffer.from(text), { binary: true });
    client.socket.pong('unasked');
    client.send({ type: 'subscribe', subscription_id: 's1', kind: 'none' });
    await first(client, 's1');
    const text = actionEnvelope();
    client.send(text);
    await client.waitFor('the answer to text', ({ frames }) =>
      frames.find((frame) => frame.in_response_to === text.message_id),
    );
    expect(client.frames).toHaveLength(2);
    const { rows } = await pool.query('SELECT FROM runtime.actions WHERE message_id = $1', [ignored.message_id]);
    expect(rows).toEqual([]);
  });

  test('a frame that is nested 10,000 deep is refused and the connection stays; one that is not UTF-8 closes with 1007', async () => {
    const client = await connect(gateway.url, 'operator');
    const nested = '['.repeat(10_000) + ']'.repeat(10_000);
    client.send(nested);
    client.send(JSON.stringify(actionEnvelope({ input: 'here' })).replace('"here"', nested));
    client.send(`{"type":"subscribe","subscription_id":"s1","kinds":${nested}}`);
    await client.waitFor('three refusals', ({ frames }) => frames.length === 3);
    expect(client.frames.map(codeOf)).toEqual(Array(3).fill('ws.decode_failed'));
    client.send({ type: 'subscribe', subscription_id: 'good', kind: 'none' });
    await first(client, 'good');
    client.socket.send(Buffer.from([0x7b, 0xff, 0x7d]), { binary: false });
    expect(await client.closed).toBe(1007);
    await open();
  });

  test('a frame above the bound closes with 1009, and the gateway continues', async () => {
    const client = await connect(gateway.url, 'owner');
    client.send('x'.repeat(5 * 1024 * 1024));
    expect(await client.closed).toBe(1009);
    await open();
  });
});

test('a gateway that stops closes its connections with 1001 after an error frame for every follow', async () => {
  const other = await startHttpGateway({ databaseUrl: gateway.databaseUrl });
  const client = await connect(other.url, 'the static token');
  client.send({ type: 'subscribe', subscription_id: 's1', kind: 'none', follow: true });
  await first(client, 's1');
  await other.stop();
  expect(await client.closed).toBe(1001);
  expect(codeOf(client.of('s1').at(-1))).toBe('stream.interrupted');
});

test('a follow that is being opened when its gateway stops gets its error frame before the connection closes', async () => {
  const principals = [principalEntry('operator', { tenant_id: TENANT, scopes: ['*'] })];
  const other = await startHttpGateway({ databaseUrl: gateway.databaseUrl, principals });
  const [opening, idle] = [await connect(other.url, 'operator'), await connect(other.url, 'operator')];
  const [release, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const locked = pool.tx(async (client) => {
    await client.query('LOCK TABLE runtime.events');
    held.resolve();
    await release.promise;
  });
  await held.promise;
  opening.send({ type: 'subscribe', subscription_id: 's1', kind: 'none', follow: true });
  await until('its first page waits', async () => {
    const { rows } = await pool.query(
      `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%fresh AS (%' AND pid <> pg_backend_pid()`,
    );
    return rows.length > 0;
  });
  const stopped = other.stop();
  expect(await idle.closed).toBe(1001);
  release.resolve();
  await locked;
  expect(await opening.closed).toBe(1001);
  expect(codeOf(opening.of('s1').at(-1))).toBe('stream.interrupted');
  await stopped;
});

/**
 * Follows as `control` says, and stores events of an action one after the other until the follower has seen each: whatever else ran on the
 * connection would have had the first of them by then.
 */
async function storeWatched(
  client: Client,
  control: { subscription_id: string; [member: string]: unknown },
  actionId: string,
): Promise<void> {
  client.send(control);
  await first(client, control.subscription_id);
  for (let n = 0; n < 3; n += 1) {
    const event = newEvent({ action_id: actionId, kind: 'test.late' });
    await store(pool, event);
    await client.waitFor('the witness has it', (each) =>
      each.of(control.subscription_id).flatMap(eventIds).includes(event.event.id),
    );
  }
}

/** Sends an upgrade by hand and returns how it was refused. */
function upgrade(headers: Record<string, string>, path = '/aip/v1/ws'): Promise<Parameters<typeof errorOf>[0]> {
  return new Promise((resolve, reject) => {
    const asked = request(`${gateway.url}${path}`, {
      headers: {
        connection: 'Upgrade',
        upgrade: 'websocket',
        'sec-websocket-version': '13',
        'sec-websocket-key': randomBytes(16).toString('base64'),
        ...headers,
      },
    });
    asked.once('error', reject);
    asked.once('response', (response) => {
      let text = '';
      response.on('data', (part) => {
        text += part;
      });
      response.once('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: new Headers(), body: JSON.parse(text) }),
      );
    });
    asked.end();
  });
}
