import { describe, expect, test } from 'vitest';
import type { Failure } from '#controller/cluster/instance/failure.js';
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
