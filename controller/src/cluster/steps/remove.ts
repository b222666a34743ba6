import { KINDS } from '../../api/kinds.js';
import { connectorReplicaId } from '../../api/names.js';
import { removeFinalizer } from '../../kube/record/finalizer.js';
import type { ClusterContext } from '../context.js';
import { FINALIZER, templateConfigMapName } from '../objects/names.js';
import { templateOfReplica } from '../objects/replica.js';
import { currentTemplate } from '../objects/template.js';
import type { Target } from './target.js';

/** Removes the record and the object of a replica whose host has ended, and its template with the last one. */
export async function remove(name: string, target: Target, cluster: ClusterContext): Promise<void> {
  const replica = target.replicas.get(name);
  if (!replica) return;
  const { instance } = target;
  await cluster.registry.remove(connectorReplicaId(replica, replica.metadata.uid as string));
  // A user's own document stays until the user deletes it.
  const usersOwn = instance.spec.hosting === 'External';
  if (!usersOwn && !replica.metadata.deletionTimestamp)
    await cluster.kube.delete(KINDS.connectorReplica, replica.metadata, { uid: replica.metadata.uid });
  await removeFinalizer(cluster.kube, KINDS.connectorReplica, replica, FINALIZER);
  const template = templateOfReplica(replica);
  if (usersOwn || template === undefined || template === currentTemplate(instance, cluster.runtimeImage)) return;
  const others = [...target.replicas.values()].filter(
    (other) => other.metadata.name !== name && templateOfReplica(other) === template,
  );
  if (others.length > 0) return;
  const { namespace } = instance.metadata;
  await cluster.kube.delete(KINDS.configMap, {
    namespace,
    name: templateConfigMapName(instance.metadata.name, template),
  });
}
