import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { newId } from '#runtime/protocol/ids.js';
import type { Action, ApprovalRequest, TransactionPlan } from '#runtime/protocol/types.js';
import { freshDatabase } from '../../../support/database.ts';
import { admit, storedDeliveries } from '../callbacks/support.ts';
import { caller, startActions, type TestGateway } from '../support/actions.ts';
import { approver, decide, decideDeps, policyOf } from '../support/approvals.ts';
import { inStatus, providedBy, stored, type TestProvider, take, transactional } from './support.ts';

const provider: TestProvider = { asked: [], answer: () => ({ paid: true }) };
const undo = { mode: 'supported', compensation_capability_id: 'cap:pay:undo', requires_approval: true } as const;
const capabilities = [
  providedBy(provider, 'cap:pay:governed', transactional({ approval: policyOf() })),
  providedBy(provider, 'cap:pay:free', transactional({ compensation: undo })),
  providedBy(provider, 'cap:pay:undo'),
];
const lee = approver('human:lee');
const authority = [
  { principal_id: 'human:lee', tenant_id: 'acme', roles: ['finance-lead'], tenant_policies: ['any'], revision: 1 },
];

let now = Date.now();
let gateway: TestGateway;
let other: TestGateway;
let drop: () => Promise<void>;
beforeAll(async () => {
  const database = await freshDatabase();
  drop = database.drop;
  const callbacks = { admit, stored: () => undefined };
  gateway = await startActions(database.url, capabilities, () => now, { callbacks });
  other = await startActions(database.url, capabilities, () => now, { callbacks });
});
afterAll(async () => {
  await Promise.all([gateway?.stop(), other?.stop()]);
  await drop?.();
});
beforeEach(() => {
  now = Math.max(now, Date.now());
  provider.asked.length = 0;
});

const planned = async (capability: string, input: object): Promise<TransactionPlan> => {
  const result = await take(gateway, capability, { mode: 'plan' }, { input });
  return (result.output as { plan: TransactionPlan }).plan;
};
const approve = async (result: { output?: unknown }, decision: 'approved' | 'denied' = 'approved') => {
  const { approval_request: request } = result.output as { approval_request: ApprovalRequest };
  await decide(
    decideDeps(gateway, authority, () => now),
    lee,
    request,
    { decision },
  );
};

test('looking ahead needs no approval; the plan says that its commit does', async () => {
  const made = await planned('cap:pay:governed', { amount: 1 });
  expect(made).toMatchObject({ approval_required: true, approval_policy: { required: true } });
  const tried = await take(gateway, 'cap:pay:governed', { mode: 'dry_run' });
  expect(tried).toMatchObject({ status: 'completed', output: { requires_human_approval: true } });
});

test('a commit waits for its approval without holding its plan, then carries it out; the wait does not let the plan expire', async () => {
  const made = await planned('cap:pay:governed', { amount: 2 });
  const step = { mode: 'commit', plan_id: made.plan_id } as const;
  const action: Partial<Action> = { id: newId('action'), input: { amount: 2 } };
  const waiting = await take(gateway, 'cap:pay:governed', step, action);
  expect(waiting.status).toBe('pending_approval');
  expect(await stored(gateway, made.transaction_id)).toMatchObject({ status: 'planned' });
  expect(provider.asked).toEqual([]);
  now += 3_000_000;
  await approve(waiting);
  const record = await inStatus(gateway, made.transaction_id, 'committed');
  expect(record.action_id).toBe(action.id);
  expect(provider.asked.map(({ id }) => id)).toEqual([action.id]);
});

test('a commit that cannot be done is refused before anyone is asked to approve it', async () => {
  const refused = await take(gateway, 'cap:pay:governed', { mode: 'commit', plan_id: 'plan:none' });
  expect(refused).toMatchObject({ status: 'failed', error: { code: 'transaction.plan_not_found' } });
});

test('of two commits of one plan that wait for approvals only the first one that is approved has the effect', async () => {
  const made = await planned('cap:pay:governed', { amount: 3 });
  const step = { mode: 'commit', plan_id: made.plan_id } as const;
  const [first, second] = [
    await take(gateway, 'cap:pay:governed', step, { input: { amount: 3 } }),
    await take(gateway, 'cap:pay:governed', step, { input: { amount: 3 } }),
  ];
  await approve(second);
  await inStatus(gateway, made.transaction_id, 'committed');
  await approve(first);
  const late = await gateway.ended(first.action_id);
  expect(late.result).toMatchObject({ status: 'failed', error: { code: 'transaction.plan_already_claimed' } });
  expect(provider.asked.map(({ id }) => id)).toEqual([second.action_id]);
});

test('a denied commit leaves its plan', async () => {
  const made = await planned('cap:pay:governed', { amount: 4 });
  const waiting = await take(
    gateway,
    'cap:pay:governed',
    { mode: 'commit', plan_id: made.plan_id },
    { input: { amount: 4 } },
  );
  await approve(waiting, 'denied');
  expect((await gateway.ended(waiting.action_id)).result?.error?.code).toBe('policy.approval_denied');
  expect(await stored(gateway, made.transaction_id)).toMatchObject({ status: 'planned' });
});

test('a compensation waits for the approval that its contract demands', async () => {
  const original = await take(gateway, 'cap:pay:free', { mode: 'execute' });
  const undone = await take(gateway, 'cap:pay:free', { mode: 'compensate', compensation_for: original.action_id });
  expect(undone.status).toBe('pending_approval');
  expect(provider.asked).toHaveLength(1);
});

test('an action that was resumed after its approval delivers its result to its callback', async () => {
  const callback = { profile: 'aip.native.http.v1', target: 'http://127.0.0.1:1/callback' };
  const waiting = await take(gateway, 'cap:pay:governed', undefined, { input: { amount: 5 }, callback });
  expect(await storedDeliveries(gateway.pool)).toEqual([]);
  await approve(waiting);
  await gateway.ended(waiting.action_id);
  expect(await storedDeliveries(gateway.pool)).toMatchObject([
    { action_id: waiting.action_id, status: 'pending', body: { action_result: { status: 'completed' } } },
  ]);
});

test('of many steps on two gateways at once one commits a plan, and one executes a transaction', async () => {
  const made = await planned('cap:pay:free', { amount: 6 });
  const gateways = [gateway, other];
  const commits = await Promise.all(
    Array.from({ length: 10 }, (_, index) =>
      take(
        gateways[index % 2] as TestGateway,
        'cap:pay:free',
        { mode: 'commit', plan_id: made.plan_id },
        { input: { amount: 6 } },
      ),
    ),
  );
  const done = commits.filter(({ status }) => status === 'completed');
  expect(done).toHaveLength(1);
  expect(provider.asked).toHaveLength(1);
  const transaction_id = newId('transaction');
  const executions = await Promise.all(
    Array.from({ length: 10 }, (_, index) =>
      take(gateways[index % 2] as TestGateway, 'cap:pay:free', { mode: 'execute', transaction_id }, {}, caller()),
    ),
  );
  expect(executions.filter(({ status }) => status === 'completed')).toHaveLength(1);
  expect(provider.asked).toHaveLength(2);
});
