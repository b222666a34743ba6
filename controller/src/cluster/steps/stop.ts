import { KINDS } from '../../api/kinds.js';
import { connectorReplicaId } from '../../api/names.js';
import type { ClusterContext } from '../context.js';
import { HOST_GRACE_SECONDS } from '../objects/names.js';
import type { Target } from './target.js';

/** Ends the Pod of a replica, whose host gets no lease again: it drains for `timeoutMs` at most, 0 ends it at once. */
export async function stop(
  name: string,
  timeoutMs: number,
  { pods, replicas }: Target,
  { kube, registry }: Pick<ClusterContext, 'kube' | 'registry'>,
): Promise<void> {
  const replica = replicas.get(name);
  // Before the signal: a host that is only starting may not receive it.
  if (replica) await registry.retire(connectorReplicaId(replica, replica.metadata.uid as string), true);
  const pod = pods.get(name);
  if (!pod) return;
  const graceSeconds = timeoutMs === 0 ? 0 : Math.ceil(timeoutMs / 1000) + HOST_GRACE_SECONDS;
  await kube.delete(KINDS.pod, pod.metadata, { uid: pod.metadata.uid, graceSeconds });
}
