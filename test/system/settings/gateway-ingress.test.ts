import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Envelope } from '#runtime/protocol/envelope.js';
import { formatTime } from '#runtime/protocol/time.js';
import {
  CALLBACKS,
  chunkOf,
  EVENTS,
  eventsOf,
  newEvent,
  openTestbed,
  post,
  type Testbed,
  type TestHost,
  TRUST_DOMAIN,
} from '../../runtime/gateway/ingress/testbed.ts';
import { type SetGateway, startSetGateway } from './support.ts';

const INVALID = { status: 400, code: 'connector_event.invalid' };
let testbed: Testbed;
let host: TestHost;
beforeAll(async () => {
  testbed = await openTestbed();
  host = await testbed.host();
});
afterAll(() => testbed?.close());

const start = (settings: Record<string, string>): Promise<SetGateway> =>
  startSetGateway(testbed.databaseUrl, { TRUST_DOMAIN, ...settings });
const secondsFromNow = (seconds: number) => ({ sent_at: formatTime(Date.now() + seconds * 1000) });

test('F-290 F-292 F-294 part: a gateway process takes its bounds of the ingress from its settings', async () => {
  const { url, metric } = await start({
    CONNECTOR_EVENT_MAX_EVENTS_PER_ENVELOPE: '2',
    CONNECTOR_EVENT_MAX_EVENT_BYTES: '2000',
    CONNECTOR_EVENT_MAX_ENVELOPE_BYTES: '8000',
    CONNECTOR_STREAM_MAX_CHUNK_BYTES: '1500',
    CONNECTOR_EVENT_MAX_IN_FLIGHT: '7',
  });
  const publish = async (...sizes: number[]) => {
    const events = sizes.map((size) => newEvent({ data: { text: 'x'.repeat(size) } }));
    return post(url, EVENTS, await eventsOf(host, events));
  };
  expect(await publish(10, 10)).toMatchObject({ status: 200 });
  expect(await publish(10, 10, 10)).toMatchObject(INVALID);
  expect(await publish(1000)).toMatchObject({ status: 200 });
  expect(await publish(2000)).toMatchObject(INVALID);
  expect((await publish(9000)).status).toBe(413);
  const assignment = await testbed.streaming(host);
  const chunk = async (size: number, sequence: number) =>
    post(url, CALLBACKS, await chunkOf(host, assignment, { sequence, data: 'x'.repeat(size) }));
  expect(await chunk(100, 0)).toMatchObject({ status: 200 });
  expect(await chunk(1600, 1)).toMatchObject(INVALID);
  expect(await metric('aip_connector_event_ingress_capacity')).toBe(7);
});

test('a gateway process takes the ages of envelopes from its settings', async () => {
  const { url } = await start({
    CONNECTOR_EVENT_MAX_AGE_SECONDS: '200',
    CONNECTOR_EVENT_MAX_FUTURE_SKEW_SECONDS: '600',
    CONNECTOR_STREAM_CALLBACK_MAX_AGE_SECONDS: '150',
  });
  const publish = async (seconds: number) =>
    post(url, EVENTS, await eventsOf(host, [newEvent()], { fields: secondsFromNow(seconds) }));
  expect(await publish(-100)).toMatchObject({ status: 200 });
  expect(await publish(-250)).toMatchObject(INVALID);
  expect(await publish(500)).toMatchObject({ status: 200 });
  expect(await publish(700)).toMatchObject(INVALID);
  const assignment = await testbed.streaming(host);
  const chunk = async (seconds: number, sequence: number) =>
    post(url, CALLBACKS, await chunkOf(host, assignment, { sequence }, { fields: secondsFromNow(seconds) }));
  expect(await chunk(-100, 0)).toMatchObject({ status: 200 });
  expect(await chunk(-200, 1)).toMatchObject(INVALID);
});

test('F-012 F-203 a gateway process takes a signature of the host beside any bearer token, and no bearer token in its place', async () => {
  const { url, client, token } = await start({});
  expect((await client.get('/aip/v1/events')).status).toBe(200);
  const assignment = await testbed.streaming(host);
  let sequence = 0;
  const messages: [string, () => Promise<Envelope>][] = [
    [EVENTS, () => eventsOf(host, [newEvent()])],
    [CALLBACKS, () => chunkOf(host, assignment, { sequence: sequence++ })],
  ];
  for (const [path, message] of messages) {
    const { security, ...rest } = await message();
    const { signature: _, ...unsigned } = security as Record<string, unknown>;
    const valid = { authorization: `Bearer ${token}` };
    expect(await post(url, path, { ...rest, security: unsigned }, valid)).toMatchObject({
      status: 401,
      code: 'connector_event.not_authorized',
    });
    for (const headers of [{}, valid, { authorization: 'Bearer wrong' }, { authorization: 'Basic eDp5' }])
      expect((await post(url, path, await message(), headers as Record<string, string>)).status).toBe(200);
  }
});
