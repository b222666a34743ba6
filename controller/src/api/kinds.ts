import { EVENT, LEASE, resourceKind as of } from '../kube/kinds.js';
import { API_VERSION } from './group.js';

/** The kinds that the controller reads or writes. */
export const KINDS = {
  connectorInstance: of(API_VERSION, 'ConnectorInstance', 'connectorinstances'),
  connectorReplica: of(API_VERSION, 'ConnectorReplica', 'connectorreplicas'),
  namespace: of('v1', 'Namespace', 'namespaces', false),
  pod: of('v1', 'Pod', 'pods'),
  service: of('v1', 'Service', 'services'),
  secret: of('v1', 'Secret', 'secrets'),
  configMap: of('v1', 'ConfigMap', 'configmaps'),
  podDisruptionBudget: of('policy/v1', 'PodDisruptionBudget', 'poddisruptionbudgets'),
  networkPolicy: of('networking.k8s.io/v1', 'NetworkPolicy', 'networkpolicies'),
  ingress: of('networking.k8s.io/v1', 'Ingress', 'ingresses'),
  httpRoute: of('gateway.networking.k8s.io/v1', 'HTTPRoute', 'httproutes'),
  backendTlsPolicy: of('gateway.networking.k8s.io/v1', 'BackendTLSPolicy', 'backendtlspolicies'),
  lease: LEASE,
  event: EVENT,
} as const;
