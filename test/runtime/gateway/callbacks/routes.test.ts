import { afterAll, beforeAll, expect, test } from 'vitest';
import type { NewDelivery } from '#runtime/gateway/callbacks/delivery.js';
import { finishAttempt } from '#runtime/gateway/callbacks/finish.js';
import { insertDeliveries } from '#runtime/gateway/callbacks/record.js';
import { OPERATIONS } from '#runtime/gateway/endpoints/openapi/operations.js';
import { openPool, type Pool } from '#runtime/postgres/pool.js';
import { newEnvelope } from '#runtime/protocol/envelope.js';
import { verifyReceiptChain } from '#runtime/protocol/receipts.js';
import type { Body, CallbackDeliveryRecord } from '#runtime/protocol/types.js';
import { check } from '#runtime/protocol/validate.js';
import { type Answer, errorOf, type HttpGateway, principalEntry, startHttpGateway, TOKEN } from '../support/gateway.ts';
import { newDelivery, storedDeliveries } from './support.ts';

const LIST = '/aip/v1/callback-deliveries';
const here = { profile: 'aip.native.http.v1', target: 'https://client.example/callback?a=1' };
const elsewhere = { profile: 'other.profile', target: 'https://other.example/callback' };

let gateway: HttpGateway;
let pool: Pool;
let mine: NewDelivery[];
let delivered: NewDelivery;
let colleagues: NewDelivery;
let foreign: NewDelivery;
beforeAll(async () => {
  gateway = await startHttpGateway({
    principals: [
      principalEntry('owner', { tenant_id: 'acme', scopes: ['callback:read'] }),
      principalEntry('manager', { tenant_id: 'acme', scopes: ['callback:read:any'] }),
      principalEntry('scopeless', { tenant_id: 'acme', scopes: ['action:read'] }),
      principalEntry('many', { tenant_id: 'bulk', scopes: ['callback:read'] }),
      principalEntry('stranger', { tenant_id: 'globex', scopes: ['callback:read'] }),
    ],
  });
  pool = openPool({ url: gateway.databaseUrl, max: 2 });
  const own = { principal_id: 'human:owner', principal_kind: 'human' };
  mine = [here, here, elsewhere, here, here].map((callback) => newDelivery(callback, own));
  delivered = mine[0] as NewDelivery;
  colleagues = newDelivery(here, { principal_id: 'human:colleague', principal_kind: 'human' });
  foreign = newDelivery(here, { ...own, tenant_id: 'globex', principal_id: 'human:stranger' });
  await insertDeliveries(pool, [...mine, colleagues, foreign]);
  for (const each of [delivered, colleagues]) await deliver(each);
});
/** Brings a delivery to its end. */
async function deliver({ delivery_id }: NewDelivery): Promise<void> {
  await pool.query(
    `UPDATE runtime.callback_deliveries SET status = 'running', lease_id = 'l', attempts = '[{"attempt":1,"started_at":"2026-01-01T00:00:00Z"}]',
     lease_expires_at = 0 WHERE delivery_id = $1`,
    [delivery_id],
  );
  const row = (await storedDeliveries(pool)).find((each) => each.delivery_id === delivery_id);
  await finishAttempt(
    pool,
    row as never,
    { kind: 'delivered' },
    { id: 'service:gateway', kind: 'service' },
    Date.now(),
  );
}
afterAll(async () => {
  await pool?.close();
  await gateway?.stop();
});

const get = (query = '', token = 'owner'): Promise<Answer> => gateway.call('GET', `${LIST}${query}`, { token });
const idsOf = ({ body }: Answer): string[] =>
  (body.deliveries as CallbackDeliveryRecord[]).map(({ delivery_id }) => delivery_id);
const ids = (deliveries: readonly NewDelivery[]): string[] => deliveries.map(({ delivery_id }) => delivery_id);
const one = (delivery: NewDelivery, query = '', token = 'owner') =>
  get(`/${encodeURIComponent(delivery.delivery_id)}${query}`, token);

test('N-179 the deliveries of the caller are listed in their order', async () => {
  const answer = await get();
  expect(check('CallbackDeliveryList', answer.body)).toEqual([]);
  expect(idsOf(answer)).toEqual(ids(mine));
  expect(answer.body.cursor).toBeUndefined();
});

test('N-343 N-344 deliveries of other principals need the cross-principal scope, and every list the scope', async () => {
  expect(idsOf(await get('', 'manager'))).toEqual(ids([...mine, colleagues]));
  expect(errorOf(await get('', 'scopeless')).code).toBe('auth.not_authorized');
  expect(errorOf(await one(colleagues)).code).toBe('callback.delivery_not_found');
  expect((await one(colleagues, '', 'manager')).status).toBe(200);
});

test('N-180 N-181 N-182 N-183 deliveries are filtered by action, status, profile and target', async () => {
  expect(idsOf(await get(`?action_id=${mine[3]?.action_id}`))).toEqual(ids(mine.slice(3, 4)));
  expect(idsOf(await get('?status=delivered'))).toEqual([delivered.delivery_id]);
  expect(idsOf(await get('?status=pending'))).toEqual(ids(mine.slice(1)));
  expect(idsOf(await get('?status=dead_lettered'))).toEqual([]);
  expect(idsOf(await get('?profile=other.profile'))).toEqual(ids(mine.slice(2, 3)));
  expect(idsOf(await get(`?target=${encodeURIComponent(elsewhere.target)}`))).toEqual(ids(mine.slice(2, 3)));
  expect(idsOf(await get(`?target=${encodeURIComponent(here.target)}&status=pending`))).toEqual(
    ids([mine[1], mine[3], mine[4]] as NewDelivery[]),
  );
});

test('N-184 N-189 N-345 the own tenant is accepted; another one reveals nothing', async () => {
  expect(idsOf(await get('?tenant_id=acme'))).toEqual(ids(mine));
  expect(errorOf(await get('?tenant_id=globex')).code).toBe('auth.tenant_mismatch');
  expect((await one(delivered, '?tenant_id=acme')).body.delivery_id).toBe(delivered.delivery_id);
  expect(errorOf(await one(foreign, '?tenant_id=globex')).code).toBe('auth.tenant_mismatch');
  const hidden = await one(foreign);
  expect([hidden.status, errorOf(hidden).code]).toEqual([400, 'callback.delivery_not_found']);
  expect(idsOf(await get('', 'stranger'))).toEqual([foreign.delivery_id]);
});

test('N-185 N-186 N-047 N-048 the list continues at its cursor without loss or repeat, with at most limit rows', async () => {
  const seen: string[] = [];
  let cursor: string | undefined;
  const sizes: number[] = [];
  do {
    const page = await get(`?limit=2${cursor ? `&cursor=${encodeURIComponent(cursor)}` : ''}`);
    sizes.push(idsOf(page).length);
    seen.push(...idsOf(page));
    cursor = page.body.cursor;
  } while (cursor);
  expect([sizes, seen]).toEqual([[2, 2, 1], ids(mine)]);
  const first = encodeURIComponent((await get('?limit=2')).body.cursor);
  for (const answer of [
    await get(`?cursor=${first}`, 'manager'),
    await get(`?cursor=${first}&status=pending`),
    await get('?cursor=nonsense'),
    await gateway.call('GET', `/aip/v1/actions?cursor=${first}`, { token: TOKEN }),
  ])
    expect(errorOf(answer).code).toBe('query.cursor_invalid');
});

test('N-187 N-190 N-188 receipts come when requested, and not otherwise, in the list and in one delivery', async () => {
  const { deliveries } = (await get('?include_receipts=true&status=delivered', 'manager')).body;
  expect(deliveries.map((each: CallbackDeliveryRecord) => each.receipt_chain?.chain_id)).toEqual(
    ids([delivered, colleagues]).map((id) => `callback:${id}`),
  );
  for (const each of deliveries) expect(verifyReceiptChain(each.receipt_chain)).toEqual({ ok: true });
  expect((await get('?status=delivered')).body.deliveries[0].receipt_chain).toBeUndefined();
  const answer = await one(delivered);
  expect(check('CallbackDeliveryRecord', answer.body)).toEqual([]);
  expect(answer.body).toMatchObject({
    delivery_id: delivered.delivery_id,
    status: 'delivered',
    policy: { target: here },
  });
  expect(answer.body.receipt_chain).toBeUndefined();
  const { receipt_chain } = (await one(delivered, '?include_receipts=true')).body;
  expect(receipt_chain.chain_id).toBe(`callback:${delivered.delivery_id}`);
  const found = await gateway.call('GET', `/aip/v1/receipts/by-receipt/${receipt_chain.receipts[0].id}`, {
    token: TOKEN,
  });
  expect(found.body).toEqual(receipt_chain);
});

test('N-191 N-192 N-193 nothing below the route changes or repeats a delivery, and no route shows an outbox', async () => {
  const before = await storedDeliveries(pool);
  for (const path of [LIST, `${LIST}/${delivered.delivery_id}`])
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'])
      expect([path, (await gateway.call(method, path, { token: TOKEN, body: {} })).status]).toEqual([path, 405]);
  for (const end of ['replay', 'retry', 'redeliver'])
    for (const path of [`${LIST}/${delivered.delivery_id}/${end}`, `${LIST}/${delivered.delivery_id}:${end}`])
      expect([404, 405]).toContain((await gateway.call('POST', path, { token: TOKEN, body: {} })).status);
  for (const path of ['outbox', 'delegations', 'delegations/outbox', 'delegation-outbox'])
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']) {
      const answer = await gateway.call(method, `/aip/v1/${path}`, { token: TOKEN });
      expect([method, path, answer.status]).toEqual([method, path, 404]);
    }
  // A test of the document holds that every route of the gateway is in it.
  const paths = OPERATIONS.map(({ path }) => path);
  expect(paths).toContain(`${LIST}/{delivery_id}`);
  expect(paths.filter((path) => /outbox|delegation/.test(path))).toEqual([]);
  expect(await storedDeliveries(pool)).toEqual(before);
});

test('N-321 part: N-390 part: deliveries answer 401 without a credential and 400 for what is not valid', async () => {
  expect((await gateway.call('GET', LIST)).status).toBe(401);
  expect((await gateway.call('GET', `${LIST}/x`)).status).toBe(401);
  for (const query of [
    '?status=sent',
    '?action_id=x',
    '?limit=x',
    '?include_receipts=1',
    '?unknown=1',
    '?target=',
    '?profile=%00',
  ])
    expect([query, errorOf(await get(query)).code]).toEqual([query, 'query.invalid']);
});

test('N-416 pages have 100 rows by default; limit 0 acts as 1 and 1001 as 1000', async () => {
  const owner = { principal_id: 'human:many', principal_kind: 'human', tenant_id: 'bulk' };
  await insertDeliveries(
    pool,
    Array.from({ length: 1002 }, () => newDelivery(here, owner)),
  );
  const size = async (query: string) => idsOf(await get(query, 'many')).length;
  expect(await size('')).toBe(100);
  expect(await size('?limit=0')).toBe(1);
  expect(await size('?limit=1000')).toBe(1000);
  expect(await size('?limit=1001')).toBe(1000);
});

test('the delivery queries are answered as messages too', async () => {
  const ask = (body: object) =>
    gateway.call('POST', '/aip/v1/messages', {
      token: 'owner',
      body: newEnvelope(body as Body, {}, { clock: Date.now }),
    });
  const list = await ask({ callback_delivery_list_request: { status: 'delivered' } });
  expect(list.body.body.callback_delivery_list.deliveries).toHaveLength(1);
  const record = await ask({
    callback_delivery_query_request: { delivery_id: delivered.delivery_id, include_receipts: true },
  });
  expect(record.body.body.callback_delivery_record.receipt_chain).toBeDefined();
});
