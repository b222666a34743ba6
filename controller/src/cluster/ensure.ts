import { digestOf } from '@aip/runtime/protocol/digest.js';
import { KubeConflict } from '../kube/errors.js';
import type { Kube, KubeObject, ResourceKind } from '../kube/kube.js';
import { isOwnedBy } from './objects/owned.js';

/** An object of the name is there already and belongs to somebody else. */
export class NameTaken extends Error {
  constructor(kind: string, name: string) {
    super(`there is a ${kind} ${name} that the fleet did not make; remove it or give the instance another name`);
    this.name = 'NameTaken';
  }
}

/** Makes children of instances and replicas and keeps them as they should be. */
export interface Ensure {
  /** Applies the object unless it was applied just so before; throws NameTaken when one of its name is not `owner`'s. */
  applied(kind: ResourceKind, owner: KubeObject, object: KubeObject): Promise<void>;
  /** Makes the object, or gives the one that is there already; throws NameTaken when that is not `owner`'s. */
  created<T extends KubeObject>(kind: ResourceKind, owner: KubeObject, object: T): Promise<T>;
  /** Forgets what was applied, so that everything is looked at again. */
  forget(): void;
}

/** Remembers what was applied, so that a fleet at rest writes nothing. */
export function ensure(kube: Pick<Kube, 'get' | 'create' | 'apply'>): Ensure {
  const known = new Map<string, string>();
  const foreign = (kind: ResourceKind, { metadata }: KubeObject): NameTaken => new NameTaken(kind.kind, metadata.name);
  return {
    applied: async (kind, owner, object) => {
      const key = `${kind.kind}/${object.metadata.namespace}/${object.metadata.name}`;
      const digest = digestOf(object as never);
      if (known.get(key) === digest) return;
      const present = await kube.get(kind, object.metadata);
      if (present && !isOwnedBy(present, owner)) throw foreign(kind, object);
      await kube.apply(kind, object);
      known.set(key, digest);
    },
    created: async (kind, owner, object) => {
      try {
        return await kube.create(kind, object);
      } catch (error) {
        if (!(error instanceof KubeConflict)) throw error;
        const present = await kube.get<typeof object>(kind, object.metadata);
        if (!present) throw error;
        if (!isOwnedBy(present, owner)) throw foreign(kind, object);
        return present;
      }
    },
    forget: () => known.clear(),
  };
}
