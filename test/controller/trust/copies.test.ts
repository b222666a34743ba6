import { expect, test } from 'vitest';
import { KINDS } from '#controller/api/kinds.js';
import { KubeConflict, KubeInvalid, KubeUnavailable } from '#controller/kube/client/errors.js';
import type { ConfigMapObject } from '#controller/trust/objects.js';
import { NAMES, NAMESPACE, type Release, release } from './support/release.ts';

const copyRef = (namespace: string) => ({ namespace, name: 'aip-trust' });
const copyIn = (aip: Release, namespace: string) => aip.kube.peek<ConfigMapObject>(KINDS.configMap, copyRef(namespace));
const isOperatorThere = (aip: Release, tenant: string): boolean =>
  aip.kube.peek(KINDS.secret, { namespace: NAMESPACE, name: NAMES.operator(tenant) }) !== undefined;
const WANTED = { namespaces: ['acme', 'globex'], tenants: ['globex'] };

/** A release whose copy in `acme` has other data than it must have, under further members. */
async function withStaleCopy(members: object): Promise<Release> {
  const aip = release();
  await aip.reconcile({ namespaces: ['acme'] });
  await aip.kube.merge(KINDS.configMap, copyRef('acme'), { data: { 'gateway-dids': 'did:key:zOld\n' }, ...members });
  return aip;
}

test('an immutable copy is deleted and created again, with what others added', async () => {
  const members = { immutable: true, metadata: { labels: { team: 'acme' } } };
  const aip = await withStaleCopy(members);
  await aip.kube.merge(KINDS.configMap, copyRef('acme'), { data: { note: 'kept' } });
  const uid = copyIn(aip, 'acme')?.metadata.uid;
  const { observations } = await aip.reconcile(WANTED);
  expect(observations.filter(({ type }) => type === 'Stalled')).toEqual([]);
  const after = copyIn(aip, 'acme');
  expect(after).toMatchObject({ data: { note: 'kept' }, metadata: { labels: { team: 'acme' } } });
  expect([after?.metadata.uid === uid, after && 'immutable' in after]).toEqual([false, false]);
  expect(aip.bundle('acme').dids.gateway).toEqual([aip.activeDid('gateway')]);
  expect([aip.bundle('globex').dids.gateway.length, isOperatorThere(aip, 'globex')]).toEqual([1, true]);
});

test('an immutable copy that a finalizer keeps is reported and delays nothing else', async () => {
  const aip = await withStaleCopy({ immutable: true, metadata: { finalizers: ['acme.test/keep'] } });
  const { observations } = await aip.reconcile(WANTED);
  const stalled = observations.filter(({ type }) => type === 'Stalled');
  expect(stalled).toMatchObject([{ reason: 'CopyRefused', message: expect.stringContaining('acme.test/keep') }]);
  expect([aip.bundle('globex').dids.gateway.length, isOperatorThere(aip, 'globex')]).toEqual([1, true]);
});

test.each([
  ['a webhook that fails', new KubeUnavailable(500, 'InternalError', 'failed calling webhook')],
  ['an object that is too large', new KubeInvalid(422, 'Invalid', 'must have at most 1048576 bytes')],
  ['writes of another client that never end', new KubeConflict(409, 'Conflict', 'changed')],
])('%s in one namespace is reported there and delays nothing else', async (_, error) => {
  const aip = release();
  aip.kube.before = ({ verb, namespace }) => {
    if (verb !== 'get' && namespace === 'acme') throw error;
  };
  const { observations, wakeAt } = await aip.reconcile(WANTED);
  const stalled = observations.filter(({ type }) => type === 'Stalled');
  expect(stalled).toMatchObject([{ reason: 'CopyRefused', message: expect.stringContaining('namespace acme') }]);
  expect([aip.bundle('globex').dids.gateway.length, isOperatorThere(aip, 'globex')]).toEqual([1, true]);
  expect(wakeAt).toBeGreaterThan(aip.time.now);
  aip.kube.before = () => undefined;
  await aip.reconcile(WANTED);
  expect(aip.bundle('acme').dids.gateway).toEqual([aip.activeDid('gateway')]);
});

test('a copy that cannot be read is reported, and no rotation passes over it', async () => {
  const aip = release();
  await aip.reconcile(WANTED);
  aip.kube.before = ({ namespace }) => {
    if (namespace === 'acme') throw new KubeUnavailable(500, 'InternalError', 'no answer');
  };
  await aip.rotate(NAMES.key.gateway, '1');
  const { observations } = await aip.reconcile(WANTED);
  expect(observations).toContainEqual(expect.objectContaining({ reason: 'CopyRefused' }));
  expect(observations).toContainEqual(
    expect.objectContaining({ object: NAMES.key.gateway, message: expect.stringContaining('Waiting until') }),
  );
  expect(aip.bundle('globex').dids.gateway).toHaveLength(2);
});

test('one write that fails for a moment is a reason to try again soon', async () => {
  const aip = release();
  aip.kube.before = ({ verb, namespace }) => {
    if (verb !== 'get' && namespace === 'acme')
      throw new KubeUnavailable(500, 'InternalError', 'failed calling webhook');
  };
  expect((await aip.reconcile(WANTED)).retrySoon).toBe(true);
  aip.kube.before = () => undefined;
  expect((await aip.reconcile(WANTED)).retrySoon).toBe(false);
});
