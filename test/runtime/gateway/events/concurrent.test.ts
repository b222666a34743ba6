import { afterAll, beforeAll, expect, test } from 'vitest';
import { appendEvents } from '#runtime/gateway/events/log/append.js';
import { until } from '../../../support/until.ts';
import { type EventServer, type Events, newEvent, startEventServer, startEvents } from './fixture.ts';
import { open, page } from './stream-client.ts';

const WRITERS = 8;
const FOLLOWERS = 4;
const ROUNDS = 12;

let events: Events;
let second: EventServer;

beforeAll(async () => {
  events = await startEvents();
  second = await startEventServer(events.pool);
});
afterAll(async () => {
  await second?.close();
  await events?.close();
});

/**
 * One round: every writer writes its event in an open transaction, then they commit in the reverse of the order in which they wrote, each
 * only after a reader had the chance to pass the places of those still open.
 */
async function adverseRound(round: number, between: () => Promise<void>): Promise<string[]> {
  const written = Array.from({ length: WRITERS }, () => Promise.withResolvers<void>());
  const commit = Array.from({ length: WRITERS }, () => Promise.withResolvers<void>());
  const list = Array.from({ length: WRITERS }, (_, writer) => newEvent({ data: { round, writer } }));
  const writers = list.map(async (event, writer) => {
    await written[writer - 1]?.promise;
    await events.pool.tx(async (client) => {
      await appendEvents(client, [event]);
      written[writer]?.resolve();
      await commit[writer]?.promise;
    });
  });
  await written.at(-1)?.promise;
  for (let writer = WRITERS - 1; writer >= 0; writer -= 1) {
    commit[writer]?.resolve();
    await writers[writer];
    await between();
  }
  return list.map(({ event }) => event.id);
}

test('N-049 N-130 N-360 eight concurrent writers that commit in adverse order and four followers, two of them reconnecting, lose and repeat nothing', async () => {
  const urls = [events.server.url, second.url];
  const received = Array.from({ length: FOLLOWERS }, () => [] as string[]);
  let over = false;
  const followers = received.map(async (ids, index) => {
    let cursor: string | undefined;
    while (!over) {
      const query = cursor === undefined ? '' : `&cursor=${cursor}`;
      const stream = await open(`${urls[index % 2]}/aip/v1/events?follow=true&limit=5${query}`, 'operator');
      const enough = index < 2 ? Number.POSITIVE_INFINITY : 3;
      await until('it has given some', () => over || stream.named('aip.stream.cursor').length >= enough, 60_000);
      const last = stream.frames.findLastIndex((frame) => frame.event === 'aip.stream.cursor');
      cursor = last < 0 ? cursor : stream.frames[last]?.id;
      ids.push(
        ...stream.frames
          .slice(0, last + 1)
          .filter((frame) => frame.data?.event)
          .map((frame) => frame.id as string),
      );
      stream.close();
    }
    for (;;) {
      const query = cursor === undefined ? '' : `&cursor=${cursor}`;
      const { body } = await page<{ events: { id: string }[]; next_cursor: string }>(
        `${urls[index % 2]}/aip/v1/events?limit=1000${query}`,
        'operator',
      );
      if (body.events.length === 0) return;
      ids.push(...body.events.map((event) => event.id));
      cursor = body.next_cursor;
    }
  });
  const paged: string[] = [];
  let cursor: string | undefined;
  const readPage = async (): Promise<void> => {
    const query = cursor === undefined ? '' : `&cursor=${cursor}`;
    const { body } = await page<{ events: { id: string }[]; next_cursor: string }>(
      `${events.server.url}/aip/v1/events?limit=3${query}`,
      'operator',
    );
    paged.push(...body.events.map((event) => event.id));
    cursor = body.next_cursor;
  };
  const written: string[] = [];
  for (let round = 0; round < ROUNDS; round += 1) written.push(...(await adverseRound(round, readPage)));
  await until('the pages have given all', async () => {
    await readPage();
    return paged.length >= written.length;
  });
  over = true;
  await Promise.all(followers);
  for (const ids of [paged, ...received]) {
    expect(ids).toHaveLength(written.length);
    expect(new Set(ids)).toEqual(new Set(written));
  }
});

test('N-049 every follower of free-running writers gets the same set of events, in the same order', async () => {
  const { body } = await page<{ next_cursor: string }>(`${events.server.url}/aip/v1/events?limit=1000`, 'operator');
  const start = body.next_cursor;
  const streams = await Promise.all(
    Array.from({ length: FOLLOWERS }, (_, index) =>
      open(`${index % 2 ? second.url : events.server.url}/aip/v1/events?follow=true&cursor=${start}`, 'operator'),
    ),
  );
  const written = await Promise.all(
    Array.from({ length: WRITERS }, async (_, writer) => {
      const ids: string[] = [];
      for (let batch = 0; batch < 40; batch += 1) {
        const list = Array.from({ length: 3 }, () => newEvent({ data: { writer, batch } }));
        await events.pool.tx((client) => appendEvents(client, list));
        ids.push(...list.map(({ event }) => event.id));
      }
      return ids;
    }),
  );
  const all = new Set(written.flat());
  for (const stream of streams) {
    await stream.waitFor('all came', () => stream.eventIds().length >= all.size);
    expect(stream.eventIds()).toHaveLength(all.size);
    expect(new Set(stream.eventIds())).toEqual(all);
    expect(stream.eventIds()).toEqual(streams[0]?.eventIds());
    stream.close();
  }
});
