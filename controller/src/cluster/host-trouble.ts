import { IMAGE_REASONS } from './description.js';
import type { Pod } from './objects/host-pod.js';

/** Restarts after which a host that ends is not an accident any more. */
const MANY_RESTARTS = 2;

/**
 * Why the Pod of a host does not come up, for people; undefined when nothing is known against it. The words stay the same while the trouble
 * does, whatever a kubelet says in turns, so that telling it costs no writes. Pure.
 */
export function hostTrouble(pod: Pod | undefined): string | undefined {
  if (!pod) return undefined;
  const { conditions = [], containerStatuses = [] } = pod.status ?? {};
  const unscheduled = conditions.find(({ type, status }) => type === 'PodScheduled' && status === 'False');
  if (unscheduled) return `no node takes its Pod (${unscheduled.reason ?? 'Unschedulable'})`;
  for (const { restartCount, state } of containerStatuses) {
    const { reason, message } = state?.waiting ?? {};
    if (reason && IMAGE_REASONS.includes(reason)) return 'its image cannot be pulled';
    if (reason === 'CreateContainerConfigError' || reason === 'CreateContainerError') return message ?? reason;
    if (reason === 'ContainerCreating') return 'its container is not made yet; the events of its Pod say why';
    if (restartCount >= MANY_RESTARTS) return 'its host ends again and again; the log of its Pod says why';
  }
  return undefined;
}
