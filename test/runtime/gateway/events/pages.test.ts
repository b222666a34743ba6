import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { appendEvents } from '#runtime/gateway/events/log/append.js';
import { readPage } from '#runtime/gateway/events/page.js';
import type { Selection } from '#runtime/gateway/events/selection.js';
import { newId } from '#runtime/protocol/ids.js';
import type { Event, ProtocolError, StreamChunk } from '#runtime/protocol/types.js';
import {
  CALLERS,
  complete,
  type Events,
  newEvent,
  startEventsAlone,
  store,
  storeAction,
  storeChunk,
  TENANT,
} from './fixture.ts';
import { page } from './stream-client.ts';

type GlobalPage = { events: Event[]; next_cursor: string };
type ActionPage = { action_id: string; events: Event[]; chunks?: StreamChunk[]; cursor: string; terminal: boolean };
type Refusal = { body: { error: { error: ProtocolError } } };

let events: Events;
let base: string;

beforeAll(async () => {
  events = await startEventsAlone();
  base = `${events.server.url}/aip/v1`;
});
afterAll(async () => {
  await events?.close();
});
beforeEach(async () => {
  await events.pool.query('TRUNCATE runtime.events, runtime.chunks, runtime.actions CASCADE');
});

const ids = (list: readonly Event[]): string[] => list.map((event) => event.id);
const stored = async (count: number, over: Parameters<typeof newEvent>[0] = {}): Promise<string[]> => {
  const list = Array.from({ length: count }, (_, index) => newEvent({ data: { index }, ...over }));
  await store(events.pool, ...list);
  return list.map(({ event }) => event.id);
};

test('N-129 N-134 D-11 a page of global events spans actions, as JSON, with a cursor that is always present', async () => {
  const first = await stored(2, { action_id: await storeAction(events.pool) });
  const second = await stored(1, { action_id: await storeAction(events.pool) });
  const { status, body, type } = await page<GlobalPage>(`${base}/events`);
  expect([status, type]).toEqual([200, 'application/json']);
  expect(ids(body.events)).toEqual([...first, ...second]);
  expect(body.next_cursor).toMatch(/^[A-Za-z0-9_-]+$/);
  const after = await page<GlobalPage>(`${base}/events?cursor=${body.next_cursor}`);
  expect(after.body).toMatchObject({ events: [] });
});

test('N-130 N-131 N-049 global events continue at the cursor over many pages, none lost or repeated', async () => {
  const all = await stored(25);
  const seen: string[] = [];
  let cursor = '';
  for (let pages = 0; pages < 9; pages += 1) {
    const { body } = await page<GlobalPage>(`${base}/events?limit=3${cursor === '' ? '' : `&cursor=${cursor}`}`);
    expect(body.events).toHaveLength(pages < 8 ? 3 : 1);
    seen.push(...ids(body.events));
    cursor = body.next_cursor;
  }
  expect(seen).toEqual(all);
  const late = await stored(1);
  expect(ids((await page<GlobalPage>(`${base}/events?cursor=${cursor}`)).body.events)).toEqual(late);
});

test('N-419 event pages hold 100 rows by default and 1 to 1000 by wish; 0 acts as 1 and 1001 as 1000', async () => {
  await stored(1005);
  const rows = async (query: string): Promise<number> =>
    (await page<GlobalPage>(`${base}/events${query}`)).body.events.length;
  expect(await rows('')).toBe(100);
  expect(await rows('?limit=0')).toBe(1);
  expect(await rows('?limit=-3')).toBe(1);
  expect(await rows('?limit=1001')).toBe(1000);
});

test('N-132 N-133 kind and kinds select events of every named kind and of no other', async () => {
  const [a] = await stored(1, { kind: 'a.kind' });
  const [b] = await stored(1, { kind: 'b.kind' });
  await stored(1, { kind: 'c.kind' });
  const of = async (query: string): Promise<string[]> =>
    ids((await page<GlobalPage>(`${base}/events?${query}`)).body.events);
  expect(await of('kind=a.kind')).toEqual([a]);
  expect(await of('kinds=a.kind,%20b.kind,')).toEqual([a, b]);
  expect(await of('kind=b.kind&kinds=a.kind')).toEqual([a, b]);
});

test('N-137 N-138 global events show only what the principal and tenant of the identity may see', async () => {
  const own = await stored(1);
  const colleague = await stored(1, { principalId: 'human:second' });
  const foreign = await stored(1, { tenantId: 'tenant-b', principalId: 'human:owner' });
  const of = async (caller: Parameters<typeof page>[1]): Promise<string[]> =>
    ids((await page<GlobalPage>(`${base}/events`, caller)).body.events);
  expect(await of('owner')).toEqual(own);
  expect(await of('second')).toEqual(colleague);
  expect(await of('operator')).toEqual([...own, ...colleague]);
  expect(await of('foreign')).toEqual(foreign);
  expect((await page<Refusal>(`${base}/events`, 'unscoped')).body.body.error.error.code).toBe('auth.not_authorized');
});

test('N-139 D-06 global events take no tenant filter: tenant_id is an unknown parameter, not a selection', async () => {
  await stored(1);
  const { status, body } = await page<Refusal>(`${base}/events?tenant_id=tenant-b`);
  expect(status).toBe(400);
  expect(body.body.error.error).toMatchObject({ code: 'query.invalid', details: { parameter: 'tenant_id' } });
  expect((await page<Refusal>(`${base}/events?limit=ten`)).status).toBe(400);
});

test('N-135 N-136 the header Last-Event-ID supplies the cursor, and the query cursor beats it', async () => {
  const [a, b, c] = (await stored(3)) as [string, string, string];
  const first = (await page<GlobalPage>(`${base}/events?limit=1`)).body.next_cursor;
  const second = (await page<GlobalPage>(`${base}/events?limit=2`)).body.next_cursor;
  const of = async (query: string, id: string): Promise<string[]> =>
    ids((await page<GlobalPage>(`${base}/events${query}`, 'owner', { 'last-event-id': id })).body.events);
  expect(await of('', first)).toEqual([b, c]);
  expect(await of('', ` ${second} `)).toEqual([c]);
  expect(await of(`?cursor=${first}`, second)).toEqual([b, c]);
  expect(await of('', a)).toEqual([b, c]);
  expect(await of('', '')).toEqual([a, b, c]);
});

test('N-047 N-048 D-11 a cursor of another operation, identity or filter, and an invented one, is refused with no rows', async () => {
  const actionId = await storeAction(events.pool);
  await stored(3, { action_id: actionId });
  const cursor = (await page<GlobalPage>(`${base}/events?limit=1`)).body.next_cursor;
  const ofAction = (await page<ActionPage>(`${base}/actions/${actionId}/events?limit=1`)).body.cursor;
  const flipped = `${cursor.slice(0, -2)}${cursor.endsWith('A') ? 'BB' : 'AA'}`;
  const refused: [string, Parameters<typeof page>[1]][] = [
    [`${base}/events?cursor=${ofAction}`, 'owner'],
    [`${base}/actions/${actionId}/events?cursor=${cursor}`, 'owner'],
    [`${base}/actions/${actionId}/chunks?cursor=${ofAction}`, 'owner'],
    [`${base}/actions/${actionId}/events?include_chunks=true&cursor=${ofAction}`, 'owner'],
    [`${base}/events?kind=test.event&cursor=${cursor}`, 'owner'],
    [`${base}/events?cursor=${cursor}`, 'operator'],
    [`${base}/events?cursor=${cursor}`, 'foreign'],
    [`${base}/events?cursor=${flipped}`, 'owner'],
    [`${base}/events?cursor=`, 'owner'],
    [`${base}/events?cursor=${await stored(1)}`, 'owner'],
  ];
  for (const [url, caller] of refused) {
    const { status, body } = await page<Refusal>(url, caller);
    expect([url, status, body.body.error.error.code]).toEqual([url, 400, 'query.cursor_invalid']);
    expect(body).not.toHaveProperty('events');
  }
  const unknown = await page<Refusal>(`${base}/events`, 'owner', { 'last-event-id': newId('event') });
  expect(unknown.body.body.error.error.code).toBe('query.cursor_invalid');
});

test('N-117 N-118 N-121 N-122 action events and their chunks continue at the cursor, at most limit rows a page', async () => {
  const actionId = await storeAction(events.pool);
  const own = await stored(5, { action_id: actionId });
  await stored(2, { action_id: await storeAction(events.pool) });
  await events.pool.tx(async (client) => {
    for (const sequence of [1, 2, 5, 9]) await storeChunk(client, actionId, sequence);
  });
  const url = `${base}/actions/${actionId}/events?limit=4&include_chunks=true`;
  const seen: string[] = [];
  let cursor: string | undefined;
  for (let pages = 0; pages < 4; pages += 1) {
    const { body } = await page<ActionPage>(cursor === undefined ? url : `${url}&cursor=${cursor}`);
    expect(body.action_id).toBe(actionId);
    expect(body.events.length + (body.chunks?.length ?? 0)).toBeLessThanOrEqual(4);
    seen.push(...ids(body.events), ...(body.chunks ?? []).map((chunk) => `chunk:${chunk.sequence}`));
    cursor = body.cursor;
  }
  expect(new Set(seen).size).toBe(13);
  expect(seen).toHaveLength(13);
  expect(seen.slice(0, 5)).toEqual(own);
  expect(seen.slice(9)).toEqual(['chunk:1', 'chunk:2', 'chunk:5', 'chunk:9']);
  const without = await page<ActionPage>(`${base}/actions/${actionId}/events`);
  expect(without.body).not.toHaveProperty('chunks');
  expect(without.body.events).toHaveLength(9);
});

test('N-119 N-120 kind and kinds filter action events', async () => {
  const actionId = await storeAction(events.pool);
  const [a] = await stored(1, { action_id: actionId, kind: 'a.kind' });
  const [b] = await stored(1, { action_id: actionId, kind: 'b.kind' });
  await stored(1, { action_id: actionId });
  const of = async (query: string): Promise<string[]> =>
    ids((await page<ActionPage>(`${base}/actions/${actionId}/events?${query}`)).body.events);
  expect(await of('kind=a.kind')).toEqual([a]);
  expect(await of('kinds=b.kind,a.kind')).toEqual([a, b]);
});

test('N-124 N-125 N-126 the chunks route pages chunks alone, at most limit of them, none lost or repeated', async () => {
  const actionId = await storeAction(events.pool);
  await events.pool.tx(async (client) => {
    for (let sequence = 0; sequence < 7; sequence += 1) await storeChunk(client, actionId, sequence);
  });
  const seen: number[] = [];
  let cursor = '';
  for (const expected of [3, 3, 1]) {
    const { body } = await page<ActionPage>(`${base}/actions/${actionId}/chunks?limit=3${cursor}`);
    expect(body.chunks).toHaveLength(expected);
    expect(body.events).toEqual([]);
    seen.push(...(body.chunks ?? []).map((chunk) => chunk.sequence));
    cursor = `&cursor=${body.cursor}`;
  }
  expect(seen).toEqual([0, 1, 2, 3, 4, 5, 6]);
  expect((await page(`${base}/actions/${actionId}/chunks?kind=x`)).status).toBe(400);
});

test('N-127 N-128 Last-Event-ID supplies the cursor of action events and chunks', async () => {
  const actionId = await storeAction(events.pool);
  const [a, b] = (await stored(2, { action_id: actionId })) as [string, string];
  await events.pool.tx(async (client) => {
    for (const sequence of [1, 2]) await storeChunk(client, actionId, sequence);
  });
  const url = `${base}/actions/${actionId}`;
  const { cursor } = (await page<ActionPage>(`${url}/events?limit=1`)).body;
  const byCursor = await page<ActionPage>(`${url}/events`, 'owner', { 'last-event-id': cursor });
  const byEvent = await page<ActionPage>(`${url}/events`, 'owner', { 'last-event-id': a });
  for (const { body } of [byCursor, byEvent]) expect(ids(body.events)[0]).toBe(b);
  const chunk = await page<ActionPage>(`${url}/chunks`, 'owner', { 'last-event-id': 'chunk:1' });
  const ofChunks = (await page<ActionPage>(`${url}/chunks?limit=1`)).body.cursor;
  const byChunkCursor = await page<ActionPage>(`${url}/chunks`, 'owner', { 'last-event-id': ofChunks });
  for (const { body } of [chunk, byChunkCursor]) expect(body.chunks?.map(({ sequence }) => sequence)).toEqual([2]);
});

test('N-123 a tenant_id equal to the own tenant changes nothing; another tenant reveals nothing', async () => {
  const actionId = await storeAction(events.pool);
  await events.pool.tx((client) => storeChunk(client, actionId, 1));
  const url = `${base}/actions/${actionId}/chunks`;
  expect((await page<ActionPage>(`${url}?tenant_id=${CALLERS.owner.tenantId}`)).body.chunks).toHaveLength(1);
  const named = await page<Refusal>(`${url}?tenant_id=tenant-b`);
  expect([named.status, named.body.body.error.error.code]).toEqual([401, 'auth.tenant_mismatch']);
  const missing = (await page<Refusal>(`${base}/actions/${newId('action')}/chunks`, 'foreign')).body.body.error.error;
  const other = (await page<Refusal>(url, 'foreign')).body.body.error.error;
  expect({ ...other, details: undefined }).toEqual({ ...missing, details: undefined });
  expect((await page<Refusal>(url, 'second')).body.body.error.error.code).toBe(missing.code);
});

test('N-382 N-420 an event page stays within 4 MiB and the rest comes on the next pages, each event once', async () => {
  const all = await stored(40, { data: { text: 'x'.repeat(128 * 1024) } });
  const first = await page<GlobalPage>(`${base}/events`);
  expect(Buffer.byteLength(first.text)).toBeLessThanOrEqual(4 * 1024 * 1024);
  expect(first.body.events.length).toBeGreaterThan(25);
  expect(first.body.events.length).toBeLessThan(40);
  const second = await page<GlobalPage>(`${base}/events?cursor=${first.body.next_cursor}`);
  expect([...ids(first.body.events), ...ids(second.body.events)]).toEqual(all);
  // What fits comes whole: 30 of them are below the bound, 40 are not.
  const below = await page<GlobalPage>(`${base}/events?limit=30`);
  expect(Buffer.byteLength(below.text)).toBeGreaterThan(3.7 * 1024 * 1024);
  expect(ids(below.body.events)).toEqual(all.slice(0, 30));
});

test('N-382 chunks of an action page count toward its 4 MiB', async () => {
  const actionId = await storeAction(events.pool);
  await events.pool.tx(async (client) => {
    for (let sequence = 0; sequence < 20; sequence += 1)
      await storeChunk(client, actionId, sequence, 'y'.repeat(250_000));
  });
  const url = `${base}/actions/${actionId}/chunks`;
  const first = await page<ActionPage>(url);
  expect(Buffer.byteLength(first.text)).toBeLessThanOrEqual(4 * 1024 * 1024);
  expect(first.body.chunks?.length).toBeLessThan(20);
  const second = await page<ActionPage>(`${url}?cursor=${first.body.cursor}`);
  expect([...(first.body.chunks ?? []), ...(second.body.chunks ?? [])].map(({ sequence }) => sequence)).toEqual(
    Array.from({ length: 20 }, (_, index) => index),
  );
});

test('N-051 N-052 a page is marked terminal once the action is over and nothing of it is left to read', async () => {
  const actionId = await storeAction(events.pool);
  await events.pool.tx((client) => storeChunk(client, actionId, 1));
  const url = `${base}/actions/${actionId}`;
  expect((await page<ActionPage>(`${url}/events`)).body.terminal).toBe(false);
  await complete(events.pool, actionId);
  expect((await page<ActionPage>(`${url}/events?limit=1`)).body.terminal).toBe(false);
  expect((await page<ActionPage>(`${url}/events`)).body.terminal).toBe(true);
  expect((await page<ActionPage>(`${url}/chunks`)).body.terminal).toBe(true);
});

test('what is stored is what is sent: number tokens, escapes and a NUL stay as written, secrets do not', async () => {
  const actionId = await storeAction(events.pool);
  const text = '{"exact":1.0,"big":12345678901234567890,"nul":"\\u0000"}';
  const data = JSON.parse(text, (_key, value, context?: { source?: string }) =>
    typeof value === 'number'
      ? (JSON as unknown as { rawJSON(source: string): unknown }).rawJSON(context?.source ?? '')
      : value,
  ) as Record<string, unknown>;
  await store(
    events.pool,
    newEvent({ action_id: actionId, data: { ...data, api_key: 'k', nested: [{ Cookie: 'c', sort_by: 'x' }] } }),
  );
  const { text: answer, body } = await page<ActionPage>(`${base}/actions/${actionId}/events`);
  expect(answer).toContain('"exact":1.0,"big":12345678901234567890,"nul":"\\u0000"');
  expect(body.events[0]?.data).toMatchObject({
    api_key: { redacted: true },
    nested: [{ Cookie: { redacted: true }, sort_by: 'x' }],
  });
});

test('one event above 262144 bytes is refused and its transaction stores nothing', async () => {
  const small = newEvent();
  const large = newEvent({ data: { text: 'z'.repeat(262_144) } });
  await expect(events.pool.tx((client) => appendEvents(client, [small, large]))).rejects.toMatchObject({
    code: 'stream.event_too_large',
  });
  expect((await page<GlobalPage>(`${base}/events`)).body.events).toEqual([]);
});

test('the events of an action are those of its tenant: what another tenant stores under its id is left out', async () => {
  const action_id = await storeAction(events.pool);
  const own = await stored(1, { action_id });
  await stored(1, { action_id, tenantId: 'tenant-b' });
  const { body } = await page<ActionPage>(`${base}/actions/${action_id}/events`);
  expect(ids(body.events)).toEqual(own);
});

test('a place that the log has not reached, as after a restore from an earlier day, is refused and never skips events', async () => {
  await stored(1);
  const selection: Selection = {
    route: 'events',
    access: { tenant: TENANT, principals: 'any' },
    events: true,
    chunks: false,
    limit: 10,
  };
  const { rows } = await events.pool.query<{ next: number }>(
    'SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint AS next',
  );
  const at = (xid: number) => readPage(events.pool, selection, { event: { xid, seq: 0 }, chunk: null });
  expect(await at(0)).toMatchObject({ events: [{}], more: false });
  await expect(at((rows[0]?.next as number) + 1_000_000)).rejects.toMatchObject({ code: 'stream.cursor_expired' });
});
