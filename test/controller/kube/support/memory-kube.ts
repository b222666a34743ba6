import { setImmediate as turn } from 'node:timers/promises';
import { KubeConflict, KubeNotFound } from '#controller/kube/client/errors.js';
import type { Kube, KubeObject, ObjectRef, ResourceKind } from '#controller/kube/kube.js';

/** The reads and writes of single objects, with the version rules of the API server. Each takes a turn of the event loop before and after. */
export interface MemoryKube extends Pick<Kube, 'get' | 'create' | 'replace' | 'merge'> {
  /** Runs before every request; what it throws is the answer, and while it waits the request hangs. */
  before: (verb: string, ref: ObjectRef) => void | Promise<void>;
  /** How often each verb was requested. */
  readonly counts: Record<string, number>;
  all<T extends KubeObject>(kind: ResourceKind): T[];
  remove(kind: ResourceKind, ref: ObjectRef): void;
}

/** A server without objects. */
export function createMemoryKube(): MemoryKube {
  const objects = new Map<string, KubeObject>();
  let version = 0;
  const idOf = (kind: ResourceKind, { namespace, name }: ObjectRef): string => `${kind.plural}/${namespace}/${name}`;
  const stored = (id: string, object: KubeObject, uid: string | undefined): KubeObject => {
    version += 1;
    const metadata = { ...object.metadata, uid: uid ?? `uid-${version}`, resourceVersion: String(version) };
    const saved = structuredClone({ ...object, metadata });
    objects.set(id, saved);
    return structuredClone(saved);
  };
  const found = (id: string): KubeObject => {
    const object = objects.get(id);
    if (!object) throw new KubeNotFound(404, 'NotFound', `${id} is not there`);
    return object;
  };
  const checkVersion = (known: KubeObject, wanted: string | undefined): void => {
    if (wanted !== undefined && wanted !== known.metadata.resourceVersion)
      throw new KubeConflict(409, 'Conflict', 'changed');
  };

  const request = async (verb: string, ref: ObjectRef, work: () => KubeObject | undefined): Promise<never> => {
    kube.counts[verb] = (kube.counts[verb] ?? 0) + 1;
    await kube.before(verb, ref);
    await turn();
    const result = work();
    await turn();
    return result as never;
  };
  const kube: MemoryKube = {
    before: () => undefined,
    counts: {},
    all: (kind) => [...objects].flatMap(([id, object]) => (id.startsWith(`${kind.plural}/`) ? [object as never] : [])),
    remove: (kind, ref) => {
      objects.delete(idOf(kind, ref));
    },
    get: (kind, ref) => request('get', ref, () => structuredClone(objects.get(idOf(kind, ref)))),
    create: (kind, object) =>
      request('create', object.metadata, () => {
        const id = idOf(kind, object.metadata);
        if (objects.has(id)) throw new KubeConflict(409, 'AlreadyExists', `${id} is there`);
        return stored(id, object, undefined);
      }),
    replace: (kind, object) =>
      request('replace', object.metadata, () => {
        const id = idOf(kind, object.metadata);
        const known = found(id);
        checkVersion(known, object.metadata.resourceVersion);
        return stored(id, object, known.metadata.uid);
      }),
    merge: (kind, ref, patch) =>
      request('merge', ref, () => {
        const id = idOf(kind, ref);
        const known = found(id);
        const { metadata = {}, ...rest } = patch as { metadata?: Partial<KubeObject['metadata']> };
        checkVersion(known, metadata.resourceVersion);
        return stored(id, { ...known, ...rest, metadata: { ...known.metadata, ...metadata } }, known.metadata.uid);
      }),
  };
  return kube;
}
