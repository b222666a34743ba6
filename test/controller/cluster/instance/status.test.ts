import { describe, expect, test } from 'vitest';
import { connectorInstanceStatusSchema } from '#controller/api/connector-instance.js';
import type { Failure } from '#controller/cluster/instance/failure.js';
import { replicaDrain } from '#controller/cluster/instance/held-work/replica-drain.js';
import { type ReplicaOfVersion, versionsOf } from '#controller/cluster/instance/held-work/versions.js';
import { replicaReach, runningVersion } from '#controller/cluster/instance/replica-reach.js';
import {
  instanceConditions,
  instanceStatus,
  type ReconcileFailure,
  replicaStatus,
} from '#controller/cluster/instance/status.js';
import type { RegistryReplica } from '#controller/fleet/fleet-registry.js';
import type { ReplicaFailure } from '#controller/fleet/outcomes/last-failures.js';
import type { ObservedReplica } from '#controller/reconcile/inputs.js';
import type { InstanceCondition, Plan } from '#controller/reconcile/reconcile.js';
import { instanceLike, replicaLike } from '../support.ts';

const counts = { replicas: 2, ready: 1, updated: 2, draining: 0 };
const condition = (
  type: InstanceCondition['type'],
  status: InstanceCondition['status'],
  reason: string,
): InstanceCondition => ({ type, status, reason, message: `${reason} is so` });
const plan = (...conditions: InstanceCondition[]): Plan => ({ steps: [], conditions, counts });
const ADMITTED = condition('Admitted', 'True', 'VersionAdmitted');
const BOUND = condition('Bound', 'True', 'Bound');
const STARTING = condition('Ready', 'False', 'Starting');
const READY = condition('Ready', 'True', 'ReplicasReady');
const stalled = (reason: string, ...steps: ReconcileFailure['steps']): ReconcileFailure => ({
  reason,
  message: 'told',
  stalled: true,
  passing: false,
  steps,
});
const waiting = (reason: string, ...steps: ReconcileFailure['steps']): ReconcileFailure => ({
  ...stalled(reason, ...steps),
  stalled: false,
});
const short = (of: Plan, failure: ReconcileFailure | undefined): string[] =>
  instanceConditions(of, failure).map(({ type, status, reason }) => `${type} ${status} ${reason}`);

test.each([
  ['no failure', STARTING, undefined, ['Ready False Starting', 'Admitted True VersionAdmitted', 'Bound True Bound']],
  [
    'a Pod that a quota refuses',
    STARTING,
    stalled('QuotaExceeded', 'start'),
    ['Ready False QuotaExceeded', 'Admitted True VersionAdmitted', 'Bound True Bound', 'Stalled True QuotaExceeded'],
  ],
  [
    'a Pod that a quota refuses while enough serve',
    READY,
    stalled('QuotaExceeded', 'start'),
    ['Ready True ReplicasReady', 'Admitted True VersionAdmitted', 'Bound True Bound', 'Stalled True QuotaExceeded'],
  ],
  [
    'a version that is refused while enough serve',
    READY,
    stalled('CapabilityConflict', 'admit-version'),
    [
      'Ready True ReplicasReady',
      'Admitted False CapabilityConflict',
      'Bound False CapabilityConflict',
      'Stalled True CapabilityConflict',
    ],
  ],
  [
    'a version that cannot be admitted now',
    READY,
    waiting('DatabaseUnavailable', 'admit-version'),
    [
      'Ready True ReplicasReady',
      'Admitted Unknown DatabaseUnavailable',
      'Bound Unknown DatabaseUnavailable',
      'Reconciling True DatabaseUnavailable',
    ],
  ],
  [
    'a binding that is refused',
    READY,
    stalled('RegistryRefused', 'put-binding'),
    [
      'Ready True ReplicasReady',
      'Admitted True VersionAdmitted',
      'Bound False RegistryRefused',
      'Stalled True RegistryRefused',
    ],
  ],
] as const)('what is said of an instance after %s', (_, ready, failure, said) => {
  expect(short(plan(ready, ADMITTED, BOUND), failure)).toEqual(said);
});

test('a lost race is not spoken of, and a failure takes the place of what was under way', () => {
  const passing: ReconcileFailure = { reason: 'Conflict', message: 'x', stalled: false, passing: true, steps: [] };
  const under = plan(STARTING, condition('Reconciling', 'True', 'Surge'));
  expect(short(under, passing)).toEqual(['Ready False Starting', 'Reconciling True Surge']);
  expect(short(under, stalled('NameTaken', 'start'))).toEqual(['Ready False NameTaken', 'Stalled True NameTaken']);
});

test('a message is cut to what the API server takes', () => {
  const long = { ...STARTING, message: 'x'.repeat(5000) };
  const [ready] = instanceConditions(plan(long), undefined);
  expect(ready?.message).toHaveLength(4096);
  expect(ready?.message.endsWith('…')).toBe(true);
});

test('the status of an instance has what an autoscaler needs, and coordinates only once it is admitted', () => {
  const status = instanceStatus(instanceLike(), { plan: plan(), admission: undefined, configRevision: 4 });
  expect(status).toEqual({
    observedGeneration: 3,
    replicas: 2,
    readyReplicas: 1,
    updatedReplicas: 2,
    drainingReplicas: 0,
    selector: 'fleet.aip.dev/instance=demo,app.kubernetes.io/component=host',
    instanceId: 'cinst_acme.demo.11111111',
    configRevision: 4,
  });
});

test.each([
  ['absent', 'Offline', ['Provisioned False RecordMissing', 'Registered False Offline', 'Ready False Offline']],
  ['offline', 'Offline', ['Provisioned True Provisioned', 'Registered False Offline', 'Ready False Offline']],
  ['ready', 'Ready', ['Provisioned True Provisioned', 'Registered True LeaseHeld', 'Ready True Ready']],
  ['draining', 'Draining', ['Provisioned True Provisioned', 'Registered True LeaseHeld', 'Ready False Draining']],
  ['expired', 'Expired', ['Provisioned True Provisioned', 'Registered False Expired', 'Ready False Expired']],
] as const)('what is said of a replica whose record is %s', (record, state, said) => {
  const seen = { record } as ObservedReplica;
  const { status, conditions } = replicaStatus(replicaLike(), seen, { podName: 'demo-abcdef-0' });
  expect(status).toEqual({ state, observedGeneration: 1, podName: 'demo-abcdef-0' });
  expect(conditions.map(({ type, status: is, reason }) => `${type} ${is} ${reason}`)).toEqual(said);
});

describe('what a replica that takes no new work still holds', () => {
  const NOW = Date.parse('2026-01-01T01:00:00Z');
  const END = Date.parse('2026-01-01T01:05:30Z');
  const seen = (change: Partial<ObservedReplica> = {}): ObservedReplica =>
    ({
      record: 'draining',
      runner: 'stopping',
      retiring: true,
      inFlight: 3,
      endsAt: END,
      ...change,
    }) as ObservedReplica;
  const HELD = { pinnedActions: 3, observedTime: '2026-01-01T01:00:00Z', deadline: '2026-01-01T01:05:30Z' };

  test.each([
    ['stops with work', {}, HELD],
    ['stops without work', { inFlight: 0 }, undefined],
    ['serves', { record: 'ready', runner: 'running', retiring: false, endsAt: undefined }, undefined],
    ['is evicted, with work', { retiring: false }, HELD],
    [
      'is External and drains',
      { managed: false, runner: 'absent', endsAt: undefined },
      { ...HELD, deadline: undefined },
    ],
    [
      'lost its Pod while it drained',
      { runner: 'absent', endsAt: undefined, record: 'expired' },
      { ...HELD, deadline: undefined },
    ],
    [
      'is cordoned and gone, with work',
      { retiring: false, cordoned: true, record: 'offline', runner: 'absent', endsAt: undefined },
      { ...HELD, deadline: undefined },
    ],
  ] as const)('one that %s', (_, change, expected) => {
    expect(replicaDrain(undefined, seen(change), NOW)).toEqual(expected && JSON.parse(JSON.stringify(expected)));
  });

  test('another count is written after 5 s at the earliest, another deadline and the end immediately', () => {
    const later = (ms: number, change: Partial<ObservedReplica>) => replicaDrain(HELD, seen(change), NOW + ms);
    expect(later(3_600_000, {})).toBe(HELD);
    expect(later(4_999, { inFlight: 2 })).toBe(HELD);
    expect(later(5_000, { inFlight: 2 })).toEqual({ ...HELD, pinnedActions: 2, observedTime: '2026-01-01T01:00:05Z' });
    expect(later(1, { endsAt: END + 1000 })).toMatchObject({ deadline: '2026-01-01T01:05:31Z' });
    expect(later(1, { inFlight: 0 })).toBeUndefined();
  });

  const of = (versionId: string, change: Partial<ObservedReplica>, drain?: ReplicaOfVersion['status']['drain']) => ({
    replica: { spec: { versionId, manifestDigest: `sha256:${versionId}` } } as ReplicaOfVersion['replica'],
    seen: seen({ inFlight: 0, ...change }),
    status: { version: versionId.slice(5), ...(drain && { drain }) },
  });
  const serving = { record: 'ready', runner: 'running', retiring: false } as const;

  test('versions are listed with their hosts, the admitted one first; one that leaves has the latest time of its hosts', () => {
    const later = { ...HELD, pinnedActions: 4, deadline: '2026-01-01T01:06:00Z' };
    const replicas = [
      of('cver_1.0.0', {}, later),
      of('cver_1.0.0', {}, HELD),
      of('cver_1.0.0', {}),
      of('cver_2.0.0', serving),
    ];
    expect(versionsOf(replicas, 'cver_2.0.0')).toEqual([
      {
        ...{ versionId: 'cver_2.0.0', version: '2.0.0', manifestDigest: 'sha256:cver_2.0.0' },
        ...{ replicas: 1, readyReplicas: 1, drainingReplicas: 0, pinnedActions: 0 },
      },
      {
        ...{ versionId: 'cver_1.0.0', version: '1.0.0', manifestDigest: 'sha256:cver_1.0.0' },
        ...{ replicas: 3, readyReplicas: 0, drainingReplicas: 3, pinnedActions: 7, removedBy: later.deadline },
      },
    ]);
  });

  test('a version stays, so has no time, while one of its hosts stays or has none itself', () => {
    const { deadline: _, ...endless } = HELD;
    expect(versionsOf([of('cver_1', {}, HELD), of('cver_1', serving)], 'cver_2')[0]).not.toHaveProperty('removedBy');
    expect(versionsOf([of('cver_1', {}, HELD), of('cver_1', {}, endless)], 'cver_2')[0]).not.toHaveProperty(
      'removedBy',
    );
    expect(versionsOf([of('cver_1', {})], 'cver_2')[0]).not.toHaveProperty('removedBy');
  });

  test('as many versions are listed as the definition takes', () => {
    const { maxItems } = connectorInstanceStatusSchema.properties.versions;
    const many = Array.from({ length: maxItems + 1 }, (_, at) => of(`cver_${at}`, serving));
    expect(versionsOf(many, `cver_${maxItems}`)).toHaveLength(maxItems);
    expect(versionsOf(many, `cver_${maxItems}`)[0]?.versionId).toBe(`cver_${maxItems}`);
  });
});

describe('how gateways reach a replica', () => {
  const NOW = Date.parse('2026-01-01T01:00:00Z');
  const record = (open: boolean) => ({ circuitOpenUntil: open ? NOW + 1 : NOW }) as RegistryReplica;
  const failure = (at: number, kind: ReplicaFailure['kind'] = 'unreached'): ReplicaFailure => ({
    kind,
    actionId: 'act_1',
    endpoint: 'https://a.test:8443/aip/v1/messages',
    at,
  });
  const UNREACHED = {
    reason: 'Unreached',
    message: 'no host at https://a.test:8443 took act_1; nothing of it began',
    time: '2026-01-01T01:00:00Z',
  } as const;

  test('its circuit and its last failure are stated, and the failure stays after the host has recovered', () => {
    expect(replicaReach(undefined, { record: undefined, failure: undefined, now: NOW })).toEqual({});
    expect(replicaReach({}, { record: record(false), failure: undefined, now: NOW })).toEqual({ circuit: 'Closed' });
    const failed = replicaReach({}, { record: record(true), failure: failure(NOW), now: NOW });
    expect(failed).toEqual({ circuit: 'Open', lastFailure: UNREACHED });
    const lost = replicaReach({}, { record: record(false), failure: failure(NOW, 'outcome_unknown'), now: NOW });
    expect(lost.lastFailure).toMatchObject({ reason: 'OutcomeUnknown', message: expect.stringContaining('act_1') });
    const recovered = replicaReach(failed, { record: record(false), failure: undefined, now: NOW });
    expect(recovered).toEqual({ circuit: 'Closed', lastFailure: UNREACHED });
  });

  test('another failure is written after a minute at the earliest, unless the circuit changed', () => {
    const before = { circuit: 'Open', lastFailure: UNREACHED } as const;
    const timeAfter = (ms: number, open = true) =>
      replicaReach(before, { record: record(open), failure: failure(NOW + ms), now: NOW }).lastFailure?.time;
    expect(timeAfter(59_999)).toBe(UNREACHED.time);
    expect(timeAfter(60_000)).toBe('2026-01-01T01:01:00Z');
    expect(timeAfter(1000, false)).toBe('2026-01-01T01:00:01Z');
  });

  test('the label of its version is that of the admitted version, and stays when another one is admitted', () => {
    const replica = (version?: string) => ({ ...replicaLike({ versionId: 'cver_1' }), status: { version } });
    expect(runningVersion(replica(), { id: 'cver_1', label: '1.0.0' })).toBe('1.0.0');
    expect(runningVersion(replica('1.0.0'), { id: 'cver_2', label: '2.0.0' })).toBe('1.0.0');
    expect(runningVersion(replica(), { id: undefined, label: '2.0.0' })).toBeUndefined();
  });
});

test('a replica that cannot be made or started says why itself', () => {
  const failure: Failure = {
    reason: 'RegistryRefused',
    message: 'must be an https URL',
    stalled: true,
    passing: false,
  };
  const { conditions } = replicaStatus(replicaLike(), { record: 'absent' } as ObservedReplica, {
    podName: undefined,
    failure,
  });
  expect(conditions.map(({ type, reason, message }) => `${type} ${reason} ${message}`)).toEqual([
    'Provisioned RegistryRefused must be an https URL',
    'Registered Offline no host holds its lease',
    'Ready RegistryRefused must be an https URL',
  ]);
});
