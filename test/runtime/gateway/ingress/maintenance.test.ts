import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { insertDeliveries } from '#runtime/gateway/callbacks/record.js';
import { startFleetMaintenance } from '#runtime/gateway/maintenance/fleet.js';
import { pauseMs, startLoop } from '#runtime/gateway/maintenance/loop.js';
import { RETENTION_RULE, retentionPass, startRetention } from '#runtime/gateway/maintenance/retention.js';
import { readRetentionRules } from '#runtime/gateway/maintenance/retention-rules.js';
import { openMetrics } from '#runtime/gateway/metrics/metrics.js';
import { openDocumentStore } from '#runtime/postgres/documents.js';
import { openLogger } from '#runtime/transport/process/logger.js';
import { env } from '#runtime/transport/settings/env.js';
import { until } from '../../../support/until.ts';
import { newDelivery } from '../callbacks/support.ts';
import { EVENTS, eventsOf, newEvent, openTestbed, post, type Testbed } from './testbed.ts';

const DAY = 86_400_000;
const log = openLogger({ component: 'test', level: 'silent' });

let testbed: Testbed;
beforeAll(async () => {
  testbed = await openTestbed();
});
afterAll(() => testbed.close());

const sample = async (metrics: ReturnType<typeof openMetrics>, name: string): Promise<number | undefined> => {
  const match = new RegExp(`^${name} (\\d+)$`, 'm').exec((await metrics.render()).text);
  return match ? Number(match[1]) : undefined;
};

describe('the loop', () => {
  test('starts no run after it was stopped and waits for the one under way', async () => {
    const held = Promise.withResolvers<void>();
    let runs = 0;
    let ended = false;
    const work = async (): Promise<void> => {
      runs += 1;
      await held.promise;
      ended = true;
    };
    const loop = startLoop(work, { intervalMs: 1, firstBackoffMs: 1, maxBackoffMs: 1 }, () => undefined);
    await until('it runs', () => runs === 1);
    const stopping = loop.stop();
    held.resolve();
    await stopping;
    expect([runs, ended]).toEqual([1, true]);
  });

  test('continues after failures and reports how many there were in a row', async () => {
    const rows: number[] = [];
    let runs = 0;
    const work = async (): Promise<void> => {
      runs += 1;
      if (runs === 3) return;
      throw new Error('no');
    };
    const loop = startLoop(work, { intervalMs: 1, firstBackoffMs: 1, maxBackoffMs: 4 }, (_error, inARow) =>
      rows.push(inARow),
    );
    await until('it failed again after a success', () => rows.length >= 4);
    await loop.stop();
    expect(rows.slice(0, 4)).toEqual([1, 2, 1, 2]);
  });
});

describe('fleet maintenance', () => {
  test('N-275 N-276 N-277 takes lapsed replicas offline, counts them and shows the fleet', async () => {
    const [ready, lapsed] = [await testbed.host({ instance: 'ready' }), await testbed.host({ instance: 'gone' })];
    await testbed.streaming(ready);
    await testbed.registryPool.query('UPDATE registry.replicas SET lease_expires_at = $2 WHERE id = $1', [
      lapsed.replicaId,
      Date.now(),
    ]);
    const metrics = openMetrics();
    const maintenance = startFleetMaintenance({
      pool: testbed.pool,
      registry: testbed.registry,
      metrics,
      clock: Date.now,
      log,
    });
    onTestFinished(() => maintenance.stop());
    await until('a cycle has run', () => maintenance.state().last_success_at);
    expect((await testbed.registry.replicas.get(lapsed.replicaId))?.status).toBe('offline');
    expect((await testbed.registry.replicas.get(ready.replicaId))?.status).toBe('ready');
    expect(await sample(metrics, 'aip_connector_fleet_expired_replicas_total')).toBe(1);
    expect(await sample(metrics, 'aip_connector_fleet_ready_replicas')).toBe(1);
    expect(await sample(metrics, 'aip_connector_fleet_active_assignments')).toBe(1);
    expect(await sample(metrics, 'aip_connector_fleet_maintenance_failures_total')).toBeUndefined();
    expect(maintenance.state()).toMatchObject({
      worker_running: true,
      consecutive_failures: 0,
      summary: { ready: 1, offline: 1 },
    });
    await maintenance.stop();
    expect(maintenance.state().worker_running).toBe(false);
  });

  test('gives back the place of an action that ended while its assignment was not released, and no other', async () => {
    const host = await testbed.host({ instance: 'stranded' });
    const [ended, justEnded, running, foreign] = [
      await testbed.streaming(host),
      await testbed.streaming(host),
      await testbed.streaming(host),
      await testbed.streaming(host),
    ];
    const end = (actionId: string, ms: number) =>
      testbed.pool.query("UPDATE runtime.actions SET state = 'failed', completed_at = $2 WHERE action_id = $1", [
        actionId,
        Date.now() - ms,
      ]);
    await end(ended.actionId, 60_000);
    await end(justEnded.actionId, 0);
    await testbed.pool.query('DELETE FROM runtime.actions WHERE action_id = $1', [foreign.actionId]);
    await testbed.registryPool.query('UPDATE registry.assignments SET updated_at = updated_at - 60000');
    const metrics = openMetrics();
    const maintenance = startFleetMaintenance({
      pool: testbed.pool,
      registry: testbed.registry,
      metrics,
      clock: Date.now,
      log,
    });
    onTestFinished(() => maintenance.stop());
    await until('a cycle has run', () => maintenance.state().last_success_at);
    await maintenance.stop();
    const ids = [ended, justEnded, running, foreign].map(({ actionId }) => actionId);
    const { rows } = await testbed.registryPool.query<{ action_id: string }>(
      'SELECT action_id FROM registry.assignments WHERE reserved AND action_id = ANY($1)',
      [ids],
    );
    expect(new Set(rows.map(({ action_id }) => action_id))).toEqual(new Set(ids.slice(1)));
    expect((await testbed.registry.replicas.get(host.replicaId))?.activeAssignments).toBe(3);
    expect(await sample(metrics, 'aip_connector_fleet_stranded_assignments_total')).toBe(1);
  });

  test('N-278 counts failed cycles and recovers', async () => {
    const broken = await openTestbed();
    const metrics = openMetrics();
    await broken.registryPool.query('ALTER TABLE registry.replicas RENAME TO replicas_gone');
    const maintenance = startFleetMaintenance({
      pool: broken.pool,
      registry: broken.registry,
      metrics,
      clock: Date.now,
      log,
    });
    onTestFinished(async () => {
      await maintenance.stop();
      await broken.close();
    });
    for (const failures of [1, 2]) {
      await until('a cycle failed', () => maintenance.state().consecutive_failures === failures);
      expect(await sample(metrics, 'aip_connector_fleet_maintenance_failures_total')).toBe(failures);
    }
    expect(maintenance.state().last_error).toBeTypeOf('string');
    await broken.registryPool.query('ALTER TABLE registry.replicas_gone RENAME TO replicas');
    await until('a cycle succeeded', () => maintenance.state().last_success_at);
    expect(maintenance.state().consecutive_failures).toBe(0);
    // A pass that succeeds counts as none.
    expect(await sample(metrics, 'aip_connector_fleet_maintenance_failures_total')).toBe(2);
  });
});

describe('retention', () => {
  test('keeps events 30 days and dead letters 90 by default, the rest permanently; 0 days keeps permanently', () => {
    const read = (values: Record<string, string>) => readRetentionRules(env('', values));
    const rest = {
      callbackDeliveriesMs: 30 * DAY,
      assignmentsMs: 30 * DAY,
      outboxMs: 7 * DAY,
      documentsMs: 7 * DAY,
      sessionsMs: 30 * DAY,
      approvalsMs: 90 * DAY,
    };
    expect(read({})).toEqual({ eventsMs: 30 * DAY, deadLettersMs: 90 * DAY, ...rest });
    expect(
      read({ RETENTION_EVENTS_DAYS: '0', RETENTION_DEAD_LETTERS_DAYS: '7', RETENTION_ACTIONS_DAYS: '365' }),
    ).toEqual({
      deadLettersMs: 7 * DAY,
      actionsMs: 365 * DAY,
      ...rest,
    });
    expect(read({ RETENTION_CALLBACK_DELIVERIES_DAYS: '1', RETENTION_REPLAY_CLAIMS_MINUTES: '10' })).toMatchObject({
      callbackDeliveriesMs: DAY,
      replayClaimsMs: 600_000,
    });
    expect(read({ RETENTION_CALLBACK_DELIVERIES_DAYS: '0' })).not.toHaveProperty('callbackDeliveriesMs');
    expect(read({ RETENTION_OUTBOX_DAYS: '0' })).not.toHaveProperty('outboxMs');
    expect(read({ RETENTION_ASSIGNMENTS_DAYS: '0' })).not.toHaveProperty('assignmentsMs');
    expect(read({ RETENTION_SESSIONS_DAYS: '0' })).not.toHaveProperty('sessionsMs');
    expect(read({ RETENTION_SESSIONS_DAYS: '2' })).toMatchObject({ sessionsMs: 2 * DAY });
    expect(read({ RETENTION_APPROVALS_DAYS: '0' })).not.toHaveProperty('approvalsMs');
    expect(read({ RETENTION_REPORTS_DAYS: '3', RETENTION_AUDIT_DAYS: '4' })).toMatchObject({
      reportsMs: 3 * DAY,
      auditMs: 4 * DAY,
    });
  });

  test('N-304 N-305 N-306 removes what is past its time, keeps what is not, and counts it', async () => {
    const now = Date.now();
    const host = await testbed.host({ instance: 'archive' });
    const longAgo = new Date(now - 400 * DAY).toISOString().replace(/\.\d+/, '');
    const [old, young, late] = [newEvent(), newEvent(), newEvent({ occurred_at: longAgo })];
    await post(testbed.url, EVENTS, await eventsOf(host, [old, young, late]));
    const storedDaysAgo = (id: string, days: number) =>
      testbed.pool.query('UPDATE runtime.events SET occurred_at = $2 WHERE event_id = $1', [id, now - days * DAY]);
    await storedDaysAgo(old.id, 31);
    await storedDaysAgo(young.id, 29);
    await testbed.pool.query(`INSERT INTO runtime.replay_claims VALUES ('msg_old', $1), ('msg_live', $2)`, [
      now - 1,
      now + 60_000,
    ]);
    await testbed.pool.query(
      `INSERT INTO runtime.idempotency (stored_key, owner_action_id, capability_id, principal_id, input_hash, reserved_until, expires_at)
       VALUES ('old', 'act_1', 'cap:x', 'agent:a', 'x', 0, $1), ('live', 'act_2', 'cap:x', 'agent:a', 'x', 0, $2), ('kept', 'act_3', 'cap:x', 'agent:a', 'x', 0, NULL)`,
      [now - 1, now + 60_000],
    );
    const [dead, youngDead, ended] = [
      await testbed.streaming(host),
      await testbed.streaming(host),
      await testbed.streaming(host),
    ];
    const end = (id: string, state: string, days: number) =>
      testbed.pool.query('UPDATE runtime.actions SET state = $2, completed_at = $3 WHERE action_id = $1', [
        id,
        state,
        now - days * DAY,
      ]);
    await end(dead.actionId, 'dead_lettered', 91);
    await end(youngDead.actionId, 'dead_lettered', 89);
    await end(ended.actionId, 'completed', 91);
    await testbed.pool.query('UPDATE runtime.actions SET accepted_at = 1');
    await testbed.pool.query(
      `INSERT INTO runtime.chunks VALUES ($1, 0, 'data', 0, '{}', $3), ($2, 0, 'data', 0, '{}', $3)`,
      [dead.actionId, ended.actionId, dead.tenantId],
    );

    const metrics = openMetrics();
    const deps = {
      pool: testbed.pool,
      rules: { eventsMs: 30 * DAY, deadLettersMs: 90 * DAY },
      metrics,
      clock: Date.now,
    };
    expect(await retentionPass(deps)).toEqual({
      replay_claims: 1,
      idempotency_keys: 1,
      events: 1,
      dead_letters: 1,
      document_parts: 0,
    });
    const ids = (await testbed.storedEvents()).map((event) => event.id);
    expect([old, young, late].map(({ id }) => ids.includes(id))).toEqual([false, true, true]);
    const column = async (sql: string) => (await testbed.pool.query<{ id: string }>(sql)).rows.map((row) => row.id);
    expect(await column('SELECT message_id AS id FROM runtime.replay_claims')).toEqual(['msg_live']);
    expect(await column('SELECT stored_key AS id FROM runtime.idempotency ORDER BY 1')).toEqual(['kept', 'live']);
    expect(await column('SELECT action_id AS id FROM runtime.chunks')).toEqual([ended.actionId]);
    const actions = await column('SELECT action_id AS id FROM runtime.actions');
    expect([dead, youngDead, ended].map((a) => actions.includes(a.actionId))).toEqual([false, true, true]);
    expect(await sample(metrics, 'aip_retention_events_deleted_total')).toBe(1);
    expect(await sample(metrics, 'aip_retention_replay_claims_deleted_total')).toBe(1);
    expect(await sample(metrics, 'aip_retention_dead_letters_deleted_total')).toBe(1);

    // A dead letter is older than what other actions are kept for, and stays for its own time.
    expect(await retentionPass({ ...deps, rules: { actionsMs: 80 * DAY } })).toMatchObject({ actions: 1 });
    expect(await column('SELECT action_id AS id FROM runtime.actions')).toContain(youngDead.actionId);
    expect(await column('SELECT action_id AS id FROM runtime.chunks')).toEqual([]);
  });

  test('removes ended actions of every tenant, past those that stay', async () => {
    const own = await openTestbed();
    onTestFinished(() => own.close());
    const now = Date.now();
    const [old, young] = [now - 2 * DAY, now - DAY + 60_000];
    // Of each tenant more than a batch that stays comes first: actions that are live, that were given up or that ended lately.
    for (const tenant of ['a', 'b', 'c', null])
      await own.pool.query(
        `INSERT INTO runtime.actions (action_id, tenant_id, principal_id, principal_kind, capability_id, message_id, mode, state, request, plan,
           accepted_at, updated_at, completed_at)
         SELECT k.name || n, $1, 'agent:a', 'agent', 'cap:x', 'msg', 'sync', k.state, '{}', '{}', k.accepted, k.accepted, k.ended
         FROM (VALUES (1, 'live', 'running', $2::bigint, NULL), (2, 'given_up', 'dead_lettered', $2, $2), (3, 'late', 'completed', $2, $3),
           (4, 'old', 'completed', $2, $2), (5, 'young', 'completed', $3, $3)) AS k(place, name, state, accepted, ended), generate_series(1, 3) n
         ORDER BY k.place`,
        [tenant, old, young],
      );
    // Of this one nothing is old.
    await own.pool.query(
      `UPDATE runtime.actions SET accepted_at = $1, completed_at = CASE WHEN completed_at IS NOT NULL THEN $1::bigint END WHERE tenant_id = 'b'`,
      [young],
    );
    const deps = { pool: own.pool, rules: { actionsMs: DAY }, metrics: openMetrics(), clock: () => now, batchRows: 2 };
    expect(await retentionPass(deps)).toMatchObject({ actions: 9 });
    const left = await own.pool.query<{ tenant: string; n: number }>(
      `SELECT COALESCE(tenant_id, 'none') AS tenant, count(*)::int AS n FROM runtime.actions
       WHERE action_id NOT LIKE 'old%' OR tenant_id = 'b' GROUP BY 1 ORDER BY 1`,
    );
    expect(left.rows).toEqual(['a', 'b', 'c', 'none'].map((tenant) => ({ tenant, n: tenant === 'b' ? 15 : 12 })));
    const { rows } = await own.pool.query('SELECT count(*)::int AS n FROM runtime.actions');
    expect(rows).toEqual([{ n: 51 }]);
  });

  test('N-305 (part) removes expired replay claims wherever they lie among live ones', async () => {
    const own = await openTestbed();
    onTestFinished(() => own.close());
    const now = Date.now();
    await own.pool.query(
      `INSERT INTO runtime.replay_claims
       SELECT 'msg_' || n, CASE WHEN n % 10 = 0 THEN $1::bigint - n ELSE $1 + n END FROM generate_series(1, 5000) n`,
      [now],
    );
    const deps = { pool: own.pool, rules: {}, metrics: openMetrics(), clock: () => now, batchRows: 100 };
    expect(await retentionPass(deps)).toMatchObject({ replay_claims: 500 });
    const { rows } = await own.pool.query(
      `SELECT count(*)::int AS live, (count(*) FILTER (WHERE expires_at <= $1))::int AS expired FROM runtime.replay_claims`,
      [now],
    );
    expect(rows).toEqual([{ live: 4500, expired: 0 }]);
  });

  test('removes documents a period after they were stored, with their parts, and parts that no document needs', async () => {
    const own = await openTestbed();
    onTestFinished(() => own.close());
    const now = Date.now();
    const host = await own.host({ instance: 'library' });
    const action = await own.streaming(host);
    const parts = async function* (text: string) {
      yield Buffer.from(text);
    };
    const { tenantId } = action;
    const storeAt = (at: number) =>
      openDocumentStore({ pool: own.pool, prefix: 'runtime.', clock: () => at, tenantId });
    const old = await storeAt(now - 7 * DAY - 1).write(action.actionId, parts('{"old":true}'));
    const young = await storeAt(now - 6 * DAY).write(action.actionId, parts('{"old":false}'));
    const deps = { pool: own.pool, rules: { documentsMs: 7 * DAY }, metrics: openMetrics(), clock: () => now };
    expect(await retentionPass(deps)).toMatchObject({ documents: 1, document_parts: 1 });
    const store = storeAt(now);
    expect(await store.has(action.actionId, old.digest)).toBe(false);
    expect(Buffer.concat(await Array.fromAsync(store.read(action.actionId, young.digest))).toString()).toBe(
      '{"old":false}',
    );
  });

  test('removes the parts of an interrupted document an hour after the last of them, however long documents stay', async () => {
    const own = await openTestbed();
    onTestFinished(() => own.close());
    const now = Date.now();
    const HOUR = 3_600_000;
    const action = await own.streaming(await own.host({ instance: 'interrupted' }));
    // Two parts of documents that have no row: one ended more than an hour ago, of the other a part came since.
    const [ended, running] = [randomUUID(), randomUUID()];
    await own.pool.query(
      `INSERT INTO runtime.document_parts (document_id, part, action_id, stored_at, bytes, tenant_id)
       SELECT id, part, $3, at, '{', $7 FROM (VALUES ($1::uuid, 0, $4::bigint), ($1, 1, $5), ($2, 0, $4), ($2, 1, $6)) AS p(id, part, at)`,
      [ended, running, action.actionId, now - 3 * HOUR, now - HOUR - 1, now - HOUR, action.tenantId],
    );
    const kept = await openDocumentStore({
      pool: own.pool,
      prefix: 'runtime.',
      clock: () => now - DAY,
      tenantId: action.tenantId,
    }).write(
      action.actionId,
      (async function* () {
        yield Buffer.from('{}');
      })(),
    );
    const deps = { pool: own.pool, rules: {}, metrics: openMetrics(), clock: () => now };
    expect(await retentionPass(deps)).toMatchObject({ document_parts: 2 });
    const left = await own.pool.query<{ id: string; parts: number }>(
      `SELECT d.document_id IS NOT NULL AS complete, p.document_id::text AS id, count(*) AS parts
       FROM runtime.document_parts p LEFT JOIN runtime.documents d USING (document_id) GROUP BY 1, 2 ORDER BY 1`,
    );
    expect(left.rows).toEqual([
      { complete: false, id: running, parts: 2 },
      { complete: true, id: expect.any(String), parts: 1 },
    ]);
    expect(
      await openDocumentStore({ pool: own.pool, prefix: 'runtime.', clock: () => now }).has(
        action.actionId,
        kept.digest,
      ),
    ).toBe(true);
  });

  test('removes approvals a period after they ended, with their votes: none that is pending or whose action is live', async () => {
    const own = await openTestbed();
    onTestFinished(() => own.close());
    const now = Date.now();
    const live = await own.streaming(await own.host());
    const insert = (id: string, status: string, updatedAt: number, actionId = `act_of_${id}`) =>
      own.pool.query(
        `WITH vote AS (
           INSERT INTO runtime.approval_votes (approval_id, tenant_key, position, decision_id, approver_id, decision, authority, evidence_hash, recorded_at)
           VALUES ($1, $5, 0, 'd', 'human:b', '{}', '{}', '', 1))
         INSERT INTO runtime.approvals (approval_id, action_id, capability_id, tenant_id, requester_id, subject_id, status, request, policy_hash, created_at, updated_at)
         VALUES ($1, $4, 'cap:a', $5, 'agent:a', 'agent:a', $2, '{}', '', 1, $3)`,
        [id, status, updatedAt, actionId, live.tenantId],
      );
    await insert('ended', 'approved', now - DAY - 1);
    await insert('recent', 'denied', now - DAY + 60_000);
    await insert('pending', 'pending', now - 2 * DAY);
    await insert('live', 'approved', now - 2 * DAY, live.actionId);
    const deps = { pool: own.pool, rules: { approvalsMs: DAY }, metrics: openMetrics(), clock: () => now };
    expect(await retentionPass(deps)).toMatchObject({ approvals: 1 });
    for (const table of ['approvals', 'approval_votes']) {
      const { rows } = await own.pool.query(`SELECT approval_id FROM runtime.${table} ORDER BY 1`);
      expect(rows.map(({ approval_id }) => approval_id)).toEqual(['live', 'pending', 'recent']);
    }
  });

  test('removes what clients submitted, and audit events, a period after they came where a period is set', async () => {
    const own = await openTestbed();
    onTestFinished(() => own.close());
    const now = Date.now();
    for (const [id, at] of [
      ['old', now - DAY - 1],
      ['young', now - DAY],
    ] as const) {
      await own.pool.query(
        `INSERT INTO runtime.submitted_chains (chain_id, tenant_key, principal_id, receipt_ids, record, submitted_at) VALUES ($1, '', 'a', '{}', '{}', $2)`,
        [id, at],
      );
      await own.pool.query(
        `INSERT INTO runtime.batch_settlements (settlement_id, tenant_key, principal_id, record, submitted_at) VALUES ($1, '', 'a', '{}', $2)`,
        [id, at],
      );
      await own.pool.query(
        `INSERT INTO runtime.audit (audit_id, principal_id, action, occurred_at, record) VALUES ($1, 'a', 'viewed', $2, '{}')`,
        [id, at],
      );
    }
    const pass = (rules: object) => retentionPass({ pool: own.pool, rules, metrics: openMetrics(), clock: () => now });
    expect(await pass({})).not.toHaveProperty('audit');
    expect(await pass({ reportsMs: DAY, auditMs: DAY })).toMatchObject({
      submitted_chains: 1,
      batch_settlements: 1,
      audit: 1,
    });
    for (const [table, column] of [
      ['submitted_chains', 'chain_id'],
      ['batch_settlements', 'settlement_id'],
      ['audit', 'audit_id'],
    ])
      expect((await own.pool.query(`SELECT ${column} AS id FROM runtime.${table}`)).rows).toEqual([{ id: 'young' }]);
  });

  test('removes sessions a period after they were closed, never an open one, and old escalations', async () => {
    const own = await openTestbed();
    onTestFinished(() => own.close());
    const now = Date.now();
    await own.pool.query(
      `INSERT INTO runtime.sessions (session_id, principal_id, principal_kind, peer_id, peer_kind, status, handshake, token_hash, expires_at,
         created_at, updated_at, closed_at)
       SELECT id, 'agent:a', 'agent', 'service:g', 'service', CASE WHEN closed IS NULL THEN 'active' ELSE 'cancelled' END, '{}', '', 1, 1, 1, closed
       FROM (VALUES ('old', $1::bigint), ('young', $2::bigint), ('open', NULL)) AS s(id, closed)`,
      [now - 30 * DAY - 1, now - 29 * DAY],
    );
    await own.pool.query(
      `INSERT INTO runtime.escalations (principal_id, kind, record, recorded_at)
       VALUES ('agent:a', 'escalation', '{}', $1), ('agent:b', 'escalation', '{}', $2)`,
      [now - 30 * DAY - 1, now - 29 * DAY],
    );
    const metrics = openMetrics();
    const deps = { pool: own.pool, rules: { sessionsMs: 30 * DAY }, metrics, clock: () => now };
    expect(await retentionPass(deps)).toMatchObject({ sessions: 1, escalations: 1 });
    expect(await sample(metrics, 'aip_retention_sessions_deleted_total')).toBe(1);
    const ids = await own.pool.query('SELECT session_id FROM runtime.sessions ORDER BY 1');
    expect(ids.rows).toEqual([{ session_id: 'open' }, { session_id: 'young' }]);
    const left = await own.pool.query('SELECT principal_id FROM runtime.escalations');
    expect(left.rows).toEqual([{ principal_id: 'agent:b' }]);
  });

  test('removes settled assignments in batches when their time is over, and none that still holds its place', async () => {
    const own = await openTestbed();
    onTestFinished(() => own.close());
    const host = await own.host({ instance: 'assignments' });
    const now = Date.now();
    const [old, young, held] = [await own.streaming(host), await own.streaming(host), await own.streaming(host)];
    await own.registry.routes.settle(
      [old, young].map(({ actionId, fenceToken }) => ({ actionId, fenceToken, settlement: 'completed' as const })),
    );
    const age = (id: string, ms: number) =>
      own.registryPool.query('UPDATE registry.assignments SET updated_at = $2 WHERE action_id = $1', [id, now - ms]);
    await age(old.actionId, 30 * DAY + 1);
    await age(young.actionId, 30 * DAY - 60_000);
    await age(held.actionId, 60 * DAY);
    await own.registryPool.query(
      `INSERT INTO registry.assignments SELECT (jsonb_populate_record(a, jsonb_build_object(
         'action_id', 'act_many_' || n, 'fence_token', 'route_many_' || n))).*
       FROM registry.assignments a, generate_series(1, 2100) n WHERE a.action_id = $1`,
      [old.actionId],
    );
    const metrics = openMetrics();
    const rules = { assignmentsMs: 30 * DAY };
    const deps = { pool: own.pool, registry: own.registry, rules, metrics, clock: () => now };
    expect(await retentionPass(deps)).toMatchObject({ assignments: 2101 });
    expect(await sample(metrics, 'aip_retention_route_assignments_deleted_total')).toBe(2101);
    const { rows } = await own.registryPool.query<{ action_id: string }>('SELECT action_id FROM registry.assignments');
    expect(rows.map(({ action_id }) => action_id).sort()).toEqual([young.actionId, held.actionId].sort());
    expect(await retentionPass(deps)).toMatchObject({ assignments: 0 });
  });

  test('leaves the pass to another gateway that is at it', async () => {
    const now = Date.now();
    await testbed.pool.query(`INSERT INTO runtime.replay_claims VALUES ('msg_other', $1)`, [now - 1]);
    const deps = { pool: testbed.pool, rules: {}, metrics: openMetrics(), clock: Date.now };
    await testbed.registryPool.tx(async (client) => {
      await client.query(`SELECT pg_advisory_xact_lock(hashtextextended('aip.runtime.retention', 0))`);
      expect(await retentionPass(deps)).toEqual({});
    });
    expect(await retentionPass(deps)).toMatchObject({ replay_claims: 1 });
  });

  test('N-307 removes callback deliveries that ended before their time, and counts them; others stay', async () => {
    const now = Date.now();
    const target = { profile: 'aip.native.http.v1', target: 'https://client.example/callback' };
    const deliveries = [newDelivery(target), newDelivery(target), newDelivery(target)] as const;
    const [old, young] = deliveries;
    await insertDeliveries(testbed.pool, deliveries);
    for (const [{ delivery_id }, days] of [
      [old, 31],
      [young, 29],
    ] as const)
      await testbed.pool.query(
        `UPDATE runtime.callback_deliveries SET status = 'delivered', next_attempt_at = NULL, completed_at = $2 WHERE delivery_id = $1`,
        [delivery_id, now - days * DAY],
      );
    const metrics = openMetrics();
    const deps = { pool: testbed.pool, rules: { callbackDeliveriesMs: 30 * DAY }, metrics, clock: Date.now };
    expect(await retentionPass(deps)).toMatchObject({ callback_deliveries: 1 });
    const { rows } = await testbed.pool.query<{ delivery_id: string }>(
      'SELECT delivery_id FROM runtime.callback_deliveries ORDER BY seq',
    );
    expect(rows.map(({ delivery_id }) => delivery_id)).toEqual(
      deliveries.slice(1).map(({ delivery_id }) => delivery_id),
    );
    expect(await sample(metrics, 'aip_retention_callback_deliveries_deleted_total')).toBe(1);
  });

  test('replay claims stay as long beyond their window as is configured', async () => {
    const now = Date.now();
    await testbed.pool.query(`INSERT INTO runtime.replay_claims VALUES ('msg_kept', $1), ('msg_gone', $2)`, [
      now - 500_000,
      now - 700_000,
    ]);
    const deps = { pool: testbed.pool, rules: { replayClaimsMs: 600_000 }, metrics: openMetrics(), clock: () => now };
    expect(await retentionPass(deps)).toMatchObject({ replay_claims: 1 });
    expect(await retentionPass({ ...deps, rules: {} })).toMatchObject({ replay_claims: 1 });
  });

  test('N-303 a pass runs at the start and then hourly', async () => {
    expect(RETENTION_RULE.intervalMs).toBe(3_600_000);
    const pauses = Array.from({ length: 100 }, () => pauseMs(RETENTION_RULE, 0));
    expect(Math.min(...pauses)).toBeGreaterThanOrEqual(0.8 * 3_600_000);
    expect(Math.max(...pauses)).toBeLessThanOrEqual(1.2 * 3_600_000);
    const metrics = openMetrics();
    const rule = { ...RETENTION_RULE, intervalMs: 1 };
    const retention = startRetention({ pool: testbed.pool, rules: {}, metrics, clock: Date.now, log }, rule);
    onTestFinished(() => retention.stop());
    for (const passes of [1, 2]) {
      await testbed.pool.query(`INSERT INTO runtime.replay_claims VALUES ('msg_pass_${passes}', 1)`);
      await until(
        'a pass removed it',
        async () => (await sample(metrics, 'aip_retention_replay_claims_deleted_total')) === passes,
      );
    }
  });

  test('a pass removes what is expired, however many batches that takes', async () => {
    await testbed.pool.query(
      `INSERT INTO runtime.replay_claims SELECT 'msg_flood_' || n, 1 FROM generate_series(1, 600) n`,
    );
    const deps = { pool: testbed.pool, rules: {}, metrics: openMetrics(), clock: Date.now, batchRows: 1 };
    expect(await retentionPass(deps)).toMatchObject({ replay_claims: 600 });
  });

  test('removes many rows in small transactions', async () => {
    await testbed.pool.query(
      `INSERT INTO runtime.replay_claims SELECT 'msg_many_' || n, 1 FROM generate_series(1, 2500) n`,
    );
    const metrics = openMetrics();
    const retention = startRetention(
      { pool: testbed.pool, rules: {}, metrics, clock: Date.now, log },
      { ...RETENTION_RULE, firstBackoffMs: 100 },
    );
    onTestFinished(() => retention.stop());
    expect(
      await until(
        'the first pass is done',
        async () => (await sample(metrics, 'aip_retention_replay_claims_deleted_total')) === 2500,
      ),
    ).toBeTruthy();
  });
});
