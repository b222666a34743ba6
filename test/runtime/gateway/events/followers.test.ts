import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTurns } from '#runtime/gateway/events/follow/turns.js';
import { until } from '../../../support/until.ts';
import { errorOf, type HttpGateway } from '../support/gateway.ts';
import { expectShares, startSharedGateway } from '../support/shares.ts';

let gateway: HttpGateway;

beforeAll(async () => {
  gateway = await startSharedGateway({
    AIP_GATEWAY_MAX_FOLLOWERS: '4',
    AIP_GATEWAY_MAX_FOLLOWERS_PER_TENANT: '3',
    AIP_GATEWAY_MAX_FOLLOWERS_PER_PRINCIPAL: '2',
  });
});
afterAll(async () => {
  await gateway?.stop();
});

/** Opens a stream; returns its status and a way to close it. */
async function follow(token: string): Promise<{ status: number; close: () => void }> {
  const closing = new AbortController();
  const response = await fetch(`${gateway.url}/aip/v1/events?follow=true`, {
    headers: { authorization: `Bearer ${token}` },
    signal: closing.signal,
  });
  return { status: response.status, close: () => closing.abort() };
}
const refusalOf = async (token: string) => {
  const answer = await gateway.call('GET', '/aip/v1/events?follow=true', { token });
  expect(answer.status).toBe(429);
  return errorOf(answer);
};

test('streams are bounded for a principal, a tenant and the server; a closed one makes room', async () => {
  const open = await expectShares('stream.followers_exceeded', follow, refusalOf);
  expect(open.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  expect((await gateway.call('GET', '/aip/v1/events', { token: 'ann' })).status).toBe(200);
  open[0]?.close();
  const next = await until('there is room', async () => {
    const stream = await follow('di');
    return stream.status === 200 && stream;
  });
  for (const { close } of [...open, next]) close();
});

test('a caller with many streams that catch up waits in its own line: another caller is next', async () => {
  const turns = openTurns(1);
  const order: string[] = [];
  const held = Promise.withResolvers<void>();
  const read = (name: string) => async (): Promise<void> => {
    order.push(name);
  };
  const all = [turns.take('many', () => held.promise)];
  for (let n = 0; n < 100; n += 1) all.push(turns.take('many', read('many')));
  all.push(turns.take('other', read('other')), turns.take('other', read('other')));
  held.resolve();
  await Promise.all(all);
  expect(order.slice(0, 4)).toEqual(['many', 'other', 'many', 'other']);
  expect(order).toHaveLength(102);
});

test('no more turns run at once than there are, and one that fails makes room', async () => {
  const turns = openTurns(2);
  let running = 0;
  let most = 0;
  const work = async (): Promise<void> => {
    running += 1;
    most = Math.max(most, running);
    await new Promise((done) => setImmediate(done));
    running -= 1;
    throw new Error('no page');
  };
  const ends = await Promise.allSettled(Array.from({ length: 10 }, (_, n) => turns.take(`${n % 3}`, work)));
  expect(ends.map(({ status }) => status)).toEqual(ends.map(() => 'rejected'));
  expect(most).toBe(2);
});
