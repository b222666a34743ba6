import { expect, test } from 'vitest';
import { DescribeInterrupted, openDescriptions } from '#controller/cluster/describe/descriptions.js';
import type { Pod } from '#controller/cluster/objects/host-pod.js';
import { ensure } from '#controller/cluster/provision/ensure.js';
import type { Kube, KubeObject, ResourceKind } from '#controller/kube/kube.js';
import { instanceLike } from '../support.ts';

/** An API server with what was put into it; Pods' logs are `log`. */
function server(log = '') {
  const objects = new Map<string, KubeObject>();
  const deleted: string[] = [];
  const keyOf = (kind: ResourceKind, { name }: { name: string }): string => `${kind.kind}/${name}`;
  const put = async <T extends KubeObject>(kind: ResourceKind, object: T): Promise<T> => {
    objects.set(keyOf(kind, object.metadata), object);
    return object;
  };
  const kube = {
    get: async (kind: ResourceKind, ref: { name: string }) => objects.get(keyOf(kind, ref)),
    create: put,
    apply: put,
    delete: async (kind: ResourceKind, ref: { name: string }) => {
      deleted.push(keyOf(kind, ref));
      objects.delete(keyOf(kind, ref));
    },
    podLog: async () => log,
  } as unknown as Kube;
  const open = () =>
    openDescriptions({ kube, ensure: ensure(kube), runtimeImage: 'registry.test/runtime', trustDomain: 'fleet.test' });
  /** The Pod that asks, once it has come to `status`. */
  const asked = (status: object): ReadonlyMap<string, Pod> => {
    const pod = [...objects.values()].find(({ kind }) => kind === 'Pod') as Pod;
    const seen = { ...pod, metadata: { ...pod.metadata, uid: 'uid-1' }, status } as Pod;
    return new Map([[pod.metadata.name, seen]]);
  };
  return { objects, deleted, open, asked };
}

const waiting = (reason: string, message: string) => ({
  phase: 'Pending',
  containerStatuses: [{ name: 'describe', state: { waiting: { reason, message } } }],
});
const failed = (exitCode: number) => ({
  phase: 'Failed',
  containerStatuses: [{ name: 'describe', state: { terminated: { exitCode, reason: 'Error' } } }],
});
const manifest = { manifest_version: 'aip-manifest/v1', agent: { id: 'agent:demo', kind: 'agent' }, capabilities: [] };
const ANSWER = JSON.stringify({ manifest, implementation_support: {} });
const instance = instanceLike();

test('an answer is kept for the same question of others, and beside the instance for another leader', async () => {
  const { open, asked, deleted, objects } = server(ANSWER);
  const descriptions = open();
  expect(await descriptions.find(instance, new Map())).toBeUndefined();
  await descriptions.ask(instance);
  const found = await descriptions.find(instance, asked({ phase: 'Succeeded' }));
  expect(found).toMatchObject({ ok: true });
  expect(deleted).toEqual([expect.stringContaining('Pod/demo-describe-'), expect.stringContaining('ConfigMap/demo-')]);
  expect([...objects.keys()]).toEqual(['ConfigMap/demo-description']);
  expect(await descriptions.find(instanceLike({}, { name: 'other' }), new Map())).toEqual(found);
  // The other one is stored beside its instance too, for a controller that remembers nothing.
  const uid = 'aaaaaaaa-2222-3333-4444-555555555555';
  await descriptions.find(instanceLike({}, { name: 'third', uid }), new Map());
  expect([...objects.keys()]).toContain('ConfigMap/third-description');
  expect(await open().find(instance, new Map())).toEqual(found);
  expect(await open().find(instanceLike({ config: { greeting: 'hi' } }), new Map())).toBeUndefined();
});

test('what a kubelet alternates between is reported once', async () => {
  const { open, asked } = server();
  const descriptions = open();
  await descriptions.ask(instance);
  const first = await descriptions.find(instance, asked(waiting('ErrImagePull', 'not found')));
  expect(first).toMatchObject({ ok: false, reason: 'ImagePullFailed' });
  const second = await descriptions.find(instance, asked(waiting('ImagePullBackOff', 'Back-off pulling')));
  expect(second).toEqual(first);
  const other = await descriptions.find(instance, asked(waiting('CreateContainerError', 'no space')));
  expect(other).toMatchObject({ reason: 'PodNotStarted', message: 'no space' });
});

test('an end from outside is retried, a refusal is not', async () => {
  const { open, asked, deleted } = server('{"message":"the configuration of demo is invalid: /a must be string"}');
  const descriptions = open();
  await descriptions.ask(instance);
  await expect(descriptions.find(instance, asked(failed(137)))).rejects.toThrow(DescribeInterrupted);
  expect(deleted).toHaveLength(2);
  await descriptions.ask(instance);
  const refused = { ok: false, message: 'the configuration of demo is invalid: /a must be string' };
  expect(await descriptions.find(instance, asked(failed(1)))).toMatchObject(refused);
  expect(await descriptions.find(instance, new Map())).toMatchObject(refused);
});

test('Pods that ask what nobody wants to know any more are taken back', async () => {
  const { open, asked, deleted } = server(ANSWER);
  const descriptions = open();
  await descriptions.ask(instance);
  const before = asked({ phase: 'Running' });
  await descriptions.find(instanceLike({ config: { greeting: 'hi' } }), before);
  expect(deleted).toHaveLength(2);
});
