import { afterEach, expect, onTestFinished, test } from 'vitest';
import { startSharesMaintenance } from '#runtime/gateway/maintenance/shares.js';
import type { Allotments } from '#runtime/registry/allotments/allotments.js';
import { openRegistry } from '#runtime/registry/registry.js';
import { openLogger } from '#runtime/transport/process/logger.js';
import { until } from '../../../support/until.ts';
import { assigned, type Fleet, startFleet } from '../../registry/fleet.ts';

let fleet: Fleet;
afterEach(async () => {
  await fleet?.close();
});

test('shares are kept in step from their first use until all are given back, each time, and not while none are held', async () => {
  fleet = await startFleet();
  const replica = await fleet.ready();
  const { pool } = fleet.another(4);
  const registry = openRegistry({ data: pool, clock: fleet.clock, shares: pool, allowLoopbackHttp: true });
  const allotments = registry.allotments as Allotments;
  let ticks = 0;
  const tick = async (): Promise<void> => {
    ticks += 1;
    await allotments.tick();
  };
  const log = openLogger({ component: 'test', level: 'silent' });
  const maintenance = startSharesMaintenance({ ...allotments, tick }, log);
  onTestFinished(maintenance.stop);
  const taken = async () => (await fleet.registry.replicas.get(replica.id))?.activeAssignments;
  await until('it has ticked once', () => ticks === 1);
  for (let time = 0; time < 2; time += 1) {
    const before = ticks;
    const { actionId, fenceToken } = await assigned(registry);
    expect(await taken()).toBeGreaterThan(0);
    await registry.routes.settle([{ actionId, fenceToken, settlement: 'completed' }]);
    await until('all is given back', async () => (await taken()) === 0 && !allotments.inUse());
    expect(ticks).toBeGreaterThan(before);
  }
});
