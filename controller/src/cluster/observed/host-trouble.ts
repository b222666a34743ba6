import { IMAGE_REASONS } from '../describe/description.js';
import type { Pod } from '../objects/host-pod.js';
import { isUserVolume } from '../objects/pod-extras.js';

/** A Pod may take this long to come up before anything is said against it, in ms; so an ordinary start costs no words. */
export const PATIENCE_MS = 15_000;
/** Restarts after which a host that ends is not an accident any more. */
const MANY_RESTARTS = 2;
/** What a kubelet says of a container whose volumes it still makes; with sidecars it is the second. */
const CREATING = ['ContainerCreating', 'PodInitializing'];

/**
 * Why the Pod of a host does not come up, for people; undefined when no reason is known, or it is younger than PATIENCE_MS. The words stay the same as long as the
 * trouble does, even where a kubelet alternates between reasons, so that reporting it costs no writes. Pure.
 */
export function hostTrouble(
  pod: Pod | undefined,
  now: number,
  missingSecrets: readonly string[] = [],
): string | undefined {
  if (!pod || now - madeAt(pod) < PATIENCE_MS) return undefined;
  const { conditions = [], containerStatuses = [], initContainerStatuses = [] } = pod.status ?? {};
  const unscheduled = conditions.find(({ type, status }) => type === 'PodScheduled' && status === 'False');
  if (unscheduled) return `no node takes its Pod (${unscheduled.reason ?? 'Unschedulable'})`;
  for (const { name, restartCount, state } of initContainerStatuses) {
    const { reason, message } = state?.waiting ?? {};
    if (reason && IMAGE_REASONS.includes(reason)) return `the image of its container ${name} cannot be pulled`;
    if (reason === 'CreateContainerConfigError' || reason === 'CreateContainerError') return message ?? reason;
    if (restartCount >= MANY_RESTARTS) return `its container ${name} ends repeatedly; its log says why`;
  }
  for (const { restartCount, state } of containerStatuses) {
    const { reason, message } = state?.waiting ?? {};
    if (reason && IMAGE_REASONS.includes(reason)) return 'its image cannot be pulled';
    if (reason === 'CreateContainerConfigError' || reason === 'CreateContainerError') return message ?? reason;
    if (CREATING.includes(reason ?? '') && missingSecrets.length > 0)
      return `its container is not created: Secret ${missingSecrets.join(', ')} not found in the namespace`;
    if (reason === 'ContainerCreating')
      return 'its container is not made yet, as when a Secret or ConfigMap is missing; the events of its Pod say why';
    if (restartCount >= MANY_RESTARTS) return 'its host ends again and again; the log of its Pod says why';
  }
  return undefined;
}

/** When a Pod was made, in ms since the epoch; one that does not say it is old. */
export function madeAt({ metadata }: Pod): number {
  return metadata.creationTimestamp ? Date.parse(metadata.creationTimestamp) : 0;
}

interface Volume {
  name: string;
  secret?: { secretName: string };
  projected?: { sources: { secret?: { name: string } }[] };
}

/** Names of the user's Secrets that a Pod mounts, where it is old enough to be asked about and its container is not created yet. Pure. */
export function awaitedSecrets(pod: Pod, now: number): string[] {
  const waits = pod.status?.containerStatuses?.some(({ state }) => CREATING.includes(state?.waiting?.reason ?? ''));
  if (!waits || now - madeAt(pod) < PATIENCE_MS) return [];
  const volumes = (pod.spec?.volumes ?? []) as Volume[];
  const names = volumes
    .flatMap(({ projected }) => projected?.sources ?? [])
    .flatMap(({ secret }) => secret?.name ?? []);
  const users = volumes.flatMap(({ name, secret }) => (secret && isUserVolume(name) ? secret.secretName : []));
  return [...new Set([...names, ...users])];
}
