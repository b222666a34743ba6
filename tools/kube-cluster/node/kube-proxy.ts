import { POD_RANGE } from '../control-plane/addresses.ts';
import { NODE_NAME } from './kubelet.ts';

/** Configuration of kube-proxy (JSON, which is YAML too); connection tracking is left as the machine has it. */
export function kubeProxyConfig(folder: string, ports: { health: number; metrics: number }): string {
  return JSON.stringify({
    apiVersion: 'kubeproxy.config.k8s.io/v1alpha1',
    kind: 'KubeProxyConfiguration',
    mode: 'iptables',
    clusterCIDR: POD_RANGE,
    hostnameOverride: NODE_NAME,
    clientConnection: { kubeconfig: `${folder}/kube-proxy.kubeconfig` },
    conntrack: { maxPerCore: 0, min: 0, tcpEstablishedTimeout: '0s', tcpCloseWaitTimeout: '0s' },
    oomScoreAdj: 0,
    healthzBindAddress: `127.0.0.1:${ports.health}`,
    metricsBindAddress: `127.0.0.1:${ports.metrics}`,
    iptables: { minSyncPeriod: '100ms', localhostNodePorts: true },
  });
}
