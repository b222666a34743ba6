import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  insertTransaction,
  newTransaction,
  type TransactionRecord,
} from '#runtime/gateway/actions/transaction/record.js';
import { receiptOf } from '#runtime/gateway/actions/transaction/step/evidence.js';
import { appendReceipts } from '#runtime/gateway/records/receipts/append.js';
import { openPool, type Pool } from '#runtime/postgres/pool.js';
import { newEnvelope } from '#runtime/protocol/envelope.js';
import { newId } from '#runtime/protocol/ids.js';
import { verifyReceiptChain } from '#runtime/protocol/receipts.js';
import type { Action, Body, TransactionPlan } from '#runtime/protocol/types.js';
import { check } from '#runtime/protocol/validate.js';
import { type Answer, errorOf, type HttpGateway, principalEntry, startHttpGateway, TOKEN } from '../support/gateway.ts';

let gateway: HttpGateway;
let pool: Pool;
let record: TransactionRecord;
beforeAll(async () => {
  const principals = [
    principalEntry('owner', { tenant_id: 'acme', scopes: ['transaction:read'] }),
    principalEntry('colleague', { tenant_id: 'acme', scopes: ['transaction:read'] }),
    principalEntry('manager', { tenant_id: 'acme', scopes: ['transaction:read:any'] }),
    principalEntry('scopeless', { tenant_id: 'acme', scopes: ['action:read'] }),
    principalEntry('stranger', { tenant_id: 'globex', scopes: ['*'] }),
  ];
  gateway = await startHttpGateway({ principals });
  pool = openPool({ url: gateway.databaseUrl, max: 2 });
  record = await store('human:owner', 'acme');
});
afterAll(async () => {
  await pool?.close();
  await gateway?.stop();
});

/** Stores a committed transaction of a principal, with its receipts. */
async function store(
  principalId: string,
  tenantId: string,
  transactionId = newId('transaction'),
): Promise<TransactionRecord> {
  const action_id = newId('action');
  const plan_id = `plan:${transactionId}`;
  const request: Action = {
    id: action_id,
    capability_id: 'cap:pay',
    input: { amount: 1 },
    transaction: { mode: 'commit', plan_id },
  };
  const made = newTransaction(
    { tenant_id: tenantId, principal_id: principalId, principal_kind: 'human' },
    transactionId,
    {
      action_id,
      capability_id: 'cap:pay',
      mode: 'commit',
      status: 'committed',
      request,
      plan_id,
      plan: planOf(transactionId, plan_id, action_id),
      result: { action_id, status: 'completed', output: { paid: true } },
      effect: true,
      created_at: Date.now(),
      updated_at: Date.now(),
    },
  );
  await pool.tx(async (client) => {
    await insertTransaction(client, made);
    const actor = { id: principalId, kind: 'human' } as const;
    const facts = (['committing', 'committed'] as const).map((status) => receiptOf({ ...made, status }, actor, null));
    await appendReceipts(client, { tenantId, principalId }, facts);
  });
  return made;
}

function planOf(transaction_id: string, plan_id: string, action_id: string): TransactionPlan {
  return {
    plan_id,
    transaction_id,
    action_id,
    capability_id: 'cap:pay',
    transaction: { mode: 'plan', transaction_id, plan_id },
    planned_by: { id: 'human:owner', kind: 'human' },
    input_hash: 'x',
    approval_required: false,
    created_at: '2026-01-01T00:00:00Z',
  };
}

const paths = (of: TransactionRecord): string[] => [
  `/aip/v1/transactions/${of.transaction_id}`,
  `/aip/v1/transactions/by-plan/${encodeURIComponent(of.plan_id as string)}`,
  `/aip/v1/transactions/by-action/${of.action_id}`,
];
const get = (path: string, token = 'owner'): Promise<Answer> => gateway.call('GET', path, { token });

test('N-172 N-173 N-174 a transaction is found by its id, its plan and its action', async () => {
  for (const path of paths(record)) {
    const answer = await get(path);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/json']);
    expect(check('TransactionView', answer.body)).toEqual([]);
    expect(answer.body).toMatchObject({
      transaction_id: record.transaction_id,
      action_id: record.action_id,
      capability_id: 'cap:pay',
      transaction: { mode: 'commit', transaction_id: record.transaction_id, plan_id: record.plan_id },
      status: 'committed',
      plan: { plan_id: record.plan_id },
    });
  }
});

test('N-175 N-345 the own tenant is accepted on all three routes; another tenant reveals nothing', async () => {
  const foreign = await store('human:stranger', 'globex');
  for (const [index, path] of paths(record).entries()) {
    expect((await get(`${path}?tenant_id=acme`)).body.transaction_id).toBe(record.transaction_id);
    const named = await get(`${path}?tenant_id=globex`);
    expect([named.status, errorOf(named).code]).toEqual([401, 'auth.tenant_mismatch']);
    const hidden = await get(paths(foreign)[index] as string);
    expect([hidden.status, errorOf(hidden).code]).toEqual([400, 'transaction.not_found']);
    expect((await get(paths(foreign)[index] as string, 'stranger')).status).toBe(200);
  }
});

test('N-345 two tenants with one transaction id each see their own', async () => {
  const theirs = await store('human:stranger', 'globex', record.transaction_id);
  const own = await get(`/aip/v1/transactions/${record.transaction_id}?include_receipts=true`);
  expect(own.body.action_id).toBe(record.action_id);
  expect(verifyReceiptChain(own.body.receipt_chain)).toEqual({ ok: true });
  expect((await get(`/aip/v1/transactions/${record.transaction_id}`, 'stranger')).body.action_id).toBe(
    theirs.action_id,
  );
  const chain = await gateway.call('GET', `/aip/v1/receipts/transaction:${record.transaction_id}`, {
    token: 'stranger',
  });
  expect(chain.body.receipts[0].actor.id).toBe('human:stranger');
});

test('N-343 N-344 a transaction needs the scope, and of another principal the cross-principal scope', async () => {
  for (const path of paths(record)) {
    expect(errorOf(await get(path, 'scopeless')).code).toBe('auth.not_authorized');
    expect(errorOf(await get(path, 'colleague')).code).toBe('transaction.not_found');
    expect((await get(path, 'manager')).status).toBe(200);
  }
});

test('N-176 N-177 result and receipts come when requested, and not otherwise, on all three routes', async () => {
  for (const path of paths(record)) {
    const plain = (await get(path)).body;
    expect([plain.result, plain.receipt_chain]).toEqual([undefined, undefined]);
    const off = (await get(`${path}?include_result=false&include_receipts=false`)).body;
    expect([off.result, off.receipt_chain]).toEqual([undefined, undefined]);
    expect((await get(`${path}?include_result=true`)).body.result).toMatchObject({ output: { paid: true } });
    const { receipt_chain } = (await get(`${path}?include_receipts=true`)).body;
    expect(receipt_chain.chain_id).toBe(`transaction:${record.transaction_id}`);
    expect(verifyReceiptChain(receipt_chain)).toEqual({ ok: true });
  }
});

test('N-388 part: N-391 part: bad ids and flags of the transaction routes are refused with 400', async () => {
  for (const path of [
    '/aip/v1/transactions/tx_1',
    '/aip/v1/transactions/by-action/txn_1',
    `/aip/v1/transactions/by-plan/${'x'.repeat(257)}`,
    `/aip/v1/transactions/${record.transaction_id}?include_result=yes`,
    `/aip/v1/transactions/${record.transaction_id}?limit=1`,
  ]) {
    const answer = await get(path);
    expect([path, answer.status, errorOf(answer).code]).toEqual([path, 400, 'query.invalid']);
  }
});

test('N-178 transaction routes are read-only', async () => {
  for (const path of paths(record))
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
      const answer = await gateway.call(method, path, { token: TOKEN, body: {} });
      expect([method, answer.status]).toEqual([method, 405]);
      expect(answer.headers.get('allow')).toBe('GET, HEAD');
    }
  expect((await get(`/aip/v1/transactions/${record.transaction_id}`)).body).toMatchObject({ status: 'committed' });
});

test('N-321 part: transactions answer 401 without a credential', async () => {
  for (const path of paths(record)) expect((await gateway.call('GET', path)).status).toBe(401);
});

test('a transaction_query_request is answered with the view; it names exactly one id', async () => {
  const ask = (body: object) =>
    gateway.call('POST', '/aip/v1/messages', {
      token: 'owner',
      body: newEnvelope({ transaction_query_request: body } as Body, {}, { clock: Date.now }),
    });
  const answer = await ask({ plan_id: record.plan_id, include_result: true });
  expect(answer.body.body.transaction_view).toMatchObject({
    transaction_id: record.transaction_id,
    status: 'committed',
  });
  expect(answer.body.body.transaction_view.result).toBeDefined();
  expect((await ask({ plan_id: record.plan_id, action_id: record.action_id })).status).toBe(400);
  expect((await ask({})).status).toBe(400);
});

test('a transaction_request takes its step for its sender and is answered with a transaction_result', async () => {
  const request = (requested_by: string) => {
    const transaction_id = newId('transaction');
    const action = {
      id: newId('action'),
      capability_id: 'cap:aip:server:health',
      input: {},
      transaction: { mode: 'execute' },
    };
    const body = {
      transaction_request: { transaction_id, action, requested_by: { id: requested_by, kind: 'service' } },
    };
    return { transaction_id, action, envelope: newEnvelope(body as Body, {}, { clock: Date.now }) };
  };
  const good = request('service:edge');
  const answer = await gateway.call('POST', '/aip/v1/messages', { token: TOKEN, body: good.envelope });
  const { transaction_result } = answer.body.body;
  expect(check('TransactionResult', transaction_result)).toEqual([]);
  // The server's own capability has no transactions: the step fails, and the answer says so in its form.
  expect(transaction_result).toMatchObject({
    transaction_id: good.transaction_id,
    action_id: good.action.id,
    status: 'failed',
    error: { code: 'transaction.unsupported' },
  });
  const forged = await gateway.call('POST', '/aip/v1/messages', {
    token: TOKEN,
    body: request('human:owner').envelope,
  });
  expect(errorOf(forged).code).toBe('auth.actor_mismatch');
});
