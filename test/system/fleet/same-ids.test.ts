import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { followAction, type Gateway, openGateway, sendMessage } from '@aip/runtime/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newId } from '#runtime/protocol/ids.js';
import { verifyReceiptChain } from '#runtime/protocol/receipts.js';
import type { Action, ActionResult, ApprovalRequest, AuditEvent, Event } from '#runtime/protocol/types.js';
import { startTarget, type Target } from '../../runtime/gateway/callbacks/support.ts';
import { clientOf, gatewayUrls, type TestClient } from '../../support/client.ts';
import { type Dev, startDev } from '../../support/dev.ts';
import { until } from '../../support/until.ts';

/** A tenant that sends its actions to one gateway and follows them at the other. */
interface Member {
  readonly tenant: string;
  readonly client: TestClient;
  readonly elsewhere: Gateway;
  readonly approver: Gateway;
}

let dev: Dev;
let target: Target;
let demo: Member;
let witness: Member;

beforeAll(async () => {
  target = await startTarget();
  const instance = (tenantId: string) => ({
    apiVersion: 'fleet.aip.dev/v1alpha1',
    kind: 'ConnectorInstance',
    metadata: { name: `${tenantId}-demo`, namespace: 'default' },
    spec: { connector: { type: 'demo', version: '1.0.0' }, tenantId, replicas: 1 },
  });
  dev = await startDev({
    documents: ['demo', 'witness'].map((tenant) => JSON.stringify(instance(tenant))).join('\n---\n'),
    args: ['--gateways', '2'],
    env: {
      AIP_GATEWAY_CALLBACK_ALLOWED_HOSTS: '127.0.0.1',
      AIP_GATEWAY_CALLBACK_ALLOW_HTTP: 'true',
      AIP_GATEWAY_CALLBACK_ALLOW_PRIVATE_NETWORKS: 'true',
    },
  });
  const urls = (await gatewayUrls(dev)) as [string, string];
  const tokenOf = async (name: string) => (await readFile(join(dev.dataDir, 'tokens', name), 'utf8')).trim();
  const memberOf = async (tenant: string, [near, far]: [string, string]): Promise<Member> => {
    const token = await tokenOf(tenant);
    return {
      tenant,
      client: clientOf({ token, ready: { ...dev.ready, gateway_url: near } }),
      elsewhere: openGateway({ url: far, token }),
      approver: openGateway({ url: far, token: await tokenOf(`${tenant}.approver`) }),
    };
  };
  demo = await memberOf('demo', urls);
  witness = await memberOf('witness', [urls[1], urls[0]]);
});
afterAll(async () => {
  await dev?.stop();
  await target?.close();
});

const resultOf = (body: unknown) => (body as { body: { action_result?: ActionResult } }).body.action_result;
const both = <T>(work: (member: Member) => Promise<T>) => Promise.all([demo, witness].map(work));

/** The form of an answer to a question about an action, without what differs at every call. */
async function answerOf({ client }: Member, method: 'get' | 'post', path: string, id: string): Promise<string> {
  const { status, body } = method === 'get' ? await client.get(path) : await client.post(path, {});
  const text = JSON.stringify(body).replaceAll(id, 'ID');
  return `${status} ${text.replace(/"(message_id|sent_at|cursor|correlation_id|trace)":("[^"]*"|\{[^}]*\})/g, '')}`;
}

test('two tenants stream actions of one id at the same time at two gateways: each has its own chunks, end, receipts, audit and callbacks', async () => {
  const id = newId('action');
  const last = { demo: 3, witness: 5 } as Record<string, number>;
  const callback = { ...target.callback, metadata: { terminal_only: false } };
  const seen = await both(async ({ tenant, client, elsewhere }) => {
    const n = last[tenant] as number;
    const sent = client.submit({
      id,
      capability_id: 'cap:demo:count',
      input: { n, interval_ms: 20 },
      mode: 'streaming',
      callback,
    });
    await until('the other gateway knows it', async () => {
      const found = await elsewhere.request({ path: `/aip/v1/actions/${id}` }).catch(() => undefined);
      return found !== undefined;
    });
    const chunks: number[] = [];
    for await (const item of followAction(elsewhere, id)) if (item.kind === 'chunk') chunks.push(item.chunk.sequence);
    return { chunks, result: resultOf((await sent).body) };
  });
  for (const [index, { tenant, client }] of [demo, witness].entries()) {
    const n = last[tenant] as number;
    expect(seen[index]?.chunks).toEqual(Array.from({ length: n + 1 }, (_, index) => index + 1));
    expect(seen[index]?.result).toMatchObject({ action_id: id, status: 'completed', output: { count: n } });
    expect(await client.result(id)).toMatchObject({ output: { count: n } });
    const page = (await client.get(`/aip/v1/actions/${id}/events?include_chunks=true&limit=1000`)).body as {
      events: Event[];
      chunks: unknown[];
    };
    expect(page.chunks).toHaveLength(n + 1);
    expect(page.events.filter(({ kind }) => kind === 'aip.action.result')).toHaveLength(1);
    const chain = await client.receipts(id);
    expect(verifyReceiptChain(chain)).toEqual({ ok: true });
    expect(chain.receipts.map(({ receipt_type }) => receipt_type)).toEqual(['action_accepted', 'result_returned']);
    const audit = (await client.get(`/aip/v1/audit/events?action_id=${id}`)).body as { events: AuditEvent[] };
    expect(audit.events.map(({ action }) => action)).toEqual(['aip.action.result']);
    const path = `/aip/v1/callback-deliveries?action_id=${id}&limit=100`;
    const deliveries = await until('every message to the callback is delivered', async () => {
      const found = (await client.get(path)).body as { deliveries: { status: string; tenant_id: string }[] };
      return found.deliveries.every(({ status }) => status === 'delivered') && found.deliveries;
    });
    expect(deliveries.map(({ tenant_id }) => tenant_id)).toEqual(Array(n + 2).fill(tenant));
  }
  expect(target.received).toHaveLength(3 + 5 + 4);
});

test('actions of one id that wait for approvals are decided each by its own tenant', async () => {
  const id = newId('action');
  const requests = await both(async ({ client, tenant }) => {
    const input = { order: `A-${tenant}`, amount_minor: 5 };
    const sent = await client.submit({ id, capability_id: 'cap:demo:refund', input, idempotency_key: 'one key' });
    const { output } = resultOf(sent.body) as ActionResult;
    return (output as { approval_request: ApprovalRequest }).approval_request;
  });
  const decide = async ({ approver, tenant }: Member, request: ApprovalRequest, decision: 'approved' | 'denied') =>
    sendMessage(approver, {
      approval_decision: {
        approval_id: request.id,
        decision,
        decision_id: newId('message'),
        policy_hash: request.policy_hash as string,
        approver: { id: `human:approver:${tenant}`, kind: 'human' },
        decided_at: new Date().toISOString(),
      },
    });
  const [ofDemo, ofWitness] = requests as [ApprovalRequest, ApprovalRequest];
  await decide(demo, ofDemo, 'approved');
  await until('the approved one has run', async () => (await demo.client.status(id)).state === 'completed');
  expect((await demo.client.result(id)).output).toMatchObject({ amount_minor: 5 });
  expect(await witness.client.status(id)).toMatchObject({ state: 'pending_approval', approval_id: ofWitness.id });
  await decide(witness, ofWitness, 'denied');
  expect((await witness.client.status(id)).result).toMatchObject({ error: { code: 'policy.approval_denied' } });
  expect((await demo.client.status(id)).state).toBe('completed');
  for (const { client } of [demo, witness]) expect(verifyReceiptChain(await client.receipts(id))).toEqual({ ok: true });
});

test('a cancellation stops the action of its own tenant alone, whatever gateway it comes to', async () => {
  const id = newId('action');
  await both(({ client }) =>
    client.submit({ id, capability_id: 'cap:demo:report', input: { seconds: 600 }, mode: 'async' }),
  );
  await both(({ client }) => until('it runs', async () => (await client.status(id)).state === 'running'));
  await demo.elsewhere.request({ method: 'POST', path: `/aip/v1/actions/${id}/cancel`, body: { reason: 'enough' } });
  await until('it is cancelled', async () => (await demo.client.status(id)).state === 'cancelled');
  expect((await witness.client.status(id)).state).toBe('running');
  await witness.elsewhere.request({ method: 'POST', path: `/aip/v1/actions/${id}/cancel`, body: { reason: 'too' } });
  await until('so is the other', async () => (await witness.client.status(id)).state === 'cancelled');
  expect((await witness.client.result(id)).output).toEqual({ cancelled: true, reason: 'too' });
});

test('a repeated submission is answered with the action of its own tenant, and a taken id or key is not seen by another', async () => {
  const id = newId('action');
  const action = (text: string): Partial<Action> & { capability_id: string } => ({
    id,
    capability_id: 'cap:demo:echo',
    input: { text },
    idempotency_key: 'shared key',
  });
  const ownText = ({ tenant }: Member) => `of ${tenant}`;
  for (let time = 0; time < 2; time += 1)
    for (const member of [demo, witness]) {
      const sent = await member.client.submit(action(ownText(member)));
      expect(resultOf(sent.body)).toMatchObject({
        action_id: id,
        status: 'completed',
        output: { echo: { text: ownText(member) } },
      });
    }
  for (const { client } of [demo, witness]) {
    const other = await client.submit(action('another'));
    expect([other.status, JSON.stringify(other.body)]).toEqual([400, expect.stringContaining('action.id_conflict')]);
  }
});

test('a probe for an action of another tenant is answered as one for an action that nobody has', async () => {
  const taken = newId('action');
  const free = newId('action');
  await demo.client.submit({
    id: taken,
    capability_id: 'cap:demo:count',
    input: { n: 1 },
    mode: 'streaming',
    callback: target.callback,
  });
  const probes: ['get' | 'post', (id: string) => string][] = [
    ['get', (id) => `/aip/v1/actions/${id}`],
    ['get', (id) => `/aip/v1/actions/${id}/result`],
    ['get', (id) => `/aip/v1/actions/${id}/events`],
    ['get', (id) => `/aip/v1/actions/${id}/chunks`],
    ['post', (id) => `/aip/v1/actions/${id}/cancel`],
    ['get', (id) => `/aip/v1/receipts/action:${id}`],
    ['get', (id) => `/aip/v1/receipts/by-receipt/rcpt_${id}_action_accepted`],
    ['get', (id) => `/aip/v1/transactions/by-action/${id}`],
    ['get', (id) => `/aip/v1/callback-deliveries?action_id=${id}`],
    ['get', (id) => `/aip/v1/audit/events?action_id=${id}`],
  ];
  for (const [method, path] of probes)
    expect(await answerOf(witness, method, path(taken), taken)).toBe(await answerOf(witness, method, path(free), free));
  const sent = await both(({ client }) =>
    client.submit({ id: taken, capability_id: 'cap:demo:echo', input: { text: 'mine' } }),
  );
  expect(sent.map(({ status }) => status)).toEqual([400, 200]);
  expect((await witness.client.result(taken)).output).toMatchObject({ echo: { text: 'mine' } });
  expect((await demo.client.result(taken)).output).toMatchObject({ count: 1 });
});
