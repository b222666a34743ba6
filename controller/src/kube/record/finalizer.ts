import { KubeConflict, KubeNotFound } from '../client/errors.js';
import type { Kube, KubeObject, ResourceKind } from '../kube.js';

/** Writers that change an object at once are few; more lost races than this are something else. */
const ATTEMPTS = 5;

/**
 * Takes the finalizer off; the last one of an object being deleted ends it. Returns the object as it is then: unchanged when it had none,
 * undefined when it is gone. The write is guarded by version, as a merge patch replaces lists whole. Throws KubeConflict after five lost races.
 */
export async function removeFinalizer<T extends KubeObject>(
  kube: Pick<Kube, 'get' | 'merge'>,
  kind: ResourceKind,
  object: T,
  finalizer: string,
): Promise<T | undefined> {
  const { uid } = object.metadata;
  let current: T | undefined = object;
  for (let attempt = 1; ; attempt += 1) {
    if (current === undefined || current.metadata.uid !== uid) return undefined;
    const { resourceVersion, finalizers = [] } = current.metadata;
    if (!finalizers.includes(finalizer)) return current;
    const others = finalizers.filter((name) => name !== finalizer);
    try {
      return await kube.merge<T>(kind, current.metadata, { metadata: { finalizers: others, resourceVersion } });
    } catch (error) {
      if (error instanceof KubeNotFound) return undefined;
      if (!(error instanceof KubeConflict) || attempt === ATTEMPTS) throw error;
    }
    current = await kube.get<T>(kind, object.metadata);
  }
}
