import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openHostDatabase } from '#runtime/host/database.js';
import { type JournalDurability, openJournal } from '#runtime/host/journal/journal.js';
import { keepPruned } from '#runtime/host/pruning.js';
import type { Pool } from '#runtime/postgres/pool.js';
import { newId } from '#runtime/protocol/ids.js';
import { freshDatabase } from '../../../support/database.ts';
import { until } from '../../../support/until.ts';

const now = Date.UTC(2026, 0, 2);
let database: Awaited<ReturnType<typeof freshDatabase>>;
let pool: Pool;

beforeAll(async () => {
  database = await freshDatabase();
  const url = new URL(database.url);
  // The server of the tests waits for no disk; this database does.
  url.searchParams.set('options', '-c synchronous_commit=on');
  pool = await openHostDatabase(() => ({ url: url.href }), 2);
  // What a commit waits for is asked at its very end, after every statement of the transaction.
  await pool.query('CREATE TABLE commits (step text, waits text)');
  await pool.query(`CREATE FUNCTION note_commit() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN INSERT INTO commits VALUES (TG_OP, current_setting('synchronous_commit')); RETURN NULL; END $$`);
  await pool.query(`CREATE CONSTRAINT TRIGGER note_commit AFTER INSERT OR UPDATE ON executions
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION note_commit()`);
});
afterAll(async () => {
  await pool?.close();
  await database?.drop();
});

function open(durability: JournalDurability) {
  return openJournal({ pool, instanceId: 'cinst_a', replicaId: 'crepl_a', clock: () => now, durability });
}

/** What the commits of intent and result waited for, of one execution. */
async function commitsOf(durability: JournalDurability, mutates: boolean): Promise<string[]> {
  const journal = open(durability);
  const actionId = newId('action');
  const delivery = {
    messageId: newId('message'),
    signature: 's',
    expiresAt: now + 1000,
    actionId,
    capabilityId: 'cap:demo:echo',
    requestDigest: 'd',
  };
  await pool.query('DELETE FROM commits');
  expect(await journal.admit(delivery, mutates)).toEqual({ kind: 'fresh' });
  await journal.finish(actionId, { action_id: actionId, status: 'completed' });
  expect(await journal.find(actionId)).toMatchObject({ result: { status: 'completed' } });
  expect(await journal.admit(delivery, mutates)).toMatchObject({ kind: 'repeat' });
  const { rows } = await pool.query<{ step: string; waits: string }>('SELECT * FROM commits ORDER BY step');
  return rows.map(({ step, waits }) => `${step} ${waits}`);
}

describe('which writes of the journal wait for the disk', () => {
  const on = (await0: string, await1: string): string[] => [`INSERT ${await0}`, `UPDATE ${await1}`];
  test.each([
    { durability: 'relaxed', mutates: true, waits: on('on', 'off') },
    { durability: 'relaxed', mutates: false, waits: on('off', 'off') },
    { durability: 'strict', mutates: true, waits: on('on', 'on') },
    { durability: 'strict', mutates: false, waits: on('on', 'on') },
  ] as const)('$durability, with side effects: $mutates', async ({ durability, mutates, waits }) => {
    expect(await commitsOf(durability, mutates)).toEqual(waits);
    const { rows } = await pool.query<{ waits: string }>(`SELECT current_setting('synchronous_commit') AS waits`);
    expect(rows[0]?.waits, 'the connection keeps its own setting').toBe('on');
  });
});

test('a message id counts for one message: with another signature it is forged, whatever action it names', async () => {
  const journal = open('strict');
  const delivery = {
    messageId: newId('message'),
    signature: 's',
    expiresAt: now + 1000,
    actionId: newId('action'),
    capabilityId: 'cap:demo:echo',
    requestDigest: 'd',
  };
  expect(await journal.admit(delivery, true)).toEqual({ kind: 'fresh' });
  expect(await journal.admit({ ...delivery, signature: 'other' }, true)).toEqual({ kind: 'forged' });
  expect(await journal.admit({ ...delivery, signature: 'other', actionId: newId('action') }, true)).toEqual({
    kind: 'forged',
  });
  expect(await journal.admit(delivery, true)).toMatchObject({ kind: 'repeat' });
});

test('pruning removes every expired claim and execution, however many there are', async () => {
  await pool.query('DELETE FROM executions');
  await pool.query(`INSERT INTO replay_claims SELECT 'msg_old_' || n, 's', 0 FROM generate_series(1, 12000) n`);
  await pool.query(`INSERT INTO executions (instance_id, action_id, replica_id, capability_id, request_digest, state, started_at)
    SELECT 'cinst_a', 'act_' || n, 'crepl_a', 'cap:demo:echo', 'd', CASE n WHEN 1 THEN 'started' ELSE 'finished' END, 0
    FROM generate_series(1, 12000) n`);
  const ended = new AbortController();
  /** What the others were asked to prune before, as an age in hours. */
  const ages: Record<string, number> = {};
  const noting = (name: string, answer?: number) => ({
    prune: async (before: number) => {
      ages[name] = (now - before) / 3_600_000;
      return answer;
    },
  });
  const outbox = noting('outbox', 0) as unknown as Parameters<typeof keepPruned>[0]['outbox'];
  const events = noting('events') as unknown as Parameters<typeof keepPruned>[0]['events'];
  const documents = noting('documents') as unknown as Parameters<typeof keepPruned>[0]['documents'];
  const log = { warn: () => undefined, error: () => undefined } as unknown as Parameters<typeof keepPruned>[0]['log'];
  const pruned = keepPruned(
    { journal: open('strict'), outbox, events, documents, clock: () => now, log },
    ended.signal,
    1,
  );
  expect(
    await until('nothing expired is left but the unfinished execution', async () => {
      const { rows } = await pool.query<{ claims: number; executions: number }>(
        `SELECT (SELECT count(*) FROM replay_claims WHERE expires_at = 0) AS claims, (SELECT count(*) FROM executions) AS executions`,
      );
      return rows[0]?.claims === 0 && rows[0].executions === 1;
    }),
  ).toBeTruthy();
  ended.abort();
  await pruned;
  expect(ages).toEqual({ documents: 1, events: 30 * 24, outbox: 30 * 24 });
});
