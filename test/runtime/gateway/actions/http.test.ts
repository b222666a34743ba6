import { afterAll, beforeAll, expect, test } from 'vitest';
import { newId } from '#runtime/protocol/ids.js';
import { verifyReceiptChain } from '#runtime/protocol/receipts.js';
import type { ActionList, ActionStatus } from '#runtime/protocol/types.js';
import { check } from '#runtime/protocol/validate.js';
import { until } from '../../../support/until.ts';
import { actionsOverFreshDatabase, caller, capability, contractOf } from '../support/actions.ts';
import { type Answer, errorOf, type HttpGateway, principalEntry, startHttpGateway } from '../support/gateway.ts';

const ann = caller('agent:ann', 'acme');
const bob = caller('agent:bob', 'acme');
const eve = caller('agent:eve', 'globex');

/** Lets a gated action reach its end. */
const gates = new Map<string, () => void>();
let local: Awaited<ReturnType<typeof actionsOverFreshDatabase>>;
let gateway: HttpGateway;
const own = {
  first: newId('action'),
  second: newId('action'),
  failed: newId('action'),
  waiting: newId('action'),
  committed: newId('action'),
};
const bobs = newId('action');
const foreign = newId('action');
const ids = Object.values(own);

beforeAll(async () => {
  const transaction = {
    supported_modes: ['execute'],
    requires_plan_before_commit: false,
    dry_run_fidelity: 'schema_only',
  };
  local = await actionsOverFreshDatabase([
    capability('cap:http:echo', async (action) => ({ echoed: action.input })),
    capability('cap:http:fail', async () => {
      throw new Error('no');
    }),
    capability('cap:http:wait', (_action, signal) => new Promise((_, stop) => signal.addEventListener('abort', stop))),
    capability('cap:http:gated', ({ id }) => new Promise((done) => gates.set(id, () => done({ done: true })))),
    capability('cap:http:ask', async () => ({}), { requires_human_approval: true }),
    capability('cap:http:commit', async () => ({}), { contract: contractOf({ transaction }) }),
  ]);
  gateway = await startHttpGateway({
    databaseUrl: local.url,
    principals: [
      principalEntry('ann', {
        principal_id: 'agent:ann',
        tenant_id: 'acme',
        scopes: ['action:read', 'action:write', 'receipt:read'],
      }),
      principalEntry('boss', { tenant_id: 'acme', scopes: ['action:read:any'] }),
    ],
  });
  const submit = local.gateway.submit;
  const session = (session_id: string) => ({ as: ann, envelope: { session_id } });
  await submit({ id: own.first, capability_id: 'cap:http:echo', input: { n: 1 } }, session('sess_one'));
  await submit({ id: own.second, capability_id: 'cap:http:echo', input: { n: 2 } }, session('sess_two'));
  await submit({ id: own.failed, capability_id: 'cap:http:fail' }, { as: ann });
  await submit({ id: own.waiting, capability_id: 'cap:http:ask' }, { as: ann });
  await submit(
    { id: own.committed, capability_id: 'cap:http:commit', transaction: { mode: 'execute', transaction_id: 'txn_1' } },
    { as: ann },
  );
  await submit({ id: bobs, capability_id: 'cap:http:echo' }, { as: bob });
  await submit({ id: foreign, capability_id: 'cap:http:echo' }, { as: eve });
});
afterAll(async () => {
  await gateway?.stop();
  await local?.end();
});

const get = (path: string, token = 'ann'): Promise<Answer> => gateway.call('GET', `/aip/v1${path}`, { token });
const idsOf = ({ status, body }: Answer): string[] => {
  expect([status, check('ActionList', body)]).toEqual([200, []]);
  return (body as ActionList).actions.map(({ action_id }) => action_id);
};

test('N-023 N-024 N-025 N-085 N-103 N-104 the list comes in pages of limit rows, with a cursor while more follow and the same total', async () => {
  const pages: string[][] = [];
  const totals = new Set<number>();
  let cursor: string | undefined;
  do {
    const page = await get(`/actions?limit=2${cursor === undefined ? '' : `&cursor=${cursor}`}`);
    pages.push(idsOf(page));
    totals.add(page.body.total_size);
    cursor = page.body.cursor;
    expect('cursor' in page.body).toBe(pages.length < 3);
  } while (cursor !== undefined);
  expect(pages).toEqual([ids.slice(0, 2), ids.slice(2, 4), ids.slice(4)]);
  expect(totals).toEqual(new Set([5]));
});

test('N-096 N-097 N-098 N-099 N-100 N-101 N-102 each parameter of the list selects by its own member', async () => {
  const { approval_id: approvalId } = (await get(`/actions/${own.waiting}`)).body as ActionStatus;
  for (const [query, expected] of [
    ['', [...ids, bobs]],
    ['state=failed', [own.failed]],
    ['state=pending_approval', [own.waiting]],
    ['state=expired', []],
    ['capability_id=cap:http:echo', [own.first, own.second, bobs]],
    ['capability_id=cap:none', []],
    ['session_id=sess_two', [own.second]],
    ['session_id=sess_none', []],
    ['principal_id=agent:ann', ids],
    ['principal_id=agent:bob', [bobs]],
    ['principal_id=agent:eve', []],
    ['tenant_id=acme', [...ids, bobs]],
    [`approval_id=${approvalId}`, [own.waiting]],
    ['approval_id=appr_none', []],
    ['transaction_id=txn_1', [own.committed]],
    ['transaction_id=txn_none', []],
    ['capability_id=cap:http:echo&principal_id=agent:ann&session_id=sess_one', [own.first]],
  ] as const)
    expect([query, idsOf(await get(`/actions?${query}`, 'boss'))]).toEqual([query, expected]);
  const other = await get('/actions?tenant_id=globex', 'boss');
  expect([other.status, errorOf(other).code]).toEqual([401, 'auth.tenant_mismatch']);
});

test('N-064 N-086 N-087 the status route answers the view of its action, the result route its result once it is terminal', async () => {
  for (const [id, state] of [
    [own.first, 'completed'],
    [own.failed, 'failed'],
    [own.waiting, 'pending_approval'],
  ] as const) {
    const { status, body } = await get(`/actions/${id}`);
    expect([status, check('ActionStatus', body)]).toEqual([200, []]);
    expect(body).toMatchObject({ action_id: id, state });
  }
  const done = await get(`/actions/${own.first}/result`);
  expect([done.status, done.body]).toEqual([
    200,
    { action_id: own.first, status: 'completed', output: { echoed: { n: 1 } } },
  ]);
  const failed = await get(`/actions/${own.failed}/result`);
  expect([failed.status, check('ActionResult', failed.body)]).toEqual([200, []]);
  expect(failed.body).toMatchObject({ action_id: own.failed, status: 'failed' });
  const early = await get(`/actions/${own.waiting}/result`);
  expect([early.status, errorOf(early).code]).toEqual([503, 'action.result_not_ready']);
});

/** An action that runs until it is cancelled. */
async function running() {
  const id = newId('action');
  const reply = local.gateway.submit({ id, capability_id: 'cap:http:wait' }, { as: ann });
  await until('it runs', async () => (await get(`/actions/${id}`)).body.state === 'running');
  return { id, reply };
}
const cancel = (id: string, body?: unknown): Promise<Answer> =>
  gateway.call('POST', `/aip/v1/actions/${id}/cancel`, { token: 'ann', body });

test.each([
  [undefined, undefined],
  [{}, undefined],
  [{ reason: 'changed my mind' }, 'changed my mind'],
])('N-089 N-090 N-091 N-092 a running action is cancelled by a POST with the body %j', async (body, reason) => {
  const { id, reply } = await running();
  const answer = await cancel(id, body);
  expect([answer.status, check('ActionResult', answer.body)]).toEqual([200, []]);
  const cancelled = { status: 'cancelled', output: { cancelled: true, ...(reason && { reason }) } };
  expect(await reply).toEqual({ action_result: { action_id: id, ...cancelled } });
  expect((await get(`/actions/${id}?include_result=true`)).body).toMatchObject({
    state: 'cancelled',
    result: cancelled,
  });
  expect((await local.gateway.record(id)).cancel_reason).toBe(reason ?? null);
});

test('N-093 a cancel body that is not a JSON object, or whose reason is not a string, is refused with 400 and cancels nothing', async () => {
  const { id } = await running();
  for (const body of ['[]', '"x"', '1', 'null', '{', '{"reason":1}', '{"reason":null}', '{"reason":["x"]}']) {
    const answer = await cancel(id, body);
    expect([body, answer.status]).toEqual([body, 400]);
    errorOf(answer);
  }
  expect(await local.gateway.record(id)).toMatchObject({ state: 'running', cancel_requested: false });
  await cancel(id);
});

test.each(['events', 'chunks'])(
  'N-062 an action that runs when the client leaves its stream of %s reaches its completion',
  async (route) => {
    const id = newId('action');
    const reply = local.gateway.submit({ id, capability_id: 'cap:http:gated' }, { as: ann });
    const stateOf = async () => (await get(`/actions/${id}`)).body.state;
    await until('it runs', async () => gates.has(id) && (await stateOf()) === 'running');
    const leaving = new AbortController();
    const stream = await fetch(`${gateway.url}/aip/v1/actions/${id}/${route}?follow=true`, {
      headers: { authorization: 'Bearer ann' },
      signal: leaving.signal,
    });
    expect([stream.status, stream.headers.get('content-type')]).toEqual([200, 'text/event-stream']);
    leaving.abort();
    await expect(stream.text()).rejects.toThrow();
    expect(await stateOf()).toBe('running');
    gates.get(id)?.();
    expect(await reply).toMatchObject({ action_result: { status: 'completed', output: { done: true } } });
    expect(await stateOf()).toBe('completed');
  },
);

test('N-194 N-195 a receipt chain is answered by its id and by the id of each of its receipts, without any parameter', async () => {
  const chain = await get(`/receipts/action:${own.first}`);
  expect([chain.status, check('ReceiptChain', chain.body)]).toEqual([200, []]);
  expect(chain.body.chain_id).toBe(`action:${own.first}`);
  expect(verifyReceiptChain(chain.body)).toEqual({ ok: true });
  expect(chain.body.receipts).toHaveLength(2);
  for (const { id } of chain.body.receipts) {
    const found = await get(`/receipts/by-receipt/${id}`);
    expect([found.status, found.body]).toEqual([200, chain.body]);
  }
  for (const path of [`/receipts/action:${own.first}`, `/receipts/by-receipt/${chain.body.receipts[0].id}`]) {
    const answer = await get(`${path}?tenant_id=acme`);
    expect([answer.status, errorOf(answer).code]).toEqual([400, 'query.invalid']);
  }
});
