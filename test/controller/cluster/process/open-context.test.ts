import { afterAll, beforeAll, expect, test } from 'vitest';
import { openClusterContext } from '#controller/cluster/process/open-context.js';
import { scalingOf } from '#runtime/registry/scaling.js';
import { type Fleet, startFleet } from '../../../runtime/registry/fleet.ts';

let fleet: Fleet;
beforeAll(async () => {
  fleet = await startFleet();
});
afterAll(() => fleet?.close());

test('times in the registry are those of the database, whatever clock the controller has', async () => {
  const atDatabase = fleet.clock() + 3_600_000;
  const config = { release: 'aip', namespace: 'aip-system' };
  const { registry } = openClusterContext(config as never, {
    ...{ kube: {} as never, pool: fleet.pool, database: () => ({ url: 'postgres://db.example/fleet' }) as never },
    ...{ settings: {} as never, clock: fleet.clock, databaseClock: () => atDatabase },
  });
  await registry.putScaling(fleet.instance.id, { idleAfterMs: 60_000, wakeTimeoutMs: 5000 });
  expect(await scalingOf(fleet.pool, fleet.instance.id)).toMatchObject({ activeSince: atDatabase });
});
