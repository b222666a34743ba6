import { afterAll, beforeAll, expect, test } from 'vitest';
import { retentionPass } from '#runtime/gateway/maintenance/retention.js';
import { openMetrics } from '#runtime/gateway/metrics/metrics.js';
import { RUNTIME_SCHEMA, runtimeMigrations } from '#runtime/gateway/schema/migrations.js';
import { migrate } from '#runtime/postgres/migrate.js';
import { openPool, type Pool } from '#runtime/postgres/pool.js';
import { freshDatabase } from '../../../support/database.ts';

const ACTIONS = 30;
const now = Date.now();

let drop: () => Promise<void>;
let pool: Pool;

beforeAll(async () => {
  const database = await freshDatabase();
  drop = database.drop;
  pool = openPool({ url: database.url, max: 3 });
  await migrate(pool, { schema: RUNTIME_SCHEMA, migrations: runtimeMigrations });
});
afterAll(async () => {
  await pool?.close();
  await drop?.();
});

/** Actions that ended long ago, each with a chunk, and a replay claim. */
async function seed(): Promise<void> {
  await pool.query(
    `INSERT INTO runtime.actions (action_id, tenant_id, principal_id, principal_kind, capability_id, message_id, mode, state, request, plan, accepted_at,
       updated_at, completed_at)
     SELECT 'act_' || n, 'demo', 'agent:a', 'agent', 'cap:x', 'msg_' || n, 'streaming', 'completed', '{}', '{}', n, n, n
     FROM generate_series(1, $1::int) n`,
    [ACTIONS],
  );
  await pool.query(
    `INSERT INTO runtime.chunks (action_id, sequence, kind, received_at, record, tenant_key)
     SELECT 'act_' || n, 0, 'delta', n, '{}', 'demo' FROM generate_series(1, $1::int) n`,
    [ACTIONS],
  );
  await pool.query(`INSERT INTO runtime.replay_claims (message_id, expires_at) VALUES ('msg_a', 1)`);
}

/** Runs this before each deleted row of a table, until the returned function ends it. */
async function onDelete(table: string, body: string): Promise<() => Promise<unknown>> {
  await pool.query(
    `CREATE FUNCTION on_delete() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN ${body}; RETURN OLD; END $$`,
  );
  await pool.query(`CREATE TRIGGER on_delete BEFORE DELETE ON ${table} FOR EACH ROW EXECUTE FUNCTION on_delete()`);
  return () => pool.query('DROP FUNCTION on_delete CASCADE');
}

async function left(): Promise<unknown> {
  const { rows } = await pool.query(
    `SELECT (SELECT count(*) FROM runtime.actions) AS actions, (SELECT count(*) FROM runtime.chunks) AS chunks,
       (SELECT count(*) FROM runtime.replay_claims) AS claims`,
  );
  return rows[0];
}

const pass = (batchMs?: number) =>
  retentionPass({
    pool,
    rules: { actionsMs: 1000 },
    metrics: openMetrics(),
    clock: () => now,
    batchRows: ACTIONS,
    ...(batchMs && { batchMs }),
  });

test('a kind that cannot be removed is reported at the end; those after it are removed', async () => {
  await seed();
  const end = await onDelete('runtime.replay_claims', `RAISE EXCEPTION 'claims stay'`);
  await expect(pass()).rejects.toThrow('claims stay');
  expect(await left()).toEqual({ actions: 0, chunks: 0, claims: 1 });
  await end();
  expect(await pass()).toMatchObject({ replay_claims: 1, actions: 0 });
});

test('a batch that takes too long at the server is tried again with fewer rows, until it advances', async () => {
  await seed();
  // 30 chunks together take 3 s, three of them, a tenth, 0.3 s.
  const end = await onDelete('runtime.chunks', 'PERFORM pg_sleep(0.1)');
  expect(await pass(1500)).toMatchObject({ actions: ACTIONS, replay_claims: 1 });
  expect(await left()).toEqual({ actions: 0, chunks: 0, claims: 0 });
  await end();
});

test('a batch that takes too long with a single row fails', async () => {
  await seed();
  const end = await onDelete('runtime.chunks', 'PERFORM pg_sleep(0.5)');
  await expect(pass(200)).rejects.toMatchObject({ name: 'StorageUnavailable' });
  expect(await left()).toEqual({ actions: ACTIONS, chunks: ACTIONS, claims: 0 });
  await end();
  expect(await pass()).toMatchObject({ actions: ACTIONS });
});
