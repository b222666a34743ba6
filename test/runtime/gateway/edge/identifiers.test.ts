import { afterAll, beforeAll, expect, test } from 'vitest';
import { insertTransaction, newTransaction } from '#runtime/gateway/actions/transaction/record.js';
import { insertDeliveries } from '#runtime/gateway/callbacks/record.js';
import { openPool, type Pool } from '#runtime/postgres/pool.js';
import { newEnvelope } from '#runtime/protocol/envelope.js';
import { actionInputHash } from '#runtime/protocol/hashes.js';
import { newId } from '#runtime/protocol/ids.js';
import type { Body } from '#runtime/protocol/types.js';
import { newDelivery } from '../callbacks/support.ts';
import { actionEnvelope, type HttpGateway, startHttpGateway, TOKEN } from '../support/gateway.ts';

/** What every id here ends with: characters that have a meaning in paths, queries, forms or JSON. */
const ODD = `ä/ ?#%&+=;:'"\\..`;
const HEALTH = 'cap:aip:server:health';
const EDGE = { id: 'service:edge', kind: 'service' } as const;

const action = `act_${ODD}`;
// A colon would begin the suffix form of a route; the gateway makes the ids of sessions.
const session = `sess_${ODD.replace(':', '')}`;
const approval = `appr_${ODD}`;
const transaction = `txn_${ODD}`;
const plan = `plan${ODD}`;
const delivery = `cb${ODD}`;

let gateway: HttpGateway;
let pool: Pool;

beforeAll(async () => {
  gateway = await startHttpGateway();
  pool = openPool({ url: gateway.databaseUrl, max: 2 });
  const send = async (body: Body, fields: object = {}): Promise<void> => {
    const envelope = newEnvelope(body, fields, { clock: Date.now });
    expect((await gateway.call('POST', '/aip/v1/messages', { token: TOKEN, body: envelope })).status).toBe(200);
  };
  await pool.query(
    `INSERT INTO runtime.sessions (session_id, tenant_id, principal_id, principal_kind, peer_id, peer_kind, status, handshake, token_hash,
       expires_at, created_at, updated_at)
     VALUES ($1, 'acme', 'service:edge', 'service', 'service:x', 'service', 'active', '{}', '', 4102444800000, 1, 1)`,
    [session],
  );
  await send(actionEnvelope({ id: action }).body, { session_id: session });
  await pool.query('UPDATE runtime.actions SET approval_id = $1, transaction_id = $2', [approval, transaction]);
  const hash = actionInputHash({ capability_id: HEALTH, input: {} });
  await send({
    approval_request: {
      id: approval,
      action_id: newId('action'),
      capability_id: HEALTH,
      requester: EDGE,
      subject: EDGE,
      approver_selector: { type: 'tenant_policy' },
      reason: 'may I look?',
      evidence: [{ id: 'input', kind: 'input_snapshot', hash, redacted: true }],
    },
  } as Body);
  const owner = { tenant_id: 'acme', principal_id: EDGE.id, principal_kind: EDGE.kind };
  await insertTransaction(
    pool,
    newTransaction(owner, transaction, {
      action_id: action,
      capability_id: HEALTH,
      mode: 'commit',
      status: 'committed',
      request: { id: action, capability_id: HEALTH, input: {}, transaction: { mode: 'commit', plan_id: plan } },
      plan_id: plan,
      effect: true,
      created_at: 1,
      updated_at: 1,
    }),
  );
  const callback = { profile: 'aip.native.http.v1', target: 'http://127.0.0.1:9/' };
  await insertDeliveries(pool, [newDelivery(callback, { ...owner, delivery_id: delivery, action_id: action })]);
  const event = {
    actor: EDGE,
    action: 'order.viewed',
    occurred_at: '2026-03-02T09:00:00Z',
    data: { transaction_id: transaction },
  };
  await send({ audit_event: { id: newId('event'), ...event } });
});
afterAll(async () => {
  await pool?.close();
  await gateway?.stop();
});

async function read(path: string) {
  const { status, body } = await gateway.call('GET', `/aip/v1${path}`, { token: TOKEN });
  expect([path, status]).toEqual([path, 200]);
  return body;
}
const in_ = encodeURIComponent;

test('N-042 every id comes back as a string, unchanged, and is taken back as a path and as a query value', async () => {
  const chain = await read(`/receipts/${in_(`action:${action}`)}`);
  expect(chain.chain_id).toBe(`action:${action}`);
  for (const { id } of chain.receipts) {
    expect(id).toContain(action);
    expect(await read(`/receipts/by-receipt/${in_(id)}`)).toEqual(chain);
  }
  for (const [path, members] of [
    [`/actions/${in_(action)}`, { action_id: action, session_id: session }],
    [`/actions/${in_(action)}/result`, { action_id: action }],
    [`/actions/${in_(action)}/events`, { action_id: action }],
    [`/actions/${in_(action)}/chunks`, { action_id: action }],
    [`/sessions/${in_(session)}`, { session_id: session }],
    [`/approvals/${in_(approval)}`, { request: { id: approval } }],
    [`/transactions/${in_(transaction)}`, { transaction_id: transaction, action_id: action }],
    [`/transactions/by-plan/${in_(plan)}`, { transaction: { plan_id: plan } }],
    [`/transactions/by-action/${in_(action)}`, { transaction_id: transaction, action_id: action }],
    [`/callback-deliveries/${in_(delivery)}`, { delivery_id: delivery, action_id: action }],
  ] as const)
    expect(await read(path)).toMatchObject(members);
  for (const [path, member, row] of [
    [`/actions?session_id=${in_(session)}`, 'actions', { action_id: action }],
    [`/actions?approval_id=${in_(approval)}`, 'actions', { action_id: action }],
    [`/actions?transaction_id=${in_(transaction)}`, 'actions', { action_id: action }],
    [`/callback-deliveries?action_id=${in_(action)}`, 'deliveries', { delivery_id: delivery }],
    [`/audit/events?action_id=${in_(action)}`, 'events', { data: { action_id: action } }],
    [`/audit/events?session_id=${in_(session)}`, 'events', { data: { action_id: action } }],
    [`/audit/events?transaction_id=${in_(transaction)}`, 'events', { data: { transaction_id: transaction } }],
  ] as const)
    expect([path, (await read(path))[member]]).toMatchObject([path, [row]]);
  const cancelled = await gateway.call('POST', `/aip/v1/actions/${in_(action)}/cancel`, { token: TOKEN });
  expect(cancelled).toMatchObject({ status: 200, body: { action_id: action } });
  const closed = await gateway.call('POST', `/aip/v1/sessions/${in_(session)}/close`, { token: TOKEN });
  expect(closed).toMatchObject({ status: 200, body: { session_id: session } });
});
