import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { orphanRelease } from '#runtime/gateway/maintenance/orphaned-routes.js';
import { StorageUnavailable } from '#runtime/protocol/errors.js';
import { newId } from '#runtime/protocol/ids.js';
import { until } from '../../../support/until.ts';
import { caller, resultOf, startActions, type TestGateway } from '../support/actions.ts';
import { completed, startTestbed, TENANT, type Testbed } from './testbed.ts';

let testbed: Testbed;
beforeAll(async () => {
  testbed = await startTestbed();
  // The server of the tests waits for no disk; commits in this database do.
  const name = new URL(testbed.databaseUrl).pathname.slice(1);
  await testbed.pool.query(`ALTER DATABASE ${name} SET synchronous_commit = on`);
});
afterAll(() => testbed?.close());

/** The actions of a gateway whose places the testbed's hosts give; `release` stands before each release. */
async function gateway(release: () => void = () => undefined): Promise<TestGateway> {
  const { registry } = testbed;
  const dispatcher = testbed.dispatcher();
  const started = await startActions(testbed.databaseUrl, [], Date.now, {
    registry,
    dispatcher,
    releaseRoutes: async (items, client) => {
      if (client) return registry.routes.settle(items, client);
      release();
      return registry.routes.release(items);
    },
  });
  onTestFinished(() => started.stop());
  return started;
}

const echo = { capability_id: 'cap:probe:echo', input: { text: 'hello' } };
const as = caller('agent:desk', TENANT);

/** Places that are held now: assignments, those that the replica counts, and those that the counters of its policy count. */
async function held(): Promise<unknown> {
  const { rows } = await testbed.pool.query(
    `SELECT (SELECT count(*)::int FROM registry.assignments WHERE reserved) AS assignments,
       (SELECT sum(active)::int FROM registry.replicas) AS replicas, (SELECT sum(active)::int FROM registry.policy_counters) AS counters`,
  );
  return rows[0];
}
const NONE = { assignments: 0, replicas: 0, counters: 0 };

test('the place of an action is free again before its answer, so that a caller in turn never waits for itself', async () => {
  await testbed.pool.query('UPDATE registry.replicas SET capacity = 1');
  onTestFinished(() => testbed.pool.query('UPDATE registry.replicas SET capacity = 64').then(() => undefined));
  const { submit } = await gateway();
  for (let n = 0; n < 10; n += 1) {
    expect(resultOf(await submit(echo, { as }))).toMatchObject({ status: 'completed' });
    expect(await held()).toEqual(NONE);
  }
});

test('an end waits for the disk, the release of its place does not', async () => {
  const { pool } = testbed;
  await pool.query('CREATE TABLE commits (what text, waits text)');
  await pool.query(`CREATE FUNCTION note_commit() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN INSERT INTO commits VALUES (TG_TABLE_NAME, current_setting('synchronous_commit')); RETURN NULL; END $$`);
  for (const table of ['runtime.actions', 'registry.assignments'])
    await pool.query(`CREATE CONSTRAINT TRIGGER note_commit AFTER UPDATE ON ${table}
      DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION note_commit()`);
  const { submit } = await gateway();
  expect(resultOf(await submit(echo, { as }))).toMatchObject({ status: 'completed' });
  for (const table of ['runtime.actions', 'registry.assignments'])
    await pool.query(`DROP TRIGGER note_commit ON ${table}`);
  const { rows } = await pool.query('SELECT what, waits FROM commits ORDER BY what');
  expect(rows).toEqual([
    { what: 'actions', waits: 'on' },
    { what: 'assignments', waits: 'off' },
  ]);
});

test('a release that fails keeps the answer, and maintenance gives the place back', async () => {
  const { submit } = await gateway(() => {
    throw new StorageUnavailable('the database is away');
  });
  expect(resultOf(await submit(echo, { as }))).toMatchObject({ status: 'completed' });
  expect(await held()).toMatchObject({ assignments: 1, replicas: 1 });
  const { pool, registry } = testbed;
  expect(await orphanRelease({ pool, registry, clock: Date.now })(), 'it may still be on its way').toBe(0);
  const later = (): number => Date.now() + 60_000;
  expect(await orphanRelease({ pool, registry, clock: later })()).toBe(1);
  expect(await held()).toEqual(NONE);
});

test('places of ended actions are given back also behind 4000 that are held longer, pass by pass', async () => {
  const { submit, pool } = await gateway(() => {
    throw new StorageUnavailable('the database is away');
  });
  const id = newId('action');
  await submit({ ...echo, id }, { as });
  const { rows } = await pool.query<{ name: string }>(
    `SELECT column_name AS name FROM information_schema.columns WHERE table_schema = 'registry' AND table_name = 'assignments'`,
  );
  const names = rows.map(({ name }) => name);
  const changed: Record<string, string> = {
    action_id: `'act_long_' || n`,
    fence_token: `'route_long_' || n`,
    updated_at: 'updated_at - 1000 - n / 100',
  };
  onTestFinished(async () => {
    await pool.query(`DELETE FROM registry.assignments WHERE action_id LIKE 'act_long_%'`);
  });
  // Each time of hold is that of a hundred.
  await pool.query(
    `INSERT INTO registry.assignments (${names}) SELECT ${names.map((name) => changed[name] ?? name)}
     FROM registry.assignments, generate_series(1, 4000) n WHERE action_id = $1`,
    [id],
  );
  const release = orphanRelease({ pool, registry: testbed.registry, clock: () => Date.now() + 60_000 });
  expect([await release(), await release(), await release()]).toEqual([0, 1, 0]);
});

test('the place is released also by a process whose own write of the end came too late', async () => {
  const { submit, pool, record } = await gateway();
  const [host] = testbed.hosts;
  if (!host) throw new Error('there is no host');
  const answer = Promise.withResolvers<void>();
  host.reply = async (envelope) => {
    await answer.promise;
    return completed(envelope);
  };
  onTestFinished(() => {
    host.reply = completed;
  });
  const id = newId('action');
  const answered = submit({ ...echo, id }, { as });
  await until('the host has it', () => host.actions.some((action) => action.id === id));
  const ended = { action_id: id, status: 'completed', output: { by: 'an earlier write, whose answer was lost' } };
  await pool.query(
    `UPDATE runtime.actions SET state = 'completed', completed_at = 1, lease_id = NULL, result = $2::json WHERE action_id = $1`,
    [id, JSON.stringify(ended)],
  );
  answer.resolve();
  expect(resultOf(await answered)).toEqual(ended);
  expect((await record(id)).state).toBe('completed');
  expect(await held()).toEqual(NONE);
});
