import { decodeEnvelope, verifyEnvelope } from '@aip/runtime/protocol/envelope.js';
import { newId } from '@aip/runtime/protocol/ids.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { until } from '../support/until.ts';
import { type Key, newKey, resultOf, startTrustWorld, type TrustWorld } from './trust-testbed.ts';

let world: TrustWorld;
beforeAll(async () => {
  world = await startTrustWorld();
});
afterAll(async () => {
  await world?.stop();
});

/** Sends work to the host itself, signed by a key. */
const sendAs = (key: Key) => world.rig.central.send({ capability_id: 'cap:demo:echo', input: {} }, { key });
/** The DID that signs the gateway's answers now. */
async function gatewaySigner(): Promise<string> {
  const { body } = await world.client.submit({ capability_id: 'cap:demo:echo', input: {} });
  return verifyEnvelope(decodeEnvelope(body));
}

test('F-144 the gateway’s key is replaced under load: no action fails, also none that runs across it, and no lease lapses', async () => {
  const { client } = world;
  const [old, next] = [world.keys.gateway, newKey()];
  const load = world.startLoad();
  await world.trust('gateway', [old, next]);
  expect(await gatewaySigner()).toBe(old.did);
  // Its chunks go to the DID that it was sent under, and the gateway has another key by then.
  const across = client.submit({
    capability_id: 'cap:demo:count',
    mode: 'streaming',
    input: { n: 60, interval_ms: 50 },
  });
  await world.setKey('gateway', next);
  expect(await gatewaySigner()).toBe(next.did);
  const event = { id: newId('event'), kind: 'demo.note', occurred_at: '2026-01-02T03:04:05Z', data: { n: 1 } };
  await client.submit({ capability_id: 'cap:demo:echo', input: { publish_event: event } });
  await world.trust('gateway', [next, old]);
  const { id, status, body } = await across;
  expect([status, resultOf(body)?.status]).toEqual([200, 'completed']);
  const { body: page } = await client.get(`/aip/v1/actions/${id}/chunks`);
  expect((page as { chunks: unknown[] }).chunks).toHaveLength(61);
  await until('the event is in the log', async () => {
    const { events } = (await client.get('/aip/v1/events?kind=demo.note')).body as { events: { id: string }[] };
    return events.some((each) => each.id === event.id);
  });
  expect((await sendAs(old)).status).toBe(200);
  await world.trust('gateway', [next]);
  const { done, failed, unready } = await load.stop();
  expect(failed).toEqual([]);
  expect(done).toBeGreaterThan(10);
  expect(unready).toBe(0);
  expect(await world.lapses()).toEqual([0, 0]);
  expect(await sendAs(old)).toMatchObject({ status: 401, error: { code: 'connector_host.route_mismatch' } });
  expect((await sendAs(next)).status).toBe(200);
});

test('F-193 the control plane’s key is replaced under load: no lease lapses and no action fails; the old key grants nothing more', async () => {
  const [old, next] = [world.keys.control, newKey()];
  const load = world.startLoad();
  await world.trust('control', [old, next]);
  await world.renewed();
  await world.setKey('control', next);
  await world.renewed();
  await world.trust('control', [next]);
  await world.renewed();
  const { done, failed, unready } = await load.stop();
  expect(failed).toEqual([]);
  expect(done).toBeGreaterThan(10);
  expect(unready).toBe(0);
  expect(await world.lapses()).toEqual([0, 0]);
  await world.setKey('control', old);
  await until('a lease of the old key was refused', async () => ((await world.lapses())[0] as number) > 0);
  const refusal = world.rig.host.lines().find(({ message }) => message === 'lease was not renewed');
  expect(refusal).toMatchObject({ reason: 'the answer is not of the trusted control plane' });
  await world.setKey('control', next);
  await world.rig.ready();
  await world.renewed();
});
