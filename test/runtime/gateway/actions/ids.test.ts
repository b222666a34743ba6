import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import type { SubmitReply } from '#runtime/gateway/actions/accept/submit.js';
import { listActions } from '#runtime/gateway/actions/read/list.js';
import { actionResult, actionStatus } from '#runtime/gateway/actions/read/status.js';
import type { Identity } from '#runtime/gateway/edge/identity.js';
import type { Access } from '#runtime/gateway/edge/query-authorization.js';
import { STREAM_START } from '#runtime/gateway/events/log/position.js';
import { readPage } from '#runtime/gateway/events/page.js';
import { findChain } from '#runtime/gateway/records/receipts/find-chain.js';
import { RUNTIME_SCHEMA, runtimeMigrations } from '#runtime/gateway/schema/migrations.js';
import { findTransaction } from '#runtime/gateway/transactions/find.js';
import { migrate } from '#runtime/postgres/migrate.js';
import { openPool } from '#runtime/postgres/pool.js';
import { newId } from '#runtime/protocol/ids.js';
import { verifyReceiptChain } from '#runtime/protocol/receipts.js';
import { emptyDatabase } from '../../../support/database.ts';
import { until } from '../../../support/until.ts';
import {
  actionsOverFreshDatabase,
  caller,
  capability,
  contractOf,
  resultOf,
  type TestGateway,
} from '../support/actions.ts';

const TENANTS = ['acme', 'globex', 'initech', undefined] as const;
function of(tenant: string | undefined, id = 'agent:desk'): Identity {
  const { tenantId: _, ...outside } = caller(id);
  return { ...outside, ...(tenant !== undefined && { tenantId: tenant }) };
}
/** Outside every tenant, with the scope that reaches the records of each. */
const everywhere = of(undefined, 'service:operator');

let gateway: TestGateway;
let end: () => Promise<void>;
const held = new Map<string, PromiseWithResolvers<unknown>>();
/** Each start of an execution that waits. */
const begun: string[] = [];
beforeAll(async () => {
  ({ gateway, end } = await actionsOverFreshDatabase([
    capability('cap:ids:echo', async ({ input }) => ({ echoed: input })),
    capability('cap:ids:pay', async () => ({ paid: true }), {
      contract: contractOf({ transaction: { supported_modes: ['execute'], requires_plan_before_commit: false } }),
    }),
    capability('cap:ids:wait', async ({ id, identity }, signal) => {
      const waiting = Promise.withResolvers<unknown>();
      begun.push(`${identity?.tenant?.id} ${id}`);
      held.set(`${identity?.tenant?.id} ${id}`, waiting);
      signal.addEventListener('abort', () => waiting.reject(signal.reason));
      return waiting.promise;
    }),
  ]));
});
afterAll(() => end?.());

const status = (as: Identity, actionId: string, tenantId?: string) =>
  actionStatus(gateway.pool, as, { actionId, tenantId, includeResult: true, includeReceipts: true }, Date.now());

/** The kinds of the events that a page of an ended action shows. */
const kindsOf = (id: string, tenantId: string | null) =>
  until('all of its events are settled', async () => {
    const access: Access = { tenant: 'any', principals: 'any' };
    const action = { route: 'action_events' as const, action: { id, tenantId }, access };
    const page = await readPage(gateway.pool, { ...action, events: true, chunks: false, limit: 100 }, STREAM_START);
    return page.terminal && page.events.map(({ kind }) => kind);
  });

test('actions of one id that tenants submit together are accepted and ended, each with what its tenant sent', async () => {
  for (let round = 0; round < 8; round += 1) {
    const id = newId('action');
    // Some at once and some queued, so that batches of both kinds hold the id more than once.
    const mode = round % 2 === 0 ? 'sync' : 'async';
    await Promise.all(
      TENANTS.map((tenant) =>
        gateway.submit(
          {
            id,
            capability_id: 'cap:ids:echo',
            input: { tenant: tenant ?? null },
            mode,
            idempotency_key: `one${round}`,
          },
          { as: of(tenant) },
        ),
      ),
    );
    for (const tenant of TENANTS) {
      const ended = await until('it has ended', async () => {
        const found = await status(of(tenant), id);
        return found.state === 'completed' && found;
      });
      expect(ended.result?.output).toEqual({ echoed: { tenant: tenant ?? null } });
      expect(ended.receipt_chain && verifyReceiptChain(ended.receipt_chain)).toEqual({ ok: true });
      expect(ended.receipt_chain?.receipts).toHaveLength(2);
      expect(await kindsOf(id, tenant ?? null)).toEqual(
        mode === 'sync' ? ['aip.action.result'] : ['aip.action.worker_result', 'aip.action.result'],
      );
    }
  }
});

test('a cancellation reaches the execution of its own tenant alone', async () => {
  const id = newId('action');
  const running = ['acme', 'globex'].map((tenant) =>
    gateway.submit({ id, capability_id: 'cap:ids:wait' }, { as: of(tenant) }),
  );
  await until('both run', () => held.has(`acme ${id}`) && held.has(`globex ${id}`));
  expect(await gateway.actions.cancel(of('acme'), { actionId: id })).toMatchObject({
    status: 'cancelled',
  });
  expect(resultOf((await running[0]) as SubmitReply).status).toBe('cancelled');
  expect((await status(of('globex'), id)).state).toBe('running');
  held.get(`globex ${id}`)?.resolve({ done: true });
  expect(resultOf((await running[1]) as SubmitReply)).toMatchObject({ status: 'completed', output: { done: true } });
});

test('outside every tenant an id names the caller’s own action, also where tenants use it too', async () => {
  const id = newId('action');
  for (const tenant of ['acme', 'globex', undefined])
    await gateway.submit({ id, capability_id: 'cap:ids:echo', input: { tenant: tenant ?? null } }, { as: of(tenant) });
  expect((await status(everywhere, id)).result?.output).toEqual({ echoed: { tenant: null } });
  expect((await status(everywhere, id, 'acme')).result?.output).toEqual({ echoed: { tenant: 'acme' } });
  const chain = await findChain(gateway.pool, everywhere, { chainId: `action:${id}` }, Date.now());
  expect(chain).toEqual((await status(everywhere, id)).receipt_chain);
});

test('a worker that takes an action from the queue leaves the running one of another tenant with its id to its own worker', async () => {
  const id = newId('action');
  const running = gateway.submit({ id, capability_id: 'cap:ids:wait' }, { as: of('acme') });
  await until('the first one runs', () => held.has(`acme ${id}`));
  await gateway.submit({ id, capability_id: 'cap:ids:wait', mode: 'async' }, { as: of('globex') });
  await until('the queued one runs', () => held.has(`globex ${id}`));
  for (const tenant of ['globex', 'acme']) held.get(`${tenant} ${id}`)?.resolve({ of: tenant });
  expect(resultOf(await running).output).toEqual({ of: 'acme' });
  const ended = await until('the queued one has ended', async () => {
    const found = await status(of('globex'), id);
    return found.state === 'completed' && found;
  });
  expect(ended.result?.output).toEqual({ of: 'globex' });
  expect(begun.filter((each) => each.endsWith(id))).toEqual([`acme ${id}`, `globex ${id}`]);
});

test('a caller of every tenant names the tenant of an id that several use, and gets no answer at random', async () => {
  const id = newId('action');
  const alone = newId('action');
  const pay = (actionId: string, tenant: string | undefined) =>
    gateway.submit(
      { id: actionId, capability_id: 'cap:ids:pay', transaction: { mode: 'execute', transaction_id: `txn_${id}` } },
      { as: of(tenant) },
    );
  await Promise.all([pay(id, 'acme'), pay(id, 'globex'), pay(alone, 'initech')]);
  const now = Date.now();
  const refused = { code: 'query.invalid', message: expect.stringContaining('tenant') };
  const { pool } = gateway;
  await expect(status(everywhere, id)).rejects.toMatchObject({
    ...refused,
    message: expect.stringContaining('add tenant_id'),
    details: { id, parameter: 'tenant_id' },
  });
  await expect(actionResult(pool, everywhere, { actionId: id }, now)).rejects.toMatchObject(refused);
  await expect(gateway.actions.cancel(everywhere, { actionId: id })).rejects.toMatchObject(refused);
  await expect(findChain(pool, everywhere, { chainId: `action:${id}` }, now)).rejects.toMatchObject(refused);
  await expect(findTransaction(pool, everywhere, { actionId: id }, now)).rejects.toMatchObject(refused);
  await expect(findTransaction(pool, everywhere, { transactionId: `txn_${id}` }, now)).rejects.toMatchObject(refused);
  expect(await status(everywhere, id, 'acme')).toMatchObject({ action_id: id, state: 'completed' });
  expect(await gateway.actions.cancel(everywhere, { actionId: id, tenantId: 'globex' })).toMatchObject({
    status: 'completed',
  });
  expect(await findTransaction(pool, everywhere, { actionId: id, tenantId: 'globex' }, now)).toMatchObject({
    status: 'committed',
  });
  expect(await status(everywhere, alone)).toMatchObject({ action_id: alone, state: 'completed' });
  await expect(status(everywhere, id, 'initech')).rejects.toMatchObject({ code: 'action.not_found' });
  const page = await listActions(pool, everywhere, { transactionId: `txn_${id}`, includeReceipts: true }, now);
  expect(page.actions.map(({ action_id }) => action_id).sort()).toEqual([id, id, alone].sort());
  for (const { receipt_chain } of page.actions)
    expect(receipt_chain && verifyReceiptChain(receipt_chain)).toEqual({ ok: true });
});

test('actions, chunks, documents and approvals of the release before keep their tenant, and a gateway of it accepts nothing new', async () => {
  const database = await emptyDatabase();
  const pool = openPool({ url: database.url, max: 2 });
  onTestFinished(async () => {
    await pool.close();
    await database.drop();
  });
  const before = runtimeMigrations.filter(({ id }) => id < 17);
  await migrate(pool, { schema: RUNTIME_SCHEMA, migrations: before });
  const insert = `INSERT INTO runtime.actions (action_id, tenant_id, principal_id, principal_kind, capability_id, message_id, mode, state,
    request, plan, accepted_at, updated_at) VALUES ($1, $2, 'agent:a', 'agent', 'cap:a', $1, 'streaming', 'running', '{}', '{}', 1, 1)`;
  const chunk = `INSERT INTO runtime.chunks (action_id, sequence, kind, received_at, record) VALUES ($1, $2, 'data', 1, '{}')`;
  await pool.query(insert, ['act_1', 'acme']);
  await pool.query(insert, ['act_2', null]);
  for (const [id, sequence] of [
    ['act_1', 0],
    ['act_1', 1],
    ['act_2', 0],
  ])
    await pool.query(chunk, [id, sequence]);
  const part = 'a3bb189e-8bf9-4f83-a1c1-6b52b1b3a6c1';
  await pool.query(`INSERT INTO runtime.documents VALUES ('act_1', 'sha256:x', '${part}', 2, 1)`);
  await pool.query(`INSERT INTO runtime.document_parts VALUES ('${part}', 0, 'act_1', 1, '{}')`);
  const approval = `INSERT INTO runtime.approvals (approval_id, action_id, capability_id, tenant_id, requester_id, subject_id, status, request,
    policy_hash, created_at, updated_at) VALUES ($1, 'act_1', 'cap:a', $2, 'agent:a', 'agent:a', 'pending', '{}', 'x', 1, 1)`;
  for (const [id, tenant] of [
    ['appr_1', 'acme'],
    ['appr_2', null],
  ]) {
    await pool.query(approval, [id, tenant]);
    await pool.query(`INSERT INTO runtime.approval_votes VALUES ($1, 0, 'vote', 'human:a', '{}', '{}', 'x', 1)`, [id]);
  }
  await migrate(pool, { schema: RUNTIME_SCHEMA, migrations: runtimeMigrations });
  const rows = async (text: string) => (await pool.query(text)).rows;
  expect(await rows('SELECT action_id, tenant_key, sequence FROM runtime.chunks ORDER BY 1, 3')).toEqual([
    { action_id: 'act_1', tenant_key: 'acme', sequence: 0 },
    { action_id: 'act_1', tenant_key: 'acme', sequence: 1 },
    { action_id: 'act_2', tenant_key: '', sequence: 0 },
  ]);
  expect(
    await rows('SELECT tenant_id FROM runtime.documents UNION ALL SELECT tenant_id FROM runtime.document_parts'),
  ).toEqual([{ tenant_id: 'acme' }, { tenant_id: 'acme' }]);
  expect(await rows('SELECT approval_id, tenant_key FROM runtime.approval_votes ORDER BY 1')).toEqual([
    { approval_id: 'appr_1', tenant_key: 'acme' },
    { approval_id: 'appr_2', tenant_key: '' },
  ]);
  await pool.query(approval, ['appr_1', 'globex']);
  for (const tenant of ['acme', 'globex'])
    await expect(pool.query(approval, ['appr_1', tenant])).rejects.toThrow('approvals_id');
  // Another tenant may take the id now, and nobody twice.
  await pool.query(insert, ['act_1', 'globex']);
  await pool.query(insert, ['act_1', null]);
  for (const tenant of ['acme', null])
    await expect(pool.query(insert, ['act_1', tenant])).rejects.toThrow('actions_id');
  await pool.query(`DELETE FROM runtime.actions WHERE action_id = 'act_1' AND tenant_id = 'globex'`);
  expect(await rows('SELECT count(*) AS n FROM runtime.document_parts')).toEqual([{ n: 1 }]);
  await pool.query(`DELETE FROM runtime.actions WHERE action_id = 'act_1' AND tenant_id = 'acme'`);
  expect(await rows('SELECT count(*) AS n FROM runtime.document_parts')).toEqual([{ n: 0 }]);
  await expect(pool.query(`${insert} ON CONFLICT (action_id) DO NOTHING`, ['act_3', 'acme'])).rejects.toThrow(
    'ON CONFLICT',
  );
  await expect(pool.query(chunk, ['act_2', 1])).rejects.toThrow('tenant_key');
  await expect(pool.query(`INSERT INTO runtime.storage_probe VALUES ('service:gateway', 1)`)).rejects.toThrow(
    'storage_probe',
  );
});
