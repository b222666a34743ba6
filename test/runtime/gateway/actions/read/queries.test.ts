import { afterAll, beforeAll, expect, test } from 'vitest';
import { listActions } from '#runtime/gateway/actions/read/list.js';
import { actionResult, actionStatus } from '#runtime/gateway/actions/read/status.js';
import type { ActionState } from '#runtime/gateway/actions/record/states.js';
import { findChain } from '#runtime/gateway/records/receipts/find-chain.js';
import { RemoteError } from '#runtime/protocol/errors.js';
import { newId } from '#runtime/protocol/ids.js';
import type { Action, ActionStatus } from '#runtime/protocol/types.js';
import { check } from '#runtime/protocol/validate.js';
import { blocksRead } from '../../../../support/postgres/blocks-read.ts';
import { until } from '../../../../support/until.ts';
import { actionsOverFreshDatabase, caller, capability, contractOf, type TestGateway } from '../../support/actions.ts';

const busy = { code: 'provider.busy', message: 'busy', category: 'connector' } as const;
const gates = new Map<string, PromiseWithResolvers<unknown>>();
const capabilities = [
  capability('cap:list:echo', async (action) => ({ echoed: action.input })),
  capability('cap:list:fail', async () => {
    throw new Error('a secret detail');
  }),
  capability('cap:list:wait', (action) => {
    const gate = Promise.withResolvers<unknown>();
    gates.set(action.id, gate);
    return gate.promise;
  }),
  capability('cap:list:later', async () => {
    throw new RemoteError({ ...busy, retryable: true, retry_after_ms: 3_600_000 });
  }),
  capability('cap:list:never', async () => {
    throw new RemoteError({ ...busy, retryable: false });
  }),
  capability('cap:list:ask', async () => ({}), { requires_human_approval: true }),
  capability('cap:list:commit', async () => ({}), {
    contract: contractOf({
      transaction: {
        supported_modes: ['execute'],
        requires_plan_before_commit: false,
        dry_run_fidelity: 'schema_only',
      },
    }),
  }),
];

let gateway: TestGateway;
let end: () => Promise<void>;
const ann = caller('agent:ann', 'acme', ['action:read', 'action:write', 'receipt:read']);
const bob = caller('agent:bob', 'acme', ['action:read']);
const eve = caller('agent:eve', 'globex', ['*']);
const boss = caller('agent:boss', 'acme', ['action:read:any', 'receipt:read:any']);
const ids: string[] = [];
let running: string;

beforeAll(async () => {
  ({ gateway, end } = await actionsOverFreshDatabase(capabilities));
  for (let n = 0; n < 12; n += 1) {
    const id = newId('action');
    ids.push(id);
    const envelope = { session_id: n % 2 ? 'sess_odd' : 'sess_even', correlation_id: `corr_${n}` };
    await gateway.submit(
      { id, capability_id: n < 9 ? 'cap:list:echo' : 'cap:list:fail', input: { n } },
      { as: ann, envelope },
    );
  }
  await gateway.submit({ capability_id: 'cap:list:echo' }, { as: bob });
  await gateway.submit({ capability_id: 'cap:list:echo' }, { as: eve });
  running = newId('action');
  void gateway.submit({ id: running, capability_id: 'cap:list:wait' }, { as: ann });
  await until('it runs', () => gates.has(running));
});
afterAll(async () => {
  for (const gate of gates.values()) gate.resolve({});
  await end?.();
});

const list = (query: Parameters<typeof listActions>[2], as = ann) => listActions(gateway.pool, as, query, Date.now());
const idsOf = (page: { actions: ActionStatus[] }) => page.actions.map((each) => each.action_id);
const status = (actionId: string, as = ann, query: object = {}) =>
  actionStatus(gateway.pool, as, { actionId, ...query }, Date.now());
const result = (actionId: string, as = ann, query: object = {}) =>
  actionResult(gateway.pool, as, { actionId, ...query }, Date.now());

test('N-023 N-024 N-025 N-085 N-103 N-104 the list is walked by its cursor without a lost or repeated row, and the total stays', async () => {
  const seen: string[] = [];
  let cursor: string | undefined;
  let pages = 0;
  do {
    const page = await list({ limit: 5, cursor });
    expect(check('ActionList', page)).toEqual([]);
    expect(page.actions.length).toBeLessThanOrEqual(5);
    expect(page.total_size).toBe(13);
    seen.push(...idsOf(page));
    cursor = page.cursor;
    pages += 1;
  } while (cursor);
  expect(pages).toBe(3);
  expect(seen).toEqual([...ids, running]);
});

test('N-413 a page has 100 rows by default and at most 1000', async () => {
  await gateway.pool.query(
    `INSERT INTO runtime.actions (action_id, tenant_id, principal_id, principal_kind, capability_id, message_id, mode, state, request,
       plan, accepted_at, updated_at, completed_at)
     SELECT 'act_many_' || n, 'many', 'agent:many', 'agent', 'cap:x', 'msg_' || n, 'sync', 'cancelled', '{}', '{}', n, n, n
     FROM generate_series(1, 1001) AS n`,
  );
  const rowsOf = async (limit?: number) => (await list({ limit }, caller('agent:many', 'many'))).actions.length;
  expect([await rowsOf(), await rowsOf(0), await rowsOf(1001)]).toEqual([100, 1, 1000]);
});

test('N-024 the total counts before paging, up to its bound', async () => {
  const insert = (tenant: string, rows: number) =>
    gateway.pool.query(
      `INSERT INTO runtime.actions (action_id, tenant_id, principal_id, principal_kind, capability_id, message_id, mode, state, request,
         plan, accepted_at, updated_at, completed_at)
       SELECT 'act_' || $1 || n, $1, 'agent:many', 'agent', 'cap:x', 'msg_' || n, 'sync', 'completed', '{}', '{}', n, n, n
       FROM generate_series(1, $2::integer) AS n`,
      [tenant, rows],
    );
  await Promise.all([insert('below', 9999), insert('above', 10_001)]);
  const totalOf = async (tenant: string) => (await list({ limit: 1 }, caller('agent:many', tenant))).total_size;
  expect([await totalOf('below'), await totalOf('above')]).toEqual([9999, 10_000]);
});

test('a page reads the rows it shows, however many actions there are', async () => {
  await gateway.pool.query(
    `INSERT INTO runtime.actions (action_id, tenant_id, principal_id, principal_kind, capability_id, session_id, approval_id, transaction_id,
       message_id, mode, state, request, plan, accepted_at, updated_at, lease_expires_at, completed_at)
     SELECT 'act_large' || n, 'large', CASE WHEN n % 10000 = 0 THEN 'agent:rare' ELSE 'agent:often' END, 'agent', 'cap:x',
       CASE WHEN n % 10000 = 1 THEN 'sess_rare' END, CASE WHEN n % 10000 = 2 THEN 'appr_rare' END, CASE WHEN n % 10000 = 3 THEN 'tx_rare' END,
       'msg_' || n, 'sync', CASE n % 10000 WHEN 4 THEN 'failed' WHEN 5 THEN 'running' ELSE 'completed' END, '{}', '{}', n, n,
       CASE WHEN n % 10000 = 5 THEN 9000000000000 ELSE n END, CASE WHEN n % 10000 <> 5 THEN n END
     FROM generate_series(1, 40000) AS n`,
  );
  await gateway.pool.query('UPDATE runtime.settled_leases SET place = 40000');
  await gateway.pool.query('ANALYZE runtime.actions');
  const boss = caller('agent:boss', 'large', ['action:read:any']);
  const rare = caller('agent:rare', 'large', ['action:read']);
  const queries: [string, Parameters<typeof listActions>[2], typeof boss][] = [
    ['own', {}, rare],
    ['session', { sessionId: 'sess_rare' }, boss],
    ['approval', { approvalId: 'appr_rare' }, boss],
    ['transaction', { transactionId: 'tx_rare' }, boss],
    ['failed', { state: 'failed' }, boss],
    ['running', { state: 'running' }, boss],
  ];
  for (const [name, query, as] of queries) {
    const { result, blocks } = await blocksRead(gateway.pool, (db) => listActions(db, as, query, Date.now()));
    expect({ name, rows: result.actions.length, total: result.total_size }).toEqual({ name, rows: 4, total: 4 });
    expect(blocks, name).toBeLessThan(60);
  }
});

test('N-096 N-097 N-098 N-101 N-102 the list is filtered by state, capability, session, approval and transaction', async () => {
  expect(idsOf(await list({ state: 'failed' }))).toEqual(ids.slice(9));
  expect(idsOf(await list({ state: 'running' }))).toEqual([running]);
  expect(idsOf(await list({ capabilityId: 'cap:list:fail' }))).toEqual(ids.slice(9));
  expect(idsOf(await list({ sessionId: 'sess_odd' }))).toEqual(ids.filter((_, n) => n % 2));
  const asked = newId('action');
  await gateway.submit({ id: asked, capability_id: 'cap:list:ask' }, { as: eve });
  const approvalId = (await gateway.record(asked)).approval_id as string;
  expect(idsOf(await list({ approvalId }, eve))).toEqual([asked]);
  expect(idsOf(await list({ approvalId: 'appr_none' }, eve))).toEqual([]);
  const committed = newId('action');
  await gateway.submit(
    { id: committed, capability_id: 'cap:list:commit', transaction: { mode: 'execute', transaction_id: 'txn_1' } },
    { as: eve },
  );
  expect(idsOf(await list({ transactionId: 'txn_1' }, eve))).toEqual([committed]);
});

test('N-096 part: of actions in every state the filter finds the one in its own', async () => {
  const one = caller('agent:one', 'states', ['*']);
  const expected: Record<string, string> = {};
  const submit = async (state: string, action: Partial<Action> & { capability_id: string }) => {
    const id = newId('action');
    expected[state] = id;
    const reply = gateway.submit({ id, ...action }, { as: one });
    await until(`it is ${state}`, async () => (await gateway.record(id)).state === state);
    return { id, reply };
  };
  await submit('completed', { capability_id: 'cap:list:echo' });
  await submit('failed', { capability_id: 'cap:list:fail' });
  await submit('pending_approval', { capability_id: 'cap:list:ask' });
  await submit('queued', { capability_id: 'cap:list:later', mode: 'async' });
  await submit('dead_lettered', { capability_id: 'cap:list:never', mode: 'async' });
  const { id, reply } = await submit('running', { capability_id: 'cap:list:wait' });
  await gateway.actions.cancel(one, { actionId: id });
  await reply;
  expected.cancelled = id;
  await submit('running', { capability_id: 'cap:list:wait' });
  for (const [state, completed] of [
    ['streaming', null],
    ['cancelling', null],
    ['expired', 1],
  ] as const) {
    expected[state] = newId('action');
    await gateway.pool.query(
      `INSERT INTO runtime.actions (action_id, tenant_id, principal_id, principal_kind, capability_id, message_id, mode, state, request,
         plan, accepted_at, updated_at, completed_at, lease_id, lease_expires_at)
       VALUES ($1, 'states', 'agent:one', 'agent', 'cap:x', $1, 'streaming', $2, '{}', '{}', 1, 1, $3::bigint, $4,
         CASE WHEN $3 IS NULL THEN 9000000000000 END)`,
      [expected[state], state, completed, completed === null ? 'lease' : null],
    );
  }
  expect(Object.keys(expected)).toHaveLength(10);
  for (const [state, action] of Object.entries(expected))
    expect([state, idsOf(await list({ state: state as ActionState }, one))]).toEqual([state, [action]]);
});

test('N-099 N-340 N-344 the list shows the caller’s own actions, and those of others only with a cross-principal scope', async () => {
  expect((await list({}, bob)).total_size).toBe(1);
  await expect(list({ principalId: 'agent:ann' }, bob)).rejects.toMatchObject({ code: 'auth.not_authorized' });
  expect((await list({ principalId: 'agent:ann' }, boss)).total_size).toBe(13);
  expect((await list({}, boss)).total_size).toBe(14);
});

test('N-100 N-339 N-345 the list is bound to the caller’s tenant', async () => {
  expect((await list({ tenantId: 'acme' })).total_size).toBe(13);
  await expect(list({ tenantId: 'globex' })).rejects.toMatchObject({ code: 'auth.tenant_mismatch' });
  expect(idsOf(await list({}, eve))).not.toContain(ids[0]);
});

test('N-105 N-106 the list carries results and receipts only when asked', async () => {
  const [plain] = (await list({ limit: 1 })).actions;
  expect(plain).not.toHaveProperty('result');
  expect(plain).not.toHaveProperty('receipt_chain');
  const { actions } = await list({ limit: 9, includeResults: true, includeReceipts: true });
  for (const [n, { action_id, result: own, receipt_chain }] of actions.entries()) {
    expect([action_id, own?.action_id, own?.output]).toEqual([ids[n], ids[n], { echoed: { n } }]);
    expect([receipt_chain?.chain_id, receipt_chain?.receipts.length]).toEqual([`action:${ids[n]}`, 2]);
  }
});

test('D-11 N-047 N-048 a cursor of another list, filter or caller is refused', async () => {
  const { cursor } = await list({ limit: 2 });
  const refused = { code: 'query.cursor_invalid', status: 400 };
  await expect(list({ limit: 2, cursor, state: 'failed' })).rejects.toMatchObject(refused);
  await expect(list({ limit: 2, cursor }, bob)).rejects.toMatchObject(refused);
  for (const forged of ['', 'offset:2', `${cursor}0x`, cursor?.replace(/^./, (first) => (first === '_' ? '-' : '_'))])
    await expect(list({ cursor: forged })).rejects.toMatchObject(refused);
});

test('N-086 N-108 N-109 N-110 the status view carries result, receipts and chunks only when asked', async () => {
  const id = ids[0] as string;
  await gateway.pool.query(
    `INSERT INTO runtime.chunks (action_id, tenant_key, sequence, kind, received_at, record) VALUES ($1, 'acme', 0, 'data', 1, $2)`,
    [id, JSON.stringify({ action_id: id, sequence: 0, kind: 'data', data: { n: 1 } })],
  );
  const plain = await status(id);
  expect(check('ActionStatus', plain)).toEqual([]);
  expect(plain).toMatchObject({
    action_id: id,
    capability_id: 'cap:list:echo',
    session_id: 'sess_even',
    correlation_id: 'corr_0',
    state: 'completed',
    result_status: 'completed',
    links: { self: `/aip/v1/actions/${id}`, cancel: `/aip/v1/actions/${id}/cancel` },
  });
  for (const member of ['result', 'receipt_chain', 'chunks']) expect(plain).not.toHaveProperty(member);
  const full = await status(id, ann, { includeResult: true, includeReceipts: true, includeChunks: true });
  expect(full.result?.output).toEqual({ echoed: { n: 0 } });
  expect(full.receipt_chain?.chain_id).toBe(`action:${id}`);
  expect(full.chunks).toEqual([{ action_id: id, sequence: 0, kind: 'data', data: { n: 1 } }]);
});

test('N-046 part: every time of a view is RFC 3339, also inside its lease', async () => {
  const view = await status(running);
  const lease = view.lease as { acquired_at: string; expires_at: string };
  for (const time of [view.updated_at, view.started_at, lease.acquired_at, lease.expires_at])
    expect(time).toMatch(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?Z$/);
});

test('N-107 N-112 N-344 N-345 an action of another principal or tenant is not found', async () => {
  const id = ids[0] as string;
  for (const read of [status, result]) {
    await expect(read(id, bob)).rejects.toMatchObject({ code: 'action.not_found', status: 400 });
    await expect(read(id, eve)).rejects.toMatchObject({ code: 'action.not_found' });
    await expect(read(id, ann, { tenantId: 'globex' })).rejects.toMatchObject({ code: 'auth.tenant_mismatch' });
    expect(await read(id, ann, { tenantId: 'acme' })).toMatchObject({ action_id: id });
    expect(await read(id, boss)).toMatchObject({ action_id: id });
    await expect(read('act_unknown')).rejects.toMatchObject({ code: 'action.not_found' });
    await expect(read(id, caller('agent:ann', 'acme', []))).rejects.toMatchObject({ code: 'auth.not_authorized' });
  }
});

test('N-064 N-087 D-13 the result is the terminal one, or action.result_not_ready', async () => {
  await expect(result(running)).rejects.toMatchObject({
    code: 'action.result_not_ready',
    status: 503,
    retryable: true,
    retryAfterMs: 500,
  });
  expect(await result(ids[1] as string)).toEqual({
    action_id: ids[1],
    status: 'completed',
    output: { echoed: { n: 1 } },
  });
});

test('a failure inside a handler keeps its text to itself', async () => {
  const failed = await result(ids[10] as string);
  expect(failed).toMatchObject({ status: 'failed', error: { code: 'runtime.handler_failed', retryable: true } });
  expect(JSON.stringify(failed)).not.toContain('secret');
});

test('N-114 N-115 D-08 receipt and terminal events join the result on request', async () => {
  const id = ids[2] as string;
  const plain = await result(id, ann, { includeReceipt: false, includeTerminalEvents: false });
  expect(Object.keys(plain).sort()).toEqual(['action_id', 'output', 'status']);
  const full = await result(id, ann, { includeReceipt: true, includeTerminalEvents: true });
  expect(full.receipts?.map((receipt) => receipt.receipt_type)).toEqual(['action_accepted', 'result_returned']);
  expect(full.receipt).toEqual({ id: full.receipts?.[1]?.id, hash: full.receipts?.[1]?.hash });
  expect(full.terminal_events).toMatchObject([
    { kind: 'aip.action.result', action_id: id, data: { status: 'completed' } },
  ]);
  const { receipts: _, receipt: __, terminal_events: ___, ...terminal } = full;
  expect(terminal).toEqual(plain);
});

test('N-194 N-195 N-344 a receipt chain is found by its id and by each of its receipts, for who may see it', async () => {
  const chainId = `action:${ids[0]}`;
  const find = (as: typeof ann, selector: object) => findChain(gateway.pool, as, selector, Date.now());
  const chain = await find(ann, { chainId });
  for (const receipt of chain.receipts) expect(await find(ann, { receiptId: receipt.id })).toEqual(chain);
  expect(await find(boss, { chainId })).toEqual(chain);
  await expect(find(eve, { chainId })).rejects.toMatchObject({ code: 'receipt.not_found', status: 400 });
  await expect(find(bob, { chainId })).rejects.toMatchObject({ code: 'auth.not_authorized' });
  await expect(find(caller('agent:bob', 'acme', ['receipt:read']), { chainId })).rejects.toMatchObject({
    code: 'receipt.not_found',
  });
  await expect(find(ann, {})).rejects.toMatchObject({ code: 'query.conflict' });
});
