import { NamedError } from '@aip/runtime/internal/protocol';
import { digestOf } from '@aip/runtime/internal/signing';
import { KubeConflict } from '../../kube/client/errors.js';
import type { Kube, KubeObject, ObjectRef, ResourceKind } from '../../kube/kube.js';
import { isOwnedBy } from '../objects/owned.js';

/** An object of the name is there already and belongs to another owner. */
export class NameTaken extends NamedError {
  constructor(kind: string, name: string) {
    super(`there is a ${kind} ${name} that the fleet did not make; remove it or give the instance another name`);
  }
}

/** An object of the name was left by an earlier owner of the same name; it goes, and then there is room. */
export class PredecessorLeft extends NamedError {
  constructor(kind: string, name: string) {
    super(`the ${kind} ${name} of an earlier object of the same name is being removed`);
  }
}

/**
 * Passes for an object that is `owner`'s. Otherwise throws NameTaken, or PredecessorLeft for one that the API server's garbage collection would
 * remove sooner or later: it is removed now.
 */
export async function mustBeOwned(
  kube: Pick<Kube, 'delete'>,
  kind: ResourceKind,
  object: KubeObject,
  owner: KubeObject,
): Promise<void> {
  if (isOwnedBy(object, owner)) return;
  const { metadata } = object;
  const left = (metadata.ownerReferences ?? []).some(
    (reference) => reference.controller && reference.kind === owner.kind && reference.name === owner.metadata.name,
  );
  if (!left) throw new NameTaken(kind.kind, metadata.name);
  await kube.delete(kind, metadata, { uid: metadata.uid });
  throw new PredecessorLeft(kind.kind, metadata.name);
}

/** Makes children of instances and replicas and keeps them as they should be. */
export interface Ensure {
  /** Applies the object unless it was applied just so before; throws as mustBeOwned when there is one of its name. */
  applied(kind: ResourceKind, owner: KubeObject, object: KubeObject): Promise<void>;
  /** Makes the object, or gives the one that is there already, with its labels put back; throws as mustBeOwned for that one. */
  created<T extends KubeObject>(kind: ResourceKind, owner: KubeObject, object: T): Promise<T>;
  /** Removes an object that is the owner's, also one that an earlier process applied; read once, then only after it was applied again. */
  removed(kind: ResourceKind, owner: KubeObject, ref: ObjectRef): Promise<void>;
  /** Forgets what was applied under a name, since the object was removed or has another version (`resourceVersion`) than the applied one; says whether it did. */
  changed(kind: ResourceKind, ref: ObjectRef, resourceVersion: string | undefined): boolean;
  /** Forgets what was applied, so that everything is checked again. */
  forget(): void;
}

/** Remembers what was applied, so that a fleet at rest writes nothing. */
export function ensure(kube: Pick<Kube, 'get' | 'create' | 'apply' | 'merge' | 'delete'>): Ensure {
  const known = new Map<string, { digest: string; resourceVersion: string | undefined }>();
  /** Keys of what was looked for and is not there. */
  const absent = new Set<string>();
  const keyOf = (kind: ResourceKind, { namespace, name }: ObjectRef): string => `${kind.kind}/${namespace}/${name}`;
  return {
    applied: async (kind, owner, object) => {
      const key = keyOf(kind, object.metadata);
      const digest = digestOf(object as never);
      if (known.get(key)?.digest === digest) return;
      const present = await kube.get(kind, object.metadata);
      if (present) await mustBeOwned(kube, kind, present, owner);
      const applied = await kube.apply(kind, object);
      absent.delete(key);
      known.set(key, { digest, resourceVersion: applied.metadata.resourceVersion });
    },
    created: async (kind, owner, object) => {
      try {
        // A member of a Pod that the API server would drop is a mistake in spec.pod, which its writer has to see.
        return await kube.create(kind, object, { strict: kind.kind === 'Pod' });
      } catch (error) {
        if (!(error instanceof KubeConflict)) throw error;
        const present = await kube.get<typeof object>(kind, object.metadata);
        if (!present) throw error;
        await mustBeOwned(kube, kind, present, owner);
        return withLabels(kube, kind, present, object.metadata.labels);
      }
    },
    changed: (kind, ref, resourceVersion) => {
      const key = keyOf(kind, ref);
      const before = known.get(key);
      if (!before || (resourceVersion !== undefined && before.resourceVersion === resourceVersion)) return false;
      return known.delete(key);
    },
    removed: async (kind, owner, ref) => {
      const key = `${kind.kind}/${ref.namespace}/${ref.name}`;
      if (absent.has(key)) return;
      const present = await kube.get(kind, ref);
      if (present && isOwnedBy(present, owner)) await kube.delete(kind, ref, { uid: present.metadata.uid });
      known.delete(key);
      absent.add(key);
    },
    forget: () => {
      known.clear();
      absent.clear();
    },
  };
}

/** The object with all of these labels, which are put back where they are missing or differ. */
export async function withLabels<T extends KubeObject>(
  kube: Pick<Kube, 'merge'>,
  kind: ResourceKind,
  object: T,
  labels: Readonly<Record<string, string>> = {},
): Promise<T> {
  const present = object.metadata.labels ?? {};
  if (Object.entries(labels).every(([name, value]) => present[name] === value)) return object;
  return kube.merge<T>(kind, object.metadata, { metadata: { labels } });
}
