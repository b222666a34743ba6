import type { ConnectorInstanceSpec } from '../../api/connector-instance.js';

/** Uid and group of every container that the fleet starts. */
const USER = 65532;
/** What a container requests when the instance says nothing. */
const DEFAULT_RESOURCES = { requests: { cpu: '50m', memory: '128Mi' }, limits: { memory: '512Mi' } };

/** What an instance may say about its Pods (docs/kubernetes/reference.md). */
export type PodSettings = ConnectorInstanceSpec['pod'];

/** Members of a Pod's spec that hold for hosts and describing Pods alike: Pod Security `restricted`, no token, placement of the user's. */
export function podBase(settings: PodSettings): Record<string, unknown> {
  const { nodeSelector, tolerations, affinity, topologySpreadConstraints, priorityClassName, imagePullSecrets } =
    settings as Record<string, unknown>;
  const { runtimeClassName } = settings as Record<string, unknown>;
  const given = {
    nodeSelector,
    tolerations,
    affinity,
    topologySpreadConstraints,
    priorityClassName,
    imagePullSecrets,
    runtimeClassName,
  };
  const user = settings.runAs === 'Platform' ? {} : { runAsUser: USER, runAsGroup: USER, fsGroup: USER };
  return {
    automountServiceAccountToken: false,
    enableServiceLinks: false,
    securityContext: {
      runAsNonRoot: true,
      ...user,
      fsGroupChangePolicy: 'OnRootMismatch',
      seccompProfile: { type: 'RuntimeDefault' },
    },
    ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)),
  };
}

/** Members of a container that hold for hosts, sidecars and describing Pods alike. */
export function containerBase({ resources }: { resources?: object | undefined }): Record<string, unknown> {
  return {
    imagePullPolicy: 'IfNotPresent',
    resources: resources ?? DEFAULT_RESOURCES,
    securityContext: {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    },
  };
}

/** Labels and annotations that the user wants on Pods; the fleet's own win. */
export function podMetadata(
  settings: PodSettings,
  own: { labels: Record<string, string>; annotations?: Record<string, string> },
): { labels: Record<string, string>; annotations: Record<string, string> } {
  const { labels, annotations } = settings as { labels?: Record<string, string>; annotations?: Record<string, string> };
  return { labels: { ...labels, ...own.labels }, annotations: { ...annotations, ...own.annotations } };
}
