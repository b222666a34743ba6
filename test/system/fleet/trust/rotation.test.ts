import { afterAll, beforeAll, expect, test } from 'vitest';
import { decodeEnvelope, verifyEnvelope } from '#runtime/protocol/envelope.js';
import { newId } from '#runtime/protocol/ids.js';
import { until } from '../../../support/until.ts';
import { type Key, newKey, resultOf, startTrustTestbed, type TrustTestbed } from './trust-testbed.ts';

let testbed: TrustTestbed;
beforeAll(async () => {
  testbed = await startTrustTestbed();
});
afterAll(async () => {
  await testbed?.stop();
});

/** Sends work to the host itself, signed by a key. */
const sendAs = (key: Key) => testbed.testbed.central.send({ capability_id: 'cap:demo:echo', input: {} }, { key });
/** The DID that signs the gateway's answers now. */
async function gatewaySigner(): Promise<string> {
  const { body } = await testbed.client.submit({ capability_id: 'cap:demo:echo', input: {} });
  return verifyEnvelope(decodeEnvelope(body));
}

test('F-144 the gateway’s key is replaced under load: no action fails, also none that runs across it, and no lease lapses', async () => {
  const { client } = testbed;
  const [old, next] = [testbed.keys.gateway, newKey()];
  const load = testbed.startLoad();
  await testbed.trust('gateway', [old, next]);
  expect(await gatewaySigner()).toBe(old.did);
  // Its chunks go to the DID that it was sent under, and the gateway has another key by then.
  const across = client.submit({
    capability_id: 'cap:demo:count',
    mode: 'streaming',
    input: { n: 60, interval_ms: 50 },
  });
  await testbed.setKey('gateway', next);
  expect(await gatewaySigner()).toBe(next.did);
  const event = { id: newId('event'), kind: 'demo.note', occurred_at: '2026-01-02T03:04:05Z', data: { n: 1 } };
  await client.submit({ capability_id: 'cap:demo:echo', input: { publish_event: event } });
  await testbed.trust('gateway', [next, old]);
  const { id, status, body } = await across;
  expect([status, resultOf(body)?.status]).toEqual([200, 'completed']);
  const { body: page } = await client.get(`/aip/v1/actions/${id}/chunks`);
  expect((page as { chunks: unknown[] }).chunks).toHaveLength(61);
  await until('the event is in the log', async () => {
    const { events } = (await client.get('/aip/v1/events?kind=demo.note')).body as { events: { id: string }[] };
    return events.some((each) => each.id === event.id);
  });
  expect((await sendAs(old)).status).toBe(200);
  await testbed.trust('gateway', [next]);
  const { done, failed, unready } = await load.stop();
  expect(failed).toEqual([]);
  expect(done).toBeGreaterThan(10);
  expect(unready).toBe(0);
  expect(await testbed.lapses()).toEqual([0, 0]);
  expect(await sendAs(old)).toMatchObject({ status: 401, error: { code: 'connector_host.route_mismatch' } });
  expect((await sendAs(next)).status).toBe(200);
});

test('F-193 the control plane’s key is replaced under load: no lease lapses and no action fails; the old key grants nothing more', async () => {
  const [old, next] = [testbed.keys.control, newKey()];
  const load = testbed.startLoad();
  await testbed.trust('control', [old, next]);
  await testbed.renewed();
  await testbed.setKey('control', next);
  await testbed.renewed();
  await testbed.trust('control', [next]);
  await testbed.renewed();
  const { done, failed, unready } = await load.stop();
  expect(failed).toEqual([]);
  expect(done).toBeGreaterThan(10);
  expect(unready).toBe(0);
  expect(await testbed.lapses()).toEqual([0, 0]);
  await testbed.setKey('control', old);
  await until('a lease of the old key was refused', async () => ((await testbed.lapses())[0] as number) > 0);
  const refusal = testbed.testbed.host.lines().find(({ message }) => message === 'lease was not renewed');
  expect(refusal).toMatchObject({ reason: 'the answer is not of the trusted control plane' });
  await testbed.setKey('control', next);
  await testbed.testbed.ready();
  await testbed.renewed();
});
