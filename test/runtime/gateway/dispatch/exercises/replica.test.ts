import { afterEach, expect, test } from 'vitest';
import { until } from '../../../../support/until.ts';
import { type Exercise, startExercise, stillTaken, tally, works } from './exercise.ts';

let exercise: Exercise;
afterEach(async () => {
  await exercise?.close();
});
const settled = () => until('all are settled', async () => (await stillTaken(exercise)).length === 0);

test('capacity: of 3 actions at once on a replica of capacity 2 exactly 2 run', async () => {
  exercise = await startExercise();
  const replica = await exercise.fleet.ready({ capacity: 2 });
  exercise.mood = 'hold';
  const three = exercise.run(works(3));
  await until('one is refused', () => exercise.dispatcher.snapshot().active === 2);
  expect(exercise.reached).toHaveLength(2);
  expect((await exercise.fleet.registry.replicas.get(replica.id))?.activeAssignments).toBe(2);
  exercise.letGo();
  expect(tally(await three)).toEqual({ completed: 2, 'connector.replica_unavailable': 1 });
  await settled();
});

test('circuit: after 5 unknown outcomes the sixth action is refused and reaches no host, until the time has passed', async () => {
  exercise = await startExercise({ asking: { failuresBegun: 0, firstPauseMs: 1, maxPauseMs: 1 } });
  const { fleet } = exercise;
  const replica = await fleet.ready();
  exercise.mood = 'lose the answer';
  for (let n = 0; n < 5; n += 1) expect(await exercise.run(works(1))).toEqual(['connector.outcome_unknown']);
  await settled();
  expect(await fleet.registry.replicas.get(replica.id)).toMatchObject({ consecutiveFailures: 5 });
  exercise.reached.length = 0;
  exercise.mood = 'answer';
  expect(await exercise.run(works(1))).toEqual(['connector.replica_unavailable']);
  expect(exercise.reached).toEqual([]);
  fleet.time.ahead += 30_001;
  expect(await exercise.run(works(1))).toEqual(['completed']);
  await settled();
  expect(await fleet.registry.replicas.get(replica.id)).toMatchObject({ consecutiveFailures: 0, circuitOpenUntil: 0 });
});

test('circuit: 12 signed refusals for want of capacity leave it closed', async () => {
  exercise = await startExercise();
  const replica = await exercise.fleet.ready();
  exercise.mood = 'full';
  for (let n = 0; n < 12; n += 1) expect(await exercise.run(works(1))).toEqual(['connector_host.capacity']);
  await settled();
  expect(await exercise.fleet.registry.replicas.get(replica.id)).toMatchObject({
    consecutiveFailures: 0,
    circuitOpenUntil: 0,
  });
  exercise.mood = 'answer';
  expect(await exercise.run(works(1))).toEqual(['completed']);
});

test('balance: 500 actions at once use each of 100 replicas, at most 3 apart', async () => {
  exercise = await startExercise({ limits: {}, scheduler: { maxInFlight: 500, maxInFlightPerTenant: 500 } });
  const { fleet } = exercise;
  for (let n = 0; n < 100; n += 1) await fleet.ready({ capacity: 100 });
  exercise.mood = 'hold';
  const all = exercise.run(works(500));
  await until('all are at their hosts', () => exercise.asked.length === 500);
  exercise.letGo();
  expect(tally(await all)).toEqual({ completed: 500 });
  const counts = Object.values(tally(exercise.asked));
  expect(counts).toHaveLength(100);
  expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(3);
  await settled();
});
