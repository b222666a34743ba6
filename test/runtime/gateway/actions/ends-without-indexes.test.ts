import { expect, onTestFinished, test } from 'vitest';
import { listActions } from '#runtime/gateway/actions/read/list.js';
import { removals } from '#runtime/gateway/maintenance/removals.js';
import { RUNTIME_SCHEMA, runtimeMigrations } from '#runtime/gateway/schema/migrations.js';
import { readSession } from '#runtime/gateway/sessions/record.js';
import { migrate } from '#runtime/postgres/migrate.js';
import { openPool, type Pool } from '#runtime/postgres/pool.js';
import { removeBatch } from '#runtime/postgres/retention/expired-rows.js';
import { emptyDatabase } from '../../../support/database.ts';
import { caller } from '../support/actions.ts';

/** The step before the one that this file is about. */
const BEFORE = 27;

/** A database with the schema of the release before. */
async function databaseBefore(): Promise<Pool> {
  const { url, drop } = await emptyDatabase();
  const pool = openPool({ url, max: 2 });
  onTestFinished(async () => {
    await pool.close();
    await drop();
  });
  await migrate(pool, { schema: RUNTIME_SCHEMA, migrations: runtimeMigrations.filter(({ id }) => id <= BEFORE) });
  await pool.query(
    `INSERT INTO runtime.sessions (session_id, tenant_id, principal_id, principal_kind, peer_id, peer_kind, status, handshake, token_hash, expires_at,
       created_at, updated_at) VALUES ('sess_1', 'acme', 'agent:desk', 'agent', 'peer', 'service', 'active', '{}', 'hash', 1, 1, 1)`,
  );
  return pool;
}

/** Actions of one session, as every release inserts them. */
const insertRunning = (pool: Pool, ids: readonly string[]) =>
  pool.query(
    `INSERT INTO runtime.actions (action_id, tenant_id, principal_id, principal_kind, capability_id, session_id, message_id, mode, state, request, plan,
       lease_id, lease_expires_at, accepted_at, updated_at)
     SELECT id, 'acme', 'agent:desk', 'agent', 'cap:x', 'sess_1', 'msg', 'sync', 'running', '{}', '{}', 'lease', 9000000000000, 1, 1
     FROM unnest($1::text[]) AS id`,
    [ids],
  );

/** Ends one as the release before does. */
const endAsBefore = (pool: Pool, id: string, state: string) =>
  pool.query(
    `UPDATE runtime.actions SET state = $2, completed_at = 5, updated_at = 5, lease_id = NULL, lease_acquired_at = NULL, lease_expires_at = NULL,
       next_attempt_at = NULL WHERE action_id = $1`,
    [id, state],
  );

const newest = (pool: Pool) => migrate(pool, { schema: RUNTIME_SCHEMA, migrations: runtimeMigrations });
const inState = async (pool: Pool, state: 'running' | 'failed' | 'dead_lettered' | 'completed'): Promise<string[]> =>
  (await listActions(pool, caller(), { state }, Date.now())).actions.map(({ action_id }) => action_id);
const openInSession = async (pool: Pool) => (await readSession(pool, 'sess_1'))?.active_action_count;

/** Removes dead letters of any age. */
async function removeDeadLetters(pool: Pool): Promise<number> {
  const removal = removals({ deadLettersMs: 0 }, Date.now()).find(({ name }) => name === 'dead_letters');
  if (!removal) throw new Error('no removal of dead letters');
  return (await pool.tx((client) => removeBatch(client, removal))).removed;
}

test('actions that the release before accepted and ended are found by their state, in their session and by retention', async () => {
  const pool = await databaseBefore();
  await insertRunning(pool, ['act_open', 'act_failed', 'act_dead', 'act_done']);
  await endAsBefore(pool, 'act_failed', 'failed');
  await endAsBefore(pool, 'act_dead', 'dead_lettered');
  await endAsBefore(pool, 'act_done', 'completed');
  await newest(pool);
  expect(await inState(pool, 'running')).toEqual(['act_open']);
  expect(await inState(pool, 'failed')).toEqual(['act_failed']);
  expect(await inState(pool, 'dead_lettered')).toEqual(['act_dead']);
  expect(await openInSession(pool)).toBe(1);
  expect(await removeDeadLetters(pool)).toBe(1);
});

test('actions that a gateway of the release before accepts and ends on this schema are found as well', async () => {
  const pool = await databaseBefore();
  await newest(pool);
  await insertRunning(pool, ['act_open', 'act_failed', 'act_dead', 'act_done']);
  expect(await openInSession(pool)).toBe(4);
  await endAsBefore(pool, 'act_failed', 'failed');
  await endAsBefore(pool, 'act_dead', 'dead_lettered');
  await endAsBefore(pool, 'act_done', 'completed');
  expect(await inState(pool, 'running')).toEqual(['act_open']);
  expect(await inState(pool, 'failed')).toEqual(['act_failed']);
  expect(await inState(pool, 'completed')).toEqual(['act_done']);
  expect(await openInSession(pool)).toBe(1);
  expect(await removeDeadLetters(pool)).toBe(1);
});

test('no index of actions names a column whose value changes when an action completes', async () => {
  const pool = await databaseBefore();
  await newest(pool);
  const { rows } = await pool.query<{ column: string }>(
    `SELECT DISTINCT a.attname AS column FROM pg_index i
     JOIN pg_depend d ON d.classid = 'pg_class'::regclass AND d.objid = i.indexrelid AND d.refobjid = i.indrelid
     JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = d.refobjsubid
     WHERE i.indrelid = 'runtime.actions'::regclass ORDER BY 1`,
  );
  expect(rows.map(({ column }) => column)).toEqual([
    'action_id',
    'approval_id',
    'dead_lettered_at',
    'lease_expires_at',
    'next_attempt_at',
    'open_session_id',
    'principal_id',
    'seq',
    'session_id',
    'tenant_id',
    'transaction_id',
    'unsuccessful_state',
  ]);
});
