import { expect, test } from 'vitest';
import { givenBack, heldBy, type LeaseSpec, mayTake, observe } from '#controller/kube/run/lease-record.js';

const WALL = Date.UTC(2026, 0, 2, 3, 4, 5, 678);
const held = (holder: string, more: Partial<LeaseSpec> = {}): LeaseSpec => ({
  ...heldBy(holder, 15_000, undefined, WALL),
  ...more,
});

test('a lease that nobody holds, or that is ours, may be taken at once', () => {
  expect(mayTake({ spec: {}, at: 0 }, 'a', 0)).toBe(true);
  expect(mayTake({ spec: held(''), at: 0 }, 'a', 0)).toBe(true);
  expect(mayTake({ spec: held('a'), at: 0 }, 'a', 0)).toBe(true);
});

test('a foreign lease may be taken only after it did not change before our eyes for its own duration', () => {
  const first = observe(undefined, held('b'), 1000);
  expect(mayTake(first, 'a', 15_999)).toBe(false);
  expect(mayTake(first, 'a', 16_000)).toBe(true);
  const same = observe(first, held('b'), 9000);
  expect(same.at).toBe(1000);
  const renewed = observe(same, held('b', { renewTime: 'later' }), 9000);
  expect(renewed.at).toBe(9000);
  expect(mayTake(renewed, 'a', 16_000)).toBe(false);
});

test.each(['1970-01-01T00:00:00.000000Z', '2999-01-01T00:00:00.000000Z'])(
  'the clock of the holder (%s) does not matter',
  (renewTime) => {
    const seen = observe(undefined, held('b', { renewTime }), 0);
    expect(mayTake(seen, 'a', 14_999)).toBe(false);
    expect(mayTake(seen, 'a', 15_000)).toBe(true);
  },
);

test('a renewal keeps when it was taken; another holder counts as a transition', () => {
  const first = held('a');
  expect(first).toEqual({
    holderIdentity: 'a',
    leaseDurationSeconds: 15,
    acquireTime: '2026-01-02T03:04:05.678000Z',
    renewTime: '2026-01-02T03:04:05.678000Z',
    leaseTransitions: 0,
  });
  const renewed = heldBy('a', 15_000, first, WALL + 2000);
  expect(renewed).toEqual({ ...first, renewTime: '2026-01-02T03:04:07.678000Z' });
  expect(heldBy('b', 15_000, renewed, WALL + 9000)).toMatchObject({
    leaseTransitions: 1,
    acquireTime: '2026-01-02T03:04:14.678000Z',
  });
});

test('a lease given back is free, keeps its count, and its duration is a second', () => {
  const free = givenBack(held('a', { leaseTransitions: 4 }), WALL);
  expect(free).toMatchObject({ holderIdentity: '', leaseDurationSeconds: 1, leaseTransitions: 4 });
  expect(heldBy('b', 500, free, WALL)).toMatchObject({ leaseTransitions: 5, leaseDurationSeconds: 1 });
});
