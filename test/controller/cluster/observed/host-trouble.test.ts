import { expect, test } from 'vitest';
import type { Pod } from '#controller/cluster/objects/host-pod.js';
import { awaitedSecrets, hostTrouble, PATIENCE_MS } from '#controller/cluster/observed/host-trouble.js';

const MADE = '2026-01-01T00:00:00Z';
const NOW = Date.parse(MADE) + PATIENCE_MS;
const pod = (status: object): Pod => ({ metadata: { name: 'p', creationTimestamp: MADE }, status }) as unknown as Pod;
const container = (state: object, restartCount = 0) => ({ containerStatuses: [{ name: 'host', restartCount, state }] });
const waiting = (reason: string, message?: string) => container({ waiting: { reason, message } });
const AGAIN = 'its host ends again and again; the log of its Pod says why';

test.each([
  ['nothing told', {}, undefined],
  ['a host that runs', container({ running: {} }), undefined],
  ['a host that ended once', container({ running: {} }, 1), undefined],
  ['an image that is not there', waiting('ErrImagePull', 'not found'), 'its image cannot be pulled'],
  ['the same a moment later', waiting('ImagePullBackOff', 'Back-off'), 'its image cannot be pulled'],
  ['a missing key', waiting('CreateContainerConfigError', 'no key "a" in Secret b'), 'no key "a" in Secret b'],
  [
    'a volume that is not there',
    waiting('ContainerCreating'),
    'its container is not made yet, as when a Secret or ConfigMap is missing; the events of its Pod say why',
  ],
  ['a host that ends and waits', container({ waiting: { reason: 'CrashLoopBackOff' } }, 3), AGAIN],
  ['a host that ends and runs in between', container({ running: {} }, 4), AGAIN],
  [
    'no node for it',
    { conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: '0/3 nodes' }] },
    'no node takes its Pod (Unschedulable)',
  ],
] as const)('why a host does not come up: %s', (_, status, trouble) => {
  expect(hostTrouble(pod(status), NOW)).toBe(trouble);
});

const sidecar = (state: object, restartCount = 0) => ({
  initContainerStatuses: [{ name: 'user-proxy', restartCount, state }],
  ...waiting('PodInitializing'),
});

test.each([
  [
    'is not there',
    sidecar({ waiting: { reason: 'ErrImagePull' } }),
    'the image of its container user-proxy cannot be pulled',
  ],
  [
    'has a key that is missing',
    sidecar({ waiting: { reason: 'CreateContainerConfigError', message: 'no key' } }),
    'no key',
  ],
  ['ends', sidecar({ running: {} }, 3), 'its container user-proxy ends repeatedly; its log says why'],
  ['runs', sidecar({ running: {} }), undefined],
])('why a host with a sidecar does not come up: the sidecar %s', (_, status, trouble) => {
  expect(hostTrouble(pod(status), NOW)).toBe(trouble);
});

test("a Pod waits for the user's Secrets alone, in volumes and in files", () => {
  const volumes = [
    { name: 'identity', secret: { secretName: 'p-identity' } },
    { name: 'secrets', projected: { sources: [{ secret: { name: 'crm' } }] } },
    { name: 'user-key', secret: { secretName: 'provider' } },
    { name: 'user-cloud', projected: { sources: [{ serviceAccountToken: { audience: 'a', path: 't' } }] } },
  ];
  const waits = { ...pod(waiting('PodInitializing')), spec: { volumes } } as unknown as Pod;
  expect(awaitedSecrets(waits, NOW)).toEqual(['crm', 'provider']);
  expect(hostTrouble(waits, NOW, ['provider'])).toBe(
    'its container is not created: Secret provider not found in the namespace',
  );
});

test('a Pod that has only begun is given time', () => {
  expect(hostTrouble(pod(waiting('ContainerCreating')), NOW - 1)).toBeUndefined();
});

test('nothing is known against a Pod that is not there', () => {
  expect(hostTrouble(undefined, NOW)).toBeUndefined();
});
