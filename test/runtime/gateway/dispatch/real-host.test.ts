import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ActionResult } from '#runtime/protocol/types.js';
import { clientOf, type TestClient } from '../../../support/client.ts';
import { type Dev, startDev } from '../../../support/dev.ts';
import { until } from '../../../support/until.ts';

let dev: Dev;
let client: TestClient;

beforeAll(async () => {
  dev = await startDev();
  client = clientOf(dev);
});
afterAll(async () => {
  await dev?.stop();
});

const resultOf = (body: unknown): ActionResult =>
  (body as { body: { action_result: ActionResult } }).body.action_result;

test('a synchronous action that takes longer than one exchange of 5 seconds is answered with its result', async () => {
  const startedAt = performance.now();
  const { id, body } = await client.submit({
    capability_id: 'cap:demo:report',
    mode: 'sync',
    input: { seconds: 7, title: 'long' },
  });
  expect(resultOf(body)).toMatchObject({ action_id: id, status: 'completed', output: { title: 'long', seconds: 7 } });
  expect(performance.now() - startedAt).toBeGreaterThan(7000);
  expect((await client.status(id)).state).toBe('completed');
});

test('F-168 the chunks of a streaming action come to its follower while it runs, in order, before the terminal frame', async () => {
  const submitted = client.submit({
    capability_id: 'cap:demo:count',
    mode: 'streaming',
    input: { n: 100_000, interval_ms: 20 },
  });
  const id = await until('it runs', async () => {
    const { body } = await client.get('/aip/v1/actions?capability_id=cap:demo:count&limit=10');
    return (body as { actions: { action_id: string }[] }).actions[0]?.action_id;
  });
  const response = await fetch(`${dev.ready.gateway_url}/aip/v1/actions/${id}/chunks?follow=true`, {
    headers: { authorization: `Bearer ${dev.token}` },
  });
  const frames: { event?: string; id?: string }[] = [];
  let chunkFrames = 0;
  let rest = '';
  for await (const bytes of response.body as unknown as AsyncIterable<Uint8Array>) {
    const parts = (rest + Buffer.from(bytes).toString('utf8')).split('\n\n');
    rest = parts.pop() ?? '';
    for (const part of parts) {
      const event = /^event: (.*)$/m.exec(part)?.[1];
      frames.push({ event, id: /^id: (.*)$/m.exec(part)?.[1] });
      if (event !== 'aip.stream.chunk') continue;
      chunkFrames += 1;
      // It runs until the client has seen enough, however long that takes.
      if (chunkFrames !== 12) continue;
      expect((await client.status(id)).state).toBe('streaming');
      await client.post(`/aip/v1/actions/${id}/cancel`, { reason: 'seen enough' });
    }
  }
  expect(resultOf((await submitted).body).status).toBe('cancelled');
  const chunks = frames.filter(({ event }) => event === 'aip.stream.chunk');
  const numbers = chunks.map(({ id: frameId }) => Number(frameId?.slice('chunk:'.length)));
  expect(numbers.length).toBeGreaterThanOrEqual(12);
  expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b));
  expect(frames.at(-1)?.event).toBe('aip.stream.terminal');
});

test('F-021 an action that runs at its host is cancelled there', async () => {
  const { id } = await client.submit({ capability_id: 'cap:demo:report', mode: 'async', input: { seconds: 600 } });
  await until('it runs', async () => (await client.status(id)).state === 'running');
  await client.post(`/aip/v1/actions/${id}/cancel`, { reason: 'not needed' });
  await until('it is cancelled', async () => (await client.status(id)).state === 'cancelled');
  const next = await client.submit({ capability_id: 'cap:demo:report', mode: 'sync', input: { seconds: 0 } });
  expect(resultOf(next.body).status).toBe('completed');
});
