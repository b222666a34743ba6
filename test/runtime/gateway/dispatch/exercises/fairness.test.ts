import { afterEach, expect, test } from 'vitest';
import { until } from '../../../../support/until.ts';
import { TENANT } from '../../../registry/fleet.ts';
import { type Exercise, startExercise, stillTaken, tally, works } from './exercise.ts';

let exercise: Exercise;
afterEach(async () => {
  await exercise?.close();
});

test('noisy tenant: of 64 + 4 actions at once under a tenant limit of 4, 4 are admitted and 60 refused, and all 4 of the other tenant run', async () => {
  exercise = await startExercise({ limits: { max_tenant_in_flight: 4 } });
  const { fleet } = exercise;
  const quiet = await fleet.addInstance({ tenantId: 'tenant-b' });
  await fleet.ready({ capacity: 100 });
  await fleet.ready({ capacity: 100, instanceId: quiet.id });
  exercise.mood = 'hold';
  const noisy = exercise.run(works(64));
  const other = exercise.run(works(4, 'tenant-b'));
  await until('the admitted are at their hosts', () => exercise.reached.length === 8);
  await until('the others are refused', () => exercise.dispatcher.snapshot().active === 8);
  exercise.letGo();
  expect(tally(await noisy)).toEqual({ completed: 4, 'connector.admission_capacity': 60 });
  expect(tally(await other)).toEqual({ completed: 4 });
  await until('all are settled', async () => (await stillTaken(exercise)).length === 0);
});

test.each([
  { storm: 64, limit: 8, healthy: 8 },
  { storm: 32, limit: 4, healthy: 0 },
])(
  'retry storm: $storm retries under a retry limit of $limit leave $limit admitted, and $healthy new actions all run',
  async ({ storm, limit, healthy }) => {
    exercise = await startExercise({ limits: { max_tenant_retry_in_flight: limit } });
    await exercise.fleet.ready({ capacity: 200 });
    const stormy = works(storm);
    exercise.mood = 'full';
    expect(tally(await exercise.run(stormy))).toEqual({ 'connector_host.capacity': storm });
    await until('the refusals are settled', async () => (await stillTaken(exercise)).length === 0);
    exercise.reached.length = 0;
    exercise.mood = 'hold';
    const retries = exercise.run(stormy);
    const fresh = exercise.run(works(healthy));
    await until('the admitted are at their host', () => exercise.reached.length === limit + healthy);
    await until('the others are refused', () => exercise.dispatcher.snapshot().active === limit + healthy);
    exercise.letGo();
    expect(tally(await retries)).toEqual({ completed: limit, 'connector.admission_capacity': storm - limit });
    expect(tally(await fresh)).toEqual(healthy > 0 ? { completed: healthy } : {});
    await until('all are settled', async () => (await stillTaken(exercise)).length === 0);
  },
);

test('noisy tenant over three gateways: their registries together admit 4 of 66', async () => {
  exercise = await startExercise({ limits: { max_tenant_in_flight: 4 } });
  const { fleet } = exercise;
  await fleet.ready({ capacity: 100 });
  const gateways = [fleet.registry, fleet.another(4).registry, fleet.another(4).registry];
  const outcomes = await Promise.all(
    works(66).map(({ action }, n) =>
      (gateways[n % 3] as typeof fleet.registry).routes.assign([
        { actionId: action.id, capabilityId: action.capability_id, tenantId: TENANT },
      ]),
    ),
  );
  const codes = outcomes.flat().map((outcome) => (outcome instanceof Error ? outcome.code : 'assigned'));
  expect(tally(codes)).toEqual({ assigned: 4, 'connector.admission_capacity': 62 });
});
