import { KubeConflict, KubeNotFound } from '../client/errors.js';
import type { Kube, KubeObject, ResourceKind } from '../kube.js';

/** Writers that change an object at once are few; more lost races than this are something else. */
const ATTEMPTS = 5;

/**
 * Makes the object carry the finalizer. Returns the object as it is then: unchanged when it had it, or is being deleted, which allows no new
 * ones; undefined when it is gone. Throws KubeConflict after five lost races.
 */
export function addFinalizer<T extends KubeObject>(
  kube: Pick<Kube, 'get' | 'merge'>,
  kind: ResourceKind,
  object: T,
  finalizer: string,
): Promise<T | undefined> {
  return change(kube, kind, object, ({ finalizers = [], deletionTimestamp }) =>
    finalizers.includes(finalizer) || deletionTimestamp !== undefined ? undefined : [...finalizers, finalizer],
  );
}

/** Takes the finalizer off; the last one of an object being deleted ends it. Returns and throws as addFinalizer. */
export function removeFinalizer<T extends KubeObject>(
  kube: Pick<Kube, 'get' | 'merge'>,
  kind: ResourceKind,
  object: T,
  finalizer: string,
): Promise<T | undefined> {
  return change(kube, kind, object, ({ finalizers = [] }) =>
    finalizers.includes(finalizer) ? finalizers.filter((name) => name !== finalizer) : undefined,
  );
}

/** Writes the list that `wanted` makes of the metadata, undefined for no change; guarded by version, as a merge patch replaces lists whole. */
async function change<T extends KubeObject>(
  kube: Pick<Kube, 'get' | 'merge'>,
  kind: ResourceKind,
  object: T,
  wanted: (metadata: KubeObject['metadata']) => string[] | undefined,
): Promise<T | undefined> {
  const { uid } = object.metadata;
  let current: T | undefined = object;
  for (let attempt = 1; ; attempt += 1) {
    if (current === undefined || current.metadata.uid !== uid) return undefined;
    const finalizers = wanted(current.metadata);
    if (finalizers === undefined) return current;
    const { resourceVersion } = current.metadata;
    try {
      return await kube.merge<T>(kind, current.metadata, { metadata: { finalizers, resourceVersion } });
    } catch (error) {
      if (error instanceof KubeNotFound) return undefined;
      if (!(error instanceof KubeConflict) || attempt === ATTEMPTS) throw error;
    }
    current = await kube.get<T>(kind, object.metadata);
  }
}
