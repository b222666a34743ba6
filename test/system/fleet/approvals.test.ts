import { resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { changePrincipals, newToken, OPERATOR_SCOPES, tokenDigest } from '#controller/fleet/principals.js';
import { openPool, type Pool } from '#runtime/postgres/pool.js';
import { newId } from '#runtime/protocol/ids.js';
import { verifyReceiptChain } from '#runtime/protocol/receipts.js';
import { formatTime } from '#runtime/protocol/time.js';
import type { Action, ActionEvents, ApprovalRecordView, ApprovalRequest } from '#runtime/protocol/types.js';
import { clientOf, clientsOf, gatewayUrls, type TestClient } from '../../support/client.ts';
import { type Dev, startDev } from '../../support/dev.ts';
import { until } from '../../support/until.ts';

const TERMINAL = new Set(['completed', 'failed', 'cancelled', 'expired', 'dead_lettered']);
const DOCUMENT = JSON.stringify({
  apiVersion: 'fleet.aip.dev/v1alpha1',
  kind: 'ConnectorInstance',
  metadata: {
    name: 'approved',
    annotations: {
      'fleet.aip.dev/module': resolve(
        import.meta.dirname,
        '..',
        '..',
        'support',
        'connectors',
        'approved-connector.ts',
      ),
    },
  },
  spec: { connector: { type: 'approved', version: '1.0.0' }, tenantId: 'demo', replicas: 2 },
});

let dev: Dev;
let pool: Pool;
let requester: TestClient;
/** Clients of two approvers at each gateway. */
let approvers: { id: string; at: TestClient[] }[];

beforeAll(async () => {
  dev = await startDev({ documents: DOCUMENT, args: ['--gateways', '2'] });
  pool = openPool({ url: dev.ready.database_url, max: 2 });
  requester = clientOf(dev);
  approvers = [];
  for (const id of ['human:kim', 'human:lee']) {
    const token = newToken();
    await changePrincipals(resolve(dev.dataDir, 'principals.json'), (entries) => [
      ...entries,
      {
        token_digest: tokenDigest(token),
        principal_id: id,
        tenant_id: 'demo',
        scopes: [...OPERATOR_SCOPES],
        roles: ['approver'],
      },
    ]);
    const at = await clientsOf({ ...dev, token });
    for (const client of at)
      await until('the token is known', async () => (await client.get('/aip/v1/approvals')).status === 200);
    approvers.push({ id, at });
  }
});
afterAll(async () => {
  await pool?.close();
  await dev?.stop();
});

/** Submits an action that waits for its approval; returns what the gateway asks. */
async function waiting(
  action: Partial<Action> & { capability_id: string },
): Promise<{ id: string; request: ApprovalRequest }> {
  const { id, body } = await requester.submit(action);
  const { action_result } = (body as { body: { action_result: { output: { approval_request: ApprovalRequest } } } })
    .body;
  return { id, request: action_result.output.approval_request };
}

function decision(request: ApprovalRequest, approver: string, kind: 'approved' | 'denied' = 'approved') {
  return {
    aip_version: '1.0',
    message_type: 'aip.policy.v1.approval_decision',
    message_id: newId('message'),
    sent_at: formatTime(Date.now()),
    body: {
      approval_decision: {
        approval_id: request.id,
        decision: kind,
        approver: { id: approver, kind: 'human' },
        decided_at: '2026-11-22T10:20:00.250000+01:00',
        reason: 'checked',
        constraints: [{ field: 'n', operator: 'in', value: [{ deep: [1.5, null] }, 5] }],
        evidence: [{ id: 'T-1', kind: 'external_ticket', redacted: false }],
        decision_id: newId('message'),
        policy_hash: request.policy_hash,
      },
    },
  };
}

/** One vote of each approver, each at another gateway. */
async function approve(request: ApprovalRequest): Promise<void> {
  for (const [index, { id, at }] of approvers.entries()) {
    const answer = await (at[index % at.length] as TestClient).post('/aip/v1/messages', decision(request, id));
    expect(answer.status).toBe(200);
  }
}

/** Follows the events of an action at one gateway to the end of the stream; returns the names of the frames. */
async function follow(url: string, id: string): Promise<string[]> {
  const stream = await fetch(`${url}/aip/v1/actions/${id}/events?follow=true`, {
    headers: { authorization: `Bearer ${dev.token}` },
  });
  return [...(await stream.text()).matchAll(/^event: (.*)$/gm)].map(([, name]) => name as string);
}

const ended = (id: string) =>
  until(`${id} has ended`, async () => {
    const status = await requester.status(id);
    return TERMINAL.has(status.state) && status;
  });

test('F-036 a streaming action that waited for its approval runs at a host with the approval’s record, and its chunks arrive', async () => {
  const { id, request } = await waiting({ capability_id: 'cap:approved:count', mode: 'streaming', input: { n: 5 } });
  expect(await requester.status(id)).toMatchObject({ state: 'pending_approval', approval_id: request.id });
  expect(((await requester.get(`/aip/v1/actions/${id}/chunks`)).body as ActionEvents).chunks ?? []).toEqual([]);
  // Every gateway is asked, whichever took the action, the votes and the work.
  const followed = (await gatewayUrls(dev)).map((url) => follow(url, id));
  await approve(request);
  expect(await ended(id)).toMatchObject({
    state: 'completed',
    result: { status: 'completed', output: { count: 5, approval_id: request.id } },
  });
  for (const names of await Promise.all(followed)) {
    expect(names.filter((name) => name !== 'aip.stream.cursor' && name !== 'aip.stream.chunk')).toEqual([
      'aip.approval.requested',
      'aip.approval.vote_recorded',
      'aip.approval.granted',
      'aip.approval.resumed_action',
      'aip.action.resumed_result',
      'aip.action.worker_result',
      'aip.action.result',
      'aip.stream.terminal',
    ]);
  }
  const { chunks } = (await requester.get(`/aip/v1/actions/${id}/chunks`)).body as ActionEvents;
  expect(chunks?.map(({ kind, data }) => [kind, (data as { value?: number }).value])).toEqual([
    ...[1, 2, 3, 4, 5].map((value) => ['data', value]),
    ['done', undefined],
  ]);
  const view = (await requester.get(`/aip/v1/approvals/${request.id}?include_receipts=true`))
    .body as ApprovalRecordView;
  expect(view.status).toBe('approved');
  expect(view.receipt_chain && verifyReceiptChain(view.receipt_chain)).toEqual({ ok: true });
  expect(verifyReceiptChain(await requester.receipts(id))).toEqual({ ok: true });
  const { rows } = await pool.query<{ schema: string }>(
    "SELECT schemaname AS schema FROM pg_tables WHERE tablename = 'approvals' AND schemaname <> 'runtime'",
  );
  const kept = await pool.query<{ record: { status: string; decisions: unknown[]; request: { id: string } } }>(
    `SELECT record FROM ${rows[0]?.schema}.approvals WHERE approval_id = $1`,
    [request.id],
  );
  expect(kept.rows[0]?.record).toMatchObject({ status: 'approved', request: { id: request.id } });
  expect(kept.rows[0]?.record.decisions).toHaveLength(2);
});

test.each(['sync', 'async'] as const)(
  'part of N-009: a %s action takes effect once after its approval, and never without it',
  async (mode) => {
    const denied = await waiting({ capability_id: 'cap:approved:pay', mode, input: { n: 5 } });
    const [first] = approvers;
    await first?.at[0]?.post('/aip/v1/messages', decision(denied.request, first.id, 'denied'));
    expect(await ended(denied.id)).toMatchObject({
      state: 'failed',
      result: { error: { code: 'policy.approval_denied' } },
    });
    const granted = await waiting({ capability_id: 'cap:approved:pay', mode, input: { n: 5 } });
    await approve(granted.request);
    expect(await ended(granted.id)).toMatchObject({ state: 'completed', result: { output: { paid: 1 } } });
  },
);

test('gateways that are killed while they decide leave each approval decided once, and each approved action with one effect', async () => {
  const actions = await Promise.all(
    Array.from({ length: 12 }, () => waiting({ capability_id: 'cap:approved:pay', mode: 'async', input: { n: 5 } })),
  );
  const votes = actions.flatMap(({ request }) =>
    approvers.map(async ({ id, at }, index) => {
      const envelope = () => decision(request, id);
      await until('the vote is answered', async () => {
        const client = at[index % at.length] as TestClient;
        const answer = await client.post('/aip/v1/messages', envelope()).catch(() => undefined);
        const code = (answer?.body as { body?: { error?: { error: { code: string } } } } | undefined)?.body?.error
          ?.error.code;
        return answer?.status === 200 || code === 'policy.approval_not_pending';
      });
    }),
  );
  for (const pid of await dev.pids('aip-runtime', 'gateway')) process.kill(pid, 'SIGKILL');
  await Promise.all(votes);
  await until('the gateway is back', async () => (await requester.get('/ready')).status === 200);
  for (const { id, request } of actions) {
    expect(await ended(id)).toMatchObject({ state: 'completed', result: { output: { paid: 1 } } });
    const chain = await requester.receipts(id);
    expect(verifyReceiptChain(chain)).toEqual({ ok: true });
    expect(chain.receipts.filter(({ receipt_type }) => receipt_type === 'approval_granted')).toHaveLength(1);
    expect(chain.receipts.filter(({ receipt_type }) => receipt_type === 'result_returned')).toHaveLength(1);
    const { body } = await requester.get(`/aip/v1/approvals/${request.id}`);
    expect((body as ApprovalRecordView).status).toBe('approved');
  }
});
