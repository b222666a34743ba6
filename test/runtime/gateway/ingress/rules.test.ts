import { describe, expect, test } from 'vitest';
import { checkSentAt } from '#runtime/gateway/ingress/checks.js';
import { decideChunk, type StreamPosition } from '#runtime/gateway/ingress/chunks/order.js';
import { enrichEvent } from '#runtime/gateway/ingress/events/enrich.js';
import { sameContent } from '#runtime/gateway/ingress/events/equivalence.js';
import { DEFAULT_INGRESS_LIMITS, readIngressLimits } from '#runtime/gateway/ingress/limits.js';
import type { Envelope } from '#runtime/protocol/envelope.js';
import { parseJson } from '#runtime/protocol/json.js';
import { formatTime } from '#runtime/protocol/time.js';
import type { ConnectorEventRoute, Event, Principal, StreamChunk } from '#runtime/protocol/types.js';
import { env, StartupRefused } from '#runtime/transport/settings/env.js';

const NOW = Date.UTC(2026, 0, 2);
const FROM: Principal = { id: 'service:host-a', kind: 'service', trust_domain: 'fleet.test', did: 'did:key:z6Mkhost' };
const ROUTE: ConnectorEventRoute = {
  tenant_id: 'tenant-a',
  instance_id: 'cinst_a',
  replica_id: 'crepl_a',
  version_id: 'cver_a',
  manifest_digest: `sha256:${'ab'.repeat(32)}`,
  lease_sequence: 3,
  channel_id: 'news',
};
const event = (over: Partial<Event> = {}): Event => ({
  id: 'evt_1',
  kind: 'demo.message',
  occurred_at: formatTime(NOW),
  data: { text: 'hello' },
  ...over,
});
const enrich = (over: Partial<Event> = {}, route = ROUTE) =>
  enrichEvent(event(over), route, FROM, DEFAULT_INGRESS_LIMITS, NOW);

describe('bounds read at the start', () => {
  const read = (values: Record<string, string>) =>
    readIngressLimits(
      env('', Object.fromEntries(Object.entries(values).map(([name, value]) => [`CONNECTOR_${name}`, value]))),
    );

  test('without configuration the bounds are those of the contract', () => {
    expect(read({})).toEqual({
      maxEnvelopeBytes: 4_194_304,
      maxEventsPerEnvelope: 100,
      maxEventBytes: 262_144,
      maxChunkBytes: 262_144,
      maxInFlight: 128,
      maxAgeMs: 86_400_000,
      maxFutureSkewMs: 300_000,
      callbackMaxAgeMs: 300_000,
    });
  });

  test('F-290 takes 1 to 1000 events per envelope and refuses 0 and 1001', () => {
    for (const count of [1, 1000]) {
      expect(read({ EVENT_MAX_EVENTS_PER_ENVELOPE: String(count) }).maxEventsPerEnvelope).toBe(count);
    }
    for (const count of ['0', '1001'])
      expect(() => read({ EVENT_MAX_EVENTS_PER_ENVELOPE: count })).toThrow(StartupRefused);
  });

  test('F-292 refuses an event bound above the envelope bound and takes an equal one', () => {
    const bounds = { EVENT_MAX_ENVELOPE_BYTES: '1000', STREAM_MAX_CHUNK_BYTES: '1000' };
    expect(read({ ...bounds, EVENT_MAX_EVENT_BYTES: '1000' }).maxEventBytes).toBe(1000);
    expect(() => read({ ...bounds, EVENT_MAX_EVENT_BYTES: '1001' })).toThrow(StartupRefused);
  });

  test('F-294 refuses a chunk bound above the envelope bound and takes an equal one', () => {
    const bounds = { EVENT_MAX_ENVELOPE_BYTES: '1000', EVENT_MAX_EVENT_BYTES: '1000' };
    expect(read({ ...bounds, STREAM_MAX_CHUNK_BYTES: '1000' }).maxChunkBytes).toBe(1000);
    expect(() => read({ ...bounds, STREAM_MAX_CHUNK_BYTES: '1001' })).toThrow(StartupRefused);
  });

  test('no bound may be zero', () => {
    const names =
      'EVENT_MAX_ENVELOPE_BYTES EVENT_MAX_EVENT_BYTES EVENT_MAX_IN_FLIGHT EVENT_MAX_AGE_SECONDS STREAM_CALLBACK_MAX_AGE_SECONDS';
    for (const name of names.split(' ')) expect(() => read({ [name]: '0' }), name).toThrow(StartupRefused);
  });
});

describe('enrichment of one event', () => {
  test('gives the signed host as actor, the tenant and the provenance, and keeps what was there', () => {
    expect(enrich({ data: { text: 'hello', identity: { tenant: { system: 'crm' }, session: 1 } } })).toEqual({
      ...event(),
      actor: FROM,
      data: {
        text: 'hello',
        identity: { tenant: { system: 'crm', id: 'tenant-a' }, session: 1 },
        aip_connector: {
          instance_id: 'cinst_a',
          replica_id: 'crepl_a',
          version_id: 'cver_a',
          channel_id: 'news',
          lease_sequence: 3,
        },
      },
    });
    expect(enrich({ data: undefined }).data).toHaveProperty('aip_connector');
  });

  test.each([
    ['another actor', { actor: { id: 'service:host-b', kind: 'service' as const } }, 'connector_event.not_authorized'],
    ['another tenant', { data: { identity: { tenant: { id: 'tenant-b' } } } }, 'connector_event.not_authorized'],
    ['another connector', { data: { aip_connector: { instance_id: 'cinst_b' } } }, 'connector_event.not_authorized'],
    ['data that is a list', { data: [] }, 'connector_event.invalid'],
    ['data that is null', { data: null }, 'connector_event.invalid'],
    ['an identity that is a text', { data: { identity: 'x' } }, 'connector_event.invalid'],
    ['a tenant that is a text', { data: { identity: { tenant: 'x' } } }, 'connector_event.invalid'],
    ['a blank kind', { kind: ' ' }, 'connector_event.invalid'],
    ['a kind of 257 bytes', { kind: 'k'.repeat(257) }, 'connector_event.invalid'],
    ['an id that streams own', { id: `evt_stream_${'0'.repeat(64)}` }, 'connector_event.invalid'],
    ['an id that approvals own', { id: 'evt_appr_1_approved_decision' }, 'connector_event.invalid'],
    ['an id with a line end', { id: 'evt_1\n' }, 'connector_event.invalid'],
    ['a kind that ends a follower’s stream', { kind: 'aip.stream.terminal' }, 'connector_event.invalid'],
    ['a kind that is a frame of errors', { kind: 'aip.error' }, 'connector_event.invalid'],
    ['a kind that tells of a result', { kind: 'aip.action.result' }, 'connector_event.invalid'],
    ['a kind that tells of an approval', { kind: 'aip.approval.granted' }, 'connector_event.invalid'],
    ['an empty id', { id: '' }, 'connector_event.invalid'],
    ['a time more than 300 s ahead', { occurred_at: formatTime(NOW + 300_001) }, 'connector_event.invalid'],
  ])('refuses %s', (_what, over, code) => {
    expect(() => enrich(over as Partial<Event>)).toThrow(expect.objectContaining({ code }));
  });

  test('takes the actor and the marks that it would set itself, any past time, and 256 bytes of kind', () => {
    const first = enrich({ kind: 'k'.repeat(256), occurred_at: '1999-01-01T00:00:00Z' });
    expect(enrich(first)).toEqual(first);
  });

  test('F-291 takes an enriched event of 262144 bytes and refuses one byte more', () => {
    const empty = Buffer.byteLength(JSON.stringify(enrich({ data: { text: '' } })));
    const room = 262_144 - empty;
    expect(Buffer.byteLength(JSON.stringify(enrich({ data: { text: 'x'.repeat(room) } })))).toBe(262_144);
    expect(() => enrich({ data: { text: 'x'.repeat(room + 1) } })).toThrow(
      expect.objectContaining({ code: 'connector_event.invalid' }),
    );
  });

  test('keeps number tokens and hides members that may hold secrets', () => {
    const data = parseJson('{"price":1.0,"api_key":"k","nested":{"token":"t"}}');
    expect(JSON.stringify(enrich({ data }).data)).toMatch(
      /^\{"price":1\.0,"api_key":\{"redacted":true\},"nested":\{"token":\{"redacted":true\}\}/,
    );
  });
});

test('a provider may name its events as it likes, also like messages of a channel', () => {
  for (const kind of [
    'chatwoot.channel_message',
    'aip.channel.message_created',
    'aip.actions',
    'aip.errors',
    'x.aip.error',
  ])
    expect(enrich({ kind }).kind).toBe(kind);
});

describe('age of an envelope', () => {
  const sent = (ms: number) => ({ sent_at: formatTime(NOW + ms) }) as Envelope;
  const { maxAgeMs, maxFutureSkewMs, callbackMaxAgeMs } = DEFAULT_INGRESS_LIMITS;
  const check = (ms: number, age: number) => () => checkSentAt(sent(ms), NOW, age, maxFutureSkewMs);

  test.each([
    ['F-296', maxAgeMs],
    ['F-298', callbackMaxAgeMs],
  ])('%s an envelope of exactly %i ms is taken, one millisecond more is not', (_id, age) => {
    for (const ms of [-age + 1, -age]) expect(check(ms, age)).not.toThrow();
    expect(check(-age - 1, age)).toThrow(expect.objectContaining({ code: 'connector_event.invalid' }));
  });

  test('F-297 an envelope and an event exactly 300000 ms ahead are taken, one millisecond more is not', () => {
    for (const ms of [299_999, 300_000]) {
      expect(check(ms, maxAgeMs)).not.toThrow();
      expect(enrich({ occurred_at: formatTime(NOW + ms) })).toHaveProperty('actor');
    }
    expect(check(300_001, maxAgeMs)).toThrow(expect.objectContaining({ code: 'connector_event.invalid' }));
    expect(() => enrich({ occurred_at: formatTime(NOW + 300_001) })).toThrow(
      expect.objectContaining({ code: 'connector_event.invalid' }),
    );
  });
});

describe('equal content', () => {
  const stored = enrich();

  test('F-227 another lease sequence, replica, version or actor does not make another event', () => {
    const route = { ...ROUTE, replica_id: 'crepl_b', version_id: 'cver_b', lease_sequence: 9 };
    const again = enrichEvent(event(), route, { ...FROM, id: 'service:host-b' }, DEFAULT_INGRESS_LIMITS, NOW);
    expect(sameContent(stored, again)).toBe(true);
  });

  test.each([
    ['kind', { kind: 'demo.other' }],
    ['time', { occurred_at: formatTime(NOW - 1) }],
    ['session', { session_id: 'sess_1' }],
    ['action', { action_id: 'act_1' }],
    ['correlation', { correlation_id: 'corr_1' }],
    ['data', { data: { text: 'hullo' } }],
    ['number form', { data: { text: 'hello', n: parseJson('1.0') } }],
  ])('F-228 another %s makes another event', (_what, over) => {
    expect(sameContent(stored, enrich(over as Partial<Event>))).toBe(false);
  });

  test('F-228 another instance or channel makes another event', () => {
    expect(sameContent(stored, enrich({}, { ...ROUTE, instance_id: 'cinst_b' }))).toBe(false);
    expect(sameContent(stored, enrich({}, { ...ROUTE, channel_id: 'other' }))).toBe(false);
  });

  test('an event stored before its original actor was kept matches one that names it', () => {
    const upstream = { id: 'contact:1', kind: 'contact' as const };
    const old = { ...stored, actor: upstream };
    expect(sameContent(old, enrich({ data: { text: 'hello', upstream_actor: upstream } }))).toBe(true);
    expect(
      sameContent(old, enrich({ data: { text: 'hello', upstream_actor: { ...upstream, id: 'contact:2' } } })),
    ).toBe(false);
  });
});

describe('order of chunks', () => {
  const chunk = (sequence: number, over: Partial<StreamChunk> = {}): StreamChunk => ({
    action_id: 'act_1',
    sequence,
    kind: 'data',
    data: { n: sequence },
    ...over,
  });
  const at = (over: Partial<StreamPosition> = {}): StreamPosition => ({
    mode: 'streaming',
    state: 'streaming',
    lastSequence: 4,
    lastKind: 'data',
    ...over,
  });

  test('stores a rising sequence, with gaps, from any start, while the action is being executed', () => {
    expect(decideChunk(chunk(0), at({ lastSequence: null, lastKind: null, state: 'running' }), undefined)).toBe(
      'store',
    );
    expect(decideChunk(chunk(7), at(), undefined)).toBe('store');
    expect(decideChunk(chunk(5), at({ state: 'cancelling' }), undefined)).toBe('store');
  });

  test('the same content again is a replay, also under the highest sequence and after done', () => {
    expect(decideChunk(chunk(4), at(), chunk(4))).toBe('replay');
    expect(decideChunk(chunk(2), at(), chunk(2))).toBe('replay');
    expect(decideChunk(chunk(4, { kind: 'done' }), at({ lastKind: 'done' }), chunk(4, { kind: 'done' }))).toBe(
      'replay',
    );
  });

  test.each([
    ['other content under a stored sequence', chunk(4, { data: { n: 'x' } }), at(), chunk(4)],
    ['another kind under a stored sequence', chunk(4, { kind: 'done' }), at(), chunk(4)],
    ['a lower sequence that was never stored', chunk(3), at(), undefined],
    ['anything after done', chunk(5), at({ lastKind: 'done' }), undefined],
    ['anything after error', chunk(5), at({ lastKind: 'error' }), undefined],
    ['an unknown action', chunk(0), undefined, undefined],
    ['an action of another mode', chunk(5), at({ mode: 'sync' }), undefined],
    ['an action that waits', chunk(5), at({ state: 'queued' }), undefined],
    ['an action that waits for approval', chunk(5), at({ state: 'pending_approval' }), undefined],
    ['a completed action', chunk(5), at({ state: 'completed' }), undefined],
    ['a cancelled action, also a replay', chunk(4), at({ state: 'cancelled' }), chunk(4)],
  ])('refuses %s', (_what, item, position, stored) => {
    expect(decideChunk(item, position, stored)).toHaveProperty('refused');
  });
});
