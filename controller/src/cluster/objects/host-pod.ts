import type { ConnectorReplica } from '../../api/connector-replica.js';
import type { CentralAddresses } from '../../fleet/host-variables.js';
import type { KubeObject } from '../../kube/kube.js';
import { hostContainer } from './host-container.js';
import { hostVolumes } from './host-volumes.js';
import { HOST_GRACE_SECONDS } from './names.js';
import { ownedBy } from './owned.js';
import { hostExtras } from './pod-extras.js';
import { podBase, podMetadata } from './pod-parts.js';
import { replicaLabels, templateOfReplica } from './replica.js';
import type { Template } from './template.js';

/** A Pod, as far as it is read here. */
export interface Pod extends KubeObject {
  spec?: Record<string, unknown>;
  status?: {
    phase?: 'Pending' | 'Running' | 'Succeeded' | 'Failed' | 'Unknown';
    reason?: string;
    message?: string;
    conditions?: { type: string; status: string; reason?: string; message?: string }[];
    initContainerStatuses?: ContainerStatus[];
    containerStatuses?: ContainerStatus[];
  };
}

/** State of a Pod's container. */
export interface ContainerStatus {
  name: string;
  ready: boolean;
  restartCount: number;
  state?: {
    waiting?: { reason?: string; message?: string };
    terminated?: { exitCode: number; reason?: string; message?: string };
  };
}

/** Labels of the Pod of a host, by which Service, budget and network policy find it. */
export function hostLabels(instance: string, template: string): Record<string, string> {
  return {
    ...replicaLabels(instance, template),
    'app.kubernetes.io/name': 'aip-connector-host',
    'app.kubernetes.io/component': 'host',
  };
}

/**
 * The Pod of one replica (docs/kubernetes/reference.md). Secrets are mounted where the kubelet puts them, as links of root's; the host copies them into
 * its memory volume as files of its own and reads them there.
 */
export function hostPod(
  replica: ConnectorReplica,
  {
    template,
    replicaId,
    fleet,
    trustConfigMap,
  }: { template: Template; replicaId: string; fleet: CentralAddresses; trustConfigMap: string },
): Pod {
  const { name, namespace } = replica.metadata;
  const instance = replica.spec.instanceRef.name;
  const hash = templateOfReplica(replica) as string;
  const { launch, pod } = template;
  const extras = hostExtras(pod);
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      namespace: namespace as string,
      ...podMetadata(pod, {
        labels: hostLabels(instance, hash),
        annotations: { 'kubectl.kubernetes.io/default-container': 'host' },
      }),
      ownerReferences: [ownedBy(replica)],
    },
    spec: {
      ...podBase(pod),
      // Process 1 of a container does not end by a signal that comes while the program loads; so the host is not process 1, unless it has sidecars.
      ...extras.spec,
      hostname: name,
      subdomain: instance,
      restartPolicy: 'Always',
      terminationGracePeriodSeconds: Math.ceil(launch.drainTimeoutMs / 1000) + HOST_GRACE_SECONDS + extras.graceSeconds,
      containers: [hostContainer({ replica, template, replicaId, fleet, extras })],
      volumes: hostVolumes({ replica: name, instance, hash }, template, { trustConfigMap, extras }),
    },
  };
}

/** Has the Pod ended permanently? */
export function hasEnded(pod: Pod): boolean {
  return pod.status?.phase === 'Failed' || pod.status?.phase === 'Succeeded';
}
