import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect as connectBroker, type NatsConnection } from '@nats-io/transport-node';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { decodeEnvelope, type Envelope, newEnvelope, signEnvelope } from '#runtime/protocol/envelope.js';
import { newId } from '#runtime/protocol/ids.js';
import { newSeedHex, signingKeyFromSeed } from '#runtime/protocol/signing.js';
import { formatTime } from '#runtime/protocol/time.js';
import type { Body, MessageType } from '#runtime/protocol/types.js';
import { requestSubject } from '#runtime/transport/nats/subjects.js';
import { freshDatabase } from '../../../support/database.ts';
import { until } from '../../../support/until.ts';
import { NATS_SERVER, type NatsServer, startNatsServer } from '../endpoints/broker/nats-server.ts';
import { type Client, connect } from '../endpoints/websocket/client.ts';
import { actionEnvelope, type HttpGateway, startHttpGateway, TOKEN } from '../support/gateway.ts';

/** The same messages each time; AIP_FUZZ_SEED and AIP_FUZZ_RUNS choose others. */
const SEED = Number(process.env.AIP_FUZZ_SEED ?? 20_260_301);
const RUNS = Number(process.env.AIP_FUZZ_RUNS ?? 100);
const CALLER = { id: 'agent:caller', kind: 'agent' as const };
const GATEWAY = { id: 'service:aip-gateway', kind: 'service' as const };
const key = signingKeyFromSeed(newSeedHex());

/** Bodies that a gateway takes, before anything is changed in them. */
const BODIES: readonly (() => Body)[] = [
  () => actionEnvelope().body as Body,
  () =>
    actionEnvelope({ mode: 'async', idempotency: { key: newId('action'), scope: 'principal' } } as never).body as Body,
  () => ({ action_list_request: { limit: 5 } }) as Body,
  () => ({ action_status_request: { action_id: newId('action') } }) as Body,
  () => ({ event_stream_request: { limit: 5 } }) as Body,
  () => ({ manifest_request: {} }) as Body,
  () => ({ audit_query_request: { limit: 5 } }) as Body,
  () => ({ cancel: { target: { action: newId('action') }, reason: 'not needed' } }) as Body,
  () => ({ heartbeat: { sequence: 1 } }) as Body,
  () =>
    ({
      delegation_request: {
        delegation_id: newId('delegation'),
        parent_action_id: newId('action'),
        delegate: GATEWAY,
        requested_by: CALLER,
        scope: 'x',
        child_action: { id: newId('action'), capability_id: 'cap:aip:server:health', input: {} },
      },
    }) as Body,
  () =>
    ({
      event_stream: { events: [{ id: newId('event'), kind: 'fuzz', occurred_at: formatTime(Date.now()), data: {} }] },
    }) as Body,
  () =>
    ({
      stream_chunk: { action_id: newId('action'), sequence: 1, kind: 'data', data: { n: 1 } },
    }) as unknown as Body,
];

/** Values that parsers, storage and languages disagree about. */
const EXTREMES: readonly unknown[] = [
  null,
  '',
  'a\u0000b',
  '\ud800',
  'x'.repeat(70_000),
  -1,
  2 ** 53,
  1e308,
  0.1,
  true,
  [],
  {},
  '2026-02-30T25:61:61Z',
  'did:key:z6Mk',
  JSON.parse('{"__proto__":{"polluted":true},"constructor":1}'),
  JSON.parse(`${'['.repeat(200)}${']'.repeat(200)}`),
];

interface Edit {
  readonly at: number;
  readonly how: 'replace' | 'remove' | 'add';
  readonly value: unknown;
}
const edit: fc.Arbitrary<Edit> = fc.record({
  at: fc.nat(),
  how: fc.constantFrom('replace', 'remove', 'add'),
  value: fc.oneof(fc.constantFrom(...EXTREMES), fc.jsonValue({ maxDepth: 3 })),
});
interface Message {
  readonly body: number;
  readonly isSigned: boolean;
  readonly edits: readonly Edit[];
  /** Where the text ends before its end. */
  readonly cut: number | null;
}
const messages: fc.Arbitrary<Message> = fc.record({
  body: fc.nat(BODIES.length - 1),
  isSigned: fc.boolean(),
  edits: fc.array(edit, { maxLength: 3 }),
  cut: fc.option(fc.nat(), { freq: 8 }),
});

/** Every object and array in a value. */
function containers(value: unknown): Record<string, unknown>[] {
  if (typeof value !== 'object' || value === null) return [];
  return [value as Record<string, unknown>, ...Object.values(value).flatMap(containers)];
}

function edited(envelope: unknown, { at, how, value }: Edit): void {
  const places = containers(envelope).flatMap((each) => Object.keys(each).map((name) => ({ each, name })));
  const place = places[at % places.length];
  if (!place) return;
  if (how === 'remove') delete place.each[place.name];
  else place.each[how === 'add' ? `${place.name}_more` : place.name] = value;
}

/** The text of a message, and the type that it had before it was changed. */
async function textOf({ body, isSigned, edits, cut }: Message): Promise<{ text: string; type: MessageType }> {
  const make = BODIES[body] as () => Body;
  const plain = newEnvelope(make(), { to: GATEWAY }, { clock: Date.now });
  const envelope = structuredClone(isSigned ? await signEnvelope(plain, CALLER, key) : plain);
  for (const each of edits) edited(envelope, each);
  const text = JSON.stringify(envelope);
  return { text: cut === null ? text : text.slice(0, cut % text.length), type: plain.message_type };
}

let folder: string;
let database: Awaited<ReturnType<typeof freshDatabase>>;
let broker: NatsServer | undefined;
let nats: NatsConnection | undefined;
let gateway: HttpGateway;
let socket: Client;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'aip-fuzz-'));
  await writeFile(join(folder, 'seed'), newSeedHex(), { mode: 0o600 });
  broker = NATS_SERVER === undefined ? undefined : await startNatsServer();
  database = await freshDatabase();
  gateway = await startHttpGateway({
    databaseUrl: database.url,
    signers: [{ signer_did: key.did, principal_id: CALLER.id, scopes: ['*'], tenant_id: 'acme' }],
    env: {
      AIP_GATEWAY_CONNECTOR_REGISTRY_URL: database.url,
      AIP_GATEWAY_CONNECTOR_FLEET_SIGNING_SEED_FILE: join(folder, 'seed'),
      AIP_GATEWAY_CONNECTOR_FLEET_TRUST_REGISTRY_ENDPOINTS: 'true',
      ...(broker && { AIP_GATEWAY_NATS_URL: broker.url }),
    },
  });
  nats = broker && (await connectBroker({ servers: broker.url }));
  socket = await connect(gateway.url, TOKEN);
  await until('the gateway is ready', async () => (await fetch(`${gateway.url}/ready`)).ok);
});
afterAll(async () => {
  await socket?.close();
  await nats?.close();
  await gateway?.stop();
  await database?.drop();
  await broker?.stop();
  if (folder) await rm(folder, { recursive: true, force: true });
});

/** Codes by which a gateway says that something broke. */
const BROKEN = ['runtime.handler_failed', 'storage.unavailable', 'connector_event.unavailable'];
const codeOf = (envelope: Envelope): string | undefined =>
  (envelope.body as { error?: { error: { code: string } } }).error?.error.code;

function expectAnswer(answer: unknown, status = 200): void {
  const code = codeOf(decodeEnvelope(answer));
  expect(status < 500 ? status : `${status} ${code}`).toBe(status);
  expect(BROKEN).not.toContain(code);
}

async function post(path: string, text: string, token?: string): Promise<void> {
  const response = await fetch(gateway.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) },
    body: text,
  });
  expectAnswer(await response.json(), response.status);
}

const witness = async (): Promise<void> => {
  const { status, body } = await gateway.call('POST', '/aip/v1/messages', { token: TOKEN, body: actionEnvelope() });
  expect([status, body.body.action_result?.status]).toEqual([200, 'completed']);
};
const runs = (send: (text: string, type: MessageType) => Promise<void>): Promise<void> =>
  fc.assert(
    fc.asyncProperty(messages, async (message) => {
      const { text, type } = await textOf(message);
      await send(text, type);
    }),
    { numRuns: RUNS, seed: SEED },
  );

describe('whatever arrives is answered with an envelope, breaks nothing, and leaves the gateway at work', () => {
  test.each([
    ['/aip/v1/messages', TOKEN],
    ['/aip/v1/messages', undefined],
    ['/aip/v1/actions', TOKEN],
    ['/aip/v1/connector-events', undefined],
    ['/aip/v1/connector-callbacks', undefined],
  ])('over HTTP at %s, with the bearer %s', async (path, token) => {
    await runs((text) => post(path, text, token));
    await witness();
  });

  test('over a WebSocket', async () => {
    await runs(async (text) => {
      const before = socket.frames.length;
      socket.socket.send(text);
      await socket.waitFor('the frame is answered', ({ frames }) => frames.length > before);
      expectAnswer(socket.frames.at(-1));
    });
    await witness();
  });

  test.skipIf(NATS_SERVER === undefined)('over the message broker', async () => {
    await runs(async (text, type) => {
      const subject = requestSubject({ trustDomain: 'test', service: 'aip-gateway', version: 'v1' }, type);
      const message = await nats?.request(subject, text, { timeout: 60_000 });
      expectAnswer((JSON.parse(message?.string() ?? '') as { envelope: unknown }).envelope);
    });
    await witness();
  });
});
