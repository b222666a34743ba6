import type { ConnectorReplica } from '../../api/connector-replica.js';
import { KINDS } from '../../api/kinds.js';
import { connectorReplicaId } from '../../api/names.js';
import type { RegistryReplica } from '../../fleet/fleet-registry.js';
import { recordState } from '../../fleet/record-state.js';
import { removeFinalizer } from '../../kube/record/finalizer.js';
import type { ClusterContext } from '../context.js';
import { FINALIZER } from '../objects/names.js';
import { isForeign } from '../observed/view.js';

/** Whether the fleet made this replica. Documents that a user writes for a Managed instance are left alone. */
export function isFleets({ metadata }: ConnectorReplica): boolean {
  return (metadata.ownerReferences ?? []).some(({ controller, kind }) => controller && kind === 'ConnectorInstance');
}

/** Replicas of an instance that went without its finalizer: their records go, so that nothing holds them. */
export async function removeOrphans(
  replicas: readonly ConnectorReplica[],
  cluster: Pick<ClusterContext, 'kube' | 'registry' | 'releaseId'>,
): Promise<void> {
  for (const replica of replicas) {
    if (isForeign(replica, cluster.releaseId)) continue;
    if (!replica.metadata.deletionTimestamp || !replica.metadata.finalizers?.includes(FINALIZER)) continue;
    await cluster.registry.remove(connectorReplicaId(replica, replica.metadata.uid as string));
    await removeFinalizer(cluster.kube, KINDS.connectorReplica, replica, FINALIZER);
  }
}

/**
 * Removes records of replicas that were deleted without the fleet, once no host holds their lease: such a replica lost its finalizer. `records` were
 * read before the replicas were.
 */
export async function removeStrayRecords(
  records: readonly RegistryReplica[],
  replicas: ReadonlyMap<string, ConnectorReplica>,
  { registry, now }: { registry: Pick<ClusterContext['registry'], 'remove'>; now: number },
): Promise<void> {
  const known = new Set(
    [...replicas.values()].map((replica) => connectorReplicaId(replica, replica.metadata.uid as string)),
  );
  for (const record of records) {
    const state = recordState(record, now);
    if (!known.has(record.replicaId) && (state === 'offline' || state === 'expired'))
      await registry.remove(record.replicaId);
  }
}
