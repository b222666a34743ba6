import { LABELS } from '../../api/group.js';
import type { KubeObject, OwnerReference } from '../../kube/kube.js';
import { MANAGER } from '../../trust/objects.js';

/** Marks `owner` as the controller of what is made from it, so that both go together. */
export function ownedBy(owner: KubeObject): OwnerReference {
  return {
    apiVersion: owner.apiVersion,
    kind: owner.kind,
    name: owner.metadata.name,
    uid: owner.metadata.uid as string,
    controller: true,
    blockOwnerDeletion: false,
  };
}

/** Is `object` a child of `owner`? */
export function isOwnedBy(object: KubeObject, owner: KubeObject): boolean {
  return (object.metadata.ownerReferences ?? []).some(
    ({ uid, controller }) => controller && uid === owner.metadata.uid,
  );
}

/** Labels of what belongs to an instance. */
export function instanceLabels(instance: string): Record<string, string> {
  return { [LABELS.instance]: instance, [LABELS.managedBy]: MANAGER };
}
