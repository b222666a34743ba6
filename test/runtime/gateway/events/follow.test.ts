import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { appendEvents } from '#runtime/gateway/events/log/append.js';
import type { Queryable } from '#runtime/postgres/pool.js';
import { chunkEventId } from '#runtime/protocol/content/chunk-ids.js';
import { newId } from '#runtime/protocol/ids.js';
import { FOLLOW_POLL_MS } from '#runtime/protocol/limits.js';
import { check } from '#runtime/protocol/validate.js';
import { until } from '../../../support/until.ts';
import {
  complete,
  type EventServer,
  type Events,
  newEvent,
  startEventServer,
  startEventsAlone,
  store,
  storeAction,
  storeChunk,
} from './fixture.ts';
import { type Frame, open, page } from './stream-client.ts';

let events: Events;
let base: string;

beforeAll(async () => {
  events = await startEventsAlone();
  base = `${events.server.url}/aip/v1`;
});
afterAll(async () => {
  await events?.close();
});

/** Follows everything stored from now on. */
const fromNow = async (server: EventServer = events.server): Promise<string> => {
  const { body } = await page<{ next_cursor: string }>(`${server.url}/aip/v1/events?limit=1000`, 'operator');
  return `${server.url}/aip/v1/events?follow=true&cursor=${body.next_cursor}`;
};

test('N-122 N-358 N-362 N-363 N-364 N-365 N-366 N-367 N-368 N-369 N-370 N-371 N-372 N-373 N-051 an action stream has exactly the frames of the contract', async () => {
  const actionId = await storeAction(events.pool);
  const before = newEvent({ action_id: actionId, kind: 'aip.action.progressed', data: { part: 1 } });
  await store(events.pool, before);
  const stream = await open(`${base}/actions/${actionId}/events?follow=true&include_chunks=true`);
  expect([stream.status, stream.type]).toEqual([200, 'text/event-stream']);
  await stream.waitFor('the stored event came', ({ frames }) => frames.length >= 2);
  expect(stream.frames[0]).toEqual({
    event: 'aip.action.progressed',
    id: before.event.id,
    data: { event: before.event },
  });
  await events.pool.tx((client) => storeChunk(client, actionId, 7, { text: 'one' }));
  await stream.waitFor('the chunk came', () => stream.chunkIds().length === 1);
  expect(stream.named('aip.stream.chunk').find((frame) => frame.data?.chunk)).toEqual({
    event: 'aip.stream.chunk',
    id: 'chunk:7',
    data: { chunk: { action_id: actionId, sequence: 7, kind: 'data', data: { text: 'one' } } },
  });
  const ended = await complete(events.pool, actionId);
  await stream.ended;
  const last = stream.frames.at(-1) as Frame;
  const cursor = stream.frames.at(-2) as Frame;
  expect(stream.eventIds().at(-1)).toBe(ended);
  expect(cursor).toEqual({ event: 'aip.stream.cursor', id: cursor.id, data: { next_cursor: cursor.id } });
  expect(last).toEqual({ event: 'aip.stream.terminal', id: cursor.id, data: { terminal: true, action_id: actionId } });
  for (const [index, frame] of stream.frames.entries())
    if (frame.event === 'aip.stream.cursor') expect(stream.frames[index - 1]?.data).toSatisfy(carriesData);
});

const codeOf = (frame: Frame): string | undefined => (frame.data?.error as { code: string } | undefined)?.code;

const carriesData = (data: Record<string, unknown> | undefined): boolean => Boolean(data?.event ?? data?.chunk);

test('N-121 without include_chunks an action stream has no chunk frames', async () => {
  const actionId = await storeAction(events.pool);
  await events.pool.tx((client) => storeChunk(client, actionId, 1));
  const stream = await open(`${base}/actions/${actionId}/events?follow=true`);
  await events.pool.tx((client) => storeChunk(client, actionId, 2));
  await complete(events.pool, actionId);
  await stream.ended;
  expect(stream.chunkIds()).toEqual([]);
  expect(stream.eventIds()).toHaveLength(3);
});

test('N-126 N-359 N-052 N-053 a chunks stream gives every chunk once and ends when the action does', async () => {
  const actionId = await storeAction(events.pool);
  await events.pool.tx((client) => storeChunk(client, actionId, 1));
  const stream = await open(`${base}/actions/${actionId}/chunks?follow=true`);
  expect(stream.type).toBe('text/event-stream');
  for (const sequence of [2, 3]) {
    await events.pool.tx((client) => storeChunk(client, actionId, sequence));
    await stream.waitFor('it came', () => stream.chunkIds().length === sequence);
  }
  expect(stream.named('aip.stream.terminal')).toEqual([]);
  await complete(events.pool, actionId);
  await stream.ended;
  expect(stream.chunkIds()).toEqual(['chunk:1', 'chunk:2', 'chunk:3']);
  expect(new Set(stream.frames.map((frame) => frame.event))).toEqual(
    new Set(['aip.stream.chunk', 'aip.stream.cursor', 'aip.stream.terminal']),
  );
});

test('N-371 N-372 a stream of an action that is over gives what is stored and ends; past it only the terminal frame comes', async () => {
  const actionId = await storeAction(events.pool);
  await events.pool.tx((client) => storeChunk(client, actionId, 1));
  await complete(events.pool, actionId);
  const url = `${base}/actions/${actionId}/events?follow=true&include_chunks=true`;
  const whole = await open(url);
  await whole.ended;
  expect(whole.frames.map((frame) => frame.event)).toEqual([
    'aip.stream.chunk',
    'aip.action.result',
    'aip.stream.chunk',
    'aip.stream.cursor',
    'aip.stream.terminal',
  ]);
  const cursor = whole.frames.at(-1)?.id as string;
  const rest = await open(`${url}&cursor=${cursor}`);
  await rest.ended;
  expect(rest.frames).toEqual([
    { event: 'aip.stream.terminal', id: cursor, data: { terminal: true, action_id: actionId } },
  ]);
});

/** Time of a few polls: an event that only the check every five seconds would bring comes later. */
const POLLS_MS = 4000;

/** Milliseconds since the call as this process's event loop had them: a loop that is held up, as on a busy machine, counts less. */
function loopClock(): () => number {
  let ticks = 0;
  const timer = setInterval(() => {
    ticks += 1;
  }, 50).unref();
  onTestFinished(() => clearInterval(timer));
  return () => ticks * 50;
}

test('N-134 N-357 N-054 N-055 N-423 a global stream continues after actions end, gives an event within about 500 ms and stops its work on disconnect', async () => {
  const stream = await open(await fromNow(), 'operator');
  expect([stream.status, stream.type]).toEqual([200, 'text/event-stream']);
  const actionId = await storeAction(events.pool);
  const ended = await complete(events.pool, actionId);
  await stream.waitFor('the end came', () => stream.eventIds().includes(ended));
  const idle = newEvent();
  const elapsed = loopClock();
  await store(events.pool, idle);
  await stream.waitFor('it came', () => stream.eventIds().includes(idle.event.id));
  expect(elapsed()).toBeLessThan(POLLS_MS);
  expect(stream.named('aip.stream.terminal')).toEqual([]);
  expect(events.server.tail.followers()).toBe(1);
  stream.close();
  await until('the follower left', () => events.server.tail.followers() === 0);
});

test('N-360 an event that another process stores without notifying arrives within the poll interval', async () => {
  const stream = await open(await fromNow(), 'operator');
  await until('it is joined', () => events.server.tail.followers() === 1);
  const silent = newEvent();
  await events.pool.query(
    `INSERT INTO runtime.events (event_id, kind, tenant_id, principal_id, occurred_at, record) VALUES ($1, 'x', 'tenant-a', 'p', 1, $2)`,
    [silent.event.id, JSON.stringify(silent.event)],
  );
  const elapsed = loopClock();
  await stream.waitFor('it came', () => stream.eventIds().includes(silent.event.id));
  expect(FOLLOW_POLL_MS).toBe(500);
  expect(elapsed()).toBeLessThan(POLLS_MS);
  stream.close();
});

test('N-378 N-049 a stream resumed from its last id continues without loss, and repeats keep their identifier', async () => {
  const actionId = await storeAction(events.pool);
  const list = Array.from({ length: 6 }, (_, index) => newEvent({ action_id: actionId, data: { index } }));
  const expected = list.map(({ event }) => event.id);
  await store(events.pool, ...list.slice(0, 3));
  const url = `${base}/actions/${actionId}/events?follow=true`;
  const first = await open(url);
  await first.waitFor('three came', () => first.named('aip.stream.cursor').length === 1);
  const cursor = first.frames.at(-1)?.id as string;
  first.close();
  await store(events.pool, ...list.slice(3));
  const byCursor = await open(url, 'owner', { 'last-event-id': cursor });
  const byEvent = await open(url, 'owner', { 'last-event-id': expected[1] as string });
  const again = await open(`${url}&cursor=${cursor}`, 'owner', { 'last-event-id': expected[0] as string });
  expected.push(await complete(events.pool, actionId));
  for (const stream of [byCursor, byEvent, again]) await stream.ended;
  expect(byCursor.eventIds()).toEqual(expected.slice(3));
  expect(again.eventIds()).toEqual(expected.slice(3));
  expect(byEvent.eventIds()).toEqual(expected.slice(2));
});

test('N-372 there is always a current cursor: a stream without anything to show ends with it, too', async () => {
  const actionId = await storeAction(events.pool);
  await complete(events.pool, actionId);
  const url = `${base}/actions/${actionId}/chunks?follow=true`;
  const stream = await open(url);
  await stream.ended;
  const [{ id } = {}] = stream.frames;
  const terminal = { event: 'aip.stream.terminal', id, data: { terminal: true, action_id: actionId } };
  expect([id, stream.frames]).toEqual([expect.stringMatching(/./), [terminal]]);
  const resumed = await open(`${url}&cursor=${id}`);
  await resumed.ended;
  expect(resumed.frames).toEqual([terminal]);
});

test('N-377 on every follow route the query cursor beats Last-Event-ID', async () => {
  const actionId = await storeAction(events.pool);
  for (const sequence of [1, 2, 3, 4]) await events.pool.tx((client) => storeChunk(client, actionId, sequence));
  const kinds = 'kinds=aip.stream.chunk';
  const urls = {
    [`${base}/events`]: 'next_cursor',
    [`${base}/actions/${actionId}/events`]: 'cursor',
    [`${base}/actions/${actionId}/chunks`]: 'cursor',
  };
  for (const [url, member] of Object.entries(urls)) {
    const filter = url.endsWith('chunks') ? '' : `&${kinds}`;
    const { body: whole } = await page<{ events: object[]; chunks?: object[] }>(`${url}?limit=1000${filter}`);
    const last = (whole.chunks ?? whole.events).length;
    const after = async (rows: number) =>
      (await page<Record<string, string>>(`${url}?limit=${rows}${filter}`)).body[member] as string;
    const [early, late] = [await after(last - 2), await after(last - 1)];
    for (const [query, header, expected] of [
      [early, late, 2],
      [late, early, 1],
      [undefined, early, 2],
    ] as const) {
      const cursor = query === undefined ? '' : `&cursor=${query}`;
      const stream = await open(`${url}?follow=true${filter}${cursor}`, 'owner', { 'last-event-id': header });
      await stream.waitFor('a cursor came', () => stream.named('aip.stream.cursor').length > 0);
      expect([url, stream.frames.filter(({ event }) => event !== 'aip.stream.cursor').length]).toEqual([url, expected]);
      stream.close();
    }
  }
});

test('N-372 part: a chunk stream resumes from the id of a chunk frame and from a cursor', async () => {
  const actionId = await storeAction(events.pool);
  await events.pool.tx(async (client) => {
    for (const sequence of [1, 2, 3]) await storeChunk(client, actionId, sequence);
  });
  await complete(events.pool, actionId);
  const url = `${base}/actions/${actionId}/chunks?follow=true&limit=1`;
  const byChunk = await open(url, 'owner', { 'last-event-id': 'chunk:2' });
  await byChunk.ended;
  expect(byChunk.chunkIds()).toEqual(['chunk:3']);
  const whole = await open(url);
  await whole.ended;
  expect(whole.chunkIds()).toEqual(['chunk:1', 'chunk:2', 'chunk:3']);
  const cursor = whole.named('aip.stream.cursor')[0]?.id as string;
  const rest = await open(`${url}&cursor=${cursor}`);
  await rest.ended;
  expect(rest.chunkIds()).toEqual(['chunk:2', 'chunk:3']);
});

test('N-374 N-375 N-376 N-056 a failure after the start is one aip.error frame without id, and nothing follows it', async () => {
  const missing = await open(`${base}/actions/${newId('action')}/events?follow=true`);
  await missing.ended;
  expect(missing.status).toBe(200);
  expect(missing.frames).toEqual([
    {
      event: 'aip.error',
      data: { error: expect.objectContaining({ code: 'action.not_found', category: 'permanent' }) },
    },
  ]);
  expect(check('ProtocolError', missing.frames[0]?.data?.error)).toEqual([]);
  const refused = await open(`${base}/events?follow=true`, 'unscoped');
  await refused.ended;
  expect(refused.frames.map(codeOf)).toEqual(['auth.not_authorized']);
  const wrong = await open(`${base}/events?follow=true&cursor=abc`);
  await wrong.ended;
  expect(wrong.frames.map(codeOf)).toEqual(['query.cursor_invalid']);
});

test('N-374 a wrong path id, parameter or bearer is refused before the stream begins', async () => {
  expect((await open(`${base}/actions/nothing/events?follow=true`)).status).toBe(400);
  expect((await open(`${base}/events?follow=maybe`)).status).toBe(400);
  expect((await open(`${base}/events?follow=true`, 'nobody' as 'owner')).status).toBe(401);
});

test('N-137 N-138 a global stream shows only what its caller may see', async () => {
  const { body } = await page<{ next_cursor: string }>(`${base}/events?limit=1000&kind=seen`);
  const stream = await open(`${base}/events?follow=true&cursor=${body.next_cursor}&kinds=seen`);
  await until('it is joined', () => events.server.tail.followers() === 1);
  const own = newEvent({ kind: 'seen' });
  await store(
    events.pool,
    newEvent({ kind: 'seen', tenantId: 'tenant-b' }),
    newEvent({ kind: 'seen', principalId: 'human:second' }),
    newEvent({ kind: 'other' }),
    own,
  );
  await stream.waitFor('the own one came', () => stream.eventIds().length > 0);
  expect(stream.eventIds()).toEqual([own.event.id]);
  stream.close();
});

test('chunks written by transactions out of order reach a follower in the order of their sequence', async () => {
  const actionId = await storeAction(events.pool);
  const stream = await open(`${base}/actions/${actionId}/events?follow=true&include_chunks=true`);
  await until('it is joined', () => events.server.tail.followers() >= 1);
  const [first, middle] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const older = inTransaction(events.pool, first.promise, (client) => storeChunk(client, actionId, 2));
  await older.numbered;
  const between = inTransaction(events.pool, middle.promise, async () => undefined);
  await between.numbered;
  await events.pool.tx((client) => storeChunk(client, actionId, 1));
  first.resolve();
  await older.done;
  await stream.waitFor('the later chunk is announced first', () => stream.eventIds().length > 0);
  expect(stream.eventIds()).toEqual([chunkEventId(actionId, 2)]);
  expect(stream.chunkIds()).toEqual([]);
  middle.resolve();
  await between.done;
  await stream.waitFor('both came', () => stream.chunkIds().length === 2);
  expect(stream.chunkIds()).toEqual(['chunk:1', 'chunk:2']);
  stream.close();
});

/** Opens a transaction that has its number, writes once `go` is resolved, and commits. */
function inTransaction(pool: Events['pool'], go: Promise<void>, write: (client: Queryable) => Promise<void>) {
  const numbered = Promise.withResolvers<void>();
  const done = pool.tx(async (client) => {
    await client.query('SELECT pg_current_xact_id()');
    numbered.resolve();
    await go;
    await write(client);
  });
  return { numbered: numbered.promise, done };
}

test('an action that ended without an event of its own still ends its streams', async () => {
  const actionId = await storeAction(events.pool);
  const stream = await open(`${base}/actions/${actionId}/events?follow=true`);
  await until('it is joined', () => events.server.tail.followers() >= 1);
  await events.pool.query(`UPDATE runtime.actions SET state = 'expired', completed_at = 2 WHERE action_id = $1`, [
    actionId,
  ]);
  await stream.ended;
  expect(stream.frames.map((frame) => frame.event)).toEqual(['aip.stream.terminal']);
});

test('N-056 N-374 a gateway that stops reports it to its followers with a retryable transport error', async () => {
  const other = await startEventServer(events.pool);
  const stream = await open(await fromNow(other), 'operator');
  const ofAction = await open(`${other.url}/aip/v1/actions/${await storeAction(events.pool)}/chunks?follow=true`);
  await until('both are joined', () => other.tail.followers() === 2);
  await other.close();
  for (const each of [stream, ofAction]) {
    await each.ended;
    expect(each.frames.at(-1)).toMatchObject({
      event: 'aip.error',
      data: { error: { category: 'transport', retryable: true } },
    });
  }
});

test('N-361 an idle stream gets a keep-alive after 15 seconds of silence and none well before', async () => {
  const actionId = await storeAction(events.pool);
  const openedAt = performance.now();
  const stream = await open(`${base}/actions/${actionId}/events?follow=true`);
  await stream.waitFor('a keep-alive came', ({ frames }) => frames.length > 0);
  expect(stream.frames).toEqual([{ comment: 'keep-alive' }]);
  expect(performance.now() - openedAt).toBeGreaterThan(14_500);
  stream.close();
});

test('N-380 part: a stream that is cut leaves what it showed in the durable views', async () => {
  const actionId = await storeAction(events.pool);
  const stream = await open(`${base}/actions/${actionId}/events?follow=true`);
  await events.pool.tx((client) => appendEvents(client, [newEvent({ action_id: actionId })]));
  await stream.waitFor('it came', () => stream.eventIds().length === 1);
  stream.close();
  const ended = await complete(events.pool, actionId);
  const { body } = await page<{ events: { id: string }[]; terminal: boolean }>(`${base}/actions/${actionId}/events`);
  expect(body.events.map((event) => event.id)).toEqual([...stream.eventIds(), ended]);
  expect(body.terminal).toBe(true);
});
