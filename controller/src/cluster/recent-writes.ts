import type { KubeObject } from '../kube/kube.js';

/** Objects as this process wrote them last, until its copy of the API server has caught up. */
export interface RecentWrites<T extends KubeObject> {
  wrote(object: T): void;
  /** The later one of what is known and what was written. */
  latest(known: T): T;
  /** Written objects of which `known` has nothing yet. */
  unseen(known: readonly T[], isWanted: (object: T) => boolean): T[];
  /** The copy has this one now, or knows that it is gone. */
  seen(object: T): void;
}

/** Versions of an API server are decimal numbers that grow. */
const version = ({ metadata }: KubeObject): bigint => BigInt(metadata.resourceVersion ?? '0');

/** Keeps a round from acting on an older state than the one that it made itself. */
export function recentWrites<T extends KubeObject>(): RecentWrites<T> {
  const written = new Map<string, T>();
  const key = ({ metadata }: KubeObject): string => `${metadata.uid}`;
  return {
    wrote: (object) => void written.set(key(object), object),
    latest: (known) => {
      const own = written.get(key(known));
      return own && version(own) > version(known) ? own : known;
    },
    unseen: (known, isWanted) => {
      const uids = new Set(known.map(key));
      return [...written.values()].filter((object) => !uids.has(key(object)) && isWanted(object));
    },
    seen: (object) => {
      const own = written.get(key(object));
      if (own && version(own) <= version(object)) written.delete(key(object));
    },
  };
}
