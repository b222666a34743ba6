import { describe, expect, test } from 'vitest';
import type { InstanceInputs, ObservedReplica } from '#controller/reconcile/inputs.js';
import { reconcile } from '#controller/reconcile/reconcile.js';
import { DESIRED, nameOf } from './support/desired.ts';

const NOW = 1_000_000;
const VERSION = 'cver_1';
const CAPABILITIES = ['cap:demo:echo', 'cap:demo:count'];
const BOUND = CAPABILITIES.map((capabilityId) => ({ capabilityId, priority: 0, enabled: true }));

/** An instance that is admitted, bound, and wants two replicas of template `new`; a table row says what is different. */
function inputs(change: {
  desired?: Partial<InstanceInputs['desired']>;
  registry?: Partial<InstanceInputs['registry']>;
  replicas?: ObservedReplica[];
  description?: InstanceInputs['description'];
  refusal?: InstanceInputs['refusal'];
  canaryOutcome?: InstanceInputs['canaryOutcome'];
}): InstanceInputs {
  return {
    now: NOW,
    desired: {
      ...DESIRED,
      bindings: [{ capabilities: ['*'], priority: 0 }],
      ...change.desired,
    },
    refusal: change.refusal,
    description:
      'description' in change
        ? change.description
        : { ok: true, versionId: VERSION, manifestDigest: 'sha256:x', capabilityIds: CAPABILITIES },
    registry: {
      version: { id: VERSION, active: true },
      instance: { versionId: VERSION, configRevision: 1, enabled: true },
      bindings: BOUND,
      ...change.registry,
    },
    replicas: change.replicas ?? [],
    canaryOutcome: change.canaryOutcome,
  };
}

/** A replica `template-ordinal`, ready and running unless the row says otherwise. */
function replica(template: string, ordinal: number, change: Partial<ObservedReplica> = {}): ObservedReplica {
  return {
    name: nameOf(template, ordinal),
    ordinal,
    template,
    managed: true,
    record: 'ready',
    runner: 'running',
    inFlight: 0,
    retiring: false,
    createdAt: NOW - 1000,
    ...change,
  };
}

/** The steps as short words: `provision demo-new-0`. */
function steps(given: InstanceInputs): string[] {
  return reconcile(given, nameOf).steps.map((step) => {
    const about =
      'replica' in step
        ? step.replica
        : 'capabilityId' in step
          ? `${step.enabled ? '+' : '-'}${step.capabilityId}`
          : '';
    return `${step.do} ${about}`.trim();
  });
}

function condition(given: InstanceInputs, type: string) {
  return reconcile(given, nameOf).conditions.find((found) => found.type === type);
}

describe('admit', () => {
  test('an instance nobody described is described, and nothing else happens', () => {
    const given = inputs({
      description: undefined,
      registry: { version: undefined, instance: undefined, bindings: [] },
    });
    expect(steps(given)).toEqual(['describe']);
    expect(condition(given, 'Admitted')).toMatchObject({ status: 'Unknown', reason: 'Describing' });
  });

  test('a connector that refuses its configuration stops there with its own message', () => {
    const given = inputs({ description: { ok: false, message: 'config/greeting must be string' } });
    expect(steps(given)).toEqual([]);
    expect(condition(given, 'Admitted')).toMatchObject({
      status: 'False',
      reason: 'DescribeFailed',
      message: 'config/greeting must be string',
    });
    expect(condition(given, 'Stalled')).toMatchObject({ status: 'True', reason: 'DescribeFailed' });
    expect(condition(given, 'Ready')).toMatchObject({ status: 'False' });
  });

  test('a claim that is not allowed stops before anything is described', () => {
    const given = inputs({ refusal: { reason: 'TenantNotAllowed', message: 'no' }, description: undefined });
    expect(steps(given)).toEqual([]);
    expect(condition(given, 'Admitted')).toMatchObject({ status: 'False', reason: 'TenantNotAllowed' });
  });

  test('version, instance, bindings and replicas are made in this order', () => {
    const given = inputs({ registry: { version: undefined, instance: undefined, bindings: [] } });
    expect(steps(given)).toEqual([
      'admit-version',
      'put-instance',
      'put-binding +cap:demo:echo',
      'put-binding +cap:demo:count',
      'provision demo-new-0',
      'start demo-new-0',
      'provision demo-new-1',
      'start demo-new-1',
    ]);
  });

  test.each([
    ['another version', { instance: { versionId: 'cver_0', configRevision: 1, enabled: true } }],
    ['an older configuration', { instance: { versionId: VERSION, configRevision: 0, enabled: true } }],
    ['disabled', { instance: { versionId: VERSION, configRevision: 1, enabled: false } }],
  ])('an instance record with %s is written again', (_, registry) => {
    expect(steps(inputs({ registry, replicas: [replica('new', 0), replica('new', 1)] }))).toEqual(['put-instance']);
  });

  test('bindings of capabilities that the new version lacks go before the instance moves to it', () => {
    const bindings = [...BOUND, { capabilityId: 'cap:demo:old', priority: 0, enabled: true }];
    const given = inputs({
      registry: { instance: { versionId: 'cver_0', configRevision: 1, enabled: true }, bindings },
      replicas: [replica('new', 0), replica('new', 1)],
    });
    expect(steps(given)).toEqual(['put-binding -cap:demo:old', 'put-instance']);
  });

  test('a version that was revoked is asked to be admitted again', () => {
    expect(
      steps(
        inputs({
          registry: { version: { id: VERSION, active: false } },
          replicas: [replica('new', 0), replica('new', 1)],
        }),
      ),
    ).toEqual(['admit-version']);
  });
});

describe('bind', () => {
  const ready = [replica('new', 0), replica('new', 1)];

  test('a pattern stands for every capability that begins with it; a later entry wins', () => {
    const given = inputs({
      desired: {
        bindings: [
          { capabilities: ['cap:demo:*'], priority: 5 },
          { capabilities: ['cap:demo:count'], priority: 1 },
        ],
      },
      registry: { bindings: [] },
      replicas: ready,
    });
    expect(reconcile(given, nameOf).steps).toMatchObject([
      { do: 'put-binding', capabilityId: 'cap:demo:echo', priority: 5, enabled: true },
      { do: 'put-binding', capabilityId: 'cap:demo:count', priority: 1, enabled: true },
    ]);
  });

  test('what is no longer named is disabled, what is the same is left alone', () => {
    const given = inputs({
      desired: { bindings: [{ capabilities: ['cap:demo:echo'], priority: 0 }] },
      replicas: ready,
    });
    expect(steps(given)).toEqual(['put-binding -cap:demo:count']);
  });

  test.each([
    ['priority', { priority: 3 }],
    ['quota policy', { quotaPolicy: 'small' }],
    ['credential revision', { credentialRevision: 'v2' }],
  ])('another %s writes the binding again', (_, change) => {
    const bindings = [
      { capabilities: ['cap:demo:echo'], priority: 0, ...change },
      { capabilities: ['cap:demo:count'], priority: 0 },
    ];
    expect(steps(inputs({ desired: { bindings }, replicas: ready }))).toEqual(['put-binding +cap:demo:echo']);
  });

  test('a name the manifest does not have is reported, and the rest is bound', () => {
    const given = inputs({
      desired: { bindings: [{ capabilities: ['*', 'cap:demo:nothing'], priority: 0 }] },
      replicas: ready,
    });
    expect(condition(given, 'Bound')).toMatchObject({ status: 'False', reason: 'CapabilityUnknown' });
    expect(steps(given)).toEqual([]);
  });
});

describe('scale and rollout', () => {
  const old = (ordinal: number, change: Partial<ObservedReplica> = {}) => replica('old', ordinal, change);
  const fresh = (ordinal: number, change: Partial<ObservedReplica> = {}) => replica('new', ordinal, change);
  const rows: [string, ObservedReplica[], Partial<InstanceInputs['desired']>, string[]][] = [
    ['as wanted: nothing', [fresh(0), fresh(1)], {}, []],
    [
      'scaled up: the missing ordinals',
      [fresh(0)],
      { replicas: 3 },
      ['provision demo-new-1', 'start demo-new-1', 'provision demo-new-2', 'start demo-new-2'],
    ],
    ['a hole is filled', [fresh(1)], {}, ['provision demo-new-0', 'start demo-new-0']],
    [
      'scaled down: the highest ordinal goes',
      [fresh(0), fresh(1), fresh(2)],
      { replicas: 1 },
      ['drain demo-new-2', 'drain demo-new-1'],
    ],
    [
      'scaled down: the idle one goes first',
      [fresh(0), fresh(1, { inFlight: 4 })],
      { replicas: 1 },
      ['drain demo-new-0'],
    ],
    [
      'scaled down: one that is not ready goes before all',
      [fresh(0, { record: 'offline' }), fresh(1)],
      { replicas: 1 },
      ['drain demo-new-0'],
    ],
    ['to zero', [fresh(0), fresh(1)], { replicas: 0 }, ['drain demo-new-1', 'drain demo-new-0']],
    ['disabled is zero', [fresh(0)], { enabled: false, replicas: 2 }, ['put-instance', 'drain demo-new-0']],
    ['a record without process is started', [fresh(0, { runner: 'absent' }), fresh(1)], {}, ['start demo-new-0']],
    [
      'a process without record is provisioned',
      [fresh(0, { record: 'absent' }), fresh(1)],
      {},
      ['provision demo-new-0'],
    ],
    ['rollout begins with one more', [old(0), old(1)], {}, ['provision demo-new-0', 'start demo-new-0']],
    ['the new one is not ready: wait', [old(0), old(1), fresh(0, { record: 'offline' })], {}, []],
    ['the new one is ready: an old one goes', [old(0), old(1), fresh(0)], {}, ['drain demo-old-1']],
    [
      'an old one drains: the next new one comes',
      [old(0), old(1, { retiring: true, record: 'draining', runner: 'stopping' }), fresh(0)],
      {},
      ['provision demo-new-1', 'start demo-new-1'],
    ],
    ['the last old one goes', [old(0), fresh(0), fresh(1)], {}, ['drain demo-old-0']],
    [
      'maxUnavailable 1, maxSurge 0: an old one goes first',
      [old(0), old(1)],
      { maxSurge: 0, maxUnavailable: 1 },
      ['drain demo-old-1'],
    ],
    [
      'maxSurge 2: two new ones at once',
      [old(0), old(1)],
      { maxSurge: 2 },
      ['provision demo-new-0', 'start demo-new-0', 'provision demo-new-1', 'start demo-new-1'],
    ],
    [
      'old ones that are not ready go before ready ones',
      [old(0, { record: 'expired' }), old(1), fresh(0), fresh(1)],
      {},
      ['drain demo-old-0', 'drain demo-old-1'],
    ],
    [
      'a drained one that has ended is removed',
      [fresh(0), fresh(1), fresh(2, { retiring: true, record: 'offline', runner: 'absent' })],
      {},
      ['remove demo-new-2'],
    ],
    [
      'a drained one whose lease still runs is kept',
      [fresh(0), fresh(1), fresh(2, { retiring: true, record: 'ready', runner: 'absent' })],
      {},
      [],
    ],
    [
      'a drained one that still stops is kept',
      [fresh(0), fresh(1), fresh(2, { retiring: true, record: 'offline', runner: 'stopping' })],
      {},
      [],
    ],
    [
      'the ordinal of a leaving one is not taken again',
      [fresh(0), fresh(1, { retiring: true, record: 'draining', runner: 'stopping' })],
      {},
      ['provision demo-new-2', 'start demo-new-2'],
    ],
    ['suspended: nothing', [old(0)], { suspend: true }, []],
  ];
  test.each(rows)('%s', (_, replicas, desired, expected) => {
    expect(steps(inputs({ replicas, desired }))).toEqual(expected);
  });

  test('a rollout is reconciling until the last old one has gone', () => {
    const waiting = inputs({ replicas: [old(0), old(1), fresh(0, { record: 'offline' })] });
    expect(condition(waiting, 'Reconciling')).toMatchObject({ status: 'True', reason: 'RollingOut' });
    expect(condition(inputs({ replicas: [fresh(0), fresh(1)] }), 'Reconciling')).toBe(undefined);
  });

  test('a template that never becomes ready stops the rollout with all old ones serving', () => {
    const given = inputs({ replicas: [old(0), old(1), fresh(0, { record: 'offline', createdAt: NOW - 700_000 })] });
    expect(steps(given)).toEqual([]);
    expect(condition(given, 'Stalled')).toMatchObject({ reason: 'ProgressDeadlineExceeded' });
  });

  test('a rollout that is stuck says what is known of the host that does not come up', () => {
    const stuck = { record: 'offline', createdAt: NOW - 700_000 } as const;
    const told = (change: Partial<ObservedReplica>): string | undefined =>
      condition(inputs({ replicas: [old(0), old(1), fresh(0, { ...stuck, ...change })] }), 'Stalled')?.message;
    expect(told({ trouble: 'its image cannot be pulled' })).toContain('demo-new-0: its image cannot be pulled');
    expect(told({})).toContain('their logs say why');
  });

  test('what is known against a host is reported before the deadline, as long as it is not ready', () => {
    const stuck = fresh(0, { record: 'offline', trouble: 'its image cannot be pulled' });
    const given = inputs({ replicas: [old(0), old(1), stuck] });
    const message = 'demo-new-0: its image cannot be pulled';
    expect(condition(given, 'Reconciling')).toMatchObject({ reason: 'HostTrouble', message });
    expect(condition(given, 'Ready')).toMatchObject({ status: 'True' });
    const alone = inputs({ desired: { replicas: 1 }, replicas: [stuck] });
    expect(condition(alone, 'Ready')).toMatchObject({ status: 'False', reason: 'HostTrouble' });
    expect(condition(inputs({ replicas: [{ ...stuck, record: 'ready' }, fresh(1)] }), 'Reconciling')).toBe(undefined);
  });

  test('executed pass by pass, a rollout ends with only new ones and never falls below what was wanted', () => {
    let replicas = [old(0), old(1), old(2)];
    const readyAtLeast = 3;
    for (let round = 0; round < 40; round += 1) {
      const plan = reconcile(inputs({ replicas, desired: { replicas: 3 } }), nameOf).steps;
      for (const step of plan) {
        if (step.do === 'provision') replicas = [...replicas, fresh(step.ordinal, { record: 'offline' })];
        if (step.do === 'drain')
          replicas = replicas.map((found) =>
            found.name === step.replica ? { ...found, retiring: true, record: 'offline', runner: 'absent' } : found,
          );
        if (step.do === 'remove') replicas = replicas.filter((found) => found.name !== step.replica);
      }
      if (plan.length === 0)
        replicas = replicas.map((found) => (found.retiring ? found : { ...found, record: 'ready' }));
      expect(replicas.filter((found) => found.record === 'ready').length).toBeGreaterThanOrEqual(readyAtLeast);
      expect(replicas.filter((found) => !found.retiring).length).toBeLessThanOrEqual(4);
    }
    expect(replicas.map((found) => found.name).sort()).toEqual(['demo-new-0', 'demo-new-1', 'demo-new-2']);
    expect(condition(inputs({ replicas, desired: { replicas: 3 } }), 'Ready')).toMatchObject({ status: 'True' });
  });
});

describe('hosts that run elsewhere', () => {
  const external = (name: string, change: Partial<ObservedReplica> = {}) =>
    replica('new', 0, { name, managed: false, runner: 'absent', record: 'offline', ...change });
  const desired = { hosting: 'External' as const, external: ['clock-1'] };

  test('are registered offline and never started', () => {
    expect(steps(inputs({ desired }))).toEqual(['provision clock-1']);
    expect(condition(inputs({ desired, replicas: [external('clock-1')] }), 'Ready')).toMatchObject({
      status: 'False',
      reason: 'HostsOffline',
    });
  });

  test('are removed when their document goes and their lease has ended', () => {
    expect(steps(inputs({ desired: { ...desired, external: [] }, replicas: [external('clock-1')] }))).toEqual([
      'remove clock-1',
    ]);
    const removed = (record: ObservedReplica['record']) =>
      inputs({ desired: { ...desired, external: [] }, replicas: [external('clock-1', { record })] });
    for (const record of ['ready', 'draining'] as const) {
      expect(steps(removed(record)), record).toEqual([]);
      expect(condition(removed(record), 'Reconciling')?.message).toContain('clock-1 holds a lease');
    }
    expect(steps(removed('expired'))).toEqual(['remove clock-1']);
  });
});

describe('remove', () => {
  test('an instance goes in order: bindings, replicas, itself', () => {
    const deleted = { deleted: true };
    expect(steps(inputs({ desired: deleted, replicas: [replica('new', 0)] }))).toEqual([
      'put-binding -cap:demo:echo',
      'put-binding -cap:demo:count',
      'drain demo-new-0',
    ]);
    const off = BOUND.map((binding) => ({ ...binding, enabled: false }));
    const gone = replica('new', 0, { retiring: true, record: 'offline', runner: 'absent' });
    expect(steps(inputs({ desired: deleted, registry: { bindings: off }, replicas: [gone] }))).toEqual([
      'remove demo-new-0',
      'forget-instance',
    ]);
    expect(steps(inputs({ desired: deleted, registry: { bindings: off } }))).toEqual(['forget-instance']);
  });
});

test('while a spec cannot be admitted, it can still request fewer replicas or none, and disable the instance', () => {
  const replicas = [replica('old', 0), replica('old', 1, { runner: 'absent', record: 'expired' })];
  const description = { ok: false, message: 'no' } as const;
  const kinds = (desired: Partial<InstanceInputs['desired']>): string[] =>
    reconcile(inputs({ replicas, description, desired }), nameOf).steps.map(
      (step) => `${step.do}${'replica' in step ? ` ${step.replica}` : ''}`,
    );
  expect(kinds({ replicas: 1 })).toEqual(['drain demo-old-1']);
  expect(kinds({ enabled: false })).toEqual(['put-instance', 'drain demo-old-1', 'drain demo-old-0']);
});

test.each([
  [
    'a newer replica is ready',
    'Replaced',
    [replica('old', 0, { inFlight: 3 }), replica('new', 0), replica('new', 1)],
    {},
  ],
  [
    'scaled down',
    'ScaledDown',
    [replica('new', 0, { inFlight: 5 }), replica('new', 1, { inFlight: 3 })],
    { replicas: 1 },
  ],
] as const)('a drain says how many actions the replica holds and why: %s', (why, reason, replicas, desired) => {
  const { steps } = reconcile(inputs({ replicas: [...replicas], desired }), nameOf);
  const drains = steps.filter((step) => step.do === 'drain');
  const name = replicas.find(({ inFlight }) => inFlight === 3)?.name;
  expect(drains).toMatchObject([{ reason, message: `Draining ${name} (3 in flight): ${why}` }]);
});

test('what is retired comes before what is made, and is not started again', () => {
  const replicas = [
    replica('bent', 0, { runner: 'absent', record: 'offline', neverReady: true }),
    replica('new', 0),
    replica('new', 1),
  ];
  const { steps } = reconcile(inputs({ replicas, desired: { replicas: 3 } }), nameOf);
  const kinds = steps.map((step) => `${step.do}${'replica' in step ? ` ${step.replica}` : ''}`);
  expect(kinds).toEqual(['start demo-bent-0', 'provision demo-new-2', 'start demo-new-2']);
  const two = reconcile(inputs({ replicas }), nameOf).steps;
  expect(two.map((step) => `${step.do}${'replica' in step ? ` ${step.replica}` : ''}`)).toEqual(['drain demo-bent-0']);
});

test('while a spec cannot be admitted, what there is continues: hosts start again, nothing new is made and nothing is drained', () => {
  const replicas = [
    replica('old', 0, { runner: 'absent', record: 'expired' }),
    replica('old', 1),
    replica('old', 2, { retiring: true }),
    replica('old', 3, { retiring: true, runner: 'absent', record: 'offline' }),
  ];
  for (const description of [{ ok: false, message: 'no' } as const, undefined]) {
    const { steps } = reconcile(inputs({ replicas, description }), nameOf);
    const kinds = steps
      .map((step) => `${step.do} ${'replica' in step ? step.replica : ''}`)
      .filter((step) => step !== 'describe ');
    expect(kinds).toEqual(['drain demo-old-2', 'start demo-old-0', 'remove demo-old-3']);
  }
});

describe('the move to another version', () => {
  const old = { versionId: 'cver_0' } as const;
  const now = { versionId: VERSION } as const;
  const instance = { ...old, configRevision: 1, enabled: true };
  const given = (replicas: ObservedReplica[], change: Parameters<typeof inputs>[0] = {}) =>
    inputs({ ...change, replicas, registry: { instance, bindings: BOUND, ...change.registry } });
  const steps = (replicas: ObservedReplica[], change: Parameters<typeof inputs>[0] = {}) =>
    reconcile(given(replicas, change), nameOf).steps.map((step) =>
      `${step.do} ${'replica' in step ? step.replica : step.do === 'put-canary' ? (step.canary?.percent ?? 'none') : ''}`.trim(),
    );
  const share = (percent: number) => ({ registry: { canary: { ...now, percent } } });

  test('meanwhile each version takes a share of the new work that is as large as its share of the ready hosts', () => {
    const both = [replica('old', 0, old), replica('old', 1, old)];
    expect(steps(both)).toEqual(['provision demo-new-0', 'start demo-new-0']);
    expect(steps([...both, replica('new', 0, { ...now, record: 'offline' })])).toEqual([]);
    expect(steps([...both, replica('new', 0, now)])).toEqual(['put-canary 33', 'drain demo-old-1']);
    expect(steps([...both, replica('new', 0, now)], share(33))).toEqual(['drain demo-old-1']);
    const drains = replica('old', 1, { ...old, retiring: true, record: 'draining' });
    expect(steps([replica('old', 0, old), drains, replica('new', 0, now)], share(33))[0]).toBe('put-canary 50');
  });

  test('both versions have a share, however few the hosts of one are', () => {
    const many = Array.from({ length: 400 }, (_, ordinal) => replica('new', ordinal, now));
    const desired = { replicas: 400, paused: true };
    expect(steps([replica('old', 0, old), ...many], { desired })[0]).toBe('put-canary 99');
    const olds = Array.from({ length: 400 }, (_, ordinal) => replica('old', ordinal, old));
    expect(steps([replica('new', 0, now), ...olds], { desired })[0]).toBe('put-canary 1');
  });

  test('comes when no host of the present one takes new work any more', () => {
    const news = [replica('new', 0, now), replica('new', 1, now)];
    expect(steps([replica('old', 0, old), ...news], share(67))).toEqual(['drain demo-old-0']);
    const drains = replica('old', 0, { ...old, retiring: true, record: 'draining' });
    expect(steps([drains, ...news], share(67)).slice(0, 2)).toEqual(['put-instance', 'put-canary none']);
  });

  test('waits for a host that is ready while hosts of the present version may come back', () => {
    const away = replica('old', 0, { ...old, record: 'expired' });
    expect(steps([away])[0]).not.toBe('put-instance');
    expect(steps([away, replica('new', 0, { ...now, record: 'offline' })])[0]).not.toBe('put-instance');
    expect(steps([away, replica('new', 0, now)])[0]).toBe('put-instance');
  });

  test('comes at once where the present version has no hosts', () => {
    expect(steps([])[0]).toBe('put-instance');
    expect(steps([replica('old', 0, { ...old, retiring: true })])[0]).toBe('put-instance');
  });

  test('of hosts that a user starts comes when as many of the new version are ready', () => {
    const desired = { hosting: 'External', external: ['demo-old-0', 'demo-new-0'] } as const;
    const mine = (template: string, version: object) => replica(template, 0, { ...version, managed: false });
    const without = mine('new', { ...now, record: 'offline' });
    expect(steps([mine('old', old), without], { desired })).not.toContain('put-instance');
    expect(steps([mine('old', old), mine('new', now)], { desired })[0]).toBe('put-instance');
  });

  test('a spec that returns to the present version takes the new work from the other one at once', () => {
    const back = { registry: { instance: { ...instance, ...now }, canary: { ...old, percent: 50 } } };
    expect(steps([replica('new', 0, now), replica('old', 0, old)], back)[0]).toBe('put-canary none');
  });

  test('takes bindings along: nothing about them changes before', () => {
    const bindings = [{ capabilityId: 'cap:demo:gone', priority: 0, enabled: true }];
    const registry = { bindings };
    expect(steps([replica('old', 0, old), replica('new', 1, now)], { registry })).not.toContain('put-binding');
    expect(steps([replica('new', 0, now)], { registry }).filter((step) => step === 'put-binding')).toHaveLength(3);
  });
});

describe('what an operator asks of single replicas', () => {
  const kinds = (replicas: ObservedReplica[], desired: Partial<InstanceInputs['desired']> = {}) =>
    reconcile(inputs({ replicas, desired }), nameOf).steps.map(
      (step) => `${step.do} ${'replica' in step ? step.replica : ''}`,
    );

  test('a cordoned one is drained, stays, and is not started or replaced', () => {
    const other = replica('new', 1);
    expect(kinds([replica('new', 0, { cordoned: true }), other])).toEqual(['stop demo-new-0']);
    const drained = replica('new', 0, { cordoned: true, record: 'offline', runner: 'absent' });
    expect(kinds([drained, other])).toEqual([]);
    expect(kinds([{ ...drained, cordoned: false }, other])).toEqual(['start demo-new-0']);
  });

  test('while one is cordoned the instance says so, and not that it starts', () => {
    const gone = { record: 'offline', runner: 'absent' } as const;
    const drained = replica('new', 0, { cordoned: true, ...gone });
    const ready = (replicas: ObservedReplica[]) => condition(inputs({ replicas }), 'Ready');
    expect(ready([drained, replica('new', 1)])).toMatchObject({
      status: 'False',
      reason: 'ReplicasCordoned',
      message: '1 of 2 replicas are ready; drained by hand: demo-new-0',
    });
    // The other one is on its way up.
    expect(ready([drained, replica('new', 1, gone)])).toMatchObject({
      reason: 'Starting',
      message: '0 of 2 replicas are ready; drained by hand: demo-new-0',
    });
    expect(ready([replica('new', 0, gone), replica('new', 1)])).toMatchObject({
      reason: 'Starting',
      message: '1 of 2 replicas are ready',
    });
  });

  test('one that was asked to stop and still runs is asked again, and another takes its place', () => {
    const going = replica('new', 0, { retiring: true });
    expect(kinds([going, replica('new', 1)])).toEqual(['drain demo-new-0', 'provision demo-new-2', 'start demo-new-2']);
  });

  test('a forced removal waits neither for work nor for a lease', () => {
    const deleted = { deleted: true, forced: true };
    const stopping = replica('new', 0, { retiring: true, runner: 'stopping' });
    const { steps } = reconcile(inputs({ replicas: [stopping], desired: deleted }), nameOf);
    expect(steps.find((step) => step.do === 'drain')).toMatchObject({ replica: 'demo-new-0', timeoutMs: 0 });
    const stopped = replica('new', 0, { retiring: true, runner: 'absent' });
    expect(kinds([stopped], deleted)).toContain('remove demo-new-0');
    expect(kinds([stopped], { deleted: true })).not.toContain('remove demo-new-0');
  });
});

test('replicas that were never ready stall after the deadline; one that only starts again does not', () => {
  const stalled = (change: Partial<ObservedReplica>) => {
    const late = replica('new', 0, { record: 'offline', createdAt: NOW - 600_001, ...change });
    const { conditions } = reconcile(inputs({ replicas: [late, replica('new', 1)] }), nameOf);
    return conditions.find(({ type }) => type === 'Stalled')?.reason;
  };
  expect(stalled({ neverReady: true })).toBe('ProgressDeadlineExceeded');
  expect(stalled({ neverReady: true, createdAt: NOW - 600_000 })).toBeUndefined();
  expect(stalled({ neverReady: false })).toBeUndefined();
});

test('during a rollout a new replica stalls that has held no lease for the deadline, however long ago it was made', () => {
  const stalled = (change: Partial<ObservedReplica>) => {
    const made = replica('new', 0, { createdAt: NOW - 86_400_000, neverReady: false, ...change });
    const { conditions } = reconcile(inputs({ replicas: [replica('old', 1), made] }), nameOf);
    return conditions.find(({ type }) => type === 'Stalled')?.reason;
  };
  expect(stalled({ record: 'expired', leaseUntil: NOW })).toBeUndefined();
  expect(stalled({ record: 'offline', leaseUntil: NOW - 600_000 })).toBeUndefined();
  expect(stalled({ record: 'offline', leaseUntil: NOW - 600_001 })).toBe('ProgressDeadlineExceeded');
  expect(stalled({ record: 'ready', leaseUntil: NOW })).toBeUndefined();
  expect(stalled({ record: 'ready', unreachable: true, leaseUntil: NOW })).toBe('ProgressDeadlineExceeded');
  expect(stalled({ record: 'offline', neverReady: true })).toBe('ProgressDeadlineExceeded');
});

test('the same inputs always give the same plan', () => {
  const given = inputs({ replicas: [replica('old', 1), replica('old', 0), replica('new', 0, { record: 'offline' })] });
  expect(reconcile(given, nameOf)).toEqual(reconcile(structuredClone(given), nameOf));
});

describe('a canary', () => {
  const OLD = 'cver_0';
  const canary = { percent: 34, durationMs: 60_000, minActions: 5, maxFailurePercent: 10 };
  const registry = { instance: { versionId: OLD, configRevision: 1, enabled: true, keepsRoutes: true } };
  const old = (ordinal: number) => replica('old', ordinal, { versionId: OLD });
  const tried = (change: Partial<ObservedReplica> = {}) =>
    replica('new', 0, { versionId: VERSION, readySince: NOW - 59_999, ...change });
  const given = (replicas: ObservedReplica[], change: Parameters<typeof inputs>[0] = {}) =>
    inputs({ registry, ...change, desired: { replicas: 3, canary, ...change.desired }, replicas });
  const share = (inputsGiven: InstanceInputs) =>
    reconcile(inputsGiven, nameOf).steps.flatMap((step) => (step.do === 'put-canary' ? [step.canary] : []));
  const WITH_SHARE = { ...registry, canary: { versionId: VERSION, percent: 34 } };

  test('begins with its share of the replicas, and its version takes its share of the work', () => {
    const begun = given([old(0), old(1), old(2)]);
    expect(steps(begun)).toEqual(['put-canary', 'provision demo-new-0', 'start demo-new-0']);
    expect(share(begun)).toEqual([{ versionId: VERSION, percent: 34 }]);
    expect(condition(begun, 'Ready')).toMatchObject({ status: 'True' });
  });

  test('an instance keeps the routes of ended actions where new versions are tried alone, also one that the release before has registered', () => {
    const kept = (canaryWanted: boolean, keepsRoutes: boolean) =>
      reconcile(
        inputs({
          registry: { instance: { versionId: VERSION, configRevision: 1, enabled: true, keepsRoutes } },
          desired: { canary: canaryWanted ? canary : undefined },
          replicas: [],
        }),
        nameOf,
      ).steps.flatMap((step) => (step.do === 'put-instance' ? [step.keepsRoutes] : []));
    expect([kept(true, true), kept(true, false), kept(false, true), kept(false, false)]).toEqual([
      [],
      [true],
      [false],
      [],
    ]);
  });

  test('replaces its share and no more while it is tried, and the instance stays at its version', () => {
    const ready = given([old(0), old(1), old(2), tried()], { registry: WITH_SHARE });
    expect(steps(ready)).toEqual(['drain demo-old-2']);
    const held = given([old(0), old(1), tried()], { registry: WITH_SHARE });
    expect(steps(held)).toEqual([]);
    expect(condition(held, 'Reconciling')).toMatchObject({ reason: 'Canary' });
  });

  test('a canary that has been ready for its time, with few failures, is followed by the others', () => {
    const over = given([old(0), old(1), tried({ readySince: NOW - 60_000 })], {
      registry: WITH_SHARE,
      canaryOutcome: { finished: 100, failed: 10 },
    });
    expect(steps(over)).toEqual(['put-canary', 'provision demo-new-1', 'start demo-new-1']);
    expect(share(over)).toEqual([{ versionId: VERSION, percent: 33 }]);
    const noted = given([old(0), tried(), replica('new', 1, { versionId: VERSION })], {
      registry: WITH_SHARE,
      desired: { canary: undefined },
    });
    expect(steps(noted)).toEqual(['put-instance', 'put-canary', 'provision demo-new-2', 'start demo-new-2']);
    expect(reconcile(noted, nameOf).steps[0]).toMatchObject({ versionId: OLD, keepsRoutes: false });
    expect(share(noted)).toEqual([{ versionId: VERSION, percent: 67 }]);
  });

  test.each([
    ['too many failures, early', { finished: 5, failed: 1 }, NOW - 1, true],
    ['too many failures of too few actions', { finished: 4, failed: 4 }, NOW - 1, false],
    ['too many failures of few actions when its time is over', { finished: 1, failed: 1 }, NOW - 60_000, true],
    ['just as many failures as may be', { finished: 10, failed: 1 }, NOW - 1, false],
  ])('of a canary with %s it is known whether it failed', (_, canaryOutcome, readySince, fails) => {
    const judged = given([old(0), old(1), tried({ readySince })], { registry: WITH_SHARE, canaryOutcome });
    expect(condition(judged, 'Stalled')?.reason).toBe(fails ? 'CanaryFailed' : undefined);
    expect(share(judged)).toEqual(fails ? [undefined] : []);
    expect(steps(judged)).toEqual(fails ? ['put-canary'] : []);
  });

  test('one that is not ready is not judged by its time', () => {
    const waits = given([old(0), old(1), old(2), tried({ record: 'expired', readySince: NOW - 90_000 })]);
    expect(condition(waits, 'Reconciling')).toMatchObject({ reason: 'CanaryChanged' });
    expect(steps(waits)).toEqual(['put-canary']);
  });

  test('a scale-up meanwhile is of the new template, a scale-down keeps one of each', () => {
    const up = given([old(0), old(1), tried()], { registry: WITH_SHARE, desired: { replicas: 5, maxSurge: 0 } });
    expect(steps(up)).toEqual(['provision demo-new-1', 'start demo-new-1', 'provision demo-new-2', 'start demo-new-2']);
    const down = given([old(0), old(1), tried()], { registry: WITH_SHARE, desired: { replicas: 1 } });
    expect(steps(down)).toEqual(['drain demo-old-1']);
  });

  test.each([
    ['there is nothing to compare with', [], {}],
    ['there is no room for one of each', [old(0)], { replicas: 1, maxSurge: 0, maxUnavailable: 1 }],
    ['the instance is disabled', [old(0)], { enabled: false }],
  ])('nothing is tried where %s', (_, replicas, desired) => {
    const plain = given(replicas, { desired });
    expect(share(plain)).toEqual([]);
    expect(plain.desired.canary).toBeDefined();
  });
});

describe('a paused rollout', () => {
  const desired = { paused: true };

  test('replaces nothing, restarts what stopped, and says that it is paused', () => {
    const given = inputs({
      desired,
      replicas: [replica('old', 0), replica('old', 1, { record: 'offline', runner: 'absent' })],
    });
    expect(steps(given)).toEqual(['start demo-old-1']);
    expect(condition(given, 'Reconciling')).toBeDefined();
    const rest = inputs({
      desired,
      replicas: [replica('old', 0), replica('old', 1), replica('new', 0, { record: 'offline' })],
    });
    expect(condition(rest, 'Stalled')).toBeUndefined();
    expect(
      condition(inputs({ desired, replicas: [replica('old', 0), replica('old', 1)] }), 'Reconciling'),
    ).toMatchObject({
      reason: 'RolloutPaused',
    });
  });

  test('is scaled down, and makes what is missing where no old replica is left', () => {
    const many = inputs({ desired, replicas: [replica('old', 0), replica('old', 1), replica('new', 0)] });
    expect(steps(many)).toHaveLength(1);
    expect(steps(many)[0]).toMatch(/^drain /);
    expect(steps(inputs({ desired, replicas: [replica('new', 0)] }))).toEqual([
      'provision demo-new-1',
      'start demo-new-1',
    ]);
  });
});
