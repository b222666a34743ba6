import { afterAll, beforeAll, expect, test } from 'vitest';
import { retentionPass } from '#runtime/gateway/maintenance/retention.js';
import { openMetrics } from '#runtime/gateway/metrics/metrics.js';
import { RUNTIME_SCHEMA, runtimeMigrations } from '#runtime/gateway/schema/migrations.js';
import { openHostDatabase } from '#runtime/host/database.js';
import { openEventLog } from '#runtime/host/event-log/event-log.js';
import { openJournal } from '#runtime/host/journal/journal.js';
import { openDocumentStore } from '#runtime/postgres/documents.js';
import { migrate } from '#runtime/postgres/migrate.js';
import { openPool, type Pool } from '#runtime/postgres/pool.js';
import { openRegistry } from '#runtime/registry/registry.js';
import { freshDatabase } from '../../../support/database.ts';
import { countingRemovals } from '../../../support/postgres/removal-blocks.ts';

const DAY = 86_400_000;
const ROWS = 5000;
const now = Date.now();

let drop: () => Promise<void>;
let pool: Pool;
let hostPool: Pool;
/** Ends the transaction that keeps every removed row readable, as a backup does that runs for hours. */
let endSnapshot: () => Promise<unknown>;

/** So many numbers in no order, so that rows of about one time lie on many pages. */
const NUMBERS = '(SELECT n FROM generate_series(1, $1::int) n ORDER BY md5(n::text)) AS numbers';

// $1: how many rows. No table was analyzed since it was empty. Events come in the order of the log.
const SEEDS: Record<string, string> = {
  'runtime.replay_claims': `(message_id, expires_at) SELECT 'msg_' || n, n FROM ${NUMBERS}`,
  'runtime.idempotency': `(stored_key, owner_action_id, principal_id, capability_id, input_hash, reserved_until, expires_at)
    SELECT 'key_' || n, 'act_' || n, 'agent:a', 'cap:x', 'x', n, n FROM ${NUMBERS}`,
  'runtime.events': `(event_id, kind, tenant_id, occurred_at, record)
    SELECT 'evt_' || n, 'x', 'demo', n, json_build_object('data', repeat('x', 1500)) FROM generate_series(1, $1::int) n`,
  'runtime.actions': `(action_id, tenant_id, principal_id, principal_kind, capability_id, message_id, mode, state, request, plan, accepted_at, updated_at,
      completed_at)
    SELECT state || n, 'demo', 'agent:a', 'agent', 'cap:x', 'msg_' || n, 'sync', state, '{}', '{}', n, n, n
    FROM ${NUMBERS}, unnest(ARRAY['completed', 'dead_lettered']) AS state`,
  'runtime.documents': `(action_id, digest, document_id, bytes, stored_at, tenant_id)
    SELECT 'completed' || n, 'd' || n, gen_random_uuid(), 2, n, 'demo' FROM ${NUMBERS}`,
  'runtime.document_parts': `(document_id, part, action_id, stored_at, bytes, tenant_id)
    SELECT gen_random_uuid(), 0, 'completed' || n, n, '{', 'demo' FROM ${NUMBERS}`,
  // Of one tenant most, outside every tenant some, and of tenants that have nothing expired; each tenth is submitted, of a time in no order.
  'runtime.audit': `(audit_id, tenant_id, principal_id, action, occurred_at, record, submitted)
    SELECT 'aud_' || n, CASE n % 10 WHEN 5 THEN NULL WHEN 6 THEN 'small' ELSE 'tenant' END, 'agent:a', 'x',
      CASE n % 10 WHEN 0 THEN $1 - n ELSE n END, json_build_object('data', repeat('x', 1500)), n % 10 = 0 FROM generate_series(1, $1::int) n`,
  'registry.assignments': `(action_id, capability_id, tenant_id, instance_id, replica_id, version_id, manifest_digest, endpoint, peer_principal_id,
      peer_principal_kind, peer_did, trust_domain, transport_profile, catalog_revision, binding_policy_revision, replica_health_revision, fence_token,
      assigned_at, admission, reserved, held, updated_at)
    SELECT 'act_' || n, 'c', 'demo', 'i', 'r', 'v', 'd', 'e', 'p', 'k', 'd', 't', 'x', 1, 1, 1, 'fence_' || n, n, '{}', false, '[]', n
    FROM ${NUMBERS}`,
  'aip_host.replay_claims': `(message_id, signature, expires_at) SELECT 'msg_' || n, 's', n FROM ${NUMBERS}`,
  'aip_host.executions': `(instance_id, action_id, replica_id, capability_id, request_digest, state, started_at, message_id)
    SELECT 'cinst_a', 'act_' || n, 'crepl_a', 'cap:x', 'd', 'finished', n, 'msg_of_' || n FROM ${NUMBERS}`,
  'aip_host.events': `(instance_id, event_id, event, appended_at) SELECT 'cinst_a', 'evt_' || n, '{}', n FROM ${NUMBERS}`,
  'aip_host.documents': `(action_id, digest, document_id, bytes, stored_at)
    SELECT 'act_' || n, 'd' || n, gen_random_uuid(), 2, n FROM ${NUMBERS}`,
  'aip_host.document_parts': `(document_id, part, action_id, stored_at, bytes)
    SELECT document_id, 0, action_id, stored_at, '{' FROM aip_host.documents LIMIT $1`,
};

beforeAll(async () => {
  const database = await freshDatabase();
  pool = openPool({ url: database.url, max: 3, statementTimeoutMs: 60_000 });
  await migrate(pool, { schema: RUNTIME_SCHEMA, migrations: runtimeMigrations });
  await openRegistry({ data: pool, clock: () => now }).migrate();
  hostPool = await openHostDatabase(database.url, 2);
  for (const [table, seed] of Object.entries(SEEDS)) {
    await pool.query(`ALTER TABLE ${table} SET (autovacuum_enabled = off)`);
    await pool.query(`INSERT INTO ${table} ${seed}`, [ROWS]);
  }
  await pool.query(
    `INSERT INTO runtime.audit (audit_id, tenant_id, principal_id, action, occurred_at, record)
     SELECT 'young_' || t || '_' || n, 'tenant-' || t, 'agent:a', 'x', $1, '{}' FROM generate_series(1, 50) t, generate_series(1, 20) n`,
    [now],
  );
  const held = Promise.withResolvers<void>();
  const reading = Promise.withResolvers<void>();
  const snapshot = pool.tx(async (client) => {
    await client.query('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ');
    await client.query('SELECT count(*) FROM runtime.replay_claims');
    reading.resolve();
    await held.promise;
  });
  await reading.promise;
  endSnapshot = () => {
    held.resolve();
    return snapshot;
  };
  drop = database.drop;
});
afterAll(async () => {
  await endSnapshot?.();
  await hostPool?.close();
  await pool?.close();
  await drop?.();
});

/** Runs `removal` on a counting pool: it removed rows in several batches, and none of them touched many more blocks than the first ones. */
async function expectBounded(over: Pool, removal: (counting: Pool) => Promise<unknown>): Promise<void> {
  const blocks = new Map<string, number[]>();
  await removal(countingRemovals(over, blocks));
  expect(blocks.size).toBeGreaterThan(0);
  for (const [text, batches] of blocks) {
    // The first batch of audit events only finds the tenant that it begins with.
    const first = Math.max(...batches.slice(0, 2));
    expect(Math.max(...batches), `${text}\n${batches}`).toBeLessThan(1.5 * first + 100);
  }
}

test('a batch of retention reads about as much after many removed rows as the first one', async () => {
  const rules = { eventsMs: DAY, deadLettersMs: DAY, documentsMs: DAY, actionsMs: DAY, auditMs: DAY };
  const removed: Record<string, number> = {};
  await expectBounded(pool, async (counting) => {
    const deps = { pool: counting, rules, metrics: openMetrics(), clock: () => now, batchRows: 250 };
    Object.assign(removed, await retentionPass(deps));
  });
  expect(removed).toEqual({
    replay_claims: ROWS,
    idempotency_keys: ROWS,
    events: ROWS,
    dead_letters: ROWS,
    documents: ROWS,
    document_parts: ROWS,
    actions: ROWS,
    audit: ROWS,
  });
  expect((await pool.query('SELECT count(*)::int AS left FROM runtime.audit')).rows).toEqual([{ left: 1000 }]);
});

test('a batch of settled assignments reads about as much after many removed ones as the first one', async () => {
  await expectBounded(pool, async (counting) => {
    expect(await openRegistry({ data: counting, clock: () => now }).maintenance.prune(now)).toBe(ROWS);
  });
});

test('a batch of a host reads about as much after many removed rows as the first one', async () => {
  await expectBounded(hostPool, async (counting) => {
    const of = { pool: counting, instanceId: 'cinst_a', replicaId: 'crepl_a', clock: () => now };
    await openJournal({ ...of, durability: 'relaxed' }).prune(now, now);
    expect(await openEventLog(of).prune(now)).toBe(ROWS);
    await openDocumentStore({ ...of, prefix: '' }).prune(now);
  });
  for (const table of ['replay_claims', 'executions', 'events', 'documents', 'document_parts'])
    expect({ table, ...(await hostPool.query(`SELECT count(*)::int AS left FROM ${table}`)).rows[0] }).toEqual({
      table,
      left: 0,
    });
});

/** Tables whose rows last for minutes or are updated all the time. */
const PASSING = {
  registry: ['assignments', 'control_replay', 'allotments', 'holders', 'policy_counters', 'replicas'],
  runtime: ['replay_claims', 'tenant_stock'],
  aip_host: ['replay_claims', 'outbox', 'webhook_replay'],
};

test('a vacuum keeps the empty pages of tables whose rows pass quickly, so that no action waits for its lock', async () => {
  await endSnapshot();
  const bytesOf = async (table: string): Promise<number> =>
    Number((await pool.query('SELECT pg_relation_size($1::regclass) AS bytes', [table])).rows[0]?.bytes);
  for (const table of ['registry.assignments', 'runtime.replay_claims', 'aip_host.replay_claims']) {
    const before = await bytesOf(table);
    await pool.query(`DELETE FROM ${table}`);
    await pool.query(`VACUUM ${table}`);
    expect({ table, bytes: await bytesOf(table) }).toEqual({ table, bytes: before });
    expect(before).toBeGreaterThan(100_000);
  }
  for (const table of Object.entries(PASSING).flatMap(([schema, names]) => names.map((name) => `${schema}.${name}`))) {
    const of = await pool.query('SELECT reloptions FROM pg_class WHERE oid = $1::regclass', [table]);
    expect(of.rows[0]?.reloptions, table).toContain('vacuum_truncate=off');
  }
});
