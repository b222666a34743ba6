import type { ConnectorReplica } from '../../api/connector-replica.js';
import { connectorReplicaId } from '../../api/names.js';
import { KINDS } from '../../kube/kinds.js';
import { removeFinalizer } from '../../kube/record/finalizer.js';
import { FINALIZER } from '../objects/names.js';
import type { ClusterContext } from '../process/context.js';

/** Did the fleet make this replica? Documents that a user writes for a Managed instance are nobody's business. */
export function isFleets({ metadata }: ConnectorReplica): boolean {
  return (metadata.ownerReferences ?? []).some(({ controller, kind }) => controller && kind === 'ConnectorInstance');
}

/** Replicas of an instance that went without its finalizer: their records go, so that nothing holds them. */
export async function removeOrphans(
  replicas: readonly ConnectorReplica[],
  cluster: Pick<ClusterContext, 'kube' | 'registry'>,
): Promise<void> {
  for (const replica of replicas) {
    if (!replica.metadata.deletionTimestamp || !replica.metadata.finalizers?.includes(FINALIZER)) continue;
    await cluster.registry.remove(connectorReplicaId(replica, replica.metadata.uid as string));
    await removeFinalizer(cluster.kube, KINDS.connectorReplica, replica, FINALIZER);
  }
}
