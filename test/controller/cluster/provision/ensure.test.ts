import { expect, test } from 'vitest';
import { KINDS } from '#controller/api/kinds.js';
import { ownedBy } from '#controller/cluster/objects/owned.js';
import { ensure, NameTaken, PredecessorLeft } from '#controller/cluster/provision/ensure.js';
import { KubeConflict } from '#controller/kube/client/errors.js';
import type { KubeObject } from '#controller/kube/kube.js';
import { instanceLike } from '../support.ts';

const owner = instanceLike();
const service = (owners: KubeObject[]): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'demo', namespace: 'acme', uid: 'uid-1', ownerReferences: owners.map(ownedBy) },
});
const mine = service([owner]);

/** An API server that has one object, or none, and writes down what is done to it. */
function server(present: KubeObject | undefined) {
  const done: string[] = [];
  const kube = {
    get: async () => present as never,
    create: async <T>(_: unknown, object: T): Promise<T> => {
      if (present) throw new KubeConflict(409, 'AlreadyExists', 'it is there');
      done.push('create');
      return object;
    },
    merge: async () => {
      throw new Error('nothing is merged here');
    },
    apply: async <T>(_: unknown, object: T): Promise<T> => {
      done.push('apply');
      return object;
    },
    delete: async (_: unknown, __: unknown, options?: { uid?: string | undefined }) => {
      done.push(`delete ${options?.uid}`);
    },
  };
  return { done, children: ensure(kube) };
}

test('what was applied just so is not applied again, until it is forgotten', async () => {
  const { children, done } = server(mine);
  await children.applied(KINDS.service, owner, mine);
  await children.applied(KINDS.service, owner, mine);
  expect(done).toEqual(['apply']);
  await children.applied(KINDS.service, owner, { ...mine, metadata: { ...mine.metadata, labels: { a: 'b' } } });
  children.forget();
  await children.applied(KINDS.service, owner, mine);
  expect(done).toEqual(['apply', 'apply', 'apply']);
});

test('an object that is there already is given back when it is ours', async () => {
  const { children, done } = server(mine);
  expect(await children.created(KINDS.service, owner, mine)).toBe(mine);
  expect(done).toEqual([]);
});

test.each([
  ['nobody', service([])],
  ['an instance of another name', service([instanceLike({}, { name: 'other', uid: 'uid-2' })])],
] as const)('an object of the name that belongs to %s is never touched', async (_, present) => {
  const { children, done } = server(present);
  await expect(children.applied(KINDS.service, owner, mine)).rejects.toThrow(NameTaken);
  await expect(children.created(KINDS.service, owner, mine)).rejects.toThrow(NameTaken);
  expect(done).toEqual([]);
});

test('what an earlier instance of the same name left is removed first, and only that object', async () => {
  const { children, done } = server(service([instanceLike({}, { uid: 'uid-of-the-one-before' })]));
  await expect(children.applied(KINDS.service, owner, mine)).rejects.toThrow(PredecessorLeft);
  await expect(children.created(KINDS.service, owner, mine)).rejects.toThrow(PredecessorLeft);
  expect(done).toEqual(['delete uid-1', 'delete uid-1']);
});

test('what an earlier process applied is removed, and looked for once; an object of others stays', async () => {
  const { children, done } = server(mine);
  await children.removed(KINDS.service, owner, mine.metadata);
  await children.removed(KINDS.service, owner, mine.metadata);
  expect(done).toEqual(['delete uid-1']);
  const others = server(service([]));
  await others.children.removed(KINDS.service, owner, mine.metadata);
  expect(others.done).toEqual([]);
});
