import type { KubeObject } from '../../kube/kube.js';

/** Objects as this process wrote them last, until its copy of the API server has caught up. */
export interface RecentWrites<T extends KubeObject> {
  wrote(object: T): void;
  /** The later one of what is known and what was written. */
  latest(known: T): T;
  /** Written objects of which `known` has nothing yet. */
  unseen(known: readonly T[], isWanted: (object: T) => boolean): T[];
  /** The copy has this one now. */
  seen(object: T): void;
  /** The copy knows that this one is gone; no later write can have brought it back. */
  gone(object: T): void;
}

/** An object that the copy has not shown after this time was gone before it could, in ms. */
const KEPT_MS = 150_000;

/** Versions of an API server are decimal numbers that grow. */
const version = ({ metadata }: KubeObject): bigint => BigInt(metadata.resourceVersion ?? '0');

/** Keeps a reconcile from acting on an older state than the one that it made itself. */
export function recentWrites<T extends KubeObject>(now: () => number = () => performance.now()): RecentWrites<T> {
  const written = new Map<string, { object: T; at: number }>();
  const key = ({ metadata }: KubeObject): string => `${metadata.uid}`;
  return {
    wrote: (object) => void written.set(key(object), { object, at: now() }),
    latest: (known) => {
      const own = written.get(key(known))?.object;
      return own && version(own) > version(known) ? own : known;
    },
    unseen: (known, isWanted) => {
      const uids = new Set(known.map(key));
      for (const [uid, { at }] of written) if (now() - at > KEPT_MS) written.delete(uid);
      return [...written.values()]
        .map(({ object }) => object)
        .filter((object) => !uids.has(key(object)) && isWanted(object));
    },
    seen: (object) => {
      const own = written.get(key(object))?.object;
      if (own && version(own) <= version(object)) written.delete(key(object));
    },
    gone: (object) => void written.delete(key(object)),
  };
}
