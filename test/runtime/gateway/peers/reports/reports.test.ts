import { afterAll, beforeAll, expect, test } from 'vitest';
import { findChain } from '#runtime/gateway/records/receipts/find-chain.js';
import { openPool, type Pool, type Queryable } from '#runtime/postgres/pool.js';
import { newEnvelope } from '#runtime/protocol/envelope.js';
import { newId } from '#runtime/protocol/ids.js';
import type { ActionResult, Body, ReceiptChain, StreamChunk } from '#runtime/protocol/types.js';
import { appendReceipt } from '../../../../support/receipt-chain.ts';
import { until } from '../../../../support/until.ts';
import { actionsOverFreshDatabase, capability, contractOf } from '../../support/actions.ts';
import { policyOf } from '../../support/approvals.ts';
import { type Answer, errorOf, type HttpGateway, principalEntry, startHttpGateway } from '../../support/gateway.ts';

const LATER = Date.UTC(2100, 0, 1);

let release: () => void;
const released = new Promise<void>((done) => {
  release = done;
});
let local: Awaited<ReturnType<typeof actionsOverFreshDatabase>>;
let gateway: HttpGateway;
let pool: Pool;

beforeAll(async () => {
  local = await actionsOverFreshDatabase([
    capability('cap:waits', async () => {
      throw Object.assign(new Error('later'), { retryable: true });
    }),
    capability('cap:runs', () => released),
    capability('cap:approved', async () => ({}), { contract: contractOf({ approval: policyOf() }) }),
  ]);
  const own = { principal_id: 'agent:desk', tenant_id: 'acme' };
  gateway = await startHttpGateway({
    databaseUrl: local.url,
    principals: [
      principalEntry('desk', { ...own, scopes: ['action:write', 'action:read', 'receipt:write', 'receipt:read'] }),
      principalEntry('reader', { ...own, scopes: ['action:read', 'receipt:read'] }),
      principalEntry('colleague', { tenant_id: 'acme', scopes: ['action:write', 'receipt:read', 'receipt:write'] }),
      principalEntry('stranger', { tenant_id: 'globex', scopes: ['*'] }),
    ],
  });
  pool = openPool({ url: local.url, max: 2 });
});
afterAll(async () => {
  release();
  await pool?.close();
  await gateway?.stop();
  await local?.end();
});

const send = (body: Body, token = 'desk'): Promise<Answer> =>
  gateway.call('POST', '/aip/v1/messages', { token, body: newEnvelope(body, {}, { clock: Date.now }) });
const stateOf = async (id: string) =>
  (await gateway.call('GET', `/aip/v1/actions/${id}`, { token: 'desk' })).body.state;
const refusalOf = (answer: Answer): [number, string] => [answer.status, errorOf(answer).code];

/** An action that waits in the queue and that no worker takes. */
async function queued(): Promise<string> {
  const id = newId('action');
  await pool.query(
    `INSERT INTO runtime.actions (action_id, tenant_id, principal_id, principal_kind, capability_id, message_id, mode, state, request, plan,
       next_attempt_at, accepted_at, updated_at)
     VALUES ($1, 'acme', 'agent:desk', 'agent', 'cap:waits', $2, 'async', 'queued', $3::json, '{}', $4, $5, $5)`,
    [id, newId('message'), JSON.stringify({ id, capability_id: 'cap:waits', input: {} }), LATER, Date.now()],
  );
  return id;
}

/** A streaming action that is being executed until the end of this file. */
async function streaming(): Promise<string> {
  const id = newId('action');
  void local.gateway.submit({ id, capability_id: 'cap:runs', mode: 'streaming' }).catch(() => undefined);
  await until('it runs', async () => (await stateOf(id)) === 'running');
  return id;
}

const completed = (action_id: string, output: object = { done: true }): ActionResult => ({
  action_id,
  status: 'completed',
  output,
});

test('N-111 N-113 wait_ms is accepted for an action that has not ended, and answered at once by how it stands', async () => {
  const id = await queued();
  const begun = performance.now();
  // Each of these would take 30 seconds if anything waited for it.
  for (let asked = 0; asked < 4; asked += 1) {
    const status = await gateway.call('GET', `/aip/v1/actions/${id}?wait_ms=30000`, { token: 'desk' });
    expect([status.status, status.body.state]).toEqual([200, 'queued']);
    const result = await gateway.call('GET', `/aip/v1/actions/${id}/result?wait_ms=30000`, { token: 'desk' });
    expect(refusalOf(result)).toEqual([503, 'action.result_not_ready']);
  }
  expect(performance.now() - begun).toBeLessThan(30_000);
  expect((await send({ action_result: completed(id) })).status).toBe(200);
  const status = await gateway.call('GET', `/aip/v1/actions/${id}?wait_ms=30000`, { token: 'desk' });
  expect(status.body.state).toBe('completed');
  const result = await gateway.call('GET', `/aip/v1/actions/${id}/result?wait_ms=0`, { token: 'desk' });
  expect([result.status, result.body.output]).toEqual([200, { done: true }]);
});

test('a result that a peer reports ends a waiting action once; the same result again changes nothing, another one is refused', async () => {
  const id = await queued();
  const answer = await send({ action_result: completed(id) });
  expect([answer.status, answer.body.body.event_stream.events]).toMatchObject([
    200,
    [{ kind: 'aip.action.result', action_id: id, data: { status: 'completed' } }],
  ]);
  const result = await gateway.call('GET', `/aip/v1/actions/${id}/result`, { token: 'desk' });
  expect(result.body).toMatchObject({ status: 'completed', output: { done: true } });
  const again = await send({ action_result: completed(id) });
  expect([again.status, again.body.body.event_stream.events]).toEqual([200, []]);
  expect(refusalOf(await send({ action_result: completed(id, { done: false }) }))).toEqual([
    403,
    'action.result_refused',
  ]);
});

test.each([
  ['failed', 'failed'],
  ['cancelled', 'cancelled'],
] as const)('a reported %s ends a waiting action as %s', async (status, state) => {
  const id = await queued();
  const error = { code: 'kb.closed', message: 'the library is closed', category: 'permanent' } as const;
  const result = { action_id: id, status, ...(status === 'failed' && { error }) };
  expect((await send({ action_result: result })).status).toBe(200);
  expect(await stateOf(id)).toBe(state);
});

test('a reported error code of any length ends a waiting action, and 256 bytes of it are stored', async () => {
  const id = await queued();
  const error = { code: 'x'.repeat(300_000), message: 'the library is closed', category: 'permanent' } as const;
  expect((await send({ action_result: { action_id: id, status: 'failed', error } })).status).toBe(200);
  const { rows } = await pool.query('SELECT error_code FROM runtime.actions WHERE action_id = $1', [id]);
  expect(rows).toEqual([{ error_code: 'x'.repeat(256) }]);
});

test('a result is refused for an action that is executed here, waits for an approval or was delegated, and for a status that ends nothing', async () => {
  const running = await streaming();
  const approval = newId('action');
  await local.gateway.submit({ id: approval, capability_id: 'cap:approved', mode: 'async' });
  await until('it waits for its approval', async () => (await stateOf(approval)) === 'pending_approval');
  const delegated = await queued();
  await pool.query(
    `INSERT INTO runtime.delegations (delegation_id, tenant_id, principal_id, delegate_id, delegate_kind, child_action_id, request, status, created_at)
     VALUES ($1, 'acme', 'human:requester', 'agent:desk', 'agent', $2, '{}', 'running', $3)`,
    [newId('delegation'), delegated, Date.now()],
  );
  for (const id of [running, approval, delegated]) {
    const before = await stateOf(id);
    expect(refusalOf(await send({ action_result: completed(id) }))).toEqual([403, 'action.result_refused']);
    expect(await stateOf(id)).toBe(before);
  }
  const waiting = await queued();
  const pending = { action_id: waiting, status: 'requires_human' } as ActionResult;
  expect(refusalOf(await send({ action_result: pending }))).toEqual([403, 'action.result_refused']);
  expect(await stateOf(waiting)).toBe('queued');
});

test('a result needs action:write on the action: other principals and tenants do not learn of it', async () => {
  const id = await queued();
  const result = { action_result: completed(id) };
  expect(refusalOf(await send(result, 'reader'))).toEqual([401, 'auth.not_authorized']);
  expect(refusalOf(await send(result, 'colleague'))).toEqual([400, 'resource.not_found']);
  expect(refusalOf(await send(result, 'stranger'))).toEqual([400, 'resource.not_found']);
  expect(refusalOf(await send({ action_result: completed(newId('action')) }))).toEqual([400, 'resource.not_found']);
  expect(await stateOf(id)).toBe('queued');
});

test('chunks of a peer are stored in rising order while the action streams; equal ones are replays, others are refused', async () => {
  const id = await streaming();
  const chunk = (sequence: number, text: string, kind: StreamChunk['kind'] = 'data'): Body => ({
    stream_chunk: { action_id: id, sequence, kind, part: { type: 'text', text } },
  });
  const first = await send(chunk(1, 'one'));
  expect([first.status, first.body.body.event_stream.events]).toMatchObject([
    200,
    [{ kind: 'aip.stream.chunk', action_id: id, data: { sequence: 1 } }],
  ]);
  const replay = await send(chunk(1, 'one'));
  expect([replay.status, replay.body.body.event_stream.events]).toEqual([200, []]);
  expect((await send(chunk(3, 'three'))).status).toBe(200);
  for (const wrong of [chunk(1, 'other'), chunk(2, 'late')])
    expect(refusalOf(await send(wrong))).toEqual([401, 'auth.not_authorized']);
  expect((await send(chunk(4, 'end', 'done'))).status).toBe(200);
  expect(refusalOf(await send(chunk(5, 'after')))).toEqual([401, 'auth.not_authorized']);
  const { body } = await gateway.call('GET', `/aip/v1/actions/${id}/chunks`, { token: 'desk' });
  expect(body.chunks.map(({ sequence }: StreamChunk) => sequence)).toEqual([1, 3, 4]);
});

test('a chunk needs action:write on an action that streams, and is at most as large as an event', async () => {
  const id = await streaming();
  const chunk = (action_id: string, text = 'x'): Body => ({
    stream_chunk: { action_id, sequence: 1, kind: 'data', part: { type: 'text', text } },
  });
  for (const token of ['reader', 'colleague', 'stranger'])
    expect(refusalOf(await send(chunk(id), token))).toEqual([401, 'auth.not_authorized']);
  for (const other of [newId('action'), await queued()])
    expect(refusalOf(await send(chunk(other)))).toEqual([401, 'auth.not_authorized']);
  expect(refusalOf(await send(chunk(id, 'x'.repeat(262_144))))).toEqual([400, 'action.invalid_input']);
  expect((await gateway.call('GET', `/aip/v1/actions/${id}/chunks`, { token: 'desk' })).body.chunks ?? []).toEqual([]);
});

function chainOf(chainId: string): ReceiptChain {
  const receipt = (n: number) => ({
    id: `rcpt_${chainId.replaceAll(':', '_')}_${n}`,
    receipt_type: 'tool_executed' as const,
    actor: { id: 'agent:desk', kind: 'agent' as const },
    occurred_at: '2026-03-02T09:15:00Z',
    data: { step: n },
  });
  return [1, 2].reduce((chain, n) => appendReceipt(chain, receipt(n)), {
    chain_id: chainId,
    receipts: [],
  } as ReceiptChain);
}

test('a submitted receipt chain is stored as it is, echoed, found by its id and by its receipts, and is announced by one event', async () => {
  const chain = chainOf(`proof:${newId('message')}`);
  const answer = await send({ receipt_chain: chain });
  expect([answer.status, answer.body.body.receipt_chain]).toEqual([200, chain]);
  const [receipt] = chain.receipts;
  for (const path of [chain.chain_id, `by-receipt/${receipt?.id}`]) {
    const found = await gateway.call('GET', `/aip/v1/receipts/${path}`, { token: 'desk' });
    expect([path, found.status, found.body]).toEqual([path, 200, chain]);
  }
  expect((await send({ receipt_chain: chain })).status).toBe(200);
  const { rows } = await pool.query<{ data: object }>(
    `SELECT record->'data' AS data FROM runtime.events WHERE kind = 'aip.audit.receipt_chain'`,
  );
  expect(rows.map(({ data }) => data)).toEqual([
    { chain_id: chain.chain_id, receipt_count: 2, root_hash: chain.root_hash, identity: { tenant: { id: 'acme' } } },
  ]);
});

test('a receipt chain with wrong hashes, with the name of a chain of this server, or under a used id is refused', async () => {
  const id = `proof:${newId('message')}`;
  const chain = chainOf(id);
  const changed = { ...chain, receipts: chain.receipts.map((each) => ({ ...each, data: { step: 9 } })) };
  expect(refusalOf(await send({ receipt_chain: changed }))).toEqual([400, 'action.invalid_input']);
  for (const own of ['action', 'approval', 'transaction', 'callback', 'delegation'])
    expect(refusalOf(await send({ receipt_chain: chainOf(`${own}:x`) }))).toEqual([400, 'action.invalid_input']);
  expect((await send({ receipt_chain: chain })).status).toBe(200);
  const shorter = appendReceipt({ chain_id: id, receipts: [] }, chain.receipts[0] as never);
  expect(refusalOf(await send({ receipt_chain: shorter }))).toEqual([400, 'receipt.id_conflict']);
  expect(refusalOf(await send({ receipt_chain: chain }, 'colleague'))).toEqual([400, 'receipt.id_conflict']);
});

test('a receipt query names a chain or a receipt, and never both or neither', async () => {
  const chain = chainOf(`proof:${newId('message')}`);
  expect((await send({ receipt_chain: chain })).status).toBe(200);
  const [chain_id, receipt_id] = [chain.chain_id, chain.receipts[0]?.id as string];
  for (const query of [{ chain_id }, { receipt_id }])
    expect((await send({ receipt_query_request: query } as Body)).body.body.receipt_chain).toEqual(chain);
  for (const query of [{ chain_id, receipt_id }, {}]) {
    const answer = await send({ receipt_query_request: query } as Body);
    expect([answer.status, errorOf(answer).category]).toEqual([400, 'permanent']);
  }
});

test('a submitted chain needs receipt:write, shows to its owner alone, and another tenant may use its id', async () => {
  const chain = chainOf(`proof:${newId('message')}`);
  expect(refusalOf(await send({ receipt_chain: chain }, 'reader'))).toEqual([401, 'auth.not_authorized']);
  expect((await send({ receipt_chain: chain })).status).toBe(200);
  const path = `/aip/v1/receipts/${chain.chain_id}`;
  for (const token of ['colleague', 'stranger'])
    expect(refusalOf(await gateway.call('GET', path, { token }))).toEqual([400, 'receipt.not_found']);
  expect((await send({ receipt_chain: chain }, 'stranger')).status).toBe(200);
  expect((await gateway.call('GET', path, { token: 'stranger' })).status).toBe(200);
});

test('a look-up by a receipt reads no chain of others, however many a stranger submitted with the same receipt id', async () => {
  const own = chainOf(`proof:${newId('message')}`);
  expect((await send({ receipt_chain: own })).status).toBe(200);
  const receiptId = own.receipts[0]?.id as string;
  await pool.query(
    `INSERT INTO runtime.submitted_chains SELECT 'proof:' || n, t, 'human:' || t, ARRAY[$1], '{}'::json, 0
     FROM generate_series(1, 50) n, unnest(ARRAY['globex', 'initech', 'acme']) t`,
    [receiptId],
  );
  let read = 0;
  const counting: Queryable = {
    query: async (statement: never) => {
      const answer = await pool.query(statement);
      read += answer.rows.length;
      return answer as never;
    },
  };
  const identity = { scopes: new Set(['receipt:read']), roles: [], scheme: 'bearer', tenantId: 'acme' } as const;
  const desk = { ...identity, principal: { id: 'agent:desk', kind: 'agent' } } as const;
  expect(await findChain(counting, desk, { receiptId }, Date.now())).toEqual(own);
  expect(read).toBe(1);
});

test('a batch settlement is stored as it is and echoed, with one event that holds none of its records; its id is its tenant’s', async () => {
  const settlement = { id: `batch:${newId('message')}`, model: 'net-30', records: [{ line: 1, secret: 's3' }, 'x'] };
  const answer = await send({ batch_settlement: settlement });
  expect([answer.status, answer.body.body.batch_settlement]).toEqual([200, settlement]);
  expect((await send({ batch_settlement: settlement })).status).toBe(200);
  const { rows } = await pool.query<{ record: unknown }>(
    'SELECT record, principal_id, tenant_key FROM runtime.batch_settlements WHERE settlement_id = $1',
    [settlement.id],
  );
  expect(rows).toEqual([{ record: settlement, principal_id: 'agent:desk', tenant_key: 'acme' }]);
  const events = await pool.query<{ data: object }>(
    `SELECT record->'data' AS data FROM runtime.events WHERE kind = 'aip.economic.batch_settlement'`,
  );
  const named = { id: settlement.id, model: 'net-30', record_count: 2, identity: { tenant: { id: 'acme' } } };
  expect(events.rows.map(({ data }) => data)).toEqual([named]);
  const other = { ...settlement, model: 'net-60' };
  expect(refusalOf(await send({ batch_settlement: other }))).toEqual([400, 'settlement.id_conflict']);
  expect(refusalOf(await send({ batch_settlement: settlement }, 'colleague'))).toEqual([400, 'settlement.id_conflict']);
  expect((await send({ batch_settlement: other }, 'stranger')).status).toBe(200);
});

test('a batch settlement without an id that is text, or larger than an event, is refused and not stored', async () => {
  const large = { id: 'batch:large', model: 'm', records: ['x'.repeat(262_144)] };
  for (const wrong of [{ model: 'm' }, { id: '', model: 'm' }, { id: 'a\nb', model: 'm' }, large])
    expect((await send({ batch_settlement: wrong } as Body)).status).toBe(400);
  const { rows } = await pool.query(`SELECT 1 FROM runtime.batch_settlements WHERE settlement_id LIKE 'batch:large'`);
  expect(rows).toEqual([]);
});
