import { afterAll, beforeAll, expect, test } from 'vitest';
import { STOCK_TABLES, type SubmittedKind } from '#runtime/gateway/records/stock/kinds.js';
import { openPool, type Pool } from '#runtime/postgres/pool.js';
import { newEnvelope } from '#runtime/protocol/envelope.js';
import { actionInputHash } from '#runtime/protocol/hashes.js';
import type { Body } from '#runtime/protocol/types.js';
import {
  type Answer,
  errorOf,
  type HttpGateway,
  principalEntry,
  startHttpGateway,
} from '../../runtime/gateway/support/gateway.ts';
import { appendReceipt } from '../../support/receipt-chain.ts';

const RECORDS = 3;
const BYTES = 20_000;
const HEALTH = 'cap:aip:server:health';
const TENANTS = ['acme', 'globex'] as const;
type Tenant = (typeof TENANTS)[number];
const desk = (tenant: Tenant) => ({ id: `human:${tenant}`, kind: 'human' }) as const;

let gateways: HttpGateway[] = [];
let pool: Pool;
beforeAll(async () => {
  const principals = TENANTS.map((tenant_id) => principalEntry(tenant_id, { tenant_id, scopes: ['*'] }));
  const env = {
    AIP_GATEWAY_MAX_STORED_RECORDS_PER_TENANT: `${RECORDS}`,
    AIP_GATEWAY_MAX_STORED_BYTES_PER_TENANT: `${BYTES}`,
  };
  const first = await startHttpGateway({ principals, env });
  gateways = [first, await startHttpGateway({ principals, env, databaseUrl: first.databaseUrl })];
  pool = openPool({ url: first.databaseUrl, max: 2 });
});
afterAll(async () => {
  await pool?.close();
  for (const gateway of gateways.toReversed()) await gateway.stop();
});

/** The body that stores a record of a kind for a tenant, with a text of the given length in it. */
const BODIES: Record<SubmittedKind, (tenant: Tenant, id: string, text: string) => unknown> = {
  approvals: (tenant, id, text) => ({
    approval_request: {
      id: `appr_${id}`,
      action_id: `act_${id}`,
      capability_id: HEALTH,
      requester: desk(tenant),
      subject: desk(tenant),
      approver_selector: { type: 'tenant_policy' },
      reason: text,
      evidence: [
        {
          id: 'input',
          kind: 'input_snapshot',
          hash: actionInputHash({ capability_id: HEALTH, input: {} }),
          redacted: true,
        },
      ],
    },
  }),
  batch_settlements: (_tenant, id, text) => ({ batch_settlement: { id, model: text, records: [] } }),
  delegations: (tenant, id, text) => ({
    delegation_request: {
      delegation_id: `dlg_${id}`,
      parent_action_id: 'act_parent',
      delegate: { id: 'service:aip-gateway', kind: 'service' },
      requested_by: desk(tenant),
      scope: text,
      child_action: { id: `act_${id}`, capability_id: HEALTH, input: {} },
    },
  }),
  escalations: (tenant, _id, text) => ({
    escalation: { kind: 'approval', reason: text, requested_by: desk(tenant) },
  }),
  sessions: (tenant, _id, text) => ({
    handshake: { client: desk(tenant), purpose: text, profiles: ['aip.native.http.v1'] },
  }),
  submitted_audit: (tenant, id, text) => ({
    audit_event: {
      id: `evt_${id}`,
      actor: desk(tenant),
      action: 'order.viewed',
      occurred_at: '2026-03-02T09:00:00Z',
      data: { text },
    },
  }),
  submitted_chains: (tenant, id, text) => ({
    receipt_chain: appendReceipt(
      { chain_id: `proof:${id}`, receipts: [] },
      {
        id: `rcpt_${id}`,
        receipt_type: 'result_returned',
        occurred_at: '2026-03-02T09:00:00Z',
        actor: desk(tenant),
        hash: '',
        data: { text },
      },
    ),
  }),
};
/** Kinds whose ids the server makes: each request stores another record. */
const WITHOUT_IDS: SubmittedKind[] = ['escalations', 'sessions'];

function send(tenant: Tenant, body: unknown, gateway = 0): Promise<Answer> {
  const envelope = newEnvelope(body as Body, {}, { clock: Date.now });
  return (gateways[gateway] as HttpGateway).call('POST', '/aip/v1/messages', { token: tenant, body: envelope });
}
const outcome = (answer: Answer): unknown => [answer.status, answer.body.body.error?.error.code];
const STORED = [200, undefined];
const REFUSED = [403, 'storage.tenant_limit'];

const KINDS = Object.keys(STOCK_TABLES) as SubmittedKind[];

test.each(KINDS)(
  'a tenant stores %s up to the number that it may, over all gateways; another tenant notices nothing',
  async (kind) => {
    const store = (tenant: Tenant, n: number, gateway = n % 2) =>
      send(tenant, BODIES[kind](tenant, `${kind}_${n}`, 'x'), gateway);
    for (let n = 0; n < RECORDS; n += 1) expect(outcome(await store('acme', n))).toEqual(STORED);
    const refused = await Promise.all([store('acme', RECORDS, 0), store('acme', RECORDS + 1, 1)]);
    for (const answer of refused) {
      expect(outcome(answer)).toEqual(REFUSED);
      expect(errorOf(answer)).toMatchObject({
        category: 'policy',
        retryable: false,
        details: { kind, unit: 'records', limit: RECORDS },
      });
    }
    if (!WITHOUT_IDS.includes(kind)) expect(outcome(await store('acme', 0))).toEqual(STORED);
    expect(outcome(await store('globex', 0))).toEqual(STORED);
    const { table, only } = STOCK_TABLES[kind] as { table: string; only?: string };
    const counted = await pool.query<{ n: number }>(
      `SELECT count(*)::int AS n FROM runtime.${table} ${only ? `WHERE ${only}` : ''}`,
    );
    expect(counted.rows).toEqual([{ n: RECORDS + 1 }]);
    // What is removed makes room again.
    await pool.query(`DELETE FROM runtime.${table} ${only ? `WHERE ${only}` : ''}`);
    expect(outcome(await store('acme', RECORDS))).toEqual(STORED);
    await pool.query(`DELETE FROM runtime.${table} ${only ? `WHERE ${only}` : ''}`);
    const left = await pool.query('SELECT records, bytes FROM runtime.tenant_stock WHERE kind = $1', [kind]);
    expect(left.rows).toEqual([
      { records: 0, bytes: 0 },
      { records: 0, bytes: 0 },
    ]);
  },
);

test.each(KINDS)('a tenant stores %s up to the bytes that it may', async (kind) => {
  const store = async (length: number) =>
    outcome(await send('globex', BODIES[kind]('globex', `${kind}_of_${length}`, 'x'.repeat(length))));
  expect(await store(BYTES / 2)).toEqual(STORED);
  expect(await store(BYTES / 2 + 1)).toEqual(REFUSED);
  expect(await store(BYTES / 8)).toEqual(STORED);
  const { rows } = await pool.query<{ bytes: number }>(
    `SELECT bytes FROM runtime.tenant_stock WHERE kind = $1 AND tenant_key = 'globex'`,
    [kind],
  );
  expect(rows[0]?.bytes).toBeGreaterThan(BYTES / 2);
  expect(rows[0]?.bytes).toBeLessThanOrEqual(BYTES);
});
