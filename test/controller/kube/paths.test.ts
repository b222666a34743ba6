import { expect, test } from 'vitest';
import { KINDS } from '#controller/api/kinds.js';
import { collectionPath, objectPath, withQuery } from '#controller/kube/client/paths.js';

test('core kinds lie under /api, those of groups under /apis; cluster-wide ones have no namespace', () => {
  expect(collectionPath(KINDS.pod, 'acme')).toBe('/api/v1/namespaces/acme/pods');
  expect(collectionPath(KINDS.pod)).toBe('/api/v1/pods');
  expect(collectionPath(KINDS.connectorInstance, 'acme')).toBe(
    '/apis/fleet.aip.dev/v1alpha1/namespaces/acme/connectorinstances',
  );
  expect(objectPath(KINDS.namespace, { name: 'acme' })).toBe('/api/v1/namespaces/acme');
  expect(objectPath(KINDS.pod, { namespace: 'acme', name: 'a' }, 'log')).toBe('/api/v1/namespaces/acme/pods/a/log');
});

test.each(['', '.', '..'])('the name "%s" would lead elsewhere and is refused', (name) => {
  expect(() => objectPath(KINDS.pod, { namespace: 'acme', name })).toThrow(RangeError);
  expect(() => objectPath(KINDS.pod, { namespace: name, name: 'a' })).toThrow(RangeError);
});

test('what is not part of a path is escaped', () => {
  expect(objectPath(KINDS.pod, { namespace: 'a/b', name: 'c?d' })).toBe('/api/v1/namespaces/a%2Fb/pods/c%3Fd');
});

test('a namespaced object without a namespace is refused', () => {
  expect(() => objectPath(KINDS.pod, { name: 'a' })).toThrow(RangeError);
});

test('a query has only the members that are set', () => {
  expect(withQuery('/p', { a: undefined })).toBe('/p');
  expect(withQuery('/p', { a: 'x=y', b: 1, c: undefined, d: true })).toBe('/p?a=x%3Dy&b=1&d=true');
});
