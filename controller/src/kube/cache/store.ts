import type { KubeObject, ObjectRef } from '../kube.js';

/** Names under which an object can be found in an index. */
export type IndexFunction<T> = (object: T) => readonly string[];

/** Objects of one kind by namespace and name, and by whatever indexes it was made with. */
export interface ObjectStore<T extends KubeObject> {
  get(ref: ObjectRef): T | undefined;
  list(): T[];
  /** Objects whose index function gave `key`; a RangeError for an index that was not declared. */
  byIndex(name: string, key: string): T[];
  /** Puts the object in; returns the one that was in its place. */
  put(object: T): T | undefined;
  /** Takes the object out and returns it. */
  take(ref: ObjectRef): T | undefined;
  size(): number;
}

/** An empty store. */
export function createObjectStore<T extends KubeObject>(
  indexes: Readonly<Record<string, IndexFunction<T>>> = {},
): ObjectStore<T> {
  const objects = new Map<string, T>();
  const entries = Object.entries(indexes).map(([name, keysOf]) => ({
    name,
    keysOf,
    members: new Map<string, Set<string>>(),
  }));

  const unindex = (id: string, object: T): void => {
    for (const { keysOf, members } of entries) {
      for (const key of keysOf(object)) {
        const set = members.get(key);
        set?.delete(id);
        if (set?.size === 0) members.delete(key);
      }
    }
  };
  const index = (id: string, object: T): void => {
    for (const { keysOf, members } of entries) {
      for (const key of keysOf(object)) {
        const set = members.get(key);
        if (set) set.add(id);
        else members.set(key, new Set([id]));
      }
    }
  };

  return {
    get: (ref) => objects.get(refKey(ref)),
    list: () => [...objects.values()],
    byIndex: (name, key) => {
      const entry = entries.find((each) => each.name === name);
      if (!entry) throw new RangeError(`no index '${name}'`);
      return [...(entry.members.get(key) ?? [])].map((id) => objects.get(id) as T);
    },
    put: (object) => {
      const id = refKey(object.metadata);
      const before = objects.get(id);
      if (before) unindex(id, before);
      objects.set(id, object);
      index(id, object);
      return before;
    },
    take: (ref) => {
      const id = refKey(ref);
      const before = objects.get(id);
      if (!before) return undefined;
      objects.delete(id);
      unindex(id, before);
      return before;
    },
    size: () => objects.size,
  };
}

/** `namespace/name`, or the name alone for what is cluster-wide. Neither part can hold a slash. */
export function refKey({ namespace, name }: ObjectRef): string {
  return namespace === undefined ? name : `${namespace}/${name}`;
}
