import type { ConnectorReplica } from '../../api/connector-replica.js';
import { ANNOTATIONS } from '../../api/group.js';
import { KINDS } from '../../api/kinds.js';
import { connectorReplicaId } from '../../api/names.js';
import type { ClusterContext } from '../context.js';
import { hasEnded, hostPod } from '../objects/host-pod.js';
import { templateConfigMapName } from '../objects/names.js';
import { templateOfReplica } from '../objects/replica.js';
import { TemplateLost } from '../provision/shared-objects.js';
import { identified, retire } from './identity.js';
import { ensureSharedObjects } from './shared-objects.js';
import type { Target } from './target.js';

/** Starts the Pod of a replica, unless there is one; one that has ended permanently is removed first. */
export async function start(name: string, target: Target, cluster: ClusterContext): Promise<void> {
  const { instance, shared, wrote } = target;
  const { kube, ensure } = cluster;
  const present = target.pods.get(name);
  if (present) {
    // Its end will be seen, and then another one is made.
    if (hasEnded(present))
      await kube.delete(KINDS.pod, present.metadata, { uid: present.metadata.uid, graceSeconds: 0 });
    return;
  }
  const { namespace } = instance.metadata;
  // What this reconcile wrote itself is as new as it can be.
  const replica = target.identified.has(name)
    ? target.replicas.get(name)
    : await kube.get<ConnectorReplica>(KINDS.connectorReplica, { namespace, name });
  const hash = replica && templateOfReplica(replica);
  if (!replica?.spec.peerDid || hash === undefined) return;
  const kept = await shared.template(hash);
  const isOwn = kept?.current || kept?.digest === replica.metadata.annotations?.[ANNOTATIONS.templateDigest];
  if (!kept || !isOwn) {
    await retire(replica, 'TemplateLost', { cluster, wrote });
    throw new TemplateLost(namespace, templateConfigMapName(instance.metadata.name, hash), name);
  }
  // A Pod whose Secret is missing would wait for it for ever.
  if (!target.identified.has(name)) await identified(replica, { cluster, wrote, authority: shared.authority });
  await cluster.trustIn(namespace);
  await shared.database();
  await ensureSharedObjects(instance, cluster);
  const replicaId = connectorReplicaId(replica, replica.metadata.uid as string);
  // One that was kept drained is wanted back.
  await cluster.registry.retire(replicaId, false);
  await ensure.created(
    KINDS.pod,
    replica,
    hostPod(replica, {
      template: kept.template,
      replicaId,
      fleet: cluster.fleet,
      trustConfigMap: cluster.trustConfigMap,
    }),
  );
}
