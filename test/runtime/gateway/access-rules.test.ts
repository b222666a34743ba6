import { afterAll, beforeAll, expect, test } from 'vitest';
import { insertDeliveries } from '#runtime/gateway/callbacks/record.js';
import { appendReceipts } from '#runtime/gateway/receipts/append.js';
import { insertTransaction, newTransaction } from '#runtime/gateway/transactions/record.js';
import { receiptOf } from '#runtime/gateway/transactions/step/evidence.js';
import { openPool, type Pool } from '#runtime/postgres/pool.js';
import { newEnvelope } from '#runtime/protocol/envelope.js';
import { actionInputHash } from '#runtime/protocol/hashes.js';
import { newId } from '#runtime/protocol/ids.js';
import type { Body } from '#runtime/protocol/types.js';
import { until } from '../../support/until.ts';
import { newDelivery } from './callbacks/support.ts';
import {
  type Answer,
  actionEnvelope,
  errorOf,
  type HttpGateway,
  principalEntry,
  startHttpGateway,
} from './support/gateway.ts';

const HEALTH = 'cap:aip:server:health';

/** One kind of record: its list, the route of one, and what a record that is not shown is answered with. */
interface Kind {
  readonly scope: string;
  readonly list?: string;
  readonly one?: (id: string) => string;
  readonly unseen?: string;
  /** Whether the list takes tenant_id. */
  readonly tenant?: boolean;
}
const KINDS: readonly Kind[] = [
  { scope: 'action', list: '/actions', one: (id) => `/actions/${id}`, unseen: 'action.not_found', tenant: true },
  { scope: 'session', list: '/sessions', one: (id) => `/sessions/${id}`, unseen: 'session.not_found' },
  {
    scope: 'approval',
    list: '/approvals',
    one: (id) => `/approvals/${id}`,
    unseen: 'approval.not_found',
    tenant: true,
  },
  {
    scope: 'callback',
    list: '/callback-deliveries',
    one: (id) => `/callback-deliveries/${id}`,
    unseen: 'callback.delivery_not_found',
    tenant: true,
  },
  { scope: 'transaction', one: (id) => `/transactions/${id}`, unseen: 'transaction.not_found' },
  { scope: 'receipt', one: (id) => `/receipts/action:${id}`, unseen: 'receipt.not_found' },
  { scope: 'audit', list: '/audit/events', tenant: true },
  { scope: 'events', list: '/events' },
];

/** Who reads: with which scopes, in which tenant, and what they see of a record of human:owner in the tenant acme. */
const READERS: readonly [
  name: string,
  tenant: string,
  scopes: (p: string) => string[],
  sees: 'it' | 'nothing' | 'refused',
][] = [
  ['the owner', 'acme', (p) => [`${p}:read`], 'it'],
  ['a colleague with the scope', 'acme', (p) => [`${p}:read`], 'nothing'],
  ['a colleague without a scope', 'acme', () => [], 'refused'],
  [
    'a colleague with the scope of another object',
    'acme',
    (p) => [p === 'session' ? 'action:read' : 'session:read'],
    'refused',
  ],
  ['a colleague with another operation', 'acme', (p) => [`${p}:write`], 'refused'],
  ['a colleague with the cross-owner scope', 'acme', (p) => [`${p}:read:any`], 'it'],
  ['a colleague with principal:read:any', 'acme', (p) => [`${p}:read`, 'principal:read:any'], 'it'],
  ['a colleague with principal:read:any alone', 'acme', () => ['principal:read:any'], 'refused'],
  ['a colleague with every scope', 'acme', () => ['*'], 'it'],
  ['a stranger with every scope', 'globex', () => ['*'], 'nothing'],
];
const tokenOf = (kind: Kind, reader: number): string => `${kind.scope}-${reader}`;

let gateway: HttpGateway;
let pool: Pool;
/** The id of the owner's record, by scope. */
const records: Record<string, string> = {};

beforeAll(async () => {
  const readers = KINDS.flatMap((kind) =>
    READERS.map(([name, tenant_id, scopes], index) =>
      principalEntry(tokenOf(kind, index), {
        tenant_id,
        scopes: scopes(kind.scope),
        ...(name === 'the owner' && { principal_id: 'human:owner' }),
      }),
    ),
  );
  const auditor = KINDS.map(({ scope }) =>
    principalEntry(`auditor-${scope}`, { tenant_id: 'globex', scopes: [`${scope}:read:any`, 'tenant:read:any'] }),
  );
  const owner = principalEntry('owner', { tenant_id: 'acme', scopes: ['*'] });
  gateway = await startHttpGateway({ principals: [owner, ...readers, ...auditor] });
  pool = openPool({ url: gateway.databaseUrl, max: 2 });
  const envelope = actionEnvelope();
  const done = await gateway.call('POST', '/aip/v1/actions', { token: 'owner', body: envelope });
  const actionId = done.body.body.action_result.action_id as string;
  for (const scope of ['action', 'receipt', 'audit', 'events']) records[scope] = actionId;
  const me = { id: 'human:owner', kind: 'human' } as const;
  const opened = await send({ handshake: { client: me, purpose: 'tests', profiles: ['aip.native.http.v1'] } });
  records.session = opened.body.body.handshake_response.session_id;
  const approvalId = newId('approval');
  const hash = actionInputHash({ capability_id: HEALTH, input: {} });
  const asked = await send({
    approval_request: {
      id: approvalId,
      action_id: newId('action'),
      capability_id: HEALTH,
      requester: me,
      subject: me,
      approver_selector: { type: 'tenant_policy' },
      reason: 'may I look?',
      evidence: [{ id: 'input', kind: 'input_snapshot', hash, redacted: true }],
    },
  });
  expect(asked.status).toBe(200);
  records.approval = approvalId;
  const here = { profile: 'aip.native.http.v1', target: 'http://127.0.0.1:9/' };
  const delivery = newDelivery(here, { principal_id: 'human:owner', principal_kind: 'human' });
  await insertDeliveries(pool, [delivery]);
  records.callback = delivery.delivery_id;
  records.transaction = await transaction();
  await until('the event is settled', async () =>
    JSON.stringify((await get('/events?limit=1000', 'events-0')).body).includes(actionId),
  );
});
afterAll(async () => {
  await pool?.close();
  await gateway?.stop();
});

/** Stores a transaction of the owner with its receipt; returns its id. */
async function transaction(): Promise<string> {
  const id = newId('transaction');
  const [actionId, now] = [newId('action'), Date.now()];
  const owner = { tenant_id: 'acme', principal_id: 'human:owner', principal_kind: 'human' } as const;
  const made = newTransaction(owner, id, {
    action_id: actionId,
    capability_id: HEALTH,
    mode: 'execute',
    status: 'committing',
    request: { id: actionId, capability_id: HEALTH, input: {}, transaction: { mode: 'execute' } },
    created_at: now,
    updated_at: now,
  });
  await pool.tx(async (client) => {
    await insertTransaction(client, made);
    const receipt = receiptOf(made, { id: 'human:owner', kind: 'human' }, null);
    await appendReceipts(client, { tenantId: 'acme', principalId: 'human:owner' }, [receipt]);
  });
  return id;
}

const send = (body: Body): Promise<Answer> =>
  gateway.call('POST', '/aip/v1/messages', { token: 'owner', body: newEnvelope(body, {}, { clock: Date.now }) });
const get = (path: string, token: string): Promise<Answer> => gateway.call('GET', `/aip/v1${path}`, { token });
const isRefusal = (answer: Answer): boolean =>
  answer.status === 401 && ['auth.not_authorized', 'audit.not_authorized'].includes(errorOf(answer).code);

const CASES = KINDS.flatMap((kind) => READERS.map((reader, index) => [kind.scope, reader[0], kind, index] as const));

test.each(CASES)('N-342 N-343 N-344 N-345 part: %s records and %s', async (_scope, _reader, kind, index) => {
  const [, , , sees] = READERS[index] as (typeof READERS)[number];
  const id = records[kind.scope] as string;
  const token = tokenOf(kind, index);
  if (kind.list !== undefined) {
    const answer = await get(`${kind.list}?limit=1000`, token);
    if (sees === 'refused') expect(isRefusal(answer)).toBe(true);
    else expect([answer.status, JSON.stringify(answer.body).includes(id)]).toEqual([200, sees === 'it']);
  }
  if (kind.one !== undefined) {
    const answer = await get(kind.one(id), token);
    if (sees === 'refused') expect(isRefusal(answer)).toBe(true);
    else if (sees === 'it') expect([answer.status, JSON.stringify(answer.body).includes(id)]).toEqual([200, true]);
    else expect([answer.status, errorOf(answer).code]).toEqual([400, kind.unseen]);
  }
});

const CHAINS = ['approval', 'transaction'].flatMap((of) =>
  READERS.map((reader, index) => [of, reader[0], index] as const),
);

test.each(CHAINS)('N-343 N-344 N-345 part: receipts of %s records and %s', async (of, _reader, index) => {
  const [, , , sees] = READERS[index] as (typeof READERS)[number];
  const chainId = `${of}:${records[of]}`;
  const answer = await get(`/receipts/${chainId}`, `receipt-${index}`);
  if (sees === 'refused') expect(isRefusal(answer)).toBe(true);
  else if (sees === 'it') expect([answer.status, answer.body.chain_id]).toEqual([200, chainId]);
  else expect([answer.status, errorOf(answer).code]).toEqual([400, 'receipt.not_found']);
});

test.each(KINDS.filter(({ tenant }) => tenant))(
  'N-339 part: $scope records of a tenant are named by its own callers, and by others with tenant:read:any alone',
  async (kind) => {
    const path = `${kind.list}?limit=1000&tenant_id=acme`;
    const id = records[kind.scope] as string;
    const own = await get(path, tokenOf(kind, 0));
    expect([own.status, JSON.stringify(own.body).includes(id)]).toEqual([200, true]);
    const stranger = await get(path, tokenOf(kind, READERS.length - 1));
    expect([stranger.status, errorOf(stranger).code]).toEqual([401, 'auth.tenant_mismatch']);
    const auditor = await get(path, `auditor-${kind.scope}`);
    expect([auditor.status, JSON.stringify(auditor.body).includes(id)]).toEqual([200, true]);
  },
);
