import { afterAll, beforeAll, expect, test } from 'vitest';
import { queryAudit } from '#runtime/gateway/records/audit/query.js';
import { newEnvelope } from '#runtime/protocol/envelope.js';
import { newId } from '#runtime/protocol/ids.js';
import { formatTime } from '#runtime/protocol/time.js';
import type { Action, ActionResult, AuditEvent } from '#runtime/protocol/types.js';
import { freshDatabase } from '../../../support/database.ts';
import { caller, capability, contractOf, resultOf, startActions, type TestGateway } from '../support/actions.ts';
import { policyOf } from '../support/approvals.ts';
import { providedBy, type TestProvider, transactional } from './support.ts';

// What is refused before it is accepted: docs/protocol/records.md#receipts-and-audit.

const PAY = 'cap:pay:refund';
const GOVERNED = 'cap:pay:governed';
const RECORDS = 3;
const provider: TestProvider = { asked: [], answer: () => ({ paid: true }) };
const capabilities = [
  providedBy(provider, PAY, transactional()),
  capability(GOVERNED, async () => ({}), { contract: contractOf({ approval: policyOf() }) }),
  capability('cap:plain', async () => ({})),
];

let gateway: TestGateway;
let other: TestGateway;
let drop: () => Promise<void>;
beforeAll(async () => {
  const database = await freshDatabase();
  drop = database.drop;
  const more = { stock: { records: RECORDS, bytes: 1_000_000 } };
  gateway = await startActions(database.url, capabilities, Date.now, more);
  other = await startActions(database.url, capabilities, Date.now, more);
});
afterAll(async () => {
  await Promise.all([gateway?.stop(), other?.stop()]);
  await drop?.();
});

/** Submits an action in a tenant of the test; each test has its own. */
const submit = async (tenant: string, action: Partial<Action>, at = gateway): Promise<ActionResult> =>
  resultOf(await at.submit({ capability_id: PAY, ...action }, { as: caller('agent:desk', tenant) }));
async function auditOf(tenant: string, filters: { actionId?: string; transactionId?: string } = {}) {
  const { events } = await queryAudit(
    gateway.pool,
    caller('human:audit', tenant),
    { ...filters, limit: 1000 },
    Date.now(),
  );
  return events as AuditEvent[];
}
const commit = (plan_id: string): Partial<Action> => ({
  id: newId('action'),
  transaction: { mode: 'commit', plan_id },
});

test('a step that its transaction refuses leaves an audit event of its submitter, and its message no second one', async () => {
  const transaction_id = newId('transaction');
  const action: Action = {
    id: newId('action'),
    capability_id: PAY,
    input: {},
    transaction: { mode: 'commit', plan_id: 'plan:none', transaction_id },
  };
  const envelope = newEnvelope({ action }, { session_id: newId('session') }, { clock: Date.now });
  const send = () => gateway.submit(action, { as: caller('agent:desk', 'once'), envelope });
  expect(resultOf(await send())).toMatchObject({ status: 'failed', error: { code: 'transaction.plan_not_found' } });
  await expect(send()).rejects.toMatchObject({ code: 'replay.message_id' });
  const events = await auditOf('once');
  expect(events).toMatchObject([
    {
      id: `audit:message:${envelope.message_id}:refused`,
      actor: { id: 'agent:desk', kind: 'agent' },
      action: 'aip.action.refused',
      data: {
        action_id: action.id,
        capability_id: PAY,
        status: 'failed',
        session_id: envelope.session_id,
        error_code: 'transaction.plan_not_found',
        mode: 'commit',
        plan_id: 'plan:none',
        transaction_id,
      },
    },
  ]);
  expect(await auditOf('once', { actionId: action.id })).toEqual(events);
  expect(await auditOf('once', { transactionId: transaction_id })).toEqual(events);
  expect(await auditOf('elsewhere')).toEqual([]);
});

test('an approval that an action brings along and that was never given leaves an audit event', async () => {
  const approval_id = newId('approval');
  const action: Partial<Action> = {
    id: newId('action'),
    capability_id: GOVERNED,
    approval: {
      approval_id,
      decision: 'approved',
      approver: { id: 'human:lee', kind: 'human' },
      decided_at: formatTime(Date.now()),
    },
  };
  expect((await submit('forged', action)).error?.code).toBe('policy.approval_unverified');
  expect(await auditOf('forged')).toMatchObject([
    { action: 'aip.action.refused', data: { error_code: 'policy.approval_unverified', approval_id } },
  ]);
});

test('what its schema, its contract or the authorization refuses leaves no audit event', async () => {
  expect((await submit('plain', { input: 'text' })).error?.code).toBe('action.input_schema_invalid');
  const unsupported = { capability_id: 'cap:plain', transaction: { mode: 'plan' } } as const;
  expect((await submit('plain', unsupported)).error?.code).toBe('transaction.unsupported');
  const customer = { ...caller('customer:kim', 'plain'), principal: { id: 'customer:kim', kind: 'customer' } as const };
  await expect(gateway.submit({ capability_id: PAY, ...commit('plan:none') }, { as: customer })).rejects.toMatchObject({
    code: 'auth.not_authorized',
  });
  expect(await auditOf('plain')).toEqual([]);
});

test('texts that are no identifiers are left out of the audit event', async () => {
  const refused = await submit('long', commit('p'.repeat(100_000)));
  expect(refused.error?.code).toBe('transaction.plan_not_found');
  const [event] = await auditOf('long');
  expect(event?.data).not.toHaveProperty('plan_id');
  expect(event?.data).toMatchObject({ mode: 'commit' });
});

test('a tenant leaves audit events of refusals up to its bound, over all gateways; the answers stay the same, and removal makes room', async () => {
  const codes: unknown[] = [];
  for (let n = 0; n < RECORDS + 2; n += 1)
    codes.push((await submit('many', commit(`plan:${n}`), n % 2 === 0 ? gateway : other)).error?.code);
  expect(codes).toEqual(Array(RECORDS + 2).fill('transaction.plan_not_found'));
  expect(await auditOf('many')).toHaveLength(RECORDS);
  // Results are not bounded so, nor are the refusals of other tenants.
  expect((await submit('many', {})).status).toBe('completed');
  expect(await auditOf('many')).toHaveLength(RECORDS + 1);
  await submit('few', commit('plan:none'));
  expect(await auditOf('few')).toHaveLength(1);
  await gateway.pool.query(`DELETE FROM runtime.audit WHERE tenant_id = 'many'`);
  await submit('many', commit('plan:none'), other);
  expect((await auditOf('many')).filter(({ action }) => action === 'aip.action.refused')).toHaveLength(1);
  const counted = `SELECT sum(records)::int AS records FROM runtime.tenant_stock WHERE kind = 'refused_audit' AND tenant_key = 'many'`;
  expect((await gateway.pool.query(counted)).rows).toEqual([{ records: 1 }]);
});
