import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  complete,
  type Events,
  newEvent,
  startEventsAlone,
  store,
  storeAction,
  storeChunk,
  TENANT,
} from './fixture.ts';
import { open, page } from './stream-client.ts';

let events: Events;
let base: string;

beforeAll(async () => {
  events = await startEventsAlone();
  base = `${events.server.url}/aip/v1`;
});
afterAll(() => events?.close());

const codeOf = (body: unknown): string =>
  (body as { body: { error: { error: { code: string } } } }).body.error.error.code;

test("N-116 tenant_id of the caller's tenant is accepted on the events of an action; another tenant's shows nothing", async () => {
  const actionId = await storeAction(events.pool);
  const event = newEvent({ action_id: actionId });
  await store(events.pool, event);
  const url = `${base}/actions/${actionId}/events`;
  const own = await page<{ events: { id: string }[] }>(`${url}?tenant_id=${TENANT}`);
  expect([own.status, own.body.events.map(({ id }) => id)]).toEqual([200, [event.event.id]]);
  const foreign = await page(`${url}?tenant_id=tenant-b`);
  expect([foreign.status, codeOf(foreign.body)]).toEqual([401, 'auth.tenant_mismatch']);
  const other = await page(`${url}?tenant_id=tenant-b`, 'foreign');
  expect([other.status, codeOf(other.body)]).toEqual([400, 'action.not_found']);
  for (const { text } of [foreign, other]) expect(text).not.toContain(event.event.id);
});

test('N-095 D-09 the chunks route shows the chunks of its action and nothing else, and takes no kind and no include_chunks', async () => {
  const actionId = await storeAction(events.pool);
  await store(events.pool, newEvent({ action_id: actionId, kind: 'test.other' }));
  await events.pool.tx((client) => storeChunk(client, actionId, 1, { text: 'one' }));
  const url = `${base}/actions/${actionId}/chunks`;
  const plain = await page<{ events: unknown[]; chunks: { sequence: number }[] }>(url);
  expect([plain.body.events, plain.body.chunks.map(({ sequence }) => sequence)]).toEqual([[], [1]]);
  for (const query of ['kind=test.other', 'kinds=test.other,aip.stream.chunk', 'include_chunks=false']) {
    const refused = await page(`${url}?${query}`);
    expect([refused.status, codeOf(refused.body)]).toEqual([400, 'query.invalid']);
  }
});

test('N-387 N-376 a stream that fails ends with exactly one aip.error frame', async () => {
  const actionId = await storeAction(events.pool);
  for (const [url, caller, code] of [
    [`${base}/actions/act_unknown/events?follow=true`, 'owner', 'action.not_found'],
    [`${base}/actions/${actionId}/events?follow=true&cursor=made-up`, 'owner', 'query.cursor_invalid'],
    [`${base}/events?follow=true`, 'unscoped', 'auth.not_authorized'],
  ] as const) {
    const stream = await open(url, caller);
    await stream.ended;
    expect(stream.frames.map(({ event, id }) => [event, id])).toEqual([['aip.error', undefined]]);
    expect(stream.frames[0]?.data).toMatchObject({ error: { code } });
  }
});

test('N-041 the data of a cursor frame is the object that holds next_cursor', async () => {
  const actionId = await storeAction(events.pool);
  const stream = await open(`${base}/actions/${actionId}/events?follow=true`);
  await complete(events.pool, actionId);
  await stream.ended;
  const frames = stream.named('aip.stream.cursor');
  expect(frames.length).toBeGreaterThan(0);
  for (const { id, data } of frames) expect(data).toEqual({ next_cursor: id });
});
