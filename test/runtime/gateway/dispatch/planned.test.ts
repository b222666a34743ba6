import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import type { Dispatcher } from '#runtime/gateway/dispatch/dispatcher.js';
import { ReplicaUnavailable } from '#runtime/protocol/errors.js';
import { newId } from '#runtime/protocol/ids.js';
import type { Action } from '#runtime/protocol/types.js';
import { openRegistry, type Registry } from '#runtime/registry/registry.js';
import { until } from '../../../support/until.ts';
import { caller, resultOf, startActions, type TestGateway } from '../support/actions.ts';
import { type Host, routeOf, startTestbed, TENANT, type Testbed } from './testbed.ts';

let testbed: Testbed;
beforeAll(async () => {
  testbed = await startTestbed();
  // Which transaction wrote what.
  await testbed.pool.query('CREATE TABLE writes (what text, action_id text, transaction xid8)');
  await testbed.pool.query(`CREATE FUNCTION note_write() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN INSERT INTO writes VALUES (TG_TABLE_NAME, NEW.action_id, pg_current_xact_id()); RETURN NULL; END $$`);
});
afterAll(() => testbed?.close());

const as = caller('agent:desk', TENANT);
/** The route stays when the action has ended. */
const KEEPING = { keepsRoute: true };
const echo = () => ({ id: newId('action'), capability_id: 'cap:probe:echo', input: { text: 'hello' } });

interface Gateway extends TestGateway {
  readonly registry: Registry;
  readonly dispatcher: Dispatcher;
}

/** A gateway that stores routes with its actions; the first action has got it the shares for that. */
async function gateway(): Promise<Gateway> {
  const registry = openRegistry({ data: testbed.pool, clock: Date.now, shares: testbed.pool });
  const dispatcher = testbed.dispatcher({ registry });
  const started = await startActions(testbed.databaseUrl, [], Date.now, {
    registry,
    dispatcher,
    storedRoutes: registry.routes,
    releaseRoutes: (items, client) => (client ? registry.routes.settle(items, client) : registry.routes.release(items)),
  });
  for (const table of ['runtime.actions', 'registry.assignments'])
    await testbed.pool.query(
      `CREATE OR REPLACE TRIGGER note_write AFTER INSERT ON ${table} FOR EACH ROW EXECUTE FUNCTION note_write()`,
    );
  onTestFinished(async () => {
    await started.stop();
    await registry.allotments?.close();
    // Also of the shares that the gateway has lost.
    await testbed.pool.query('UPDATE registry.holders SET lease_expires_at = 0');
    await registry.allotments?.takeBack();
  });
  expect(resultOf(await started.submit(echo(), { as })).status).toBe('completed');
  return { ...started, registry, dispatcher };
}

/** The transactions that stored an action and its routes. */
async function writesOf(actionId: string): Promise<{ together: boolean; routes: number }> {
  const { rows } = await testbed.pool.query<{ what: string; transaction: string }>(
    'SELECT what, transaction::text FROM writes WHERE action_id = $1',
    [actionId],
  );
  return {
    together: new Set(rows.map(({ transaction }) => transaction)).size === 1,
    routes: rows.filter(({ what }) => what === 'assignments').length,
  };
}

test('an action that runs at once is stored with its route in one commit, and the host gets that route', async () => {
  const { submit, registry, dispatcher } = await gateway();
  const action = echo();
  expect(resultOf(await submit(action, { as, requested: KEEPING }))).toMatchObject({ status: 'completed' });
  expect(await writesOf(action.id)).toEqual({ together: true, routes: 1 });
  const stored = await registry.routes.find({ actionId: action.id, tenantId: TENANT });
  const sent = testbed.hosts[0]?.received.at(-1)?.envelope;
  expect(sent && routeOf(sent)).toMatchObject({
    action_id: action.id,
    fence_token: stored?.fenceToken,
    replica_id: stored?.replicaId,
    replica_health_revision: stored?.replicaHealthRevision,
    catalog_revision: stored?.catalogRevision,
    manifest_digest: stored?.manifestDigest,
  });
  expect(stored?.peerDid).toBe(testbed.hosts[0]?.key.did);
  expect(dispatcher.snapshot().active).toBe(0);
});

/** The transactions that ended an action and released its route, as the trigger below notes them. */
async function endsOf(actionId: string): Promise<string[]> {
  const { rows } = await testbed.pool.query<{ transaction: string }>(
    'SELECT DISTINCT transaction::text FROM ends WHERE action_id = $1',
    [actionId],
  );
  return rows.map(({ transaction }) => transaction);
}

test('the end of an action releases a route that is held in a share, in one commit; what changes a circuit is released after it', async () => {
  const { pool } = testbed;
  const { submit, registry } = await gateway();
  await pool.query('CREATE TABLE ends (action_id text, transaction xid8)');
  await pool.query(`CREATE FUNCTION note_end() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN INSERT INTO ends VALUES (COALESCE(NEW.action_id, OLD.action_id), pg_current_xact_id()); RETURN NULL; END $$`);
  await pool.query(`CREATE TRIGGER note_end AFTER UPDATE ON runtime.actions FOR EACH ROW WHEN (NEW.completed_at IS NOT NULL)
    EXECUTE FUNCTION note_end()`);
  await pool.query(
    `CREATE TRIGGER note_end AFTER UPDATE OR DELETE ON registry.assignments FOR EACH ROW EXECUTE FUNCTION note_end()`,
  );
  await pool.query('UPDATE registry.replicas SET capacity = 1');
  onTestFinished(async () => {
    await pool.query('UPDATE registry.replicas SET capacity = 64');
    for (const table of ['runtime.actions', 'registry.assignments'])
      await pool.query(`DROP TRIGGER note_end ON ${table}`);
  });
  // With a capacity of one each needs the place of the one before.
  for (let n = 0; n < 5; n += 1) {
    const action = echo();
    const keepsRoute = n % 2 === 0;
    expect(resultOf(await submit(action, { as, requested: { keepsRoute } }))).toMatchObject({ status: 'completed' });
    expect(await writesOf(action.id)).toEqual({ together: true, routes: 1 });
    expect(await endsOf(action.id)).toHaveLength(1);
    expect(await registry.routes.mayHaveBegun({ actionId: action.id, tenantId: TENANT })).toBe(keepsRoute);
  }
  await pool.query('UPDATE registry.replicas SET consecutive_failures = 1');
  const healing = echo();
  expect(resultOf(await submit(healing, { as }))).toMatchObject({ status: 'completed' });
  expect(await endsOf(healing.id)).toHaveLength(2);
  const { rows } = await pool.query('SELECT sum(consecutive_failures)::int AS failures FROM registry.replicas');
  expect(rows).toEqual([{ failures: 0 }]);
  const held = await pool.query('SELECT count(*)::int AS n FROM registry.assignments WHERE reserved');
  expect(held.rows).toEqual([{ n: 0 }]);
});

/** Submits an action and waits for its end: whether its route is stored then. */
async function leavesRoute({ submit, ended, registry }: Gateway, action = {}, requested = {}): Promise<boolean> {
  const sent = { ...echo(), ...action };
  await submit(sent, { as, requested });
  await ended(sent.id);
  return (await registry.routes.find({ actionId: sent.id, tenantId: TENANT })) !== undefined;
}

test.each(['sync', 'async'] as const)(
  'the route of an %s action that completed is removed with its end, unless the action was accepted to keep it',
  async (mode) => {
    const started = await gateway();
    expect(await leavesRoute(started, { mode })).toBe(false);
    expect(await leavesRoute(started, { mode }, KEEPING)).toBe(true);
  },
);

test('the route of an action that failed or streams stays', async () => {
  const started = await gateway();
  expect(await leavesRoute(started, { mode: 'streaming' })).toBe(true);
  const host = testbed.hosts[0] as Host;
  const { reply } = host;
  onTestFinished(() => {
    host.reply = reply;
  });
  host.reply = (envelope) => {
    const { action } = envelope.body as { action: Action };
    const error = { code: 'demo.broken', message: 'broken', category: 'connector', retryable: false };
    return { body: { action_result: { action_id: action.id, status: 'failed', error } } };
  };
  expect(await leavesRoute(started)).toBe(true);
});

test('the route of an action that another worker has taken over stays, so that the first one finds it', async () => {
  const started = await gateway();
  const host = testbed.hosts[0] as Host;
  const { reply } = host;
  const held = Promise.withResolvers<void>();
  onTestFinished(() => {
    host.reply = reply;
  });
  host.reply = async (envelope) => {
    await held.promise;
    return reply(envelope);
  };
  const action = { ...echo(), mode: 'async' as const };
  await started.submit(action, { as });
  const attempts = async (n: number) => (await started.record(action.id)).attempts === n;
  await until('it is being executed', () => attempts(1));
  await testbed.pool.query('UPDATE runtime.actions SET lease_expires_at = 1 WHERE action_id = $1', [action.id]);
  await until('it is taken over', () => attempts(2));
  held.resolve();
  expect((await started.ended(action.id)).state).toBe('completed');
  expect(await started.registry.routes.find({ actionId: action.id, tenantId: TENANT })).toBeDefined();
});

test.each([
  [
    'counts outcomes',
    'UPDATE registry.instances SET routes_kept_since = 0',
    'UPDATE registry.instances SET routes_kept_since = NULL',
  ],
  [
    'reads when an instance was used',
    'INSERT INTO registry.scaling (instance_id, idle_after_ms, wake_timeout_ms, active_since) SELECT id, 60000, 60000, 0 FROM registry.instances',
    'DELETE FROM registry.scaling',
  ],
])('routes stay where the controller %s', async (_, begin, end) => {
  const started = await gateway();
  await testbed.pool.query(begin);
  onTestFinished(async () => {
    await testbed.pool.query(end);
  });
  expect(await leavesRoute(started)).toBe(true);
});

test('an action whose plan the catalog or a lost share has overtaken is accepted without a route and gets one after that', async () => {
  const { submit } = await gateway();
  for (const change of [
    'UPDATE registry.catalog SET revision = revision + 1',
    'UPDATE registry.holders SET seq = seq - 1',
  ]) {
    expect(resultOf(await submit(echo(), { as })).status).toBe('completed');
    await testbed.pool.query(change);
    const action = echo();
    expect(resultOf(await submit(action, { as })), change).toMatchObject({ status: 'completed' });
    expect(await writesOf(action.id), change).toEqual({ together: false, routes: 1 });
  }
});

test('an action is accepted, and not placed, while the circuit of its only replica is open', async () => {
  const { submit } = await gateway();
  onTestFinished(async () => {
    await testbed.pool.query('UPDATE registry.replicas SET circuit_open_until = 0');
  });
  await testbed.pool.query('UPDATE registry.replicas SET circuit_open_until = lease_expires_at');
  const action = echo();
  expect(resultOf(await submit(action, { as }))).toMatchObject({ error: { code: 'connector.replica_unavailable' } });
  expect((await writesOf(action.id)).routes).toBe(0);
});

test('an action that is accepted while others wait for its places takes none before them', async () => {
  const { registry } = await gateway();
  let isFull = true;
  let looks = 0;
  const planned: string[] = [];
  const routes: Registry['routes'] = {
    ...registry.routes,
    assign: async (requests) => {
      looks += 1;
      return isFull ? requests.map(() => new ReplicaUnavailable()) : registry.routes.assign(requests);
    },
    plan: async ({ capabilityId }) => {
      planned.push(capabilityId);
      return undefined;
    },
  };
  const dispatcher = testbed.dispatcher({ registry: { ...registry, routes } });
  const work = { action: echo(), tenantId: TENANT, originalMode: 'sync' as const };
  const waiting = dispatcher.execute(work, new AbortController().signal);
  await until('it looks again', () => looks >= 2);
  expect(await dispatcher.plan(echo(), TENANT)).toBeUndefined();
  expect(planned).toEqual([]);
  await dispatcher.plan({ ...echo(), capability_id: 'cap:probe:other' }, TENANT);
  expect(planned).toEqual(['cap:probe:other']);
  isFull = false;
  const { kind, place } = await waiting;
  await place?.[Symbol.asyncDispose]();
  expect(kind).toBe('result');
  // What was dispatched before may be pinned to a replica that is away: nobody waits for it.
  isFull = true;
  const pinned = dispatcher.execute({ ...work, action: echo(), again: true }, new AbortController().signal);
  const before = looks;
  await until('it looks again', () => looks >= before + 2);
  await dispatcher.plan(echo(), TENANT);
  expect(planned).toEqual(['cap:probe:other', 'cap:probe:echo']);
  expect((await pinned).kind).toBe('refused');
});

test('what is refused, repeated or sent for later takes no place and leaves none taken', async () => {
  const { submit, registry, dispatcher, ended } = await gateway();
  const action = echo();
  const message = { message_id: newId('message') };
  await submit(action, { as, envelope: message });
  await expect(submit(echo(), { as, envelope: message })).rejects.toMatchObject({ code: 'replay.message_id' });
  expect(resultOf(await submit(action, { as }))).toMatchObject({ status: 'completed' });
  const later = { ...echo(), mode: 'async' as const };
  await submit(later, { as });
  await ended(later.id);
  expect(await writesOf(later.id)).toEqual({ together: false, routes: 1 });
  expect(dispatcher.snapshot().active).toBe(0);
  const taken = async () => {
    await registry.allotments?.tick();
    const { rows } = await testbed.pool.query<{ n: number }>('SELECT sum(active)::int AS n FROM registry.replicas');
    return rows[0]?.n === 0;
  };
  expect(await until('every place is free', taken)).toBe(true);
});
