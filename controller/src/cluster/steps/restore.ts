import type { ConnectorReplica } from '../../api/connector-replica.js';
import { KINDS } from '../../api/kinds.js';
import type { ClusterContext } from '../context.js';
import { isDescribePod } from '../objects/describe-pod.js';
import { hostLabels } from '../objects/host-pod.js';
import { FINALIZER } from '../objects/names.js';
import { replicaLabels, templateOfReplica } from '../objects/replica.js';
import { withLabels } from '../provision/ensure.js';
import type { Target } from './target.js';

/**
 * Puts back what somebody took off the replicas of a Managed instance and their Pods: labels by which others find them, and the finalizer that
 * keeps a replica until its host has drained. At rest it costs nothing.
 */
export async function restoreMetadata(
  replicas: readonly ConnectorReplica[],
  { pods, wrote }: Target,
  { kube }: Pick<ClusterContext, 'kube'>,
): Promise<void> {
  for (const replica of replicas) {
    const { metadata, spec } = replica;
    const template = templateOfReplica(replica);
    if (template === undefined || metadata.deletionTimestamp) continue;
    const instance = spec.instanceRef.name;
    const labels = replicaLabels(instance, template);
    const { finalizers = [], labels: present = {}, resourceVersion } = metadata;
    const isWhole = Object.entries(labels).every(([name, value]) => present[name] === value);
    if (!isWhole || !finalizers.includes(FINALIZER)) {
      const kept = finalizers.includes(FINALIZER) ? finalizers : [...finalizers, FINALIZER];
      const patch = { metadata: { labels, finalizers: kept, resourceVersion } };
      wrote(await kube.merge<ConnectorReplica>(KINDS.connectorReplica, metadata, patch));
    }
    const pod = pods.get(metadata.name);
    if (pod && !isDescribePod(pod) && !pod.metadata.deletionTimestamp)
      await withLabels(kube, KINDS.pod, pod, hostLabels(instance, template));
  }
}
