import { expect, test } from 'vitest';
import { readinessOf } from '#runtime/gateway/endpoints/service/readiness.js';

type Deps = Parameters<typeof readinessOf>[0];
const STORAGE = { ready: true, detail: 'postgres' };
const WORKER = { running: true, cycles: 7 };

/** A gateway of which everything is well, but for the changes. */
async function readiness({
  storage = STORAGE,
  worker = WORKER,
  skewMs = 0,
  ...more
}: {
  storage?: typeof STORAGE;
  worker?: object;
  skewMs?: number;
} & Partial<Pick<Deps, 'stopping' | 'fleet' | 'broker'>> = {}) {
  return readinessOf({
    storage: async () => storage,
    worker: { status: () => worker } as unknown as Deps['worker'],
    stopping: () => false,
    clock: { skewMs: () => skewMs, maxSkewMs: 5000 },
    ...more,
  })();
}

test('a gateway of which everything is well is ready', async () => {
  expect(await readiness()).toEqual({
    status: 'ready',
    gateway: { ready: true, storage: STORAGE, clock: { ready: true, skew_ms: 0 }, connectors: {} },
    supervisor: {
      runtime_worker_running: true,
      nats_listener_running: false,
      nats_required: false,
      worker_cycles: 7,
    },
    modules: {},
  });
});

test.each([
  ['its storage takes no writes', { storage: { ready: false, detail: 'the disk is full' } }, false],
  ['it is stopping', { stopping: () => true }, false],
  ['its clock is ahead', { skewMs: 5001 }, false],
  ['its clock is behind', { skewMs: -5001 }, false],
  ['its worker does not run', { worker: { ...WORKER, running: false } }, true],
  ['its broker is down', { broker: { up: () => false } }, true],
])('a gateway is not ready when %s', async (_why, change, gatewayReady) => {
  const found = await readiness(change);
  expect([found.status, found.gateway.ready]).toEqual(['not_ready', gatewayReady]);
});

test.each([5000, -5000])('a clock that is off by %d ms, as far as it may be, is right', async (skewMs) => {
  expect((await readiness({ skewMs })).gateway.clock).toEqual({ ready: true, skew_ms: skewMs });
});

test('a broker that is up, the state of the fleet and the last error of the worker are shown', async () => {
  const found = await readiness({
    broker: { up: () => true },
    fleet: async () => ({ worker_running: true }),
    worker: { ...WORKER, lastError: 'x'.repeat(2000), lastSuccessAt: 1000 },
  });
  expect(found).toMatchObject({
    status: 'ready',
    supervisor: {
      nats_listener_running: true,
      nats_required: true,
      last_worker_error: 'x'.repeat(1024),
      last_worker_success_at: '1970-01-01T00:00:01Z',
    },
    fleet: { worker_running: true },
  });
});
