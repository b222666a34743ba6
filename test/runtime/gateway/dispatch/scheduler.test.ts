import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fairQueue, type Waiter } from '#runtime/gateway/dispatch/fair-queue.js';
import { openScheduler, type Permit } from '#runtime/gateway/dispatch/scheduler.js';
import {
  parseTenantWeights,
  type SchedulerLimits,
  schedulerLimits,
  tenantWeights,
} from '#runtime/gateway/dispatch/scheduler-limits.js';

const limitsOf = (given: Partial<SchedulerLimits> = {}): SchedulerLimits => schedulerLimits(given);
const item = (tenantId: string, bytes = 1, deadline = 1000): Waiter => ({ tenantId, bytes, deadline });
const refusal = (code: string, retryable: boolean): object => expect.objectContaining({ code, retryable });
const OVERLOADED = refusal('connector.scheduler_overloaded', true);

function thrown(run: () => unknown): unknown {
  try {
    run();
  } catch (error) {
    return error;
  }
  throw new Error('nothing was thrown');
}

/** Fills a queue: so many actions of each tenant are offered. */
function offered(
  limits: SchedulerLimits,
  tenants: readonly string[],
  count: number,
): { runs: number; queue: ReturnType<typeof fairQueue> } {
  const queue = fairQueue(limits);
  let runs = 0;
  for (const tenant of tenants) for (let n = 0; n < count; n += 1) if (queue.offer(item(tenant))) runs += 1;
  return { runs, queue };
}

test('F-306 1024 remote actions run at once by default over all tenants; the next one waits', () => {
  const { runs, queue } = offered(limitsOf(), ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'], 128);
  expect(runs).toBe(1024);
  expect(queue.offer(item('i'))).toBe(false);
  expect(queue.snapshot()).toMatchObject({ active: 1024, queued: 1, activeTenants: 8, queuedTenants: 1 });
  expect(queue.pass(0).granted).toEqual([]);
  queue.release('a');
  expect(queue.pass(0).granted.map(({ tenantId }) => tenantId)).toEqual(['i']);
});

test('F-307 128 of one tenant run at once by default; its next one waits while other tenants proceed', () => {
  const { runs, queue } = offered(limitsOf(), ['a'], 128);
  expect(runs).toBe(128);
  expect(queue.offer(item('a'))).toBe(false);
  expect(queue.offer(item('b'))).toBe(false);
  expect(queue.pass(0).granted.map(({ tenantId }) => tenantId)).toEqual(['b']);
  expect(queue.snapshot()).toMatchObject({ active: 129, queued: 1 });
});

test('a tenant at its own bound leaves the places of others to them at once; its own next one waits its turn', () => {
  const queue = fairQueue(limitsOf({ maxInFlight: 4, maxInFlightPerTenant: 2 }));
  expect([queue.begin('a', 1), queue.begin('a', 1), queue.begin('a', 1)]).toEqual([true, true, false]);
  expect(queue.offer(item('a'))).toBe(false);
  expect(queue.begin('b', 1)).toBe(true);
  queue.release('a');
  // The one that waits comes first.
  expect(queue.begin('a', 1)).toBe(false);
  expect(queue.pass(0).granted.map(({ tenantId }) => tenantId)).toEqual(['a']);
  expect([queue.begin('b', 1), queue.begin('c', 1)]).toEqual([true, false]);
});

test('F-308 4096 wait by default over all tenants; the next one is refused', () => {
  const tenants = Array.from({ length: 16 }, (_, n) => `t${n}`);
  const queue = fairQueue(limitsOf({ maxInFlight: 1, maxInFlightPerTenant: 1 }));
  expect(queue.offer(item('first'))).toBe(true);
  for (const tenant of tenants) for (let n = 0; n < 256; n += 1) expect(queue.offer(item(tenant))).toBe(false);
  expect(queue.snapshot().queued).toBe(4096);
  expect(thrown(() => queue.offer(item('late')))).toEqual(OVERLOADED);
});

test('F-309 512 of one tenant wait by default; its next one is refused while other tenants still queue', () => {
  const queue = fairQueue(limitsOf({ maxInFlight: 1, maxInFlightPerTenant: 1 }));
  queue.offer(item('a'));
  for (let n = 0; n < 512; n += 1) expect(queue.offer(item('a'))).toBe(false);
  expect(thrown(() => queue.offer(item('a')))).toEqual(OVERLOADED);
  expect(queue.offer(item('b'))).toBe(false);
});

test('F-310 67108864 bytes wait by default; an action that would exceed them is refused, a smaller one not', () => {
  const queue = fairQueue(limitsOf({ maxInFlight: 1, maxInFlightPerTenant: 1 }));
  queue.offer(item('a', 4_194_304));
  for (let n = 0; n < 15; n += 1) queue.offer(item('a', 4_194_304));
  expect(queue.offer(item('a', 4_194_303))).toBe(false);
  expect(thrown(() => queue.offer(item('b', 2)))).toEqual(OVERLOADED);
  expect(queue.offer(item('b', 1))).toBe(false);
  expect(queue.snapshot().queuedBytes).toBe(67_108_864);
});

test('F-311 an action of 4194304 canonical bytes is taken by default and a larger one refused', () => {
  const queue = fairQueue(limitsOf());
  expect(queue.offer(item('a', 4_194_304))).toBe(true);
  expect(thrown(() => queue.offer(item('a', 4_194_305)))).toEqual(refusal('connector.request_rejected', false));
});

test('F-312 an action that waited less than 30000 ms is dispatched; one that waited longer is not', async () => {
  let now = 0;
  const scheduler = openScheduler({ limits: { maxInFlight: 1, maxInFlightPerTenant: 1 }, clock: () => now });
  const first = await scheduler.acquire('a', 1);
  const patient = scheduler.acquire('a', 1);
  const late = scheduler.acquire('a', 1);
  now = 29_999;
  first.release();
  const second = await patient;
  now = 30_000;
  second.release();
  await expect(late).rejects.toEqual(OVERLOADED);
  expect(scheduler.snapshot()).toMatchObject({ active: 0, queued: 0, queuedBytes: 0 });
});

test('F-312 a waiting action fails on its own when its time is over', async () => {
  const limits = { maxInFlight: 1, maxInFlightPerTenant: 1, maxQueueAgeMs: 50 };
  const scheduler = openScheduler({ limits, clock: Date.now });
  const permit = await scheduler.acquire('a', 1);
  await expect(scheduler.acquire('b', 7)).rejects.toEqual(OVERLOADED);
  expect(scheduler.snapshot()).toEqual({ active: 1, queued: 0, queuedBytes: 0, activeTenants: 1, queuedTenants: 0 });
  permit.release();
});

test('F-313 F-314 a per-tenant limit above its global one is refused at start, an equal one accepted', () => {
  expect(limitsOf({ maxInFlight: 5, maxInFlightPerTenant: 5, maxQueued: 6, maxQueuedPerTenant: 6 })).toBeDefined();
  expect(() => limitsOf({ maxInFlight: 5, maxInFlightPerTenant: 6 })).toThrow(/maxInFlightPerTenant/);
  expect(() => limitsOf({ maxQueued: 5, maxQueuedPerTenant: 6 })).toThrow(/maxQueuedPerTenant/);
  for (const name of ['maxInFlight', 'maxQueued', 'maxQueueBytes', 'maxRequestBytes', 'maxQueueAgeMs'] as const)
    for (const value of [0, -1, 1.5]) expect(() => limitsOf({ [name]: value })).toThrow(name);
});

test('F-316 F-317 F-318 weights name tenants of 1 to 256 bytes once, with positive whole numbers', () => {
  expect([...parseTenantWeights('a=1, b=2;c=d=3\n')]).toEqual([
    ['a', 1],
    ['b', 2],
    ['c=d', 3],
  ]);
  expect(tenantWeights([['é'.repeat(128), 1]]).size).toBe(1);
  for (const wrong of ['=1', `${'x'.repeat(257)}=1`, 'a=0', 'a=-1', 'a=', 'a=1.5', 'a', 'a=1,a=2'])
    expect(() => parseTenantWeights(wrong), wrong).toThrow(/scheduler/);
  expect(() => limitsOf({ weights: new Map([['', 1]]) })).toThrow();
  expect(() => limitsOf({ weights: new Map([['a', 0]]) })).toThrow();
});

/** Grants one place after the other while every tenant always has work waiting; counts the grants. */
function shares(weights: Record<string, number>, tenants: readonly string[], rounds: number): Record<string, number> {
  const queue = fairQueue(
    limitsOf({ maxInFlight: 1, maxInFlightPerTenant: 1, weights: new Map(Object.entries(weights)) }),
  );
  queue.offer(item('running'));
  for (const tenant of tenants) for (let n = 0; n < 4; n += 1) queue.offer(item(tenant));
  const counts: Record<string, number> = {};
  let last = 'running';
  for (let round = 0; round < rounds; round += 1) {
    queue.release(last);
    const { granted } = queue.pass(0);
    expect(granted).toHaveLength(1);
    last = granted[0]?.tenantId as string;
    counts[last] = (counts[last] ?? 0) + 1;
    queue.offer(item(last));
  }
  return counts;
}

test('F-315 without weights waiting tenants share freed places equally, with weights in proportion to them', () => {
  expect(shares({}, ['a', 'b', 'c'], 300)).toEqual({ a: 100, b: 100, c: 100 });
  expect(shares({ a: 3, b: 2 }, ['a', 'b', 'c'], 300)).toEqual({ a: 150, b: 100, c: 50 });
});

test('a tenant with one action is not kept waiting by a tenant with many', () => {
  const queue = fairQueue(limitsOf({ maxInFlight: 1, maxInFlightPerTenant: 1 }));
  queue.offer(item('many'));
  for (let n = 0; n < 200; n += 1) queue.offer(item('many'));
  queue.offer(item('one'));
  queue.release('many');
  const order: string[] = [];
  for (let n = 0; n < 3; n += 1) {
    const tenant = queue.pass(0).granted[0]?.tenantId as string;
    order.push(tenant);
    queue.release(tenant);
  }
  expect(order).toContain('one');
});

test('one that gives up leaves the queue with its bytes, and a stopped scheduler refuses what waits', async () => {
  const scheduler = openScheduler({ limits: { maxInFlight: 1, maxInFlightPerTenant: 1 }, clock: Date.now });
  const permit = await scheduler.acquire('a', 1);
  const caller = new AbortController();
  const abandoned = scheduler.acquire('a', 10, caller.signal);
  const stopped = scheduler.acquire('b', 20);
  expect(scheduler.snapshot()).toMatchObject({ queued: 2, queuedBytes: 30 });
  caller.abort(new Error('gone'));
  await expect(abandoned).rejects.toThrow('gone');
  expect(scheduler.snapshot()).toMatchObject({ queued: 1, queuedBytes: 20 });
  scheduler.stop();
  await expect(stopped).rejects.toEqual(OVERLOADED);
  permit.release();
  permit.release();
  expect(scheduler.snapshot()).toEqual({ active: 0, queued: 0, queuedBytes: 0, activeTenants: 0, queuedTenants: 0 });
});

type Step =
  | { kind: 'offer'; tenant: string; bytes: number }
  | { kind: 'release' | 'abandon'; pick: number }
  | { kind: 'age' };

const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({
        kind: fc.constant('offer' as const),
        tenant: fc.constantFrom('a', 'b', 'c'),
        bytes: fc.integer({ min: 1, max: 12 }),
      }),
    },
    { weight: 4, arbitrary: fc.record({ kind: fc.constant('release' as const), pick: fc.nat() }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('abandon' as const), pick: fc.nat() }) },
    { weight: 1, arbitrary: fc.constant({ kind: 'age' as const }) },
  ),
  { maxLength: 120 },
);

test('F-306 F-307 F-308 F-309 F-310 no order of events breaks a bound, leaves work waiting beside a free place, or loses an action', () => {
  const limits = limitsOf({
    maxInFlight: 4,
    maxInFlightPerTenant: 2,
    maxQueued: 8,
    maxQueuedPerTenant: 5,
    maxQueueBytes: 40,
    maxRequestBytes: 10,
    weights: new Map([['a', 3]]),
  });
  fc.assert(
    fc.property(steps, (sequence) => {
      const queue = fairQueue<Waiter>(limits);
      const running: Waiter[] = [];
      const waiting = new Set<Waiter>();
      let now = 0;
      const settle = (): void => {
        const { granted, expired } = queue.pass(now);
        for (const waiter of [...granted, ...expired]) expect(waiting.delete(waiter)).toBe(true);
        for (const waiter of expired) expect(waiter.deadline).toBeLessThanOrEqual(now);
        running.push(...granted);
      };
      for (const step of sequence) {
        if (step.kind === 'offer') {
          const waiter = item(step.tenant, step.bytes, now + 3);
          try {
            if (queue.offer(waiter)) running.push(waiter);
            else waiting.add(waiter);
          } catch (error) {
            expect(error).toEqual(step.bytes > 10 ? refusal('connector.request_rejected', false) : OVERLOADED);
          }
        } else if (step.kind === 'release') {
          const [ended] = running.splice(step.pick % Math.max(1, running.length), 1);
          if (ended) queue.release(ended.tenantId);
        } else if (step.kind === 'abandon') {
          const given = [...waiting][step.pick % Math.max(1, waiting.size)];
          if (given) expect(queue.abandon(given) && waiting.delete(given)).toBe(true);
        } else now += 1;
        settle();
        const of = (list: Iterable<Waiter>, tenant: string): number =>
          [...list].filter((each) => each.tenantId === tenant).length;
        expect(running.length).toBeLessThanOrEqual(4);
        for (const tenant of ['a', 'b', 'c']) {
          expect(of(running, tenant)).toBeLessThanOrEqual(2);
          expect(of(waiting, tenant)).toBeLessThanOrEqual(5);
          if (of(waiting, tenant) > 0) expect(running.length === 4 || of(running, tenant) === 2).toBe(true);
        }
        expect(queue.snapshot()).toEqual({
          active: running.length,
          queued: waiting.size,
          queuedBytes: [...waiting].reduce((sum, { bytes }) => sum + bytes, 0),
          activeTenants: new Set(running.map(({ tenantId }) => tenantId)).size,
          queuedTenants: new Set([...waiting].map(({ tenantId }) => tenantId)).size,
        });
      }
    }),
    { numRuns: 300 },
  );
});

test('F-315 inside one tenant the first in is the first out', async () => {
  const scheduler = openScheduler({ limits: { maxInFlight: 1, maxInFlightPerTenant: 1 }, clock: Date.now });
  let permit: Permit = await scheduler.acquire('a', 1);
  const order: number[] = [];
  const waiters = Array.from({ length: 5 }, async (_, n) => {
    const mine = await scheduler.acquire('a', 1);
    order.push(n);
    permit = mine;
    permit.release();
  });
  permit.release();
  await Promise.all(waiters);
  expect(order).toEqual([0, 1, 2, 3, 4]);
});
