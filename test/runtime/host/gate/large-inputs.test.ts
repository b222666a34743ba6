import { afterAll, beforeAll, expect, test } from 'vitest';
import { newId } from '#runtime/protocol/ids.js';
import { newSeedHex, signingKeyFromSeed } from '#runtime/protocol/signing.js';
import { until } from '../../../support/until.ts';
import type { Answer } from '../support/central.ts';
import { startTestbed, type Testbed } from '../support/testbed.ts';

/** Bytes of large bodies that the host answers at once: two of these. */
const BOUND = 400_000;
const LARGE = 170_000;

let testbed: Testbed;
beforeAll(async () => {
  testbed = await startTestbed({
    env: { AIP_CONNECTOR_HOST_MAX_ANSWERED_BODY_BYTES: `${BOUND}`, AIP_CONNECTOR_HOST_MAX_IN_FLIGHT: '16' },
  });
});
afterAll(() => testbed?.stop());

const padded = (bytes: number) => ({ envelope: { trace: { padding: 'x'.repeat(bytes) } } });
/** Begins an action that ends when it is cancelled, in a body of so many bytes. */
async function begin(bytes: number): Promise<{ id: string; answer: Promise<Answer> }> {
  const id = newId('action');
  const running = (await testbed.metrics()).in_flight ?? 0;
  const action = { id, capability_id: 'cap:demo:report', input: { seconds: 3600 } };
  const answer = testbed.central.send(action, padded(bytes));
  await until('the action runs', async () => ((await testbed.metrics()).in_flight ?? 0) > running);
  return { id, answer };
}
const echo = (bytes: number): Promise<Answer> =>
  testbed.central.send({ capability_id: 'cap:demo:echo', input: { text: 'x' } }, padded(bytes));

test('large bodies that a host answers at once are bounded in bytes; small ones are taken, and large ones when there is room', async () => {
  const held = [await begin(LARGE), await begin(LARGE)];
  expect(await echo(LARGE)).toMatchObject({
    status: 429,
    signer: testbed.key.did,
    error: { code: 'connector_host.capacity', retryable: true },
  });
  expect(await echo(1000)).toMatchObject({ status: 200, result: { status: 'completed' } });
  const [first, ...others] = held;
  for (const { id, answer } of [first as (typeof held)[0], ...others]) {
    await testbed.central.post(await testbed.central.cancel(id, 'cap:demo:report'));
    expect((await answer).result).toMatchObject({ status: 'cancelled' });
    expect(await echo(LARGE)).toMatchObject({ status: 200, result: { status: 'completed' } });
  }
});

test('a message that another key signed is refused as one with a wrong signature of the gateway is', async () => {
  const stranger = signingKeyFromSeed(newSeedHex());
  const action = { capability_id: 'cap:demo:echo', input: { text: 'x' } };
  const refused = { status: 401, signer: testbed.key.did, error: { code: 'connector_host.route_mismatch' } };
  expect(await testbed.central.send(action, { key: stranger, from: testbed.central.principal })).toMatchObject(refused);
  const changed = await testbed.central.send(action, {
    afterSigning: (envelope) => ({ ...envelope, trace: { changed: true } }),
  });
  expect(changed).toMatchObject(refused);
});
