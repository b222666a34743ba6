import { afterAll, beforeAll, expect, test } from 'vitest';
import { canaryOutcome } from '#controller/fleet/outcomes/canary-outcome.js';
import { RUNTIME_SCHEMA, runtimeMigrations } from '#runtime/gateway/schema/migrations.js';
import { migrate } from '#runtime/postgres/migrate.js';
import { assigned, type Fleet, startFleet, type TestReplica } from '../../runtime/registry/fleet.ts';

let fleet: Fleet;
let replica: TestReplica;
beforeAll(async () => {
  fleet = await startFleet();
  await migrate(fleet.pool, { schema: RUNTIME_SCHEMA, migrations: runtimeMigrations });
  replica = await fleet.ready();
});
afterAll(() => fleet?.close());

const outcome = () => canaryOutcome(fleet.pool, [replica.id], 0);
const keep = (keepsRoutes: boolean) => fleet.registry.instances.put({ ...fleet.instance, keepsRoutes });

/** An action that ended so at a time. */
async function ended(settlement: 'completed' | 'unreached', atMs: number): Promise<void> {
  const { actionId, fenceToken } = await assigned(fleet.registry);
  await fleet.registry.routes.settle([{ actionId, fenceToken, settlement }]);
  await fleet.pool.query('UPDATE registry.assignments SET updated_at = $2 WHERE action_id = $1', [actionId, atMs]);
}

test('the outcome of a trial counts no failure from a time when the routes of completed actions were removed', async () => {
  await ended('unreached', fleet.clock() - 1);
  expect(await outcome()).toEqual({ finished: 0, failed: 0 });
  await keep(true);
  expect(await outcome()).toEqual({ finished: 0, failed: 0 });
  await ended('completed', fleet.clock());
  await ended('unreached', fleet.clock() + 1);
  expect(await outcome()).toEqual({ finished: 2, failed: 1 });
  await keep(false);
  expect(await outcome()).toEqual({ finished: 0, failed: 0 });
});

test('what a controller of the release before has stored counts from its beginning', async () => {
  await fleet.pool.query('UPDATE registry.instances SET routes_kept_since = DEFAULT');
  expect(await outcome()).toEqual({ finished: 3, failed: 2 });
});
