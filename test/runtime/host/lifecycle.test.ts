import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  after,
  countsLease,
  expectsLease,
  type Lifecycle,
  type LifecycleEvent,
  openLife,
  refusesWork,
} from '#runtime/host/lifecycle.js';

const STARTING: Lifecycle = { phase: 'starting' };
const READY: Lifecycle = { phase: 'ready' };
const DRAINING: Lifecycle = { phase: 'draining', leased: true };
const DRAINING_UNLEASED: Lifecycle = { phase: 'draining', leased: false };
const STOPPED: Lifecycle = { phase: 'stopped' };

test.each<[Lifecycle, LifecycleEvent, Lifecycle]>([
  [STARTING, 'leased', READY],
  [STARTING, 'drain', DRAINING_UNLEASED],
  [STARTING, 'stop', STOPPED],
  [READY, 'leased', READY],
  [READY, 'drain', DRAINING],
  [READY, 'stop', STOPPED],
  [DRAINING, 'leased', DRAINING],
  [DRAINING_UNLEASED, 'leased', DRAINING_UNLEASED],
  [DRAINING, 'drain', DRAINING],
  [DRAINING, 'stop', STOPPED],
  [STOPPED, 'leased', STOPPED],
  [STOPPED, 'drain', STOPPED],
  [STOPPED, 'stop', STOPPED],
])('a host that is %j is, after %s, %j', (before, event, expected) => {
  expect(after(before, event)).toEqual(expected);
});

test.each<[Lifecycle, { refuses: boolean; counts: boolean; expects: boolean; expectsPending: boolean }]>([
  [STARTING, { refuses: false, counts: false, expects: true, expectsPending: true }],
  [READY, { refuses: false, counts: true, expects: false, expectsPending: true }],
  [DRAINING, { refuses: true, counts: true, expects: false, expectsPending: false }],
  [DRAINING_UNLEASED, { refuses: true, counts: false, expects: false, expectsPending: false }],
  [STOPPED, { refuses: true, counts: false, expects: false, expectsPending: false }],
])('what a host that is %j does: %j', (life, { refuses, counts, expects, expectsPending }) => {
  expect(refusesWork(life)).toBe(refuses);
  expect(countsLease(life)).toBe(counts);
  expect(expectsLease(life, false)).toBe(expects);
  expect(expectsLease(life, true)).toBe(expectsPending);
});

test('whatever happens, a host that refuses work never takes any again, and counts only a lease from before', () => {
  const event = fc.constantFrom<LifecycleEvent>('leased', 'drain', 'stop');
  fc.assert(
    fc.property(fc.array(event, { maxLength: 12 }), (events) => {
      let life: Lifecycle = STARTING;
      for (const each of events) {
        const next = after(life, each);
        if (refusesWork(life)) expect(refusesWork(next)).toBe(true);
        if (refusesWork(life) && !countsLease(life)) expect(countsLease(next)).toBe(false);
        life = next;
      }
    }),
  );
});

test('a lease of a former process is valid only once this one has obtained it, and never after the stop', () => {
  let inForce = true;
  let pending: string | undefined;
  const life = openLife({
    valid: () => inForce,
    get record() {
      return { status: 'ready' as const, sequence: 7, expiresAt: 0, ...(pending !== undefined && { pending }) };
    },
  });
  expect([life.leaseValid(), life.leaseOnItsWay(), life.draining()]).toEqual([false, true, false]);
  life.enter('leased');
  expect([life.leaseValid(), life.leaseOnItsWay(), life.draining()]).toEqual([true, false, false]);
  inForce = false;
  expect([life.leaseValid(), life.leaseOnItsWay()]).toEqual([false, false]);
  pending = 'register';
  expect([life.leaseValid(), life.leaseOnItsWay()]).toEqual([false, true]);
  inForce = true;
  life.enter('drain');
  expect([life.leaseValid(), life.leaseOnItsWay(), life.draining()]).toEqual([true, false, true]);
  life.enter('stop');
  expect([life.leaseValid(), life.draining(), life.current]).toEqual([false, true, STOPPED]);
});
