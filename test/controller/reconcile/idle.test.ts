import { describe, expect, test } from 'vitest';
import type { InstanceInputs, ObservedRegistry, ObservedReplica } from '#controller/reconcile/inputs.js';
import { reconcile } from '#controller/reconcile/reconcile.js';
import { DESIRED, nameOf } from './support/desired.ts';

const NOW = 1_000_000;
const WISH = { idleAfterMs: 60_000, wakeTimeoutMs: 5000 };

const replica = (ordinal: number, change: Partial<ObservedReplica> = {}): ObservedReplica => ({
  name: nameOf('new', ordinal),
  ordinal,
  template: 'new',
  managed: true,
  record: 'ready',
  runner: 'running',
  inFlight: 0,
  retiring: false,
  createdAt: NOW - 1000,
  ...change,
});
const scaling = (state: 'awake' | 'idle' | 'waking', change = {}): ObservedRegistry['scaling'] => ({
  state,
  activeSince: NOW - 60_000,
  ...WISH,
  ...change,
});

function plan(
  registry: ObservedRegistry['scaling'],
  replicas: ObservedReplica[] = [],
  desired: Partial<InstanceInputs['desired']> = {},
) {
  const inputs: InstanceInputs = {
    now: NOW,
    desired: {
      ...DESIRED,
      scaleToZero: WISH,
      ...desired,
    },
    description: { ok: true, versionId: 'cver_1', manifestDigest: 'sha256:x', capabilityIds: [] },
    registry: {
      version: { id: 'cver_1', active: true },
      instance: { versionId: 'cver_1', configRevision: 1, enabled: true },
      bindings: [],
      scaling: registry,
    },
    replicas,
  };
  const { steps, conditions } = reconcile(inputs, nameOf);
  const ready = conditions.find(({ type }) => type === 'Ready');
  return {
    steps: steps.map((step) =>
      [step.do, 'replica' in step ? step.replica : '', step.reason].join(' ').replace('  ', ' '),
    ),
    ready: `${ready?.status} ${ready?.reason}`,
    message: ready?.message,
    others: conditions.map(({ type }) => type),
  };
}
const both = [replica(0), replica(1)];

describe('the wish', () => {
  test.each([
    ['is stored once', undefined, {}, ['put-scaling ScalingChanged']],
    [
      'is stored again when its times change',
      scaling('awake', { wakeTimeoutMs: 1 }),
      {},
      ['put-scaling ScalingChanged'],
    ],
    [
      'is removed with the member of the spec',
      scaling('awake'),
      { scaleToZero: undefined },
      ['put-scaling ScalingChanged'],
    ],
    ['changes nothing while it is stored', scaling('awake', { activeSince: NOW - 1 }), {}, []],
  ])('%s', (_, stored, desired, steps) => {
    expect(plan(stored, both, desired).steps).toEqual(steps);
  });
});

describe('an awake instance', () => {
  test('asks the registry to go idle once its time is over', () => {
    expect(plan(scaling('awake'), both).steps).toEqual(['begin-idle Idle']);
  });

  test.each<[string, ObservedReplica[], Partial<InstanceInputs['desired']>, { activeSince?: number }]>([
    ['before its time', both, {}, { activeSince: NOW - 59_999 }],
    ['while an action holds a place', [replica(0), replica(1, { inFlight: 1 })], {}, {}],
    [
      'while a host that goes still has work',
      [...both, replica(2, { retiring: true, inFlight: 1, runner: 'stopping' })],
      {},
      {},
    ],
    ['while a host is not ready', [replica(0), replica(1, { record: 'offline' })], {}, {}],
    ['with no replicas at all', [], { replicas: 0 }, {}],
    ['while it is suspended', both, { suspend: true }, {}],
  ])('does not %s', (_, replicas, desired, change) => {
    expect(plan(scaling('awake', change), replicas, desired).steps).not.toContain('begin-idle Idle');
  });
});

describe('an idle instance', () => {
  test('drains its hosts and is Ready without them', () => {
    const draining = plan(scaling('idle'), both);
    expect(draining.steps).toEqual([`drain ${nameOf('new', 1)} Idle`, `drain ${nameOf('new', 0)} Idle`]);
    expect(draining.ready).toBe('True Idle');
    const asleep = plan(scaling('idle'));
    expect(asleep.steps).toEqual([]);
    expect(asleep).toMatchObject({ ready: 'True Idle', others: ['Ready', 'Admitted', 'Bound'] });
    expect(asleep.message).toBe('no action needs a host; the next one starts 2 replicas');
  });

  test('stays idle whatever an autoscaler writes, and starts that many when it wakes', () => {
    expect(plan(scaling('idle'), [], { replicas: 5 }).steps).toEqual([]);
    expect(plan(scaling('waking'), [], { replicas: 3 }).steps).toHaveLength(6);
  });

  test('has its hosts back without the wish', () => {
    expect(plan(scaling('idle'), [], { scaleToZero: undefined }).steps).toContain(
      `start ${nameOf('new', 0)} TooFewReplicas`,
    );
  });

  test('that is disabled is Disabled', () => {
    expect(plan(scaling('idle'), [], { enabled: false }).ready).toBe('False Disabled');
  });
});

describe('a waking instance', () => {
  test('starts its hosts, and says so', () => {
    const waking = plan(scaling('waking'));
    expect(waking.steps).toEqual(
      [0, 1].flatMap((ordinal) => [
        `provision ${nameOf('new', ordinal)} Waking`,
        `start ${nameOf('new', ordinal)} Waking`,
      ]),
    );
    expect(waking.ready).toBe('False Waking');
  });

  test('is awake once a first host is ready', () => {
    const starting = plan(scaling('waking'), [replica(0, { record: 'offline' }), replica(1, { record: 'offline' })]);
    expect(starting.steps).toEqual([]);
    expect(plan(scaling('waking'), [replica(0), replica(1, { record: 'offline' })]).steps).toEqual(['end-wake Awake']);
  });

  test('keeps hosts that have not begun to go, and replaces those that have', () => {
    expect(plan(scaling('waking'), both).steps).toEqual(['end-wake Awake']);
    const going = replica(1, { retiring: true, record: 'draining', runner: 'stopping' });
    expect(plan(scaling('waking'), [replica(0), going]).steps).toEqual([
      'end-wake Awake',
      `provision ${nameOf('new', 2)} Waking`,
      `start ${nameOf('new', 2)} Waking`,
    ]);
  });

  test("with replicas at 0 starts none: that is the operator's word", () => {
    expect(plan(scaling('waking'), [], { replicas: 0 })).toMatchObject({ steps: [] });
  });
});
