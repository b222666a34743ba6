import { webhookNames } from '@aip/runtime/internal/signing';
import type { ConnectorInstance } from '../../api/connector-instance.js';
import type { KubeObject } from '../../kube/kube.js';
import { hosts } from './instance-objects.js';
import { webhookServiceName } from './names.js';
import { instanceLabels, ownedBy } from './owned.js';
import type { WebhookEdge } from './webhook-edge.js';

type Made = KubeObject & { spec: object };

/** Where a provider sends the deliveries of an instance. */
export interface WebhookPlace {
  host: string;
  path: string;
}

const PORT = 443;

const metadata = (instance: ConnectorInstance, annotations: Record<string, string> = {}): KubeObject['metadata'] => ({
  name: webhookServiceName(instance.metadata.name),
  namespace: instance.metadata.namespace,
  labels: instanceLabels(instance.metadata.name),
  ...(Object.keys(annotations).length > 0 && { annotations }),
  ownerReferences: [ownedBy(instance)],
});

/** The path prefix of an instance on a host name that instances share: each has one that no other namespace or instance can claim. */
export function webhookPrefix(namespace: string, name: string): string {
  return `/${namespace}/${name}`;
}

/** The public place of an instance's webhook route; undefined when it has none. */
export function webhookPlace({ metadata, spec }: ConnectorInstance, edge: WebhookEdge): WebhookPlace | undefined {
  if (!spec.webhook) return undefined;
  const { path } = webhookNames(spec.connector.type);
  if (spec.webhook.host !== undefined) return { host: spec.webhook.host, path };
  return edge.host === undefined
    ? undefined
    : { host: edge.host, path: webhookPrefix(metadata.namespace, metadata.name) + path };
}

/** The Service for deliveries: over the hosts that are ready. */
export function webhookService(instance: ConnectorInstance): Made {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: metadata(instance),
    spec: {
      type: 'ClusterIP',
      selector: hosts(instance),
      ports: [{ name: 'https', port: PORT, targetPort: 'https', protocol: 'TCP' }],
    },
  };
}

/** Lets the edge reach the port of the hosts. */
export function webhookNetworkPolicy(instance: ConnectorInstance, { from }: WebhookEdge): Made {
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: metadata(instance),
    spec: {
      podSelector: { matchLabels: hosts(instance) },
      policyTypes: ['Ingress'],
      ingress: [{ from, ports: [{ port: 'https', protocol: 'TCP' }] }],
    },
  };
}

/** An Ingress that lets through the one path. */
export function webhookIngress(
  instance: ConnectorInstance,
  { host, path }: WebhookPlace,
  { className, annotations, tlsSecret }: NonNullable<WebhookEdge['ingress']>,
): Made {
  const service = { name: webhookServiceName(instance.metadata.name), port: { name: 'https' } };
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'Ingress',
    metadata: metadata(instance, annotations),
    spec: {
      ...(className !== '' && { ingressClassName: className }),
      ...(tlsSecret !== '' && { tls: [{ hosts: [host], secretName: tlsSecret }] }),
      rules: [{ host, http: { paths: [{ path, pathType: 'Exact', backend: { service } }] } }],
    },
  };
}

/** A route of the Gateway API that lets through POST on the one path. */
export function webhookHttpRoute(
  instance: ConnectorInstance,
  { host, path }: WebhookPlace,
  { parentRefs, annotations }: NonNullable<WebhookEdge['httpRoute']>,
): Made {
  return {
    apiVersion: 'gateway.networking.k8s.io/v1',
    kind: 'HTTPRoute',
    metadata: metadata(instance, annotations),
    spec: {
      parentRefs,
      hostnames: [host],
      rules: [
        {
          matches: [{ path: { type: 'Exact', value: path }, method: 'POST' }],
          backendRefs: [{ name: webhookServiceName(instance.metadata.name), port: PORT }],
        },
      ],
    },
  };
}

/** Makes a gateway trust the fleet's CA for the hosts' certificates. */
export function webhookBackendTlsPolicy(instance: ConnectorInstance, trustConfigMap: string): Made {
  const name = webhookServiceName(instance.metadata.name);
  return {
    apiVersion: 'gateway.networking.k8s.io/v1',
    kind: 'BackendTLSPolicy',
    metadata: metadata(instance),
    spec: {
      targetRefs: [{ group: '', kind: 'Service', name }],
      validation: {
        hostname: `${name}.${instance.metadata.namespace}.svc`,
        caCertificateRefs: [{ group: '', kind: 'ConfigMap', name: trustConfigMap }],
      },
    },
  };
}

/** What to enter at the provider: the public URL, or that of the Service within the cluster where nothing leads in. */
export function webhookUrl(instance: ConnectorInstance, edge: WebhookEdge): string {
  const { metadata, spec } = instance;
  const place = edge.ingress || edge.httpRoute ? webhookPlace(instance, edge) : undefined;
  if (place) return `https://${place.host}${place.path}`;
  return `https://${webhookServiceName(metadata.name)}.${metadata.namespace}.svc${webhookNames(spec.connector.type).path}`;
}
