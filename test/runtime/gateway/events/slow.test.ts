import { afterAll, beforeAll, expect, test } from 'vitest';
import { appendEvents } from '#runtime/gateway/events/log/append.js';
import { until } from '../../../support/until.ts';
import { type Events, newEvent, startEventsAlone } from './fixture.ts';
import { open, page } from './stream-client.ts';

let events: Events;

beforeAll(async () => {
  events = await startEventsAlone();
});
afterAll(async () => {
  await events?.close();
});

test('N-376 a follower that does not read is dropped with stream.follower_too_slow, and slows no other', async () => {
  const first = await page<{ next_cursor: string }>(`${events.server.url}/aip/v1/events`, 'operator');
  const url = `${events.server.url}/aip/v1/events?follow=true&cursor=${first.body.next_cursor}`;
  const slow = await open(url, 'operator');
  const quick = await open(url, 'operator');
  await until('both are joined', () => events.server.tail.followers() === 2);
  slow.pause();
  let stored = 0;
  const text = 'x'.repeat(200_000);
  let worst = 0;
  await until('the slow one is dropped', async () => {
    const list = Array.from({ length: 4 }, () => newEvent({ data: { text } }));
    await events.pool.tx((client) => appendEvents(client, list));
    stored += list.length;
    const storedAt = performance.now();
    await quick.waitFor('the quick one has all', () => quick.eventIds().length === stored);
    worst = Math.max(worst, performance.now() - storedAt);
    return events.server.tail.followers() === 1;
  });
  // A follower that held up others would do so until it is dropped, after 30 seconds.
  expect(worst).toBeLessThan(20_000);
  slow.resume();
  await slow.ended;
  expect(slow.frames.at(-1)).toMatchObject({
    event: 'aip.error',
    data: { error: { code: 'stream.follower_too_slow', retryable: true } },
  });
  const cursor = slow.named('aip.stream.cursor').at(-1)?.id as string;
  const missed = await open(`${events.server.url}/aip/v1/events?follow=true&cursor=${cursor}`, 'operator');
  const had = new Set(slow.eventIds());
  await missed.waitFor('it has caught up', () => new Set([...had, ...missed.eventIds()]).size === stored);
  expect([...had, ...missed.eventIds()].sort()).toEqual([...quick.eventIds()].sort());
  missed.close();
  quick.close();
});
