import { expect, test } from 'vitest';
import { createObjectStore, type IndexFunction } from '#controller/kube/cache/store.js';
import type { KubeObject } from '#controller/kube/kube.js';

const pod = (name: string, more: Partial<KubeObject['metadata']> = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'acme', ...more },
});
const byOwner: IndexFunction<KubeObject> = ({ metadata }) => (metadata.ownerReferences ?? []).map(({ uid }) => uid);
const byApp: IndexFunction<KubeObject> = ({ metadata }) => Object.values({ ...metadata.labels });
const owner = (uid: string) => ({ apiVersion: 'v1', kind: 'X', name: uid, uid });

test('objects are found by label and owner, in the place they have now', () => {
  const store = createObjectStore({ owner: byOwner, app: byApp });
  store.put(pod('a', { labels: { app: 'one' }, ownerReferences: [owner('u1'), owner('u2')] }));
  store.put(pod('b', { labels: { app: 'one' } }));
  const names = (index: string, key: string): string[] =>
    store.byIndex(index, key).map(({ metadata }) => metadata.name);
  expect(names('app', 'one')).toEqual(['a', 'b']);
  expect(names('owner', 'u2')).toEqual(['a']);
  expect(store.put(pod('a', { labels: { app: 'two' } }))?.metadata.labels).toEqual({ app: 'one' });
  expect(names('app', 'one')).toEqual(['b']);
  expect(names('app', 'two')).toEqual(['a']);
  expect(names('owner', 'u1')).toEqual([]);
  store.take({ namespace: 'acme', name: 'a' });
  expect(names('app', 'two')).toEqual([]);
  expect(store.size()).toBe(1);
});

test('the same name in two namespaces, and one without, are three objects', () => {
  const store = createObjectStore();
  store.put(pod('a'));
  store.put(pod('a', { namespace: 'beta' }));
  store.put({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'a' } });
  expect(store.size()).toBe(3);
  expect(store.get({ name: 'a' })?.kind).toBe('Namespace');
  expect(store.take({ namespace: 'gamma', name: 'a' })).toBeUndefined();
});
