import { beforeEach, expect, test } from 'vitest';
import { KINDS } from '#controller/api/kinds.js';
import { KubeConflict } from '#controller/kube/client/errors.js';
import type { KubeObject } from '#controller/kube/kube.js';
import { removeFinalizer } from '#controller/kube/record/finalizer.js';
import { createMemoryKube, type MemoryKube } from './support/memory-kube.ts';

const OURS = 'fleet.aip.dev/instance';
const kind = KINDS.connectorInstance;
const ref = { namespace: 'acme', name: 'support' };
let kube: MemoryKube;
beforeEach(() => {
  kube = createMemoryKube();
});
const make = (more: Partial<KubeObject['metadata']> = {}): Promise<KubeObject> =>
  kube.create(kind, { apiVersion: kind.apiVersion, kind: kind.kind, metadata: { ...ref, ...more } });
const finalizers = async (): Promise<string[] | undefined> => (await kube.get(kind, ref))?.metadata.finalizers;

test('it is taken off alone, once', async () => {
  const made = await make({ finalizers: ['other', OURS] });
  const without = await removeFinalizer(kube, kind, made, OURS);
  expect(without?.metadata.finalizers).toEqual(['other']);
  expect(await removeFinalizer(kube, kind, without as KubeObject, OURS)).toBe(without);
  expect(kube.counts.merge).toBe(1);
  expect(await finalizers()).toEqual(['other']);
});

test('an old copy of the object does not undo what another writer wrote', async () => {
  const made = await make({ finalizers: [OURS] });
  await kube.merge(kind, ref, { metadata: { finalizers: [OURS, 'other'] } });
  expect((await removeFinalizer(kube, kind, made, OURS))?.metadata.finalizers).toEqual(['other']);
});

test('an object that is gone, or another of the same name, is undefined', async () => {
  const made = await make({ finalizers: [OURS] });
  kube.remove(kind, ref);
  expect(await removeFinalizer(kube, kind, made, OURS)).toBeUndefined();
  await make({ finalizers: [OURS] });
  expect(await removeFinalizer(kube, kind, made, OURS)).toBeUndefined();
  expect(await finalizers()).toEqual([OURS]);
});

test('five lost races are reported', async () => {
  const made = await make({ finalizers: [OURS] });
  kube.before = (verb) => {
    if (verb === 'merge') throw new KubeConflict(409, 'Conflict', 'changed');
  };
  await expect(removeFinalizer(kube, kind, made, OURS)).rejects.toBeInstanceOf(KubeConflict);
  expect(kube.counts.merge).toBe(5);
});
