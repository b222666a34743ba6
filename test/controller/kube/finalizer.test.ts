import { beforeEach, expect, test } from 'vitest';
import { KINDS } from '#controller/api/kinds.js';
import { KubeConflict } from '#controller/kube/client/errors.js';
import type { KubeObject } from '#controller/kube/kube.js';
import { addFinalizer, removeFinalizer } from '#controller/kube/record/finalizer.js';
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

test('it is added beside those of others, once, and taken off alone', async () => {
  const made = await make({ finalizers: ['other'] });
  const added = await addFinalizer(kube, kind, made, OURS);
  expect(added?.metadata.finalizers).toEqual(['other', OURS]);
  expect(await addFinalizer(kube, kind, added as KubeObject, OURS)).toBe(added);
  expect(kube.counts.merge).toBe(1);
  await removeFinalizer(kube, kind, added as KubeObject, OURS);
  expect(await finalizers()).toEqual(['other']);
});

test('an old copy of the object does not undo what another writer wrote', async () => {
  const made = await make();
  await addFinalizer(kube, kind, made, 'other');
  expect((await addFinalizer(kube, kind, made, OURS))?.metadata.finalizers).toEqual(['other', OURS]);
});

test('an object that is gone, or another of the same name, is undefined', async () => {
  const made = await make();
  kube.remove(kind, ref);
  expect(await addFinalizer(kube, kind, made, OURS)).toBeUndefined();
  await make();
  expect(await addFinalizer(kube, kind, made, OURS)).toBeUndefined();
  expect(await finalizers()).toBeUndefined();
});

test('an object that is being deleted gets none', async () => {
  const made = await make({ deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: ['other'] });
  expect(await addFinalizer(kube, kind, made, OURS)).toBe(made);
  expect(kube.counts.merge).toBeUndefined();
});

test('five lost races are reported', async () => {
  const made = await make();
  kube.before = (verb) => {
    if (verb === 'merge') throw new KubeConflict(409, 'Conflict', 'changed');
  };
  await expect(addFinalizer(kube, kind, made, OURS)).rejects.toBeInstanceOf(KubeConflict);
  expect(kube.counts.merge).toBe(5);
});
