import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { openHostDatabase } from '#runtime/host/database.js';
import { EventUnpublishable } from '#runtime/host/outbox/normalize.js';
import { type Outbox, openOutbox } from '#runtime/host/outbox/outbox.js';
import type { Pool } from '#runtime/postgres/pool.js';
import { newId } from '#runtime/protocol/ids.js';
import type { Event } from '#runtime/protocol/types.js';
import { emptyDatabase } from '../../../support/database.ts';

const publisher = {
  principal: {
    id: 'agent:demo:test',
    kind: 'agent' as const,
    trust_domain: 'fleet.test',
    did: `did:key:z${'6'.repeat(47)}`,
  },
  tenantId: 'tenant-a',
  instanceId: 'cinst_a',
  replicaId: 'crepl_a',
  versionId: 'cver_a',
};
let now = Date.UTC(2026, 0, 2);
let database: Awaited<ReturnType<typeof emptyDatabase>>;
let pool: Pool;
let outbox: Outbox;
let other: Outbox;
beforeAll(async () => {
  database = await emptyDatabase();
  const { url } = database;
  pool = await openHostDatabase(() => ({ url }), 4);
  outbox = openOutbox({ pool, publisher, clock: () => now });
  other = openOutbox({ pool, publisher: { ...publisher, replicaId: 'crepl_b' }, clock: () => now });
});
afterAll(async () => {
  await pool?.close();
  await database?.drop();
});
afterEach(() => pool.query('DELETE FROM outbox'));

const event = (over: Partial<Event> = {}): Event => ({
  id: newId('event'),
  kind: 'demo.happened',
  occurred_at: '2026-07-09T00:00:00Z',
  data: { n: 1 },
  ...over,
});
const many = (count: number, over: () => Partial<Event> = () => ({})): Event[] =>
  Array.from({ length: count }, () => event(over()));

/** The event as the central server stores it. */
const stored = (one: Event): Event => ({
  ...one,
  actor: publisher.principal,
  data: {
    ...(one.data as object),
    identity: { tenant: { id: 'tenant-a' } },
    aip_connector: {
      instance_id: 'cinst_a',
      replica_id: 'crepl_a',
      version_id: 'cver_a',
      channel_id: 'news',
      lease_sequence: Number.MAX_SAFE_INTEGER,
    },
  },
});

test('P-169 a batch has 1 to 100 events', async () => {
  for (const count of [1, 99, 100]) await outbox.stage('news', many(count));
  for (const count of [0, 101]) await expect(outbox.stage('news', many(count))).rejects.toThrow(EventUnpublishable);
  expect(await outbox.counts()).toEqual({ pending: 3, parked: 0 });
});

test.each<[string, unknown]>([
  ['no kind', { kind: undefined }],
  ['a blank kind', { kind: ' ' }],
  ['a kind of 257 bytes', { kind: 'k'.repeat(257) }],
  ['a kind of the server', { kind: 'aip.action.result' }],
  ['an id of the server', { id: `evt_stream_${'0'.repeat(64)}` }],
  ['an id with a line end', { id: 'evt_1\n' }],
  ['no time', { occurred_at: undefined }],
  ['a time that is none', { occurred_at: 'yesterday' }],
  ['data that is a list', { data: [] }],
  ['an identity that is a text', { data: { identity: 'x' } }],
  [
    'two actors',
    { actor: { id: 'contact:1', kind: 'contact' }, data: { upstream_actor: { id: 'contact:2', kind: 'contact' } } },
  ],
])('an event that the central server can never take is refused at once: %s', async (_what, over) => {
  await expect(outbox.stage('news', [event(), event(over as Partial<Event>)])).rejects.toThrow(EventUnpublishable);
  expect(await outbox.counts()).toEqual({ pending: 0, parked: 0 });
});

test('P-033 P-126 the actor of the provider moves into the data, where the central server leaves it', async () => {
  const actor = { id: 'contact:1', kind: 'contact' as const };
  await outbox.stage('news', [event({ actor, data: undefined })]);
  const [batch] = await outbox.take(1);
  expect(batch?.events).toMatchObject([{ data: { upstream_actor: actor } }]);
  expect(batch?.events[0]).not.toHaveProperty('actor');
  await outbox.stage('news', batch?.events ?? []);
  expect((await outbox.counts()).pending).toBe(1);
});

test('P-128 the same channel and events are one batch; another channel, order or event another one', async () => {
  const [one, two] = [event(), event()];
  for (let n = 0; n < 3; n += 1) await outbox.stage('news', [one, two]);
  await other.stage('news', [one, two]);
  expect((await outbox.counts()).pending).toBe(1);
  await outbox.stage('mail', [one, two]);
  await outbox.stage('news', [two, one]);
  await outbox.stage('news', [one, { ...two, data: { n: 2 } }]);
  expect((await outbox.counts()).pending).toBe(4);
});

test('10000 batches may wait; the next one is refused, the same one again is not, and a place that is free is taken', async () => {
  await pool.query(
    `INSERT INTO outbox (instance_id, key, channel_id, events, created_at, next_attempt_at)
     SELECT 'cinst_a', 'k' || n, 'news', '[]', 0, 0 FROM generate_series(1, 9998) n`,
  );
  const last = event();
  await outbox.stage('news', [event()]);
  await outbox.stage('news', [last]);
  await expect(outbox.stage('news', [event()])).rejects.toMatchObject({
    code: 'connector.outbox_full',
    retryable: true,
    retryAfterMs: 1000,
  });
  await outbox.stage('news', [last]);
  expect(await outbox.counts()).toEqual({ pending: 10_000, parked: 0 });
  const [taken] = await outbox.take(1);
  await outbox.park(taken?.key as string, 'status 400');
  expect(await outbox.counts()).toEqual({ pending: 9999, parked: 1 });
  await outbox.stage('news', [event()]);
  await expect(outbox.stage('news', [event()])).rejects.toMatchObject({ code: 'connector.outbox_full' });
});

test('P-127 F-291 an event of 262144 bytes with the marks of its origin is staged; one byte more is refused at once', async () => {
  const empty = Buffer.byteLength(JSON.stringify(stored(event({ data: { text: '' } }))));
  const of = (bytes: number) => event({ data: { text: 'x'.repeat(bytes - empty) } });
  await outbox.stage('news', [of(262_143)]);
  await outbox.stage('news', [of(262_144)]);
  await expect(outbox.stage('news', [of(262_145)])).rejects.toThrow('too large');
  expect((await outbox.counts()).pending).toBe(2);
});

test('F-288 part: a batch that fits an envelope of 4 MiB is staged; a larger one is refused at once', async () => {
  const wide = () => ({ data: { text: 'x'.repeat(250_000) } });
  await outbox.stage('news', many(16, wide));
  await expect(outbox.stage('news', many(17, wide))).rejects.toThrow('fewer events');
});

test('a batch that is taken is nobody else’s for 30 seconds; its own replica may continue with it', async () => {
  await outbox.stage('news', [event()]);
  const [batch] = await outbox.take(10);
  now += 29_999;
  expect(await other.take(10)).toEqual([]);
  expect(await outbox.take(10)).toEqual([batch]);
  now += 30_000;
  const [passed] = await other.take(10);
  expect(passed).toEqual(batch);
  await outbox.delivered(batch?.key as string);
  await outbox.park(batch?.key as string, 'too late');
  expect(await outbox.counts()).toEqual({ pending: 1, parked: 0 });
  await other.delivered(batch?.key as string);
  expect(await outbox.counts()).toEqual({ pending: 0, parked: 0 });
});

test('refusals are counted apart from attempts; a batch waits for its time and keeps its counts when it is staged again', async () => {
  const events = [event()];
  await outbox.stage('news', events);
  for (const refused of [false, true, false]) {
    const [batch] = await outbox.take(1);
    await outbox.postpone(batch?.key as string, { reason: 'status 503', refused }, now + 1000);
    await outbox.stage('news', events);
    expect(await outbox.take(1)).toEqual([]);
    now += 1000;
  }
  const [batch] = await outbox.take(1);
  expect(batch).toMatchObject({ attempts: 3, refusals: 1 });
  await outbox.park(batch?.key as string, 'x'.repeat(5000));
  expect(await outbox.take(1)).toEqual([]);
  const { rows } = await pool.query<{ last_error: string }>('SELECT last_error FROM outbox');
  expect(rows[0]?.last_error).toHaveLength(1024);
  await outbox.stage('news', events);
  expect(await outbox.take(1)).toMatchObject([{ attempts: 0, refusals: 0, events }]);
});

test('what was put aside is forgotten when its time is over, and what waits never', async () => {
  await outbox.stage('news', [event()]);
  await outbox.stage('news', [event()]);
  const [first] = await outbox.take(1);
  await outbox.park(first?.key as string, 'status 400');
  expect(await outbox.prune(now)).toBe(0);
  expect(await outbox.prune(now + 1)).toBe(1);
  expect(await outbox.counts()).toEqual({ pending: 1, parked: 0 });
});
