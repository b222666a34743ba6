import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, createInbox, type Msg, type NatsConnection } from '@nats-io/transport-node';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { appendEvents, type NewEvent } from '#runtime/gateway/events/log/append.js';
import { openPool, type Pool } from '#runtime/postgres/pool.js';
import {
  decodeEnvelope,
  type Envelope,
  newEnvelope,
  replyEnvelope,
  signEnvelope,
  verifyEnvelope,
} from '#runtime/protocol/envelope.js';
import { newId } from '#runtime/protocol/ids.js';
import { newSeedHex, type SigningKey, signingKeyFromSeed } from '#runtime/protocol/signing.js';
import { formatTime } from '#runtime/protocol/time.js';
import type { Action, Body, DelegationRequest, Principal } from '#runtime/protocol/types.js';
import { openRegistry } from '#runtime/registry/registry.js';
import { type BrokerClient, openBrokerClient } from '#runtime/transport/nats/client.js';
import { openBrokerConnection } from '#runtime/transport/nats/connection.js';
import { frameOf } from '#runtime/transport/nats/frame.js';
import { requestSubject } from '#runtime/transport/nats/subjects.js';
import { openPeerClient } from '#runtime/transport/peer/client.js';
import { destinationPolicy } from '#runtime/transport/peer/destination.js';
import { openLogger } from '#runtime/transport/process/logger.js';
import { admitInstance } from '../../../../support/admit.ts';
import { freshDatabase } from '../../../../support/database.ts';
import { until } from '../../../../support/until.ts';
import { actionEnvelope, errorOf, type HttpGateway, startHttpGateway, TOKEN } from '../../support/gateway.ts';
import { connect as connectWebSocket } from '../websocket/client.ts';
import { NATS_SERVER, type NatsServer, startNatsServer } from './nats-server.ts';

const TENANT = 'acme';
const CALLER: Principal = { id: 'agent:caller', kind: 'agent', trust_domain: 'test' };
const GATEWAY = { id: 'service:aip-gateway', kind: 'service' as const };
const PEER: Principal = { id: 'service:library', kind: 'service', trust_domain: 'library' };
const log = openLogger({ component: 'test', level: 'silent' });

let server: NatsServer;
let database: Awaited<ReturnType<typeof freshDatabase>>;
let pool: Pool;
let folder: string;
let nats: NatsConnection;
let key: SigningKey;
let stranger: SigningKey;
let gatewayDid: string;
let gateways: HttpGateway[];

/** A gateway that listens as `service`, in a queue group or alone. */
function startListening(
  service: string,
  queueGroup?: string,
  more: Record<string, string> = {},
  others: object[] = [],
): Promise<HttpGateway> {
  return startHttpGateway({
    databaseUrl: database.url,
    signers: [{ signer_did: key.did, principal_id: CALLER.id, scopes: ['*'], tenant_id: TENANT }, ...others],
    env: {
      AIP_GATEWAY_NATIVE_PRINCIPAL: CALLER.id,
      AIP_GATEWAY_CONNECTOR_REGISTRY_URL: database.url,
      AIP_GATEWAY_CONNECTOR_FLEET_SIGNING_SEED_FILE: join(folder, 'gateway.seed'),
      AIP_GATEWAY_CONNECTOR_FLEET_TRUST_REGISTRY_ENDPOINTS: 'true',
      AIP_GATEWAY_NATS_URL: server.url,
      AIP_GATEWAY_NATS_SERVICE: service,
      ...(queueGroup === undefined ? {} : { AIP_GATEWAY_NATS_QUEUE_GROUP: queueGroup }),
      ...more,
    },
  });
}

const subject = (service: string, envelope: Pick<Envelope, 'message_type'>): string =>
  requestSubject({ trustDomain: 'test', service, version: 'v1' }, envelope.message_type);
const signed = (envelope: Envelope, by: SigningKey = key): Promise<Envelope> => signEnvelope(envelope, CALLER, by);
const signedAction = (action: Partial<Action> = {}, fields: Partial<Envelope> = {}): Promise<Envelope> =>
  signed(actionEnvelope(action, fields));
const codeOf = (envelope: Envelope): string =>
  (envelope.body as { error: { error: { code: string } } }).error.error.code;

/** Sends an envelope and returns the envelope that is replied. */
async function ask(
  envelope: Envelope,
  service = 'grouped',
  payload: string | Uint8Array = frameOf(envelope).payload,
  timeout = 30_000,
): Promise<Envelope> {
  const message = await nats.request(subject(service, envelope), payload, {
    timeout,
  });
  return decodeEnvelope(JSON.parse(message.string()).envelope);
}

/** Every message that the broker carries from now on. */
async function wiretap(filter = '>'): Promise<Msg[]> {
  const heard: Msg[] = [];
  const subscription = nats.subscribe(filter, { callback: (_error, message) => void heard.push(message) });
  await nats.flush();
  onTestFinished(() => subscription.unsubscribe());
  return heard;
}

const countActions = async (where: string, value: string): Promise<number> => {
  const { rows } = await pool.query<{ n: number }>(`SELECT count(*) AS n FROM runtime.actions WHERE ${where} = $1`, [
    value,
  ]);
  return Number(rows[0]?.n);
};

describe.skipIf(NATS_SERVER === undefined)('the message broker', () => {
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'aip-broker-'));
    key = signingKeyFromSeed(newSeedHex());
    stranger = signingKeyFromSeed(newSeedHex());
    const seed = newSeedHex();
    gatewayDid = signingKeyFromSeed(seed).did;
    await writeFile(join(folder, 'gateway.seed'), seed, { mode: 0o600 });
    [server, database] = await Promise.all([startNatsServer(), freshDatabase()]);
    pool = openPool({ url: database.url, max: 4 });
    nats = await connect({ servers: server.url, maxReconnectAttempts: -1, reconnectTimeWait: 50 });
    const first = await startListening('grouped', 'group');
    const registry = openRegistry({ data: pool, clock: Date.now });
    await admitInstance(registry, 'bank', TENANT, [
      {
        id: 'cap:bank:transfer',
        name: 'Transfer',
        kind: 'tool',
        input_schema: { type: 'object' },
        requires_human_approval: true,
      },
    ]);
    gateways = [
      first,
      ...(await Promise.all([startListening('grouped', 'group'), startListening('alone'), startListening('alone')])),
    ];
    for (const gateway of gateways)
      await until('the gateway listens on the broker', async () => (await fetch(`${gateway.url}/ready`)).ok);
  });
  afterAll(async () => {
    await nats?.close();
    for (const gateway of gateways ?? []) await gateway.stop();
    await pool?.close();
    await database?.drop();
    await server?.stop();
    if (folder) await rm(folder, { recursive: true, force: true });
  });

  test('N-482 N-483 N-490 a TransportMessage with a reply subject is answered with one, signed and correlated', async () => {
    const envelope = await signedAction({}, { correlation_id: newId('correlation') });
    const message = await nats.request(subject('grouped', envelope), frameOf(envelope).payload, { timeout: 30_000 });
    const { envelope: raw, ...rest } = JSON.parse(message.string());
    expect(rest).toEqual({});
    const reply = decodeEnvelope(raw);
    expect(await verifyEnvelope(reply)).toBe(gatewayDid);
    expect(reply).toMatchObject({
      in_response_to: envelope.message_id,
      correlation_id: envelope.correlation_id,
      to: { id: CALLER.id },
      body: { action_result: { status: 'completed' } },
    });
  });

  test('N-484 a raw envelope is taken too', async () => {
    const envelope = await signedAction();
    expect((await ask(envelope, 'grouped', JSON.stringify(envelope))).body).toMatchObject({
      action_result: { status: 'completed' },
    });
  });

  test('N-485 N-486 N-487 N-488 N-489 outbound frames name their envelope in headers, session and correlation when there are any', async () => {
    const [sessionId, correlationId] = [newId('session'), newId('correlation')];
    const headersOf = async (fields: Partial<Envelope>) => {
      const envelope = await signedAction({}, fields);
      const message = await nats.request(subject('grouped', envelope), frameOf(envelope).payload, { timeout: 30_000 });
      const reply = JSON.parse(message.string()).envelope as Envelope;
      const named = Object.fromEntries([...(message.headers ?? [])].map(([name, values]) => [name, values[0]]));
      return { reply, named };
    };
    const full = await headersOf({ session_id: sessionId, correlation_id: correlationId });
    expect(full.named).toEqual({
      'AIP-Version': '1.0',
      'AIP-Message-Type': 'aip.core.v1.action_result',
      'AIP-Message-Id': full.reply.message_id,
      'AIP-Session-Id': sessionId,
      'AIP-Correlation-Id': correlationId,
    });
    const bare = await headersOf({});
    expect(Object.keys(bare.named)).toEqual(['AIP-Version', 'AIP-Message-Type', 'AIP-Message-Id']);
  });

  test('N-491 N-014 a message without a reply subject is carried out and answered nowhere; its record is the proof', async () => {
    const heard = await wiretap();
    const envelope = await signedAction({ mode: 'async' });
    const { id } = (envelope.body as { action: Action }).action;
    nats.publish(subject('grouped', envelope), frameOf(envelope).payload);
    const refused = await signedAction({ capability_id: 'cap:none' });
    nats.publish(subject('grouped', refused), frameOf(refused).payload);
    await nats.flush();
    const gateway = gateways[0] as HttpGateway;
    const status = (actionId: string) =>
      gateway.call('GET', `/aip/v1/actions/${actionId}?include_receipts=true`, { token: TOKEN });
    await until('the action has ended', async () => (await status(id)).body.state === 'completed');
    const { receipts } = (await status(id)).body.receipt_chain;
    expect(receipts.map((each: { receipt_type: string }) => each.receipt_type)).toEqual([
      'action_accepted',
      'result_returned',
    ]);
    const taken = await until('the refused one was taken', async () => {
      const { rows } = await pool.query("SELECT 1 FROM runtime.replay_claims WHERE message_id LIKE '%' || $1", [
        refused.message_id,
      ]);
      return rows.length === 1;
    });
    expect(taken).toBe(true);
    expect(await countActions('message_id', refused.message_id)).toBe(0);
    expect(heard.filter((message) => message.string().includes(envelope.message_id))).toHaveLength(1);
  });

  test('N-012 an action stays in its state when the connection, subscription or reply inbox of its request is lost', async () => {
    const gateway = gateways[0] as HttpGateway;
    const transfer = () => actionEnvelope({ capability_id: 'cap:bank:transfer' });
    const idOf = ({ body }: Envelope) => (body as { action: Action }).action.id;
    const stateOf = async (id: string): Promise<string> =>
      (await gateway.call('GET', `/aip/v1/actions/${id}`, { token: TOKEN })).body.state;
    const [overHttp, overSocket, overBroker] = [transfer(), transfer(), await signed(transfer())];
    await gateway.call('POST', '/aip/v1/messages', { token: TOKEN, body: overHttp });
    const leaving = new AbortController();
    const stream = await fetch(`${gateway.url}/aip/v1/actions/${idOf(overHttp)}/events?follow=true`, {
      headers: { authorization: `Bearer ${TOKEN}` },
      signal: leaving.signal,
    });
    expect(stream.status).toBe(200);
    leaving.abort();
    const socket = await connectWebSocket(gateway.url, TOKEN);
    socket.send(overSocket);
    await socket.waitFor('the answer', ({ frames }) => frames[0]?.body.action_result);
    socket.send({ type: 'subscribe', subscription_id: 's1', action_id: idOf(overSocket), follow: true });
    await socket.waitFor('the subscription runs', ({ of }) => of('s1').length > 0);
    socket.socket.terminate();
    await socket.closed;
    const inbox = createInbox();
    nats.subscribe(inbox).unsubscribe();
    nats.publish(subject('grouped', overBroker), frameOf(overBroker).payload, { reply: inbox });
    for (const envelope of [overHttp, overSocket, overBroker])
      await until('the action waits', async () => (await stateOf(idOf(envelope))) === 'pending_approval');
    for (const envelope of [overHttp, overSocket, overBroker]) {
      const path = `/aip/v1/actions/${idOf(envelope)}/cancel`;
      const { body } = await gateway.call('POST', path, { token: TOKEN, body: { reason: 'enough' } });
      expect(body).toMatchObject({ status: 'cancelled', output: { reason: 'enough' } });
    }
  });

  test('a signer of whom the share of messages is being answered gets no further place; another one does', async () => {
    const other = signingKeyFromSeed(newSeedHex());
    const gateway = await startListening(
      'shared',
      undefined,
      { AIP_GATEWAY_NATS_MAX_IN_FLIGHT: '2', AIP_GATEWAY_NATS_MAX_IN_FLIGHT_PER_SIGNER: '1' },
      [{ signer_did: other.did, principal_id: 'agent:other', scopes: ['*'], tenant_id: TENANT }],
    );
    onTestFinished(() => gateway.stop());
    await until('it listens on the broker', async () => (await fetch(`${gateway.url}/ready`)).ok);
    const sendTwo = (from: Principal, by: SigningKey): Promise<Envelope>[] =>
      [0, 1].map(async () => ask(await signEnvelope(actionEnvelope(), from, by), 'shared'));
    // As long as no action can be stored the first message of each signer has no answer.
    const { sent, refused } = await pool.tx(async (client) => {
      await client.query('LOCK TABLE runtime.actions IN ACCESS EXCLUSIVE MODE');
      const first = sendTwo(CALLER, key);
      const early = [await Promise.race(first)];
      const second = sendTwo({ id: 'agent:other', kind: 'agent', trust_domain: 'test' }, other);
      early.push(await Promise.race(second));
      return { sent: [...first, ...second], refused: early };
    });
    expect(refused.map(codeOf)).toEqual(['transport.nats.capacity', 'transport.nats.capacity']);
    const bodies = (await Promise.all(sent)).map(({ body }) => Object.keys(body)[0]);
    expect(bodies.toSorted()).toEqual(['action_result', 'action_result', 'error', 'error']);
  });

  test('N-492 a payload that cannot be decoded is answered with a transport error, and the listener continues', async () => {
    const heartbeat = newEnvelope({ heartbeat: { sequence: 1, status: 'busy' } } as Body, {}, { clock: Date.now });
    for (const payload of [
      'no json',
      '[]',
      '{}',
      new Uint8Array([0xff, 0xfe]),
      JSON.stringify({ envelope: heartbeat, metadata: { a: 1 } }),
      JSON.stringify({ ...heartbeat, aip_version: '2.0' }),
    ]) {
      const reply = await ask(heartbeat, 'grouped', payload);
      expect(reply.body).toMatchObject({
        error: { error: { code: 'transport.nats.decode', category: 'transport', retryable: false } },
      });
    }
    expect((await ask(await signedAction())).body).toHaveProperty('action_result');
  });

  test('N-493 a payload that cannot be decoded and has no reply subject is dropped, and the listener continues', async () => {
    const envelope = await signedAction();
    const heard = await wiretap();
    nats.publish(subject('grouped', envelope), 'no json');
    expect((await ask(envelope)).body).toHaveProperty('action_result');
    expect(heard.filter((message) => message.string().includes('transport.nats.decode'))).toEqual([]);
  });

  test('N-354 N-355 N-356 a message counts by its signature alone, never by subject, headers or sender', async () => {
    const unsigned = actionEnvelope({}, { from: CALLER });
    expect(codeOf(await ask(unsigned))).toBe('auth.signature.invalid');
    expect(codeOf(await ask(await signed(actionEnvelope(), stranger)))).toBe('auth.signature.invalid');
    const other = await signEnvelope(actionEnvelope(), { id: 'agent:boss', kind: 'agent' }, key);
    expect(codeOf(await ask(other))).toBe('auth.signature.invalid');
    const { payload, headers } = frameOf(unsigned);
    headers.set('Authorization', `Bearer ${TOKEN}`);
    headers.set('AIP-Principal-Id', CALLER.id);
    const message = await nats.request(subject('grouped', unsigned), payload, { headers, timeout: 30_000 });
    expect(codeOf(decodeEnvelope(JSON.parse(message.string()).envelope))).toBe('auth.signature.invalid');
    expect(await countActions('message_id', unsigned.message_id)).toBe(0);
  });

  test('N-006 N-007 N-356 principal and tenant are those of the credential, whatever subject, headers, reply inbox and connection name', async () => {
    const envelope = await signedAction();
    const { payload, headers } = frameOf(envelope);
    const claims = {
      'AIP-Principal-Id': 'agent:boss',
      'X-Forwarded-User': 'agent:boss',
      'Nats-Client-User': 'agent:boss',
      'AIP-Tenant-Id': 'globex',
      'X-Tenant-Id': 'globex',
    };
    for (const [name, value] of Object.entries(claims)) headers.set(name, value);
    const inbox = `${createInbox()}.globex.agent.boss`;
    const replies: Msg[] = [];
    const subscription = nats.subscribe(inbox, { callback: (_error, message) => void replies.push(message) });
    nats.publish(`${subject('grouped', envelope)}.globex.agent_boss`, payload, { headers, reply: inbox });
    const [reply] = await until('the reply came', () => replies.length > 0 && replies);
    subscription.unsubscribe();
    expect(decodeEnvelope(JSON.parse((reply as Msg).string()).envelope).body).toHaveProperty('action_result');
    const socket = await connectWebSocket((gateways[0] as HttpGateway).url, TOKEN, claims);
    onTestFinished(socket.close);
    const overSocket = actionEnvelope();
    socket.send(overSocket);
    await socket.waitFor('the answer', ({ frames }) => frames[0]?.body.action_result);
    const { rows } = await pool.query<{ principal_id: string; tenant_id: string }>(
      'SELECT principal_id, tenant_id FROM runtime.actions WHERE message_id = ANY ($1)',
      [[envelope.message_id, overSocket.message_id]],
    );
    expect(rows).toEqual(Array(2).fill({ principal_id: CALLER.id, tenant_id: TENANT }));
  });

  test('N-008 identifiers come from the envelope, whatever headers and subject say', async () => {
    const sessionId = newId('session');
    const envelope = await signedAction({}, { session_id: sessionId });
    const { id } = (envelope.body as { action: Action }).action;
    const { payload, headers } = frameOf(envelope);
    headers.set('AIP-Message-Id', 'msg_other');
    headers.set('AIP-Correlation-Id', 'corr_other');
    headers.set('AIP-Session-Id', 'sess_other');
    headers.set('AIP-Action-Id', 'act_other');
    const other = 'aip.v1.test.grouped.v1.aip_core_v1_heartbeat.msg_other.sess_other.act_other';
    const message = await nats.request(other, payload, { headers, timeout: 30_000 });
    const reply = decodeEnvelope(JSON.parse(message.string()).envelope);
    expect([reply.in_response_to, reply.correlation_id, reply.session_id]).toEqual([
      envelope.message_id,
      undefined,
      sessionId,
    ]);
    expect(reply.body).toMatchObject({ action_result: { action_id: id } });
    const { rows } = await pool.query('SELECT message_id, session_id FROM runtime.actions WHERE action_id = ANY ($1)', [
      [id, 'act_other'],
    ]);
    expect(rows).toEqual([{ message_id: envelope.message_id, session_id: sessionId }]);
  });

  test('a reply that the broker does not carry is replaced by a transport error that says so', async () => {
    const events = Array.from({ length: 5 }, (): NewEvent => {
      const { id, kind } = CALLER;
      const data = { text: 'x'.repeat(230_000) };
      const event = {
        id: newId('event'),
        kind: 'test.large',
        occurred_at: formatTime(Date.now()),
        actor: { id, kind },
        data,
      };
      return { event, tenantId: TENANT, principalId: id };
    });
    await pool.tx((client) => appendEvents(client, events));
    const query = async (limit: number): Promise<Envelope> => {
      const body = { event_stream_request: { kinds: ['test.large'], limit } } as Body;
      return ask(await signed(newEnvelope(body, {}, { clock: Date.now })));
    };
    const few = async (): Promise<unknown[]> =>
      ((await query(2)).body as { event_stream: { events: unknown[] } }).event_stream.events;
    // Transactions of the gateway that are still open keep events behind them from readers.
    expect(await until('two events are read', async () => (await few()).length === 2)).toBe(true);
    expect(codeOf(await query(5))).toBe('transport.nats.reply_too_large');
  });

  test('N-494 each message of a queue group is handled by one member', async () => {
    const inbox = createInbox();
    const replies: Msg[] = [];
    const subscription = nats.subscribe(inbox, { callback: (_error, message) => void replies.push(message) });
    const envelopes = await Promise.all(Array.from({ length: 24 }, () => signedAction()));
    for (const envelope of envelopes)
      nats.publish(subject('grouped', envelope), frameOf(envelope).payload, { reply: inbox });
    await until('all replies came', () => replies.length === envelopes.length);
    await ask(await signedAction());
    subscription.unsubscribe();
    const bodies = replies.map((message) => JSON.parse(message.string()).envelope as Envelope);
    expect(new Set(bodies.map((each) => each.in_response_to)).size).toBe(envelopes.length);
    expect(bodies.filter((each) => !('action_result' in each.body))).toEqual([]);
  });

  test('N-495 N-497 one message that reaches two members is accepted once and run by one', async () => {
    const inbox = createInbox();
    const replies: Envelope[] = [];
    const subscription = nats.subscribe(inbox, {
      callback: (_error, message) => void replies.push(JSON.parse(message.string()).envelope),
    });
    onTestFinished(() => subscription.unsubscribe());
    const envelope = await signedAction();
    const { id } = (envelope.body as { action: Action }).action;
    nats.publish(subject('alone', envelope), frameOf(envelope).payload, { reply: inbox });
    await until('both have answered', () => replies.length === 2);
    const bodies = replies.map(({ body }) => body as { error?: object; action_result?: object });
    expect(bodies.filter((body) => body.action_result)).toHaveLength(1);
    expect(codeOf(replies.find(({ body }) => 'error' in body) as Envelope)).toBe('replay.message_id');
    const { rows } = await pool.query<{ attempts: number }>(
      'SELECT attempts FROM runtime.actions WHERE action_id = $1',
      [id],
    );
    expect(rows).toEqual([{ attempts: 1 }]);
  });

  test('N-496 one idempotency key has one effect, over two members and over HTTP and broker', async () => {
    const keyText = newId('message');
    const envelopes = await Promise.all(Array.from({ length: 6 }, () => signedAction({ idempotency_key: keyText })));
    const replies = await Promise.all(envelopes.map((envelope) => ask(envelope)));
    const over = await (gateways[0] as HttpGateway).call('POST', '/aip/v1/messages', {
      body: await signedAction({ idempotency_key: keyText }),
    });
    const results = [...replies.map(({ body }) => body), over.body.body] as { action_result: { status: string } }[];
    for (const { action_result: result } of results) expect(['completed', 'failed']).toContain(result.status);
    expect(results.at(-1)?.action_result.status).toBe('completed');
    const { rows } = await pool.query("SELECT action_id FROM runtime.actions WHERE request->>'idempotency_key' = $1", [
      keyText,
    ]);
    expect(rows).toHaveLength(1);
  });

  test('N-010 one idempotency key sent over HTTP, then over the broker and a WebSocket, has one effect', async () => {
    const gateway = gateways[0] as HttpGateway;
    const socket = await connectWebSocket(gateway.url, TOKEN);
    onTestFinished(socket.close);
    const idempotency_key = newId('message');
    const first = await gateway.call('POST', '/aip/v1/messages', {
      token: TOKEN,
      body: actionEnvelope({ idempotency_key }),
    });
    const { action_result: result } = first.body.body;
    expect(result.status).toBe('completed');
    const repeated = { action_result: { ...result, output: { ...result.output, idempotent_replay: true } } };
    expect((await ask(await signedAction({ idempotency_key }))).body).toEqual(repeated);
    socket.send(actionEnvelope({ idempotency_key }));
    const frame = await socket.waitFor('the answer', ({ frames }) => frames[0]);
    expect(frame.body).toEqual(repeated);
    const { rows } = await pool.query(
      "SELECT action_id, attempts FROM runtime.actions WHERE request->>'idempotency_key' = $1",
      [idempotency_key],
    );
    expect(rows).toEqual([{ action_id: result.action_id, attempts: 1 }]);
  });

  test('N-496 part: two messages with one key that each reach both members have one effect', async () => {
    const inbox = createInbox();
    const replies: Envelope[] = [];
    const subscription = nats.subscribe(inbox, {
      callback: (_error, message) => void replies.push(JSON.parse(message.string()).envelope),
    });
    onTestFinished(() => subscription.unsubscribe());
    const keyText = newId('message');
    for (const envelope of [
      await signedAction({ idempotency_key: keyText }),
      await signedAction({ idempotency_key: keyText }),
    ])
      nats.publish(subject('alone', envelope), frameOf(envelope).payload, { reply: inbox });
    await until('both members have answered both messages', () => replies.length === 4);
    expect(new Set(replies.map(({ in_response_to }) => in_response_to)).size).toBe(2);
    const { rows } = await pool.query(
      "SELECT receipt_count, attempts FROM runtime.actions WHERE request->>'idempotency_key' = $1",
      [keyText],
    );
    expect(rows).toMatchObject([{ attempts: 1 }]);
  });

  test('N-476 part: messages of other types arrive by the same listener, each on the subject of its type', async () => {
    const bodies = [
      { heartbeat: { sequence: 1, status: 'busy' } },
      { manifest_request: {} },
      { action_list_request: {} },
      { session_list_request: {} },
      // Not the large events of an earlier test, which no reply carries at once.
      { event_stream_request: { kinds: ['aip.action.completed'] } },
      { resource_list_request: {} },
    ] as unknown as Body[];
    const answers = [];
    for (const body of bodies) {
      const envelope = await signed(newEnvelope(body, {}, { clock: Date.now }));
      const reply = await ask(envelope);
      expect(reply.in_response_to).toBe(envelope.message_id);
      answers.push(Object.keys(reply.body)[0]);
    }
    expect(answers).toEqual([
      'heartbeat_ack',
      'manifest',
      'action_list',
      'session_list',
      'event_stream',
      'resource_list',
    ]);
  });

  test('N-011 a message id that any transport took is refused by every one, also on a new connection and reply inbox', async () => {
    const gateway = gateways[0] as HttpGateway;
    const overHttp = async (envelope: Envelope): Promise<Envelope> =>
      (await gateway.call('POST', '/aip/v1/messages', { body: envelope })).body;
    const overSocket = async (envelope: Envelope): Promise<Envelope> => {
      const socket = await connectWebSocket(gateway.url, TOKEN);
      onTestFinished(socket.close);
      socket.send(envelope);
      return socket.waitFor('the answer', ({ frames }) => frames[0]);
    };
    const transports = [overHttp, overSocket, (envelope: Envelope) => ask(envelope)];
    for (const first of transports) {
      const envelope = await signedAction();
      expect((await first(envelope)).body).toHaveProperty('action_result');
      for (const again of transports) expect(codeOf(await again(envelope))).toBe('replay.message_id');
    }
  });

  test('N-005 N-013 one body has one answer, one error and one stored state over HTTP, WebSocket and broker', async () => {
    const gateway = gateways[0] as HttpGateway;
    const socket = await connectWebSocket(gateway.url, TOKEN);
    onTestFinished(socket.close);
    const overHttp = async (envelope: Envelope): Promise<Envelope> =>
      (await gateway.call('POST', '/aip/v1/messages', { token: TOKEN, body: envelope })).body;
    const overSocket = async (envelope: Envelope): Promise<Envelope> => {
      socket.send(envelope);
      return socket.waitFor('the answer', ({ frames }) =>
        frames.find((each) => each.in_response_to === envelope.message_id),
      );
    };
    const overBroker = async (envelope: Envelope): Promise<Envelope> => ask(await signed(envelope));
    const transports = [overHttp, overSocket, overBroker];
    const stored: unknown[] = [];
    const answers: unknown[] = [];
    const listed: unknown[] = [];
    const failures: unknown[] = [];
    const errorIn = ({ body }: Envelope) => {
      const { source: _, ...error } = (body as unknown as { error: { error: Record<string, unknown> } }).error.error;
      return error;
    };
    const waiting = actionEnvelope({ capability_id: 'cap:bank:transfer' });
    await overHttp(waiting);
    const action_result_request = { action_id: (waiting.body as { action: Action }).action.id };
    for (const send of transports) {
      const envelope = actionEnvelope();
      const { id } = (envelope.body as { action: Action }).action;
      const { action_result: result } = (await send(envelope)).body as { action_result: { output: object } };
      answers.push({ ...result, action_id: '', output: Object.keys(result.output), receipt: '' });
      const { rows } = await pool.query(
        'SELECT state, mode, tenant_id, principal_id, capability_id, attempts, receipt_count FROM runtime.actions WHERE action_id = $1',
        [id],
      );
      stored.push(rows[0]);
      const filter = { action_list_request: { capability_id: 'cap:nothing-there' } } as unknown as Body;
      listed.push((await send(newEnvelope(filter, {}, { clock: Date.now }))).body);
      failures.push([
        errorIn(await send(actionEnvelope({ capability_id: 'cap:none' }))),
        errorIn(await send(newEnvelope({ action_result_request } as Body, {}, { clock: Date.now }))),
      ]);
    }
    for (const each of [answers, stored, listed, failures]) expect([each[1], each[2]]).toEqual([each[0], each[0]]);
    expect(failures[0]).toMatchObject([
      { code: 'resource.not_found', category: 'permanent', retryable: false },
      { code: 'action.result_not_ready', category: 'temporary', retryable: true, retry_after_ms: 500 },
    ]);
    const events = '/aip/v1/actions/act_none/events';
    const { source: _, ...unknown } = errorOf(await gateway.call('GET', events, { token: TOKEN })) as {
      source?: object;
    };
    const stream = await fetch(`${gateway.url}${events}?follow=true`, {
      headers: { authorization: `Bearer ${TOKEN}` },
    });
    const [data] = (await stream.text()).split('\n').filter((line) => line.startsWith('data: '));
    expect(JSON.parse((data as string).slice(6)).error).toMatchObject(unknown);
  });

  test('N-009 a required approval and a policy refusal hold on every transport, whatever headers and subject say', async () => {
    const gateway = gateways[0] as HttpGateway;
    const approvalId = newId('approval');
    const claims = { 'AIP-Approval-Id': approvalId, 'AIP-Approved': 'true', 'AIP-Policy': 'allow' };
    const socket = await connectWebSocket(gateway.url, TOKEN, claims);
    onTestFinished(socket.close);
    const answersTo = async (action: Partial<Action>) => {
      const http = await gateway.call('POST', '/aip/v1/messages', {
        token: TOKEN,
        headers: claims,
        body: actionEnvelope(action),
      });
      const sent = actionEnvelope(action);
      socket.send(sent);
      const frame = await socket.waitFor('the answer', ({ frames }) =>
        frames.find((each) => each.in_response_to === sent.message_id),
      );
      const envelope = await signedAction(action);
      const { payload, headers } = frameOf(envelope);
      for (const [name, value] of Object.entries(claims)) headers.set(name, value);
      const named = `${subject('grouped', envelope)}.approved.${approvalId}`;
      const message = await nats.request(named, payload, { headers, timeout: 30_000 });
      return [http.body, frame, JSON.parse(message.string()).envelope].map(({ body }) => body.action_result);
    };
    const waiting = { status: 'pending_approval', error: { code: 'policy.human_approval_required' } };
    const transfer = { capability_id: 'cap:bank:transfer' };
    expect(await answersTo(transfer)).toMatchObject(Array(3).fill(waiting));
    const approval = {
      approval_id: approvalId,
      decision: 'approved' as const,
      approver: { id: 'human:boss', kind: 'human' as const },
      decided_at: formatTime(Date.now()),
      decision_id: newId('message'),
    };
    const refused = { status: 'failed', error: { code: 'policy.approval_unverified', category: 'policy' } };
    expect(await answersTo({ ...transfer, approval })).toMatchObject(Array(3).fill(refused));
  });

  test('N-001 one exchange succeeds over each binding: HTTP, server-sent events, WebSocket, signed peer HTTP and broker', async () => {
    const gateway = gateways[0] as HttpGateway;
    const http = await gateway.call('POST', '/aip/v1/messages', { token: TOKEN, body: actionEnvelope() });
    const { action_id: actionId } = http.body.body.action_result;
    const sse = await fetch(`${gateway.url}/aip/v1/actions/${actionId}/events?follow=true`, {
      headers: { authorization: `Bearer ${TOKEN}` },
    });
    expect([sse.headers.get('content-type'), await sse.text()]).toEqual([
      'text/event-stream',
      expect.stringContaining('event: aip.stream.terminal'),
    ]);
    const socket = await connectWebSocket(gateway.url, TOKEN);
    onTestFinished(socket.close);
    socket.send(actionEnvelope());
    await socket.waitFor('the answer', ({ frames }) => frames[0]?.body.action_result);
    const peer = openPeerClient({
      key: () => key,
      principal: CALLER,
      trustDomain: 'test',
      policy: destinationPolicy({ hosts: ['127.0.0.1'], allowHttp: true, allowPrivate: true, registryBound: false }),
    });
    onTestFinished(peer.close);
    const answer = await peer.send(actionEnvelope(), {
      url: `${gateway.url}/aip/v1/messages`,
      principal: GATEWAY,
      did: gatewayDid,
    });
    expect(answer.body).toHaveProperty('action_result');
    expect((await client().request(actionEnvelope(), target())).body).toHaveProperty('action_result');
  });

  test('N-432 a request waits 30 seconds by default: an answer before that is used, a later one is not', async () => {
    const held: Msg[] = [];
    const subscription = nats.subscribe('slow.service', { callback: (_error, message) => void held.push(message) });
    onTestFinished(() => subscription.unsubscribe());
    await nats.flush();
    const started = performance.now();
    const slow = { subject: 'slow.service', peer: { principal: PEER, did: key.did } };
    const late = client().request(actionEnvelope(), slow);
    const lateEnd = late.then(
      () => 'answered',
      (error) => error,
    );
    await until('the first request is held', () => held.length === 1);
    const inTime = client().request(actionEnvelope(), slow);
    await until('the second request is held', () => held.length === 2);
    await until('ten seconds have passed', () => performance.now() - started > 10_000);
    const request = decodeEnvelope(JSON.parse((held[1] as Msg).string()).envelope);
    const reply = replyEnvelope(
      request,
      { heartbeat_ack: { sequence: 1, received_at: formatTime(Date.now()) } },
      { clock: Date.now, from: PEER },
    );
    held[1]?.respond(frameOf(await signEnvelope(reply, PEER, key)).payload);
    expect((await inTime).body).toHaveProperty('heartbeat_ack');
    expect(await lateEnd).toMatchObject({
      code: 'runtime.handler_failed',
      message: expect.stringContaining('did not answer within 30000 ms'),
      reached: true,
    });
    expect(performance.now() - started).toBeGreaterThan(29_900);
    held[0]?.respond('{}');
    const nobody = client().request(actionEnvelope(), { ...target(), subject: 'nobody.there' });
    await expect(nobody).rejects.toMatchObject({ reached: false });
  }, 90_000);

  test('an action that comes over the broker keeps the trace of its headers, whatever their case', async () => {
    const trace = '4bf92f3577b34da6a3ce929d0e0e4736';
    for (const name of ['traceparent', 'Traceparent']) {
      const envelope = await signedAction();
      const { payload, headers } = frameOf(envelope);
      headers.set(name, `00-${trace}-00f067aa0ba902b7-01`);
      await nats.request(subject('grouped', envelope), payload, { headers, timeout: 30_000 });
      const { rows } = await pool.query<{ observability: object }>(
        `SELECT request->'observability' AS observability FROM runtime.actions WHERE action_id = $1`,
        [(envelope.body as { action: Action }).action.id],
      );
      expect(rows[0]?.observability).toMatchObject({ trace_id: trace, span_id: '00f067aa0ba902b7' });
    }
  });

  test('a delegation whose capability has a broker route goes to its peer over the broker, signed, and its answer is the result', async () => {
    const heard: Envelope[] = [];
    const answerFrom = async (message: Msg): Promise<void> => {
      const request = decodeEnvelope(JSON.parse(message.string()).envelope);
      heard.push(request);
      const asked = (request.body as { delegation_request: DelegationRequest }).delegation_request;
      const { delegation_id, parent_action_id, child_action } = asked;
      const result = { action_id: child_action.id, status: 'completed', output: { hits: 2 } };
      const answered = {
        delegation_id,
        parent_action_id,
        child_action_id: child_action.id,
        status: 'completed',
        result,
      };
      const reply = replyEnvelope(request, { delegation_result: answered } as never, { clock: Date.now, from: PEER });
      message.respond(frameOf(await signEnvelope(reply, PEER, key)).payload);
    };
    const subscription = nats.subscribe('library.requests', {
      callback: (_error, message) => void answerFrom(message),
    });
    onTestFinished(() => subscription.unsubscribe());
    await nats.flush();
    const gateway = await startListening('delegating', undefined, {
      AIP_GATEWAY_DELEGATION_NATS_ROUTES: `cap:kb:search=${server.url},library.requests,${PEER.id},${key.did},20000,library`,
      AIP_GATEWAY_DELEGATION_ALLOW_HTTP: 'true',
      AIP_GATEWAY_DELEGATION_ALLOW_PRIVATE_NETWORKS: 'true',
    });
    onTestFinished(gateway.stop);
    const send = (body: Body) =>
      gateway.call('POST', '/aip/v1/messages', { token: TOKEN, body: newEnvelope(body, {}, { clock: Date.now }) });
    const answer = await send(delegationOf('cap:kb:search'));
    expect(answer.body.body.delegation_result).toMatchObject({ status: 'completed', result: { output: { hits: 2 } } });
    expect(heard).toHaveLength(1);
    expect(await verifyEnvelope(heard[0] as Envelope)).toBe(gatewayDid);
    expect(heard[0]?.to).toEqual({ id: PEER.id, kind: PEER.kind });
    const elsewhere = await send(delegationOf('cap:kb:other'));
    expect([elsewhere.status, errorOf(elsewhere).code]).toEqual([401, 'delegation.target_mismatch']);
  });

  test('a delegation whose peer does not answer within NATS_REQUEST_TIMEOUT_MS is running, and is sent again', async () => {
    const heard = await wiretap('library.silent');
    const gateway = await startListening('impatient', undefined, {
      AIP_GATEWAY_DELEGATION_NATS_ROUTES: `cap:kb:search=${server.url},library.silent,${PEER.id},${key.did}`,
      AIP_GATEWAY_DELEGATION_ALLOW_HTTP: 'true',
      AIP_GATEWAY_DELEGATION_ALLOW_PRIVATE_NETWORKS: 'true',
      AIP_GATEWAY_NATS_REQUEST_TIMEOUT_MS: '200',
    });
    onTestFinished(gateway.stop);
    const sent = delegationOf('cap:kb:search');
    const answer = await gateway.call('POST', '/aip/v1/messages', {
      token: TOKEN,
      body: newEnvelope(sent, {}, { clock: Date.now }),
    });
    expect(answer.body.body.delegation_result.status).toBe('running');
    await until('it is sent again', () => heard.length > 1);
    const ids = heard.map((message) => decodeEnvelope(JSON.parse(message.string()).envelope).body);
    const { delegation_id } = sent.delegation_request;
    expect(ids[1]).toMatchObject({ delegation_request: { delegation_id } });
    const { rows } = await pool.query<{ message: string }>(
      `SELECT record->'data'->'error'->>'message' AS message FROM runtime.events
       WHERE kind = 'aip.delegation.delivery_retry_scheduled' AND record->'data'->>'delegation_id' = $1 ORDER BY xid, seq LIMIT 1`,
      [delegation_id],
    );
    expect(rows[0]?.message).toContain('did not answer within 200 ms');
  });

  test('a broker route to an address outside the public internet delivers nothing unless private networks are allowed', async () => {
    const heard = await wiretap('library.>');
    const gateway = await startListening('guarded', undefined, {
      AIP_GATEWAY_DELEGATION_NATS_ROUTES: `cap:kb:search=${server.url},library.requests,${PEER.id},${key.did}`,
      AIP_GATEWAY_DELEGATION_ALLOW_HTTP: 'true',
    });
    onTestFinished(gateway.stop);
    const answer = await gateway.call('POST', '/aip/v1/messages', {
      token: TOKEN,
      body: newEnvelope(delegationOf('cap:kb:search'), {}, { clock: Date.now }),
    });
    const { status, error } = answer.body.body.delegation_result;
    expect([status, error.code]).toEqual(['failed', 'auth.not_authorized']);
    expect(heard).toEqual([]);
  });

  test('an answer of another sender, or of another request, is not taken', async () => {
    const answers = ['{}', JSON.stringify(actionEnvelope())];
    const forged = newEnvelope({ heartbeat_ack: { sequence: 1 } } as never, {}, { clock: Date.now });
    answers.push(JSON.stringify(await signEnvelope(forged, GATEWAY, stranger)));
    for (const answer of answers) {
      const subscription = nats.subscribe('forged.service', {
        callback: (_error, message) => void message.respond(answer),
      });
      await nats.flush();
      await expect(client().request(actionEnvelope(), { ...target(), subject: 'forged.service' })).rejects.toThrow();
      subscription.unsubscribe();
    }
  });

  test('N-498 the broker has no persistent stream after all of this', async () => {
    const names = await nats.request('$JS.API.STREAM.NAMES', '', { timeout: 30_000 });
    expect(JSON.parse(names.string())).toMatchObject({ total: 0, streams: null });
  });

  test('N-271 the gauge shows the listener up, down while the broker is away and up when it is back; no action is lost', async () => {
    const gateway = gateways[0] as HttpGateway;
    const listening = async (): Promise<string | undefined> =>
      /^aip_nats_listener_up (\d)$/m.exec(await (await fetch(`${gateway.url}/metrics`)).text())?.[1];
    const ready = async (): Promise<number> => (await fetch(`${gateway.url}/ready`)).status;
    expect([await listening(), await ready()]).toEqual(['1', 200]);
    const envelope = await signedAction({ mode: 'async' });
    const { id } = (envelope.body as { action: Action }).action;
    expect((await ask(envelope)).body).toMatchObject({ ack: { status: 'queued' } });
    await server.kill();
    await until('the listener is down', async () => (await listening()) === '0' && (await ready()) === 503);
    await until('the action has ended all the same', async () => {
      const status = await gateway.call('GET', `/aip/v1/actions/${id}`, { token: TOKEN });
      return status.body.state === 'completed';
    });
    await server.start();
    await until('the listener is back', async () => (await listening()) === '1' && (await ready()) === 200);
    await until('a request is answered', async () => {
      const sent = await signedAction();
      return 'action_result' in (await ask(sent, 'grouped', frameOf(sent).payload, 500)).body;
    });
  });

  test('a gateway that starts while the broker is away waits for it', async () => {
    await server.kill();
    const gateway = await startListening('late');
    onTestFinished(gateway.stop);
    expect((await fetch(`${gateway.url}/ready`)).status).toBe(503);
    await server.start();
    await until('it is ready', async () => (await fetch(`${gateway.url}/ready`)).ok);
    await until('a request is answered', async () => {
      const sent = await signedAction();
      return 'action_result' in (await ask(sent, 'late', frameOf(sent).payload, 500)).body;
    });
  });

  test('a gateway without a broker shows no listener gauge and is ready', async () => {
    const gateway = await startHttpGateway({ databaseUrl: database.url });
    onTestFinished(gateway.stop);
    expect(await (await fetch(`${gateway.url}/metrics`)).text()).not.toContain('aip_nats_listener_up');
    expect((await fetch(`${gateway.url}/ready`)).status).toBe(200);
  });

  /** A delegation to a delegate that has no route of its own. */
  function delegationOf(capability_id: string): { delegation_request: DelegationRequest } {
    return {
      delegation_request: {
        delegation_id: newId('delegation'),
        parent_action_id: newId('action'),
        child_action: { id: newId('action'), capability_id, input: { q: 'returns' } },
        requested_by: { id: CALLER.id, kind: CALLER.kind },
        delegate: { id: 'agent:librarian', kind: 'agent' },
        scope: 'kb:read',
      },
    };
  }

  /** The signed client of the caller. */
  function client(): BrokerClient {
    const connection = openBrokerConnection({ address: { servers: [server.url] }, name: 'caller', log });
    onTestFinished(connection.close);
    return openBrokerClient({ connection, signer: () => ({ principal: CALLER, key }) });
  }

  function target() {
    return { subject: 'aip.v1.test.grouped.v1.aip_core_v1_action', peer: { principal: GATEWAY, did: gatewayDid } };
  }
});
