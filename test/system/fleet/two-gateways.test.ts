import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { followAction, type Gateway, openGateway, sendMessage, submitAction } from '@aip/runtime/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newId } from '#runtime/protocol/ids.js';
import type { ActionEvents, ActionResult, ActionStatus, ApprovalRequest } from '#runtime/protocol/types.js';
import { gatewayUrls } from '../../support/client.ts';
import { type Dev, startDev } from '../../support/dev.ts';
import { until } from '../../support/until.ts';

let dev: Dev;
/** One gateway takes the work, the other one everything that follows. */
let a: Gateway;
let b: Gateway;
let approver: Gateway;

beforeAll(async () => {
  dev = await startDev({ args: ['--gateways', '2'] });
  const [first, second] = (await gatewayUrls(dev)) as [string, string];
  expect(second).not.toBe(first);
  a = openGateway({ url: first, token: dev.token });
  b = openGateway({ url: second, token: dev.token });
  const token = (await readFile(join(dev.dataDir, 'tokens', 'demo.approver'), 'utf8')).trim();
  approver = openGateway({ url: second, token });
});
afterAll(() => dev?.stop());

test('dev.json and the line of aip dev name the addresses of all gateways, and each of them answers', async () => {
  const urls = await gatewayUrls(dev);
  const { gateways, gateway_url } = JSON.parse(
    await readFile(join(dev.dataDir, 'dev.json'), 'utf8'),
  ) as typeof dev.ready;
  expect(gateways.toSorted()).toEqual(urls);
  expect(dev.printed.gateways).toEqual(gateways);
  expect(gateways).toContain(gateway_url);
  for (const url of gateways) expect((await fetch(`${url}/ready`)).status).toBe(200);
});

const statusAt = (gateway: Gateway, id: string, query: Record<string, boolean> = {}): Promise<ActionStatus> =>
  gateway.request({ path: `/aip/v1/actions/${id}`, query }) as Promise<ActionStatus>;

test('chunks of an action that one gateway dispatches reach a follower of the other while it runs, which may cancel it', async () => {
  const id = newId('action');
  const capabilityId = 'cap:demo:count';
  const submitted = submitAction(a, { id, capabilityId, input: { n: 2, interval_ms: 60_000 }, mode: 'streaming' });
  await until('the other gateway knows the action', async () => (await statusAt(b, id)).state !== 'unknown');
  const seen: string[] = [];
  for await (const item of followAction(b, id)) {
    if (item.kind !== 'chunk') continue;
    seen.push(`chunk ${item.chunk.sequence}`, (await statusAt(a, id)).state);
    await b.request({ method: 'POST', path: `/aip/v1/actions/${id}/cancel`, body: { reason: 'enough' } });
  }
  expect(seen).toHaveLength(2);
  expect(seen[1]).toBe('streaming');
  expect((await submitted).result?.status).toBe('cancelled');
  expect((await statusAt(b, id)).state).toBe('cancelled');
});

test('all chunks of an action of one gateway come to the other in order, with its end', async () => {
  const id = newId('action');
  await submitAction(a, { id, capabilityId: 'cap:demo:count', input: { n: 40 }, mode: 'streaming' });
  const chunks: number[] = [];
  for await (const item of followAction(b, id)) if (item.kind === 'chunk') chunks.push(item.chunk.sequence);
  expect(chunks).toHaveLength(41);
  expect(chunks).toEqual(chunks.toSorted((x, y) => x - y));
  expect(await statusAt(b, id, { include_result: true })).toMatchObject({
    state: 'completed',
    result: { output: { count: 40 } },
  });
});

test('an action that waits at one gateway is approved, executed and read at the other', async () => {
  const input = { order: 'A-1', amount_minor: 5 };
  const waiting = await submitAction(a, { capabilityId: 'cap:demo:refund', input, idempotencyKey: newId('message') });
  const output = waiting.result?.output as { approval_request: ApprovalRequest } | undefined;
  const request = output?.approval_request as ApprovalRequest;
  await sendMessage(approver, {
    approval_decision: {
      approval_id: request.id,
      decision: 'approved',
      decision_id: newId('message'),
      policy_hash: request.policy_hash as string,
      approver: { id: 'human:approver:demo', kind: 'human' },
      decided_at: new Date().toISOString(),
    },
  });
  const ended = await until('the other gateway has its end', async () => {
    const status = await statusAt(b, waiting.actionId, { include_result: true });
    return status.state === 'completed' && status;
  });
  expect(ended.result).toMatchObject({ status: 'completed', output: { amount_minor: 5 } });
  expect(await statusAt(a, waiting.actionId)).toMatchObject({ state: 'completed', approval_id: request.id });
});

test('an action that one gateway runs is cancelled at the other', async () => {
  const { actionId } = await submitAction(a, {
    capabilityId: 'cap:demo:report',
    input: { seconds: 600 },
    mode: 'async',
  });
  await until('it runs', async () => (await statusAt(b, actionId)).state === 'running');
  const answer = (await b.request({
    method: 'POST',
    path: `/aip/v1/actions/${actionId}/cancel`,
    body: { reason: 'enough' },
  })) as ActionResult;
  expect(answer.status).toBe('cancelled');
  await until('both gateways say so', async () => {
    const states = await Promise.all([a, b].map(async (each) => (await statusAt(each, actionId)).state));
    return states.every((state) => state === 'cancelled');
  });
  const events = await until('all its events are shown', async () => {
    const page = (await b.request({ path: `/aip/v1/actions/${actionId}/events` })) as ActionEvents;
    return page.terminal && page;
  });
  expect(events.events.map(({ kind }) => kind).filter((kind) => kind === 'aip.action.result')).toHaveLength(1);
});
