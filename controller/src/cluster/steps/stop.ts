import { KINDS } from '../../kube/kinds.js';
import type { Target } from '../instance/target.js';
import { HOST_GRACE_SECONDS } from '../objects/names.js';
import type { ClusterContext } from '../process/context.js';

/** Ends the Pod of a replica: the host drains for `timeoutMs` at most, 0 ends it at once. */
export async function stop(name: string, timeoutMs: number, { pods }: Target, { kube }: ClusterContext): Promise<void> {
  const pod = pods.get(name);
  if (!pod) return;
  const graceSeconds = timeoutMs === 0 ? 0 : Math.ceil(timeoutMs / 1000) + HOST_GRACE_SECONDS;
  await kube.delete(KINDS.pod, pod.metadata, { uid: pod.metadata.uid, graceSeconds });
}
