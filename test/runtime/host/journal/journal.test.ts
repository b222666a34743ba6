import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openHostDatabase } from '#runtime/host/database.js';
import type { Delivery } from '#runtime/host/journal/admit.js';
import type { JournalDurability } from '#runtime/host/journal/durability.js';
import { openJournal } from '#runtime/host/journal/journal.js';
import { keepPruned } from '#runtime/host/pruning.js';
import { HOST_MIGRATIONS } from '#runtime/host/schema/migrations.js';
import { migrate } from '#runtime/postgres/migrate.js';
import { openPool, type Pool } from '#runtime/postgres/pool.js';
import { newId } from '#runtime/protocol/ids.js';
import { emptyDatabase } from '../../../support/database.ts';
import { until } from '../../../support/until.ts';

const now = Date.UTC(2026, 0, 2);
let database: Awaited<ReturnType<typeof emptyDatabase>>;
let pool: Pool;

beforeAll(async () => {
  database = await emptyDatabase();
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

/** A delivery of a new message and a new action, with what is given. */
function deliveryOf(given: Partial<Delivery> = {}): Delivery {
  return {
    messageId: newId('message'),
    signature: 's',
    expiresAt: now + 1000,
    actionId: newId('action'),
    capabilityId: 'cap:demo:echo',
    requestDigest: 'd',
    ...given,
  };
}

test('a message id that began an execution is claimed by nothing else, and one that was claimed begins none', async () => {
  const journal = open('strict');
  const delivery = deliveryOf();
  expect(await journal.admit(delivery, true)).toEqual({ kind: 'fresh' });
  expect(await journal.claim({ ...delivery, signature: 'of a cancellation' })).toBe(false);
  expect(await journal.admit(deliveryOf({ actionId: delivery.actionId }), true)).toMatchObject({ kind: 'known' });
  const claimed = deliveryOf();
  expect(await journal.claim({ ...claimed, signature: 'of a cancellation' })).toBe(true);
  expect(await journal.claim({ ...claimed, signature: 'of a cancellation' })).toBe(true);
  expect(await journal.admit(claimed, true)).toEqual({ kind: 'forged' });
  expect(await journal.find(claimed.actionId)).toBeUndefined();
});

test('the cursor of an unsettled execution goes with the next question, one with a zero character does not', async () => {
  const journal = open('strict');
  const { actionId, ...delivery } = deliveryOf();
  await journal.admit({ actionId, ...delivery }, true);
  await journal.unsettled(actionId, 'page 2');
  expect(await journal.find(actionId)).toMatchObject({ cursor: 'page 2' });
  await journal.unsettled(actionId, 'page\u0000');
  expect(await journal.find(actionId)).not.toHaveProperty('cursor');
});

test('of deliveries that two replicas get at one time each begins once, also beside new ones', async () => {
  const replicas = [open('relaxed'), open('relaxed')];
  const message = newId('message');
  const actionId = newId('action');
  // The same message at both, another message of the same action, and one of its own.
  const same = deliveryOf();
  const kinds = await Promise.all(
    replicas.map((journal) =>
      Promise.all([
        journal.admit(same, true),
        journal.admit(deliveryOf({ messageId: message, actionId }), true),
        journal.admit(deliveryOf(), true),
      ]),
    ),
  );
  const kindsOf = (place: number) => kinds.map((each) => each[place]?.kind).sort();
  expect(kindsOf(0)).toEqual(['fresh', 'repeat']);
  expect(kindsOf(1)).toEqual(['fresh', 'repeat']);
  expect(kindsOf(2)).toEqual(['fresh', 'fresh']);
});

test('what the step before the message ids of executions wrote is repeated, known and finished as before', async () => {
  const older = await emptyDatabase();
  const schema = 'aip_host';
  const url = new URL(older.url);
  url.searchParams.set('options', `-c search_path=${schema}`);
  const before = openPool({ url: url.href, max: 1 });
  try {
    await migrate(before, { schema, migrations: HOST_MIGRATIONS.filter(({ id }) => id < 5) });
    const delivery = deliveryOf();
    await before.query(`INSERT INTO ${schema}.replay_claims (message_id, signature, expires_at) VALUES ($1, $2, $3)`, [
      delivery.messageId,
      delivery.signature,
      delivery.expiresAt,
    ]);
    await before.query(
      `INSERT INTO ${schema}.executions (instance_id, action_id, replica_id, capability_id, request_digest, state, started_at)
       VALUES ('cinst_a', $1, 'crepl_a', $2, $3, 'started', $4)`,
      [delivery.actionId, delivery.capabilityId, delivery.requestDigest, now],
    );
    const after = await openHostDatabase(older.url, 2);
    try {
      const journal = openJournal({
        pool: after,
        instanceId: 'cinst_a',
        replicaId: 'crepl_a',
        clock: () => now,
        durability: 'strict',
      });
      expect(await journal.admit(delivery, true)).toMatchObject({ kind: 'repeat' });
      expect(await journal.admit({ ...delivery, signature: 'other' }, true)).toEqual({ kind: 'forged' });
      expect(await journal.admit(deliveryOf({ actionId: delivery.actionId }), true)).toMatchObject({ kind: 'known' });
      await journal.finish(delivery.actionId, { action_id: delivery.actionId, status: 'completed' });
      expect(await journal.find(delivery.actionId)).toMatchObject({ result: { status: 'completed' } });
    } finally {
      await after.close();
    }
  } finally {
    await before.close();
    await older.drop();
  }
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

test('a pass of pruning continues where the one before it ended, and begins again at the end', async () => {
  const insert = (id: string, rows: number, startedAt: number) =>
    pool.query(
      `INSERT INTO executions (instance_id, action_id, replica_id, capability_id, request_digest, state, started_at, result)
       SELECT 'cinst_a', $1 || n, 'crepl_a', 'cap:demo:echo', 'd', 'finished', $3, to_json(repeat('x', 1900)) FROM generate_series(1, $2::int) n`,
      [id, rows, startedAt],
    );
  const old = async () =>
    (await pool.query<{ n: number }>('SELECT count(*)::int AS n FROM executions WHERE started_at = 1')).rows[0]?.n;
  await pool.query('TRUNCATE executions');
  // Two of a page: the old one lies behind those of one slice.
  await insert('young', 3000, 1000);
  await insert('old', 1, 1);
  const journal = open('strict');
  await journal.prune(0, 1000);
  expect(await old()).toBe(1);
  await journal.prune(0, 1000);
  expect(await old()).toBe(0);
  await pool.query(`UPDATE executions SET started_at = 1 WHERE action_id = 'young1'`);
  await journal.prune(0, 1000);
  expect(await old()).toBe(0);
});

test('what is unfinished is counted slice by slice: of the instance, begun before the time, until the signal fires', async () => {
  await pool.query('TRUNCATE executions');
  // About 2500 pages, so three slices, each with some of every kind.
  await pool.query(
    `INSERT INTO executions (instance_id, action_id, replica_id, capability_id, request_digest, state, started_at, result)
     SELECT CASE n % 4 WHEN 0 THEN 'cinst_b' ELSE 'cinst_a' END, 'act_' || n, 'crepl_a', 'cap:demo:echo', 'd',
       CASE n % 4 WHEN 1 THEN 'finished' ELSE 'started' END, CASE n % 4 WHEN 2 THEN 1000 ELSE 1 END, to_json(repeat('x', 1900))
     FROM generate_series(1, 10000) n`,
  );
  const counts: number[] = [];
  const ended = new AbortController();
  await open('strict').unfinished(1000, (found) => counts.push(found), ended.signal);
  expect(counts.length).toBeGreaterThanOrEqual(3);
  expect(counts[0]).toBeLessThan(2000);
  expect(counts.at(-1)).toBe(2500);
  counts.length = 0;
  const note = (found: number): void => {
    counts.push(found);
    ended.abort();
  };
  await open('strict').unfinished(1000, note, ended.signal);
  expect(counts).toHaveLength(1);
});
