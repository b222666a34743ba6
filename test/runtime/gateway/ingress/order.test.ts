import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { formatTime } from '#runtime/protocol/time.js';
import type { Event } from '#runtime/protocol/types.js';
import { until } from '../../../support/until.ts';
import {
  CALLBACKS,
  CENTRAL,
  chunkOf,
  EVENTS,
  eventsOf,
  holdEventLog,
  newEvent,
  openTestbed,
  post,
  signed,
  type Testbed,
  type TestHost,
} from './testbed.ts';

let testbed: Testbed;
let host: TestHost;
beforeAll(async () => {
  testbed = await openTestbed();
  host = await testbed.host();
});
afterAll(() => testbed.close());

/** An envelope with two faults; the code of the earlier check is the answer. */
type Fault = () => Promise<unknown>;

const UNAUTHORIZED = 'connector_event.not_authorized';
const INVALID = 'connector_event.invalid';
const old = { sent_at: formatTime(Date.now() - 90_000_000) };
const late = (): Event => newEvent({ occurred_at: formatTime(Date.now() + 400_000) });
const foreign = (): Event => newEvent({ actor: { id: 'service:else', kind: 'service' } });
const elsewhere = { to: { ...CENTRAL, id: 'service:other' } };
const unsigned = async (envelope: Promise<object>): Promise<unknown> => ({ ...(await envelope), security: {} });

const events: [string, string, Fault][] = [
  [
    'schema before recipient',
    'schema.envelope.invalid',
    async () => ({ ...(await eventsOf(host, [newEvent()], { fields: elsewhere })), unknown: 1 }),
  ],
  [
    'decode before signature',
    'envelope.decode.invalid',
    async () => ({ ...((await unsigned(eventsOf(host, [newEvent()]))) as object), message_type: 'aip.core.v1.action' }),
  ],
  [
    'recipient before the kind of body',
    UNAUTHORIZED,
    () => signed(host, { heartbeat: { sequence: 1 } }, {}, elsewhere),
  ],
  ['signature before the kind of body', UNAUTHORIZED, () => unsigned(signed(host, { heartbeat: { sequence: 1 } }, {}))],
  ['the kind of body before the route', INVALID, () => signed(host, { heartbeat: { sequence: 1 } }, {})],
  ['signature before age', UNAUTHORIZED, () => unsigned(eventsOf(host, [newEvent()], { fields: old }))],
  ['route before age', UNAUTHORIZED, () => signed(host, { event_stream: { events: [newEvent()] } }, {}, old)],
  [
    'age before the replica',
    INVALID,
    () => eventsOf(host, [newEvent()], { fields: old, route: { replica_id: 'crepl_unknown' } }),
  ],
  ['the replica before the stream', UNAUTHORIZED, () => eventsOf(host, [], { route: { replica_id: 'crepl_unknown' } })],
  ['lease sequence before the stream', UNAUTHORIZED, () => eventsOf(host, [], { route: { lease_sequence: 999 } })],
  ['channel before the stream', UNAUTHORIZED, () => eventsOf(host, [], { route: { channel_id: 'else' } })],
  ['the stream before its events', INVALID, () => eventsOf(host, [foreign()], { cursor: 'c1' })],
  ['the events in their order', INVALID, () => eventsOf(host, [late(), foreign()])],
  ['the events in their order, the other way round', UNAUTHORIZED, () => eventsOf(host, [foreign(), late()])],
];

test.each(events)('the ingress checks %s', async (_what, code, fault) => {
  const before = await testbed.storedEvents();
  const answer = await post(testbed.url, EVENTS, await fault());
  expect(answer.code).toBe(code);
  expect(await testbed.storedEvents()).toEqual(before);
});

test('the ingress checks every event before the conflict of one', async () => {
  const known = newEvent();
  await post(testbed.url, EVENTS, await eventsOf(host, [known]));
  const answer = await post(testbed.url, EVENTS, await eventsOf(host, [{ ...known, data: { other: 1 } }, foreign()]));
  expect(answer.code).toBe(UNAUTHORIZED);
});

test('the ingress checks the route of a chunk before its age, its age and size before its assignment', async () => {
  const a = await testbed.streaming(host);
  const tooOld = { sent_at: formatTime(Date.now() - 400_000) };
  const huge = { data: 'x'.repeat(262_144) };
  const unassigned = { ...a, actionId: 'act_unassigned' };
  const faults: [string, Promise<unknown>][] = [
    [UNAUTHORIZED, chunkOf(host, a, {}, { route: { original_mode: 'sync' as 'streaming' }, fields: tooOld })],
    [UNAUTHORIZED, chunkOf(host, a, { action_id: 'act_else' }, { fields: tooOld })],
    [INVALID, chunkOf(host, unassigned, {}, { fields: tooOld })],
    [INVALID, chunkOf(host, unassigned, huge)],
    [UNAUTHORIZED, chunkOf(host, unassigned, {})],
  ];
  for (const [code, envelope] of faults) expect((await post(testbed.url, CALLBACKS, await envelope)).code).toBe(code);
  expect(await testbed.storedChunks(a.actionId)).toEqual([]);
});

test('F-295 the ingress looks for a free place before it trusts anybody, and after schema and decode', async () => {
  const url = await testbed.another({ maxInFlight: 1 });
  const release = await holdEventLog(testbed);
  const taking = post(url, EVENTS, await eventsOf(host, [newEvent()]));
  onTestFinished(async () => {
    await release();
    expect((await taking).status).toBe(200);
  });
  const stranger = await eventsOf(host, [newEvent()], { fields: elsewhere });
  const full = await until('the place is taken', async () => {
    const answer = await post(url, EVENTS, stranger);
    return answer.status === 503 && answer;
  });
  expect(full).toMatchObject({
    status: 503,
    code: 'connector_event.capacity',
    retryAfterMs: 100,
  });
  expect(await post(url, EVENTS, { ...stranger, unknown: 1 })).toMatchObject({
    status: 400,
    code: 'schema.envelope.invalid',
  });
  expect((await post(testbed.url, EVENTS, stranger)).code).toBe(UNAUTHORIZED);
});

test('F-290 an ingress that is set to 1000 events takes 999 and 1000 and refuses 1001; one that is set to 1 refuses 2', async () => {
  const [wide, narrow] = [
    await testbed.another({ maxEventsPerEnvelope: 1000 }),
    await testbed.another({ maxEventsPerEnvelope: 1 }),
  ];
  const many = (count: number) => Array.from({ length: count }, () => newEvent());
  for (const count of [999, 1000])
    expect((await post(wide, EVENTS, await eventsOf(host, many(count)))).events).toHaveLength(count);
  expect(await post(wide, EVENTS, await eventsOf(host, many(1001)))).toMatchObject({ status: 400, code: INVALID });
  expect((await post(narrow, EVENTS, await eventsOf(host, many(1)))).status).toBe(200);
  expect(await post(narrow, EVENTS, await eventsOf(host, many(2)))).toMatchObject({ status: 400, code: INVALID });
});

test('F-292 F-294 an ingress that is set to larger events and chunks takes them, up to its own bound', async () => {
  const wide = await testbed.another({ maxEventBytes: 1_048_576, maxChunkBytes: 1_048_576 });
  const large = newEvent({ data: { text: 'x'.repeat(1_000_000) } });
  expect(await post(wide, EVENTS, await eventsOf(host, [large]))).toMatchObject({
    status: 200,
    events: [{ id: large.id }],
  });
  const larger = newEvent({ data: { text: 'x'.repeat(1_048_576) } });
  expect(await post(wide, EVENTS, await eventsOf(host, [larger]))).toMatchObject({ status: 400, code: INVALID });
  const a = await testbed.streaming(host);
  expect((await post(wide, CALLBACKS, await chunkOf(host, a, { data: 'x'.repeat(1_000_000) }))).status).toBe(200);
  const chunk = await chunkOf(host, a, { sequence: 1, data: 'x'.repeat(1_048_576) });
  expect(await post(wide, CALLBACKS, chunk)).toMatchObject({ status: 400, code: INVALID });
});
