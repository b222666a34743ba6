import { randomUUID } from 'node:crypto';
import { KubeConflict, KubeInvalid, KubeNotFound } from '#controller/kube/client/errors.js';
import type { Kube, KubeObject, ObjectRef, ResourceKind } from '#controller/kube/kube.js';

/** What a request is, for those who count, refuse or delay it. */
export interface Call {
  readonly verb: 'get' | 'create' | 'apply' | 'replace' | 'merge' | 'delete';
  readonly kind: string;
  readonly namespace: string | undefined;
  readonly name: string;
}

/**
 * An API server in memory: uids, resource versions, conflicts, immutable ConfigMaps and finalizers as the real one has them; no other
 * validation, no lists, no watches.
 */
export interface MemoryKube extends Kube {
  /** Every request so far. */
  readonly calls: Call[];
  /** Runs before a request is served; a throw is its answer. */
  before: (call: Call) => void | Promise<void>;
  /** Runs after a request was served; a throw is a lost answer. */
  after: (call: Call) => void | Promise<void>;
  /** The object as it stands, without a request. */
  peek<T extends KubeObject>(kind: ResourceKind, ref: ObjectRef): T | undefined;
}

/** An empty API server. */
export function memoryKube(): MemoryKube {
  const objects = new Map<string, KubeObject>();
  let version = 0;
  const keyOf = (kind: ResourceKind, ref: ObjectRef): string => `${kind.kind}/${ref.namespace ?? ''}/${ref.name}`;
  const refOf = ({ metadata: { namespace, name } }: KubeObject): ObjectRef => ({ namespace, name });

  const store = <T extends KubeObject>(key: string, object: T, uid: string): T => {
    version += 1;
    const stored = structuredClone(object);
    stored.metadata = { ...stored.metadata, uid, resourceVersion: String(version) };
    objects.set(key, stored);
    return structuredClone(stored);
  };
  const served = async <T>(
    verb: Call['verb'],
    kind: ResourceKind,
    ref: ObjectRef,
    work: (key: string, found: KubeObject | undefined) => T,
  ): Promise<T> => {
    const call = { verb, kind: kind.kind, namespace: ref.namespace, name: ref.name };
    kube.calls.push(call);
    await kube.before(call);
    const key = keyOf(kind, ref);
    const result = work(key, objects.get(key));
    await kube.after(call);
    return result;
  };
  const unused = (what: string) => (): never => {
    throw new Error(`trust must not ${what}`);
  };

  const kube: MemoryKube = {
    calls: [],
    before: () => undefined,
    after: () => undefined,
    peek: <T extends KubeObject>(kind: ResourceKind, ref: ObjectRef) =>
      structuredClone(objects.get(keyOf(kind, ref))) as T | undefined,
    get: <T extends KubeObject>(kind: ResourceKind, ref: ObjectRef) =>
      served('get', kind, ref, (_, found) => structuredClone(found) as T | undefined),
    exists: (kind, ref) => served('get', kind, ref, (_, found) => found !== undefined),
    create: (kind, object) =>
      served('create', kind, refOf(object), (key, found) => {
        if (found) throw new KubeConflict(409, 'AlreadyExists', `${key} already exists`);
        return store(key, object, randomUUID());
      }),
    replace: (kind, object) =>
      served('replace', kind, refOf(object), (key, found) => {
        if (!found) throw new KubeNotFound(404, 'NotFound', `${key} not found`);
        if (object.metadata.resourceVersion !== found.metadata.resourceVersion)
          throw new KubeConflict(409, 'Conflict', `${key} was changed`);
        if ((found as { immutable?: boolean }).immutable)
          throw new KubeInvalid(422, 'Invalid', 'data: Forbidden: field is immutable when `immutable` is set');
        return store(key, object, found.metadata.uid as string);
      }),
    apply: <T extends KubeObject>(kind: ResourceKind, object: T) =>
      served('apply', kind, refOf(object), (key, found) =>
        store(key, merged(found ?? {}, object) as T, found?.metadata.uid ?? randomUUID()),
      ),
    merge: <T extends KubeObject>(kind: ResourceKind, ref: ObjectRef, patch: object) =>
      served('merge', kind, ref, (key, found) => {
        if (!found) throw new KubeNotFound(404, 'NotFound', `${key} not found`);
        return store(key, merged(found, patch) as T, found.metadata.uid as string);
      }),
    delete: (kind, ref, options) =>
      served('delete', kind, ref, (key, found) => {
        if (!found || (options?.uid !== undefined && options.uid !== found.metadata.uid)) return;
        if (found.metadata.finalizers?.length) found.metadata.deletionTimestamp = '2026-01-01T00:00:00Z';
        else objects.delete(key);
      }),
    list: unused('list'),
    watch: unused('watch'),
    podLog: unused('read logs'),
  };
  return kube;
}

/** Members of `change` into `base`, objects deeply; null removes. */
function merged(base: object, change: object): object {
  const result: Record<string, unknown> = { ...base };
  for (const [key, value] of Object.entries(change)) {
    const before = result[key];
    if (value === null) delete result[key];
    else if (isObject(value)) result[key] = merged(isObject(before) ? before : {}, value);
    else result[key] = value;
  }
  return result;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
