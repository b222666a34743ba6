import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { verifyEnvelope } from '#runtime/protocol/envelope.js';
import { beginBody } from '../../../support/network/unfinished-body.ts';
import { until } from '../../../support/until.ts';
import { startHttpGateway } from '../support/gateway.ts';
import {
  CALLBACKS,
  chunkOf,
  EVENTS,
  eventsOf,
  holdEventLog,
  newEvent,
  openTestbed,
  post,
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

async function samples(url = testbed.url): Promise<Record<string, number>> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const lines = [...text.matchAll(/^aip_connector_event_ingress_(\w+) (\d+)$/gm)];
  return Object.fromEntries(lines.map(([, name, value]) => [name, Number(value)]));
}

describe('counters and places', () => {
  test('N-291 N-292 N-293 N-294 N-295 N-296 counts both paths together and shows the free places', async () => {
    const before = await samples();
    expect(before.capacity).toBe(128);
    expect(before.available).toBe(128);
    await post(testbed.url, EVENTS, await eventsOf(host, [newEvent()]));
    await post(testbed.url, CALLBACKS, await chunkOf(host, await testbed.streaming(host), {}));
    await post(testbed.url, EVENTS, await eventsOf(host, []));
    await post(testbed.url, CALLBACKS, '{');
    const after = await samples();
    const grown = (name: string) => (after[name] ?? 0) - (before[name] ?? 0);
    expect([grown('received_total'), grown('accepted_total'), grown('rejected_total')]).toEqual([4, 2, 2]);

    const release = await holdEventLog(testbed);
    const waiting = post(testbed.url, EVENTS, await eventsOf(host, [newEvent()]));
    await until('a place is taken', async () => (await samples()).available === 127);
    await release();
    expect((await waiting).status).toBe(200);
    expect((await samples()).available).toBe(128);
  });

  test('F-295 F-282 runs 128 operations at once and answers the 129th with connector_event.capacity, signed', async () => {
    const envelopes = await Promise.all(Array.from({ length: 129 }, () => eventsOf(host, [newEvent()])));
    const release = await holdEventLog(testbed);
    const running = envelopes.slice(0, 128).map((envelope) => post(testbed.url, EVENTS, envelope));
    await until('every place is taken', () => testbed.ingress.available() === 0);
    const over = await post(testbed.url, EVENTS, envelopes[128]);
    expect(over).toMatchObject({ status: 503, code: 'connector_event.capacity', retryable: true, retryAfterMs: 100 });
    expect(await verifyEnvelope(over.envelope)).toBe(testbed.central.did);
    await release();
    expect((await Promise.all(running)).every((answer) => answer.status === 200)).toBe(true);
    expect((await post(testbed.url, EVENTS, envelopes[128])).status).toBe(200);
  });
});

describe('when it cannot work', () => {
  test('F-277 answers 404 connector_event.not_configured on both paths without an ingress', async () => {
    const server = await startHttpGateway();
    onTestFinished(() => server.stop());
    for (const path of [EVENTS, CALLBACKS]) {
      const answer = await post(server.url, path, await eventsOf(host, [newEvent()]));
      expect(answer).toMatchObject({ status: 404, code: 'connector_event.not_configured', retryable: false });
      expect(answer.envelope).not.toHaveProperty('security');
      for (const [body, headers] of [
        ['{', {}],
        ['x'.repeat(5_000_000), {}],
        ['{}', { 'content-type': 'text/plain' }],
      ] as const) {
        expect(await post(server.url, path, body, headers)).toMatchObject({
          status: 404,
          code: 'connector_event.not_configured',
        });
      }
    }
  });

  test('140 connections that declare the largest body and stay silent take no place: events are stored', async () => {
    const before = await samples();
    const since = async (what: 'received_total' | 'rejected_total') =>
      ((await samples())[what] ?? 0) - (before[what] ?? 0);
    const silent = Array.from({ length: 140 }, () =>
      beginBody(testbed.url, { path: EVENTS, declared: 4_194_304, first: '{' }),
    );
    await until('all are being read', async () => (await since('received_total')) === 140);
    expect(await samples()).toMatchObject({ capacity: 128, available: 128 });
    expect((await post(testbed.url, EVENTS, await eventsOf(host, [newEvent()]))).status).toBe(200);
    for (const { destroy } of silent) destroy();
    await until('all are given up', async () => (await since('rejected_total')) === 140);
  });

  test('a sender that goes away in the middle of its body leaves nothing behind', async () => {
    const before = await samples();
    const text = JSON.stringify(await eventsOf(host, [newEvent()]));
    const { hostname, port } = new URL(testbed.url);
    for (const sent of [0, 1, text.length - 1]) {
      const socket = connect(Number(port), hostname);
      socket.write(
        `POST ${EVENTS} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: ${text.length}\r\n\r\n${text.slice(0, sent)}`,
      );
      await until('it arrived', async () => ((await samples()).received_total ?? 0) > (before.received_total ?? 0));
      before.received_total = (before.received_total ?? 0) + 1;
      expect(testbed.ingress.available()).toBe(128);
      socket.destroy();
    }
    await until(
      'all were given up',
      async () => ((await samples()).rejected_total ?? 0) === (before.rejected_total ?? 0) + 3,
    );
    const id = (JSON.parse(text) as { body: { event_stream: { events: { id: string }[] } } }).body.event_stream
      .events[0]?.id;
    expect((await testbed.storedEvents()).map((event) => event.id)).not.toContain(id);
    expect((await post(testbed.url, EVENTS, text)).status).toBe(200);
  });

  test('D-12 answers another method with 405 and Allow', async () => {
    const response = await fetch(`${testbed.url}${EVENTS}`);
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST']);
  });

  test('F-283 answers connector_event.unavailable with 1000 ms when the registry or the event log fails, signed', async () => {
    const broken = await openTestbed();
    const publisher = await broken.host();
    const assignment = await broken.streaming(publisher);
    try {
      await broken.registryPool.query('ALTER TABLE registry.replicas RENAME TO replicas_gone');
      const unavailable = { status: 503, code: 'connector_event.unavailable', retryable: true, retryAfterMs: 1000 };
      const registryGone = await post(broken.url, EVENTS, await eventsOf(publisher, [newEvent()]));
      expect(registryGone).toMatchObject(unavailable);
      expect(await verifyEnvelope(registryGone.envelope)).toBe(broken.central.did);
      await broken.registryPool.query('ALTER TABLE registry.replicas_gone RENAME TO replicas');
      await broken.pool.query('ALTER TABLE runtime.events RENAME TO events_gone');
      expect(await post(broken.url, EVENTS, await eventsOf(publisher, [newEvent()]))).toMatchObject(unavailable);
      expect(await post(broken.url, CALLBACKS, await chunkOf(publisher, assignment, {}))).toMatchObject(unavailable);
      await broken.pool.query('ALTER TABLE runtime.events_gone RENAME TO events');
      expect(await broken.storedChunks(assignment.actionId)).toEqual([]);
      expect((await post(broken.url, CALLBACKS, await chunkOf(publisher, assignment, {}))).status).toBe(200);
    } finally {
      await broken.close();
    }
  });
});
