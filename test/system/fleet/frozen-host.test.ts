import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ActionResult } from '#runtime/protocol/types.js';
import { clientOf, type TestClient } from '../../support/client.ts';
import { type Dev, startDev } from '../../support/dev.ts';
import { until } from '../../support/until.ts';

/** More than the 45 s of docs/protocol/dispatch.md#hosts-that-journal, for a busy machine. */
const ANSWERED_MS = 60_000;

let dev: Dev;
let client: TestClient;
let hosts: number[] = [];
beforeAll(async () => {
  dev = await startDev();
  client = clientOf(dev);
  hosts = await dev.pids('aip-runtime', 'host');
});
afterAll(async () => {
  for (const pid of hosts) process.kill(pid, 'SIGCONT');
  await dev?.stop();
});

test('callers that wait for frozen hosts are answered within the documented time, with and without a time of their own', async () => {
  expect(hosts).toHaveLength(2);
  await client.submit({ capability_id: 'cap:demo:echo', input: { text: 'warm' } });
  for (const pid of hosts) process.kill(pid, 'SIGSTOP');
  const ended: (ActionResult | undefined)[] = [];
  const ask = async (more: object) => {
    const { body } = await client.submit({ capability_id: 'cap:demo:echo', input: { text: 'x' }, ...more });
    ended.push((body as { body: { action_result?: ActionResult } }).body.action_result);
  };
  void ask({ timeout_ms: 2000 });
  void ask({});
  expect(await until('both are answered', () => ended.length === 2, ANSWERED_MS)).toBe(true);
  expect(ended.map((result) => result?.status)).toEqual(['failed', 'failed']);
});
