import { expect, onTestFinished, test } from 'vitest';
import { insertDeliveries } from '#runtime/gateway/callbacks/record.js';
import { openDocumentStore } from '#runtime/postgres/documents.js';
import { newDelivery } from '../../runtime/gateway/callbacks/support.ts';
import { EVENTS, eventsOf, newEvent, openTestbed, post, TRUST_DOMAIN } from '../../runtime/gateway/ingress/testbed.ts';
import { until } from '../../support/until.ts';
import { startSetGateway } from './support.ts';

const DAY = 86_400_000;

test('N-304 N-305 N-306 N-307 N-308 a gateway process removes everything after the period of its setting, and its scrape counts it', async () => {
  const testbed = await openTestbed();
  onTestFinished(() => testbed.close());
  const { pool } = testbed;
  const now = Date.now();
  const twoDaysAgo = now - 2 * DAY;
  const host = await testbed.host();
  await post(testbed.url, EVENTS, await eventsOf(host, [newEvent()]));
  await pool.query('UPDATE runtime.events SET occurred_at = $1', [twoDaysAgo]);
  const [ended, dead, library] = [
    await testbed.streaming(host),
    await testbed.streaming(host),
    await testbed.streaming(host),
  ];
  await testbed.registry.routes.settle(
    [ended, dead, library].map(({ actionId, fenceToken }) => ({
      actionId,
      fenceToken,
      settlement: 'completed' as const,
    })),
  );
  await testbed.registryPool.query('UPDATE registry.assignments SET updated_at = $1', [twoDaysAgo]);
  for (const [{ actionId }, state] of [
    [ended, 'completed'],
    [dead, 'dead_lettered'],
  ] as const)
    await pool.query('UPDATE runtime.actions SET state = $2, completed_at = $3 WHERE action_id = $1', [
      actionId,
      state,
      twoDaysAgo,
    ]);
  await pool.query('UPDATE runtime.actions SET accepted_at = $1', [twoDaysAgo]);
  const parts = async function* () {
    yield Buffer.from('{}');
  };
  const { actionId, tenantId } = library;
  await openDocumentStore({ pool, prefix: 'runtime.', clock: () => twoDaysAgo, tenantId }).write(actionId, parts());
  await insertDeliveries(pool, [newDelivery({ profile: 'aip.native.http.v1', target: 'https://client.example/' })]);
  await pool.query(
    `UPDATE runtime.callback_deliveries SET status = 'delivered', next_attempt_at = NULL, completed_at = $1`,
    [twoDaysAgo],
  );
  await pool.query(
    `INSERT INTO runtime.delegations (delegation_id, principal_id, delegate_id, delegate_kind, child_action_id, request, status, created_at, completed_at)
     VALUES ('dlg_1', 'agent:a', 'agent:b', 'agent', 'act_child', '{}', 'completed', $1, $1)`,
    [twoDaysAgo],
  );
  await pool.query(
    `INSERT INTO runtime.sessions (session_id, principal_id, principal_kind, peer_id, peer_kind, status, handshake, token_hash, expires_at,
       created_at, updated_at, closed_at)
     VALUES ('old', 'agent:a', 'agent', 'service:g', 'service', 'cancelled', '{}', '', 1, 1, 1, $1)`,
    [twoDaysAgo],
  );
  await pool.query(`INSERT INTO runtime.replay_claims VALUES ('msg_kept', $1), ('msg_gone', $2)`, [
    now - 60_000,
    now - 1_200_000,
  ]);
  await pool.query(
    `INSERT INTO runtime.approvals (approval_id, action_id, capability_id, requester_id, subject_id, status, request, policy_hash, created_at, updated_at)
     VALUES ('appr_1', 'act_none', 'cap:a', 'agent:a', 'agent:a', 'denied', '{}', '', 1, $1)`,
    [twoDaysAgo],
  );
  await pool.query(
    `INSERT INTO runtime.submitted_chains (chain_id, tenant_key, principal_id, receipt_ids, record, submitted_at) VALUES ('c', '', 'agent:a', '{}', '{}', $1)`,
    [twoDaysAgo],
  );
  await pool.query(
    `INSERT INTO runtime.batch_settlements (settlement_id, tenant_key, principal_id, record, submitted_at) VALUES ('b', '', 'agent:a', '{}', $1)`,
    [twoDaysAgo],
  );
  await pool.query(
    `INSERT INTO runtime.audit (audit_id, principal_id, action, occurred_at, record) VALUES ('evt_old', 'agent:a', 'viewed', $1, '{}')`,
    [twoDaysAgo],
  );
  const counts = async (): Promise<Record<string, number>> => {
    const { rows } = await pool.query<{ name: string; count: string }>(`
      SELECT 'events' AS name, count(*) FROM runtime.events WHERE occurred_at = ${twoDaysAgo}
      UNION ALL SELECT 'actions', count(*) FROM runtime.actions WHERE state = 'completed'
      UNION ALL SELECT 'dead_letters', count(*) FROM runtime.actions WHERE state = 'dead_lettered'
      UNION ALL SELECT 'assignments', count(*) FROM registry.assignments
      UNION ALL SELECT 'documents', count(*) FROM runtime.documents
      UNION ALL SELECT 'callback_deliveries', count(*) FROM runtime.callback_deliveries
      UNION ALL SELECT 'delegations', count(*) FROM runtime.delegations
      UNION ALL SELECT 'sessions', count(*) FROM runtime.sessions
      UNION ALL SELECT 'approvals', count(*) FROM runtime.approvals
      UNION ALL SELECT 'submitted_chains', count(*) FROM runtime.submitted_chains
      UNION ALL SELECT 'batch_settlements', count(*) FROM runtime.batch_settlements
      UNION ALL SELECT 'audit', count(*) FROM runtime.audit WHERE audit_id = 'evt_old'
      UNION ALL SELECT 'replay_claims', count(*) FROM runtime.replay_claims`);
    return Object.fromEntries(rows.map(({ name, count }) => [name, Number(count)]));
  };
  const all = await counts();
  expect(Object.values(all).every((count) => count > 0)).toBe(true);
  const PERIODS = [
    'RETENTION_EVENTS_DAYS',
    'RETENTION_DEAD_LETTERS_DAYS',
    'RETENTION_ASSIGNMENTS_DAYS',
    'RETENTION_DOCUMENTS_DAYS',
    'RETENTION_CALLBACK_DELIVERIES_DAYS',
    'RETENTION_OUTBOX_DAYS',
    'RETENTION_SESSIONS_DAYS',
    'RETENTION_ACTIONS_DAYS',
    'RETENTION_APPROVALS_DAYS',
    'RETENTION_REPORTS_DAYS',
    'RETENTION_AUDIT_DAYS',
  ];
  const gateway = await startSetGateway(testbed.databaseUrl, {
    TRUST_DOMAIN,
    ...Object.fromEntries(PERIODS.map((name) => [name, '1'])),
    RETENTION_REPLAY_CLAIMS_MINUTES: '10',
  });
  await until('the last of a pass is removed', async () => (await counts()).assignments === 0);
  expect(await counts()).toEqual({
    ...Object.fromEntries(Object.keys(all).map((name) => [name, 0])),
    replay_claims: 1,
  });
  const counted = async (what: string) => gateway.metric(`aip_retention_${what}_deleted_total`);
  expect(await counted('events')).toBe(all.events);
  for (const what of ['replay_claims', 'dead_letters', 'callback_deliveries', 'outbox_records'])
    expect([what, await counted(what)]).toEqual([what, 1]);
});

test.each([
  ['with its event, which is removed first', { RETENTION_EVENTS_DAYS: '7', RETENTION_AUDIT_DAYS: '7' }, true],
  ['with its event, while audit events are kept forever', { RETENTION_EVENTS_DAYS: '0' }, true],
  ['apart from its event, which is kept longer', { RETENTION_EVENTS_DAYS: '8', RETENTION_AUDIT_DAYS: '7' }, false],
  ['apart from its event, which is kept forever', { RETENTION_EVENTS_DAYS: '0', RETENTION_AUDIT_DAYS: '7' }, false],
])('a gateway process keeps the audit event of a result %s', async (_, settings, together) => {
  const testbed = await openTestbed();
  onTestFinished(() => testbed.close());
  const gateway = await startSetGateway(testbed.databaseUrl, { TRUST_DOMAIN, ...settings });
  const { id, status } = await gateway.client.submit({ capability_id: 'cap:aip:server:health' });
  expect(status).toBe(200);
  const { rows } = await testbed.pool.query(
    `SELECT (SELECT count(audit)::int FROM runtime.events WHERE action_id = $1) AS together,
      (SELECT count(*)::int FROM runtime.audit WHERE action_id = $1) AS apart`,
    [id],
  );
  expect(rows).toEqual([together ? { together: 1, apart: 0 } : { together: 0, apart: 1 }]);
});
