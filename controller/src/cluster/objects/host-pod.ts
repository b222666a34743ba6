import { WEBHOOK_SECRET } from '@aip/runtime/internal/signing';
import type { ConnectorReplica } from '../../api/connector-replica.js';
import { type CentralAddresses, hostVariables, prefixed, secretVariables } from '../../fleet/host-variables.js';
import type { KubeObject } from '../../kube/kube.js';
import {
  databaseSecretName,
  HOST_GRACE_SECONDS,
  HOST_PORT,
  identitySecretName,
  templateConfigMapName,
} from './names.js';
import { ownedBy } from './owned.js';
import { hostExtras } from './pod-extras.js';
import { containerBase, podBase, podMetadata } from './pod-parts.js';
import { replicaLabels, templateOfReplica } from './replica.js';
import type { Template } from './template.js';
import { webhookPrefix } from './webhook-objects.js';

const OWNER_ONLY = 0o440;
/** A host registers no later than this, even where DNS never names it. */
const NAME_WAIT_MS = 20_000;

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

/** The headers of telemetry; a host in a namespace without the Secret starts without them. */
function telemetryHeaders({ telemetry }: CentralAddresses): object[] {
  if (!telemetry?.headersSecret) return [];
  const secretKeyRef = { name: telemetry.headersSecret, key: 'headers', optional: true };
  return [{ name: 'OTEL_EXPORTER_OTLP_HEADERS', valueFrom: { secretKeyRef } }];
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
  const imports = ['identity', 'database', ...(launch.secrets.length > 0 ? ['secrets'] : [])];
  const own = prefixed({
    ...hostVariables({ replicaId, endpoint: replica.spec.endpoint as string, launch }, fleet),
    BIND: `0.0.0.0:${HOST_PORT}`,
    TLS_CERT_FILE: '/run/aip/identity/tls.crt',
    TLS_KEY_FILE: '/run/aip/identity/tls.key',
    SIGNING_SEED_FILE: '/run/aip/identity/seed',
    DATABASE_URL_FILE: '/run/aip/database/url',
    ...(fleet.databaseCa ? { DATABASE_CA_FILE: '/run/aip/database/ca.crt' } : {}),
    TLS_CA_FILE: '/etc/aip/trust/ca.crt',
    CONTROL_DIDS_FILE: '/etc/aip/trust/control-plane-dids',
    GATEWAY_DIDS_FILE: '/etc/aip/trust/gateway-dids',
    CONFIG_FILE: '/etc/aip/config/config.json',
    ...(launch.secrets.length > 0 ? { SECRETS_DIR: '/run/aip/secrets' } : {}),
    CALLBACK_ALLOW_PRIVATE: 'true',
    NAME_WAIT_MS: String(NAME_WAIT_MS),
    ...(launch.secrets.some(({ file }) => file === WEBHOOK_SECRET)
      ? { WEBHOOK_PATH_PREFIX: webhookPrefix(namespace as string, instance) }
      : {}),
    ...(launch.events ? { EVENT_ALLOW_PRIVATE: 'true' } : {}),
  });
  const probe = (path: string): object => ({ httpGet: { path, port: 'https', scheme: 'HTTPS' }, timeoutSeconds: 5 });
  const secret = (volume: string, secretName: string): object => ({
    name: volume,
    secret: { secretName, defaultMode: OWNER_ONLY },
  });
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
      containers: [
        {
          name: 'host',
          image: template.image,
          args: ['host'],
          ...containerBase(pod),
          env: [
            ...Object.entries({
              AIP_IMPORT_SECRETS: imports.map((folder) => `/etc/aip/${folder}:/run/aip/${folder}`).join(','),
              ...secretVariables(launch, '/run/aip/secrets'),
              ...own,
              ...fleet.telemetry?.variables,
            }).map(([variable, value]) => ({ name: variable, value })),
            ...telemetryHeaders(fleet),
            ...extras.env,
          ],
          ...extras.container,
          ports: [{ name: 'https', containerPort: HOST_PORT, protocol: 'TCP' }],
          startupProbe: { ...probe('/health'), periodSeconds: 1, failureThreshold: 120 },
          livenessProbe: { ...probe('/health'), periodSeconds: 10, failureThreshold: 6 },
          readinessProbe: { ...probe('/ready'), periodSeconds: 5, failureThreshold: 2 },
          volumeMounts: [
            { name: 'run', mountPath: '/run/aip' },
            { name: 'trust', mountPath: '/etc/aip/trust', readOnly: true },
            { name: 'config', mountPath: '/etc/aip/config', readOnly: true },
            ...imports.map((volume) => ({ name: volume, mountPath: `/etc/aip/${volume}`, readOnly: true })),
            ...extras.volumeMounts,
          ],
        },
      ],
      volumes: [
        { name: 'run', emptyDir: { medium: 'Memory', sizeLimit: '16Mi' } },
        { name: 'trust', configMap: { name: trustConfigMap } },
        {
          name: 'config',
          configMap: {
            name: templateConfigMapName(instance, hash),
            items: [{ key: 'config.json', path: 'config.json' }],
          },
        },
        secret('identity', identitySecretName(name)),
        secret('database', databaseSecretName(instance)),
        ...(launch.secrets.length > 0
          ? [
              {
                name: 'secrets',
                projected: {
                  defaultMode: OWNER_ONLY,
                  sources: launch.secrets.map(({ file, secretKeyRef }) => ({
                    secret: { name: secretKeyRef.name, items: [{ key: secretKeyRef.key, path: file }] },
                  })),
                },
              },
            ]
          : []),
        ...extras.volumes,
      ],
    },
  };
}

/** Has the Pod ended permanently? */
export function hasEnded(pod: Pod): boolean {
  return pod.status?.phase === 'Failed' || pod.status?.phase === 'Succeeded';
}
