import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { readVotes } from '#runtime/gateway/actions/approval/record.js';
import { openPool } from '#runtime/postgres/pool.js';
import { type Envelope, newEnvelope } from '#runtime/protocol/envelope.js';
import { actionInputHash } from '#runtime/protocol/hashes.js';
import { newId } from '#runtime/protocol/ids.js';
import { formatTime } from '#runtime/protocol/time.js';
import type { Body, Event } from '#runtime/protocol/types.js';
import {
  type Answer,
  type HttpGateway,
  principalEntry,
  startHttpGateway,
} from '../../runtime/gateway/support/gateway.ts';
import { appendReceipt } from '../../support/receipt-chain.ts';

const HEALTH = 'cap:aip:server:health';
const GATEWAY = { id: 'service:aip-gateway', kind: 'service' } as const;
const TENANTS = ['acme', 'globex'] as const;
type Tenant = (typeof TENANTS)[number];
const desk = (tenant: Tenant) => ({ id: `human:${tenant}`, kind: 'human' }) as const;
const boss = (tenant: Tenant) => ({ id: `human:${tenant}-boss`, kind: 'human' }) as const;

let folder: string;
let gateways: HttpGateway[] = [];
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'aip-chosen-ids-'));
  const deciders = [...TENANTS.map((tenant_id) => [boss(tenant_id).id, tenant_id]), ['human:both', 'globex']];
  const authority = deciders.map(([principal_id, tenant_id]) => ({
    principal_id,
    tenant_id,
    tenant_policies: ['any'],
    revision: 1,
  }));
  const authorityFile = join(folder, 'authority.json');
  await writeFile(authorityFile, JSON.stringify(authority));
  const members = TENANTS.flatMap((tenant_id) =>
    [tenant_id, `${tenant_id}-boss`].map((token) => principalEntry(token, { tenant_id, scopes: ['*'] })),
  );
  // One name in both tenants, which may decide in one of them alone.
  const both = TENANTS.map((tenant_id) =>
    principalEntry(`${tenant_id}-both`, { tenant_id, principal_id: 'human:both', scopes: ['approval:read'] }),
  );
  const principals = [...members, ...both, principalEntry('operator', { scopes: ['*'] })];
  const env = { AIP_GATEWAY_APPROVAL_AUTHORITY_FILE: authorityFile };
  const first = await startHttpGateway({ principals, env });
  gateways = [first];
  gateways.push(await startHttpGateway({ principals, env, databaseUrl: first.databaseUrl }));
});
afterAll(async () => {
  for (const gateway of gateways.toReversed()) await gateway.stop();
  await rm(folder, { recursive: true, force: true });
});

/** Each tenant uses a gateway of its own, so that nothing but the database keeps the two apart. */
const call = (tenant: Tenant, method: string, path: string, options: { token?: string; body?: unknown } = {}) =>
  (gateways[TENANTS.indexOf(tenant)] as HttpGateway).call(method, path, { token: tenant, ...options });
const send = (tenant: Tenant, body: unknown, fields: Partial<Envelope> = {}, token: string = tenant): Promise<Answer> =>
  call(tenant, 'POST', '/aip/v1/messages', { token, body: newEnvelope(body as Body, fields, { clock: Date.now }) });
const both = <T>(work: (tenant: Tenant) => Promise<T>): Promise<T[]> => Promise.all(TENANTS.map(work));
const action = (id: string = newId('action'), more: object = {}) => ({
  action: { id, capability_id: HEALTH, input: {}, ...more },
});
const request = (tenant: Tenant, id: string) => ({
  id,
  action_id: `act_of_${tenant}_${id}`,
  capability_id: HEALTH,
  requester: desk(tenant),
  subject: desk(tenant),
  approver_selector: { type: 'tenant_policy' },
  reason: `for ${tenant}`,
  evidence: [
    {
      id: 'input',
      kind: 'input_snapshot',
      hash: actionInputHash({ capability_id: HEALTH, input: {} }),
      redacted: true,
    },
  ],
});
const chain = (tenant: Tenant, id: string) =>
  appendReceipt(
    { chain_id: id, receipts: [] },
    {
      id: `rcpt_${id}`,
      receipt_type: 'result_returned',
      occurred_at: '2026-03-02T09:00:00Z',
      actor: desk(tenant),
      hash: '',
      data: { of: tenant },
    },
  );

/** A kind of id that a client chooses: how a tenant uses one, and where it reads what it made. */
interface Kind {
  readonly id: () => string;
  readonly use: (tenant: Tenant, id: string) => Promise<Answer>;
  readonly read?: (id: string) => string;
  /** The same again is the same, not a conflict. */
  readonly repeats?: boolean;
}
const KINDS: Record<string, Kind> = {
  'message id': {
    id: () => newId('message'),
    use: (tenant, id) => send(tenant, action(), { message_id: id }),
  },
  'correlation id': {
    id: () => newId('correlation'),
    use: (tenant, id) => send(tenant, action(), { correlation_id: id }),
  },
  'action id': {
    id: () => newId('action'),
    use: (tenant, id) => send(tenant, action(id)),
    read: (id) => `/actions/${id}?include_receipts=true`,
  },
  'idempotency key': {
    id: () => newId('message'),
    use: (tenant, id) => send(tenant, action(newId('action'), { idempotency_key: id })),
  },
  'approval id': {
    id: () => newId('approval'),
    use: (tenant, id) => send(tenant, { approval_request: request(tenant, id) }),
    read: (id) => `/approvals/${id}?include_receipts=true`,
  },
  'receipt chain id': {
    id: () => `proof:${newId('message')}`,
    use: (tenant, id) => send(tenant, { receipt_chain: chain(tenant, id) }),
    read: (id) => `/receipts/${id}`,
    repeats: true,
  },
  'receipt id': {
    id: () => `proof:${newId('message')}`,
    use: (tenant, id) => send(tenant, { receipt_chain: chain(tenant, id) }),
    read: (id) => `/receipts/by-receipt/rcpt_${id}`,
  },
  'audit event id': {
    id: () => newId('event'),
    use: (tenant, id) =>
      send(tenant, {
        audit_event: {
          id,
          actor: desk(tenant),
          action: 'order.viewed',
          occurred_at: '2026-03-02T09:00:00Z',
          data: { action_id: `act_${id}`, of: tenant },
        },
      }),
    read: (id) => `/audit/events?action_id=act_${id}`,
    repeats: true,
  },
  'settlement id': {
    id: () => `batch:${newId('message')}`,
    use: (tenant, id) => send(tenant, { batch_settlement: { id, model: tenant, records: [] } }),
    repeats: true,
  },
  'delegation id': {
    id: () => newId('delegation'),
    use: (tenant, id) => delegate(tenant, id, newId('action')),
  },
  'child action id': {
    id: () => newId('action'),
    use: (tenant, id) => delegate(tenant, newId('delegation'), id),
    read: (id) => `/actions/${id}`,
  },
};

function delegate(tenant: Tenant, delegationId: string, childId: string): Promise<Answer> {
  return send(tenant, {
    delegation_request: {
      delegation_id: delegationId,
      parent_action_id: 'act_parent',
      delegate: GATEWAY,
      requested_by: desk(tenant),
      scope: `of ${tenant}`,
      child_action: action(childId).action,
    },
  });
}

/** An answer without what differs at every call. */
const formOf = ({ status, body }: Answer, id: string): string =>
  `${status} ${JSON.stringify(body.body ?? body).replaceAll(id, 'ID')}`;

test.each(Object.entries(KINDS))(
  'two tenants use one %s at the same time: neither hinders, overwrites or sees the other',
  async (_name, { id: make, use, read, repeats }) => {
    for (let round = 0; round < 4; round += 1) {
      const id = make();
      const answers = await both((tenant) => use(tenant, id));
      for (const [index, tenant] of TENANTS.entries()) {
        const other = TENANTS[1 - index] as Tenant;
        const { status, body } = answers[index] as Answer;
        const seen = [JSON.stringify(body.body)];
        expect([status, body.body.error, body.body.action_result?.error]).toEqual([200, undefined, undefined]);
        if (read) {
          const found = await call(tenant, 'GET', `/aip/v1${read(id)}`);
          seen.push(JSON.stringify(found.body));
          expect([found.status, found.body.body?.error]).toEqual([200, undefined]);
          expect(seen[1]).toContain(id);
        }
        for (const text of seen) expect(text).not.toContain(other);
        if (repeats) expect(formOf(await use(tenant, id), id)).toBe(formOf(answers[index] as Answer, id));
      }
    }
  },
);

test.each(Object.entries(KINDS).filter(([, { read }]) => read))(
  'a tenant that probes for the %s of another is answered as for one that nobody has',
  async (_name, { id: make, use, read }) => {
    const [taken, free] = [make(), make()];
    expect((await use('acme', taken)).status).toBe(200);
    const probe = async (id: string) => formOf(await call('globex', 'GET', `/aip/v1${read?.(id)}`), id);
    expect(await probe(taken)).toBe(await probe(free));
  },
);

test('approvals of one id are decided with one decision id each by its own tenant, and each end is its own', async () => {
  const id = newId('approval');
  const decisionId = newId('message');
  await both((tenant) => send(tenant, { approval_request: request(tenant, id) }));
  const stored = await both(async (tenant) => (await call(tenant, 'GET', `/aip/v1/approvals/${id}`)).body.request);
  const outcomes = { acme: 'approved', globex: 'denied' } as const;
  const decided = await both((tenant) => {
    const decision = {
      approval_id: id,
      decision: outcomes[tenant],
      decision_id: decisionId,
      policy_hash: stored[TENANTS.indexOf(tenant)].policy_hash,
      approver: boss(tenant),
      decided_at: formatTime(Date.now()),
      reason: `by ${tenant}`,
    };
    return send(tenant, { approval_decision: decision }, {}, `${tenant}-boss`);
  });
  for (const [index, tenant] of TENANTS.entries()) {
    expect(decided[index]?.status).toBe(200);
    const events = decided[index]?.body.body.event_stream.events as Event[];
    expect(events.map(({ kind }) => kind)).toEqual([`aip.approval.${tenant === 'acme' ? 'granted' : 'denied'}`]);
    const view = (await call(tenant, 'GET', `/aip/v1/approvals/${id}?include_receipts=true`)).body;
    expect(view).toMatchObject({ status: outcomes[tenant], decision: { reason: `by ${tenant}` } });
    expect(view.receipt_chain.receipts).toHaveLength(3);
    expect(JSON.stringify(view)).not.toContain(TENANTS[1 - index]);
    const list = (await call(tenant, 'GET', '/aip/v1/approvals?limit=1000')).body.approvals;
    expect(list.filter((each: { request: { id: string } }) => each.request.id === id)).toHaveLength(1);
  }
});

test('a vote counts for the approval of its own tenant alone', async () => {
  const id = newId('approval');
  await both((tenant) => send(tenant, { approval_request: request(tenant, id) }));
  await both(async (tenant) => {
    const { policy_hash } = (await call(tenant, 'GET', `/aip/v1/approvals/${id}`)).body.request;
    const decision = {
      approval_id: id,
      decision: 'approved',
      decision_id: newId('message'),
      policy_hash,
      approver: boss(tenant),
      decided_at: formatTime(Date.now()),
    };
    expect((await send(tenant, { approval_decision: decision }, {}, `${tenant}-boss`)).status).toBe(200);
  });
  const pool = openPool({ url: (gateways[0] as HttpGateway).databaseUrl, max: 1 });
  onTestFinished(() => pool.close());
  for (const tenant of TENANTS) {
    const votes = await readVotes(pool, { approvalId: id, tenantId: tenant });
    expect(votes.map(({ decision }) => decision.approver.id)).toEqual([boss(tenant).id]);
  }
});

test('a vote shows its approver the approval of its own tenant, not one of the same id in another', async () => {
  const id = newId('approval');
  await both((tenant) => send(tenant, { approval_request: request(tenant, id) }));
  const { request: stored } = (await call('globex', 'GET', `/aip/v1/approvals/${id}`)).body;
  const decision = {
    approval_id: id,
    decision: 'denied',
    decision_id: newId('message'),
    policy_hash: stored.policy_hash,
    approver: { id: 'human:both', kind: 'human' },
    decided_at: formatTime(Date.now()),
  };
  expect((await send('globex', { approval_decision: decision }, {}, 'globex-both')).status).toBe(200);
  const shown = await both((tenant) => call(tenant, 'GET', `/aip/v1/approvals/${id}`, { token: `${tenant}-both` }));
  expect(shown.map(({ status }) => status)).toEqual([400, 200]);
});

test('a decision reaches no approval of another tenant that has its id', async () => {
  const id = newId('approval');
  await send('acme', { approval_request: request('acme', id) });
  const { request: stored } = (await call('acme', 'GET', `/aip/v1/approvals/${id}`)).body;
  const decision = {
    approval_id: id,
    decision: 'approved',
    decision_id: newId('message'),
    policy_hash: stored.policy_hash,
    approver: boss('globex'),
    decided_at: formatTime(Date.now()),
  };
  const refused = await send('globex', { approval_decision: decision }, {}, 'globex-boss');
  expect([refused.status, refused.body.body.error.error.code]).toEqual([400, 'approval.not_found']);
  expect((await call('acme', 'GET', `/aip/v1/approvals/${id}`)).body.status).toBe('pending');
});

test('an operator of every tenant names the tenant of an approval id that several use', async () => {
  const id = newId('approval');
  await both((tenant) => send(tenant, { approval_request: request(tenant, id) }));
  const read = (query: string) => call('acme', 'GET', `/aip/v1/approvals/${id}${query}`, { token: 'operator' });
  const refused = await read('');
  expect([refused.status, refused.body.body.error.error.code]).toEqual([400, 'query.invalid']);
  for (const tenant of TENANTS)
    expect((await read(`?tenant_id=${tenant}`)).body).toMatchObject({ request: { reason: `for ${tenant}` } });
});
