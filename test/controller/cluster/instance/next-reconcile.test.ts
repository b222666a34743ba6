import { expect, test } from 'vitest';
import { nextReconcileMs } from '#controller/cluster/instance/next-reconcile.js';
import type { Pod } from '#controller/cluster/objects/host-pod.js';
import { PATIENCE_MS } from '#controller/cluster/observed/host-trouble.js';
import type { InstanceInputs } from '#controller/reconcile/inputs.js';

const NOW = Date.parse('2026-01-01T00:00:00Z');
const pod = (ageMs: number): Pod =>
  ({ metadata: { name: 'r', creationTimestamp: new Date(NOW - ageMs).toISOString() } }) as Pod;
const replica = (record: string, ageMs: number, retiring = false): object => ({
  name: 'r',
  record,
  retiring,
  managed: true,
  inFlight: 0,
  createdAt: NOW - ageMs,
});

/** One whose host runs elsewhere. */
const elsewhere = (name: string, retiring: boolean): object => ({
  ...{ name, record: 'draining', retiring, managed: false, runner: 'absent', inFlight: 0, createdAt: NOW - 700_000 },
});
const finishing = (inFlight: number): object => ({
  ...{ name: 'r', record: 'draining', retiring: true, managed: true, runner: 'stopping', inFlight, createdAt: NOW },
});

test.each([
  ['nothing to wait for', [replica('ready', 0)], {}, false, 0, undefined],
  ['something was done', [replica('ready', 0)], {}, true, 0, 2_000],
  ['a removal', [], { deleted: true }, false, 0, 5_000],
  ['a host that has only begun', [replica('offline', 1_000)], {}, false, 1_000, PATIENCE_MS],
  ['a host past our patience', [replica('offline', 30_000)], {}, false, 30_000, 571_000],
  [
    'a host whose lease ran out long after it was made',
    [{ ...replica('expired', 700_000), leaseUntil: NOW - 30_000 }],
    ...[{}, false, 700_000, 571_000],
  ],
  ['a host past its deadline', [replica('offline', 700_000)], {}, false, 700_000, undefined],
  ['a host that goes', [replica('offline', 1_000, true)], {}, false, 1_000, undefined],
  ['a host that runs elsewhere and goes', [elsewhere('r', true)], { external: ['r'] }, false, 0, 6_000],
  ['a host that runs elsewhere and is described no more', [elsewhere('r', false)], { external: [] }, false, 0, 6_000],
  ['a host that runs elsewhere and stays', [elsewhere('x', false)], { external: ['x'] }, false, 0, undefined],
  ['hosts that hold work and take no new one', [finishing(2)], {}, false, 0, 6_000],
  ['hosts that stop and hold nothing', [finishing(0)], {}, false, 0, undefined],
] as const)('another round after %s', (_, replicas, desired, hasSteps, podAgeMs, expected) => {
  const inputs = { now: NOW, desired: { progressDeadlineMs: 600_000, ...desired }, registry: {}, replicas };
  const pods = new Map([['r', pod(podAgeMs)]]);
  expect(nextReconcileMs(inputs as unknown as InstanceInputs, { hasSteps, pods })).toBe(expected);
});

test.each([
  ['its time without an action', 'awake', NOW - 20_000, 41_000],
  ['a moment, once that is over', 'awake', NOW - 90_000, 6_000],
  ['nothing while it is idle', 'idle', NOW - 90_000, undefined],
] as const)('an instance that may go idle is checked again after %s', (_, state, activeSince, expected) => {
  const wish = { idleAfterMs: 60_000, wakeTimeoutMs: 5000 };
  const inputs = {
    now: NOW,
    desired: { progressDeadlineMs: 600_000, scaleToZero: wish },
    registry: { scaling: { state, activeSince, ...wish } },
    replicas: [],
  };
  expect(nextReconcileMs(inputs as unknown as InstanceInputs, { hasSteps: false, pods: new Map() })).toBe(expected);
});
