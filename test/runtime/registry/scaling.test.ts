import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { RouteAssignment } from '#runtime/registry/routes/assignment.js';
import {
  beginIdle,
  endWake,
  InstanceWaking,
  putScaling,
  requestWake,
  scalingOf,
  scalingStates,
} from '#runtime/registry/scaling.js';
import { assigned, type Fleet, startFleet, wanted } from './fleet.ts';

const WISH = { idleAfterMs: 60_000, wakeTimeoutMs: 5000 };

let fleet: Fleet;
/** When the instance asked for it. */
let since: number;
beforeEach(async () => {
  fleet = await startFleet();
  since = fleet.clock();
  await putScaling(fleet.pool, fleet.instance.id, WISH, since);
});
afterEach(() => fleet.close());

const state = async (id = fleet.instance.id) => (await scalingOf(fleet.pool, id))?.state;
const idle = (atMs = since + 60_000, id = fleet.instance.id) => beginIdle(fleet.pool, id, atMs);
/** What a new action is answered that no host can take. */
const refusal = async () => (await fleet.registry.routes.assign([wanted()]))[0];
const settle = ({ actionId, fenceToken }: RouteAssignment) =>
  fleet.registry.routes.settle([{ actionId, fenceToken, settlement: 'completed' }]);

describe('an instance goes idle', () => {
  test('once no action has used it for its time, and not before', async () => {
    expect(await idle(since + 59_999)).toBe(false);
    expect(await state()).toBe('awake');
    expect(await idle(since + 60_000)).toBe(true);
    expect(await state()).toBe('idle');
    expect(await idle()).toBe(false);
  });

  test('not while an action holds a place, nor before its time after the action ended is over', async () => {
    await fleet.ready();
    const route = await assigned(fleet.registry, wanted());
    expect(await idle(since + 600_000)).toBe(false);
    await settle(route);
    const { rows } = await fleet.pool.query<{ at: number }>('SELECT updated_at AS at FROM registry.assignments');
    const endedAt = rows[0]?.at as number;
    await fleet.pool.query('UPDATE registry.scaling SET active_since = $1', [since]);
    expect(await idle(endedAt + 59_999)).toBe(false);
    expect((await scalingOf(fleet.pool, fleet.instance.id))?.activeSince).toBe(endedAt);
    expect(await idle(endedAt + 60_000)).toBe(true);
  });

  test('only where it is requested; without the request it is not idle any more', async () => {
    const other = await fleet.addInstance();
    expect(await idle(since + 60_000, other.id)).toBe(false);
    expect(await idle()).toBe(true);
    await putScaling(fleet.pool, fleet.instance.id, { ...WISH, wakeTimeoutMs: 7000 }, fleet.clock());
    expect(await scalingOf(fleet.pool, fleet.instance.id)).toMatchObject({ state: 'idle', wakeTimeoutMs: 7000 });
    await putScaling(fleet.pool, fleet.instance.id, undefined, fleet.clock());
    expect(await state()).toBeUndefined();
  });
});

describe('an idle instance is woken', () => {
  beforeEach(async () => {
    expect(await idle()).toBe(true);
  });

  test('by the first action that needs it, whose error says how long it may wait', async () => {
    const outcome = await refusal();
    expect(outcome).toBeInstanceOf(InstanceWaking);
    expect(outcome).toMatchObject({ code: 'connector.replica_unavailable', wakeTimeoutMs: 5000 });
    expect(await state()).toBe('waking');
    expect(await refusal()).toBeInstanceOf(InstanceWaking);
    expect(await idle()).toBe(false);
    await endWake(fleet.pool, fleet.instance.id, since + 70_000);
    expect(await scalingOf(fleet.pool, fleet.instance.id)).toMatchObject({
      state: 'awake',
      activeSince: since + 70_000,
    });
    expect(await scalingStates(fleet.pool)).toEqual(new Map([[fleet.instance.id, 'awake']]));
  });

  test('by one of many gateways that ask at the same moment, and never back to idle by a decision of that moment', async () => {
    const gateways = Array.from({ length: 4 }, () => fleet.another(2));
    const asked = await Promise.all([
      ...gateways.flatMap(({ pool }) => [0, 1, 2].map(() => requestWake(pool, [fleet.instance.id], since + 60_000))),
      ...gateways.map(({ pool }) => beginIdle(pool, fleet.instance.id, since + 120_000)),
    ]);
    expect(asked).toEqual([...Array(12).fill(5000), ...Array(4).fill(false)]);
    expect(await state()).toBe('waking');
  });

  test('the best one where several could serve the action, and no second one meanwhile', async () => {
    const second = await fleet.addInstance({}, 2);
    await putScaling(fleet.pool, second.id, WISH, since);
    expect(await idle(since + 60_000, second.id)).toBe(true);
    expect(await refusal()).toBeInstanceOf(InstanceWaking);
    expect(await refusal()).toBeInstanceOf(InstanceWaking);
    expect([await state(), await state(second.id)]).toEqual(['waking', 'idle']);
  });

  test('not where another instance has a host for the action', async () => {
    const second = await fleet.addInstance({}, 2);
    await fleet.ready({ instanceId: second.id });
    expect((await assigned(fleet.registry, wanted())).instanceId).toBe(second.id);
    expect(await state()).toBe('idle');
  });
});

test('an action of an instance that did not request it, or is awake without a host, is refused immediately', async () => {
  const outcome = await refusal();
  expect(outcome).toMatchObject({ code: 'connector.replica_unavailable' });
  expect(outcome).not.toBeInstanceOf(InstanceWaking);
  expect(await state()).toBe('awake');
});
