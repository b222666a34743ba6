import { expect, test } from 'vitest';
import { ANNOTATIONS } from '#controller/api/group.js';
import type { Pod } from '#controller/cluster/objects/host-pod.js';
import { gather, type Observed, runnerState } from '#controller/cluster/observed/gather.js';
import type { AdmissionResult } from '#controller/fleet/admission.js';
import type { RegistryReplica } from '#controller/fleet/fleet-registry.js';
import { reconcile } from '#controller/reconcile/reconcile.js';
import { instanceLike, replicaLike } from '../support.ts';

const NOW = Date.parse('2026-01-01T01:00:00Z');
const ID = 'crepl_acme.demo-abcdef-0.99999999';
const record = (change: Partial<RegistryReplica> = {}): RegistryReplica => ({
  replicaId: ID,
  instanceId: 'cinst_acme.demo.11111111',
  versionId: 'cver_1',
  endpoint: 'https://a.test/aip/v1/messages',
  did: 'did:key:z6Mk',
  status: 'ready',
  leaseExpiresAt: NOW + 1000,
  capacity: 32,
  active: 0,
  pinned: 0,
  circuitOpenUntil: 0,
  consecutiveFailures: 0,
  ...change,
});
const pod = (phase: string, deletionTimestamp?: string): Pod =>
  ({ metadata: { name: 'demo-abcdef-0', deletionTimestamp }, status: { phase } }) as unknown as Pod;
const observed = (change: Partial<Observed> = {}): Observed => ({
  now: NOW,
  instance: instanceLike(),
  configRevision: 1,
  replicas: [replicaLike()],
  pods: new Map(),
  admission: undefined,
  refusal: undefined,
  registry: { bindings: [] },
  registryReplicas: new Map([[ID, record()]]),
  tenancy: 'annotated',
  runtimeImage: 'registry.test/runtime',
  ...change,
});
const external = (change: Partial<Observed> = {}): Observed =>
  observed({ instance: instanceLike({ hosting: 'External' }), ...change });
const removed = (annotations: Record<string, string> = {}) =>
  instanceLike({ rollout: { drainTimeoutSeconds: 30 } }, { deletionTimestamp: '2026-01-01T01:00:00Z', annotations });

test.each([
  ['before the deadline', removed(), 90_000, false],
  ['a moment after the deadline', removed(), 90_001, true],
  ['as an annotation says', removed({ [ANNOTATIONS.forceDelete]: 'true' }), 0, true],
  ['with another value of the annotation', removed({ [ANNOTATIONS.forceDelete]: 'yes' }), 0, false],
  ['never while it is not removed', instanceLike({}, { annotations: { [ANNOTATIONS.forceDelete]: 'true' } }), 0, false],
] as const)('a removal is forced: %s', (_, instance, laterMs, forced) => {
  expect(gather(observed({ instance, now: NOW + laterMs })).desired.forced).toBe(forced);
});

test('past its deadline an instance goes although a host still holds its lease', () => {
  const plan = (now: number): string[] =>
    reconcile(
      gather(
        observed({
          instance: removed(),
          now,
          registryReplicas: new Map([[ID, record({ leaseExpiresAt: now + 1 })]]),
          replicas: [replicaLike({}, { deletionTimestamp: '2026-01-01T01:00:00Z' })],
        }),
      ),
      () => '',
    ).steps.map((step) => step.do);
  expect(plan(NOW + 90_000)).toEqual([]);
  expect(plan(NOW + 90_001)).toEqual(['remove', 'forget-instance']);
});

test('a removed instance is not suspended', () => {
  expect(gather(observed({ instance: instanceLike({ suspend: true }) })).desired.suspend).toBe(true);
  const instance = instanceLike({ suspend: true }, { deletionTimestamp: '2026-01-01T01:00:00Z' });
  expect(gather(observed({ instance })).desired.suspend).toBe(false);
});

test.each([
  ['no Pod', undefined, 'absent'],
  ['a Pod that waits', pod('Pending'), 'running'],
  ['a Pod that runs', pod('Running'), 'running'],
  ['a Pod that was told to end', pod('Running', '2026-01-01T01:00:00Z'), 'stopping'],
  ['a Pod that was evicted', pod('Failed'), 'absent'],
  ['a Pod that ended', pod('Succeeded'), 'absent'],
  ['a Pod that ended and is being deleted', pod('Failed', '2026-01-01T01:00:00Z'), 'absent'],
] as const)('what runs a replica: %s', (_, given, state) => {
  expect(runnerState(given)).toBe(state);
});

test.each([
  ['a lease that holds', record(), 'ready', false],
  ['a lease that ended', record({ leaseExpiresAt: NOW }), 'expired', false],
  ['a host that went', record({ status: 'offline' }), 'offline', false],
  ['a host that never came', record({ status: 'offline', leaseExpiresAt: 0 }), 'offline', true],
] as const)('how a replica is seen in the registry: %s', (_, found, state, neverReady) => {
  const [seen] = gather(observed({ registryReplicas: new Map([[ID, found]]) })).replicas;
  expect(seen).toMatchObject({ record: state, neverReady });
});

test.each([
  ['never had a lease', record({ status: 'offline', leaseExpiresAt: 0 }), undefined],
  ['has one', record({ leaseExpiresAt: NOW + 1 }), NOW],
  ['had one that ran out', record({ leaseExpiresAt: NOW - 60_000 }), NOW - 60_000],
  ['is unknown', undefined, undefined],
])('until when a replica held a lease that %s', (_, found, until) => {
  const [seen] = gather(observed({ registryReplicas: new Map(found ? [[ID, found]] : []) })).replicas;
  expect(seen?.leaseUntil).toBe(until);
});

test('a replica of which nothing is known yet is absent, and a cordoned one that goes is not cordoned', () => {
  const [seen] = gather(observed({ registryReplicas: new Map() })).replicas;
  expect(seen).toMatchObject({
    record: 'absent',
    runner: 'absent',
    retiring: false,
    cordoned: false,
    template: 'abcdef',
  });
  const drained = { desiredState: 'Drained' };
  expect(gather(observed({ replicas: [replicaLike(drained)] })).replicas[0]).toMatchObject({ cordoned: true });
  const going = replicaLike(drained, {
    name: 'demo-abcdef-3',
    annotations: { [ANNOTATIONS.retiring]: 'ScaledDown', [ANNOTATIONS.ordinal]: '7' },
  });
  expect(gather(observed({ replicas: [going] })).replicas[0]).toMatchObject({
    cordoned: false,
    retiring: true,
    ordinal: 3,
  });
});

const admitted: AdmissionResult = {
  ok: true,
  source: 's',
  admission: {
    versionId: 'cver_2',
    artifactDigest: '',
    manifestDigest: '',
    manifest: {} as never,
    implementationSupport: {},
  },
};

test.each([
  ['as registered', record(), undefined, {}, true],
  ['not registered yet', undefined, undefined, {}, true],
  [
    'with another endpoint than the record',
    record({ endpoint: 'https://b.test/aip/v1/messages' }),
    undefined,
    {},
    false,
  ],
  ['with another key than the record', record({ did: 'did:key:z6Other' }), undefined, {}, false],
  ['of another version than the record', record(), admitted, {}, false],
  ['that its user wants drained', record(), undefined, { desiredState: 'Drained' }, false],
  ['without an endpoint', undefined, undefined, { endpoint: undefined }, false],
  ['without a key', undefined, undefined, { peerDid: undefined }, false],
] as const)('a host that runs elsewhere, %s, is wanted or not', (_, found, admission, spec, wanted) => {
  const registryReplicas = new Map(found ? [[ID, found]] : []);
  const inputs = gather(external({ admission, registryReplicas, replicas: [replicaLike(spec)] }));
  expect(inputs.desired.external).toEqual(wanted ? ['demo-abcdef-0'] : []);
  expect(inputs.replicas[0]).toMatchObject({ managed: false, runner: 'absent' });
});
