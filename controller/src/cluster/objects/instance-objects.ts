import type { ConnectorInstance } from '../../api/connector-instance.js';
import { LABELS } from '../../api/group.js';
import type { KubeObject } from '../../kube/kube.js';
import { HOST_PORT } from './names.js';
import { instanceLabels, ownedBy } from './owned.js';

/** Ports of the containers behind control plane and gateways, which rules for Pods name. */
const CONTROL_PORT = 8090;
const GATEWAY_PORT = 8443;

const metadata = (instance: ConnectorInstance): KubeObject['metadata'] => ({
  name: instance.metadata.name,
  namespace: instance.metadata.namespace,
  labels: instanceLabels(instance.metadata.name),
  ownerReferences: [ownedBy(instance)],
});

/** Labels by which the Pods of an instance's hosts are selected. */
export const hosts = (instance: ConnectorInstance): Record<string, string> => ({
  [LABELS.instance]: instance.metadata.name,
  'app.kubernetes.io/component': 'host',
});

/** The headless Service that gives each replica its host name, also before it is ready. */
export function headlessService(instance: ConnectorInstance): KubeObject & { spec: object } {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: metadata(instance),
    spec: {
      clusterIP: 'None',
      publishNotReadyAddresses: true,
      selector: hosts(instance),
      ports: [{ name: 'https', port: HOST_PORT, targetPort: 'https', protocol: 'TCP' }],
    },
  };
}

/** One host at a time may be evicted. A plain number, since what owns the Pods has no scale of its own. */
export function disruptionBudget(instance: ConnectorInstance): KubeObject & { spec: object } {
  return {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: metadata(instance),
    spec: {
      minAvailable: Math.max(0, instance.spec.replicas - 1),
      selector: { matchLabels: hosts(instance) },
      unhealthyPodEvictionPolicy: 'AlwaysAllow',
    },
  };
}

/** What hosts may reach beside the fleet itself; everything unless given. */
export interface HostEgress {
  postgresPort: number;
  /** Further rules, as in a NetworkPolicy. */
  extra: readonly object[];
}

/** Only gateways reach the hosts; kubelets' probes are let in by the network itself. With `egress` hosts reach DNS, the fleet, the database and what it names. */
export function hostNetworkPolicy(
  instance: ConnectorInstance,
  releaseNamespace: string,
  egress: HostEgress | undefined,
): KubeObject & { spec: object } {
  const release = { matchLabels: { 'kubernetes.io/metadata.name': releaseNamespace } };
  const component = (name: string): object => ({ matchLabels: { 'app.kubernetes.io/component': name } });
  const port = (number: number, protocol = 'TCP'): object => ({ port: number, protocol });
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: metadata(instance),
    spec: {
      podSelector: { matchLabels: hosts(instance) },
      policyTypes: ['Ingress', ...(egress ? ['Egress'] : [])],
      ingress: [
        {
          from: [
            {
              namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': releaseNamespace } },
              podSelector: { matchLabels: { 'app.kubernetes.io/component': 'gateway' } },
            },
          ],
          ports: [{ port: 'https', protocol: 'TCP' }],
        },
      ],
      ...(egress && {
        egress: [
          { ports: [port(53, 'UDP'), port(53)] },
          { to: [{ namespaceSelector: release, podSelector: component('controller') }], ports: [port(CONTROL_PORT)] },
          { to: [{ namespaceSelector: release, podSelector: component('gateway') }], ports: [port(GATEWAY_PORT)] },
          { ports: [port(egress.postgresPort)] },
          ...egress.extra,
        ],
      }),
    },
  };
}
