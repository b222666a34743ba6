import { afterAll, beforeAll, expect, test } from 'vitest';
import { insertTransaction, newTransaction } from '#runtime/gateway/actions/transaction/record.js';
import { receiptOf } from '#runtime/gateway/actions/transaction/step/evidence.js';
import { claimDeliveries } from '#runtime/gateway/callbacks/claim.js';
import { finishAttempt } from '#runtime/gateway/callbacks/finish.js';
import { insertDeliveries, type StoredDelivery } from '#runtime/gateway/callbacks/record.js';
import { appendReceipts } from '#runtime/gateway/records/receipts/append.js';
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

/** A right over records of the owner, with changes. */
const grant = (scope: string, changes: object = {}) => [{ principal_id: 'human:owner', scopes: [scope], ...changes }];
const OVER = { expires_at: '2020-01-01T00:00:00Z' };
const LASTING = { expires_at: '2999-01-01T00:00:00Z', reason: 'holiday' };

/** Who reads: with which scopes and grants, in which tenant, and what they see of a record of human:owner in the tenant acme. */
const READERS: readonly [
  name: string,
  tenant: string,
  scopes: (p: string) => string[],
  sees: 'it' | 'nothing' | 'refused',
  grants?: (p: string) => object[],
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
  ['a deputy with the scope', 'acme', (p) => [`${p}:read`], 'it', (p) => grant(`${p}:read`)],
  ['a deputy without a scope', 'acme', () => [], 'it', (p) => grant(`${p}:read`, LASTING)],
  ['a deputy by the cross-owner scope', 'acme', () => [], 'it', (p) => grant(`${p}:read:any`)],
  ['a deputy by every scope', 'acme', () => [], 'it', () => grant('*')],
  ['a deputy whose time is over', 'acme', (p) => [`${p}:read`], 'nothing', (p) => grant(`${p}:read`, OVER)],
  ['a deputy without a scope whose time is over', 'acme', () => [], 'refused', (p) => grant(`${p}:read`, OVER)],
  [
    'a deputy with the scope of another object',
    'acme',
    () => [],
    'refused',
    (p) => grant(p === 'session' ? 'action:read' : 'session:read'),
  ],
  ['a deputy for another operation', 'acme', () => [], 'refused', (p) => grant(`${p}:write`)],
  [
    'a deputy of another principal',
    'acme',
    (p) => [`${p}:read`],
    'nothing',
    (p) => grant(`${p}:read`, { principal_id: 'human:else' }),
  ],
  [
    'a deputy with principal:read:any but without the scope',
    'acme',
    () => ['principal:read:any'],
    'nothing',
    (p) => grant(`${p}:read`, { principal_id: 'human:else' }),
  ],
  ['a deputy in another tenant', 'globex', (p) => [`${p}:read`], 'nothing', (p) => grant(`${p}:read`)],
  ['a stranger with every scope', 'globex', () => ['*'], 'nothing'],
];
const STRANGER = READERS.length - 1;
const tokenOf = (kind: Kind, reader: number): string => `${kind.scope}-${reader}`;

let gateway: HttpGateway;
let pool: Pool;
/** The id of the owner's record, by scope. */
const records: Record<string, string> = {};

beforeAll(async () => {
  const readers = KINDS.flatMap((kind) =>
    READERS.map(([name, tenant_id, scopes, , grants], index) =>
      principalEntry(tokenOf(kind, index), {
        tenant_id,
        scopes: scopes(kind.scope),
        ...(grants && { delegated_authority: grants(kind.scope) }),
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
  const now = Date.now();
  const [claimed] = await claimDeliveries(pool, { nowMs: now, leasedBy: 'a', leaseId: 'a', limit: 1 });
  await finishAttempt(pool, claimed as StoredDelivery, { kind: 'delivered' }, me, now);
  records.delegation = await delegation();
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

/** Delegates the owner's work to the gateway itself; returns the delegation's id. */
async function delegation(): Promise<string> {
  const delegation_id = newId('delegation');
  const answer = await send({
    delegation_request: {
      delegation_id,
      parent_action_id: newId('action'),
      child_action: { id: newId('action'), capability_id: HEALTH, input: {} },
      requested_by: { id: 'human:owner', kind: 'human' },
      delegate: { id: 'service:aip-gateway', kind: 'service' },
      scope: 'health',
    },
  });
  expect(answer.body.body.delegation_result.status).toBe('completed');
  return delegation_id;
}

const send = (body: Body): Promise<Answer> =>
  gateway.call('POST', '/aip/v1/messages', { token: 'owner', body: newEnvelope(body, {}, { clock: Date.now }) });
const get = (path: string, token: string): Promise<Answer> => gateway.call('GET', `/aip/v1${path}`, { token });
const isRefusal = (answer: Answer): boolean =>
  answer.status === 401 && ['auth.not_authorized', 'audit.not_authorized'].includes(errorOf(answer).code);

/** An audit query that names nobody is about the caller itself, so that no grant counts for it. */
const counts = (kind: Kind, [, , , , grants]: (typeof READERS)[number]): boolean => kind.scope !== 'audit' || !grants;
const CASES = KINDS.flatMap((kind) =>
  READERS.map((reader, index) => [kind.scope, reader[0], kind, index] as const).filter(([, , , index]) =>
    counts(kind, READERS[index] as (typeof READERS)[number]),
  ),
);

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

const CHAINS = ['action', 'approval', 'transaction', 'callback', 'delegation'].flatMap((of) =>
  READERS.map((reader, index) => [of, reader[0], index] as const),
);

test.each(CHAINS)('N-343 N-344 N-345 part: receipts of %s records and %s', async (of, _reader, index) => {
  const [, , , sees] = READERS[index] as (typeof READERS)[number];
  const chainId = `${of}:${records[of]}`;
  const whole = await get(`/receipts/${chainId}`, 'owner');
  for (const path of [chainId, `by-receipt/${whole.body.receipts[0].id}`]) {
    const answer = await get(`/receipts/${path}`, `receipt-${index}`);
    if (sees === 'refused') expect(isRefusal(answer)).toBe(true);
    else if (sees === 'it') expect([answer.status, answer.body]).toEqual([200, whole.body]);
    else expect([answer.status, errorOf(answer).code]).toEqual([400, 'receipt.not_found']);
  }
});

const DEPUTIES = READERS.flatMap(([name, tenant, , sees, grants], index) =>
  grants ? [[name, tenant, sees, index] as const] : [],
);

test.each(DEPUTIES)(
  'N-342 part: audit records that name their principal and %s',
  async (_name, tenant, sees, index) => {
    const kind = KINDS.find(({ scope }) => scope === 'audit') as Kind;
    const answer = await get('/audit/events?limit=1000&principal_id=human:owner', tokenOf(kind, index));
    // To name another principal takes a grant of that principal.
    if (sees === 'refused' || (sees === 'nothing' && tenant === 'acme')) expect(isRefusal(answer)).toBe(true);
    else
      expect([answer.status, JSON.stringify(answer.body).includes(records.audit as string)]).toEqual([
        200,
        sees === 'it',
      ]);
  },
);

test.each(KINDS.filter(({ tenant }) => tenant))(
  'N-339 part: $scope records of a tenant are named by its own callers, and by others with tenant:read:any alone',
  async (kind) => {
    const path = `${kind.list}?limit=1000&tenant_id=acme`;
    const id = records[kind.scope] as string;
    const own = await get(path, tokenOf(kind, 0));
    expect([own.status, JSON.stringify(own.body).includes(id)]).toEqual([200, true]);
    const stranger = await get(path, tokenOf(kind, STRANGER));
    expect([stranger.status, errorOf(stranger).code]).toEqual([401, 'auth.tenant_mismatch']);
    const auditor = await get(path, `auditor-${kind.scope}`);
    expect([auditor.status, JSON.stringify(auditor.body).includes(id)]).toEqual([200, true]);
  },
);
