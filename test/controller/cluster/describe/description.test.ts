import { expect, test } from 'vitest';
import { describeProgress } from '#controller/cluster/describe/description.js';
import type { Pod } from '#controller/cluster/objects/host-pod.js';

const pod = (status: object): Pod =>
  ({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, status }) as unknown as Pod;
const container = (state: object) => ({ containerStatuses: [{ name: 'describe', state }] });
const ended = (exitCode: number, reason = 'Error') => ({
  phase: 'Failed',
  ...container({ terminated: { exitCode, reason } }),
});
const waiting = (reason: string, message?: string) => ({
  phase: 'Pending',
  ...container({ waiting: { reason, message } }),
});

test.each([
  ['nothing told yet', {}, { state: 'running' }],
  ['a container that is made', waiting('ContainerCreating'), { state: 'running' }],
  ['success', { phase: 'Succeeded' }, { state: 'succeeded' }],
  ['an error of the connector', ended(1), { state: 'refused' }],
  ['a signal', ended(137), { state: 'interrupted', message: 'Error' }],
  ['a lack of memory', ended(1, 'OOMKilled'), { state: 'interrupted', message: 'OOMKilled' }],
  [
    'an eviction',
    { phase: 'Failed', reason: 'Evicted', message: 'the node was low on memory' },
    { state: 'interrupted', message: 'Evicted: the node was low on memory' },
  ],
  ['a Pod that was ended without a word', { phase: 'Failed' }, { state: 'interrupted' }],
  ['an image that is not there', waiting('ErrImagePull', 'not found'), { state: 'blocked', reason: 'ImagePullFailed' }],
  ['an image name that is none', waiting('InvalidImageName'), { state: 'blocked', reason: 'ImagePullFailed' }],
  [
    'a container that cannot be made',
    waiting('CreateContainerConfigError', 'no such key'),
    { state: 'blocked', reason: 'PodNotStarted', message: 'no such key' },
  ],
  [
    'no node that takes it',
    { conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: '0/3 nodes' }] },
    { state: 'blocked', reason: 'Unschedulable', message: '0/3 nodes' },
  ],
] as const)('the Pod that describes a connector: %s', (_, status, progress) => {
  expect(describeProgress(pod(status))).toMatchObject(progress);
});

test('a container of another name, as meshes add, says nothing', () => {
  const status = { containerStatuses: [{ name: 'proxy', state: { waiting: { reason: 'ErrImagePull' } } }] };
  expect(describeProgress(pod(status))).toEqual({ state: 'running' });
});
