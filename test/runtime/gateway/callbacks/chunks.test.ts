import { afterAll, beforeAll, expect, test } from 'vitest';
import { chunkCallbackMessageId } from '#runtime/protocol/content/chunk-ids.js';
import type { StreamChunk } from '#runtime/protocol/types.js';
import type { RouteAssignment } from '#runtime/registry/routes/assignment.js';
import { CALLBACKS, chunkOf, openTestbed, post, type Testbed, type TestHost } from '../ingress/testbed.ts';
import { storedDeliveries } from './support.ts';

let testbed: Testbed;
let host: TestHost;
beforeAll(async () => {
  testbed = await openTestbed();
  host = await testbed.host();
});
afterAll(() => testbed.close());

/** A streaming action with a callback. */
async function streamingTo(metadata?: object): Promise<RouteAssignment> {
  const assignment = await testbed.streaming(host);
  const callback = {
    profile: 'aip.native.http.v1',
    target: 'https://client.example/callback',
    ...(metadata && { metadata }),
  };
  await testbed.pool.query(
    `UPDATE runtime.actions SET request = jsonb_set(request::jsonb, '{callback}', $2::jsonb)::json WHERE action_id = $1`,
    [assignment.actionId, JSON.stringify(callback)],
  );
  return assignment;
}
const send = async (assignment: RouteAssignment, chunk: Partial<StreamChunk>) =>
  (await post(testbed.url, CALLBACKS, await chunkOf(host, assignment, chunk))).status;
const deliveriesOf = async ({ actionId }: RouteAssignment) =>
  (await storedDeliveries(testbed.pool)).filter(({ action_id }) => action_id === actionId);

test('a callback gets chunks only where it requests them: each once, under the message id of the chunk', async () => {
  const asking = await streamingTo({ terminal_only: false });
  for (const sequence of [0, 1, 1]) expect(await send(asking, { sequence, data: { n: sequence } })).toBe(200);
  expect(await deliveriesOf(asking)).toMatchObject(
    [0, 1].map((sequence) => ({
      message_id: chunkCallbackMessageId(asking.actionId, sequence),
      message_type: 'aip.core.v1.stream_chunk',
      status: 'pending',
      policy: { terminal_only: false },
      body: { stream_chunk: { action_id: asking.actionId, sequence, data: { n: sequence } } },
    })),
  );
  const silent = await streamingTo();
  expect(await send(silent, { sequence: 0 })).toBe(200);
  expect(await deliveriesOf(silent)).toEqual([]);
});
