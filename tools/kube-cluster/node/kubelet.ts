import { NODE_ADDRESS } from '../control-plane/addresses.ts';
import { CONTAINERD_SOCKET } from './containerd.ts';

/** Name of the one node. */
export const NODE_NAME = 'aip-fleet-node';

/** Domain of Services. */
export const CLUSTER_DOMAIN = 'cluster.local';

/** Configuration of kubelet (JSON, which is YAML too); files in our folder, no right assumed that a container of a CI machine lacks. */
export function kubeletConfig(folder: string, ports: { kubelet: number; kubeletHealth: number }): string {
  return JSON.stringify({
    apiVersion: 'kubelet.config.k8s.io/v1beta1',
    kind: 'KubeletConfiguration',
    address: NODE_ADDRESS,
    port: ports.kubelet,
    healthzPort: ports.kubeletHealth,
    authentication: {
      anonymous: { enabled: false },
      webhook: { enabled: true },
      x509: { clientCAFile: `${folder}/pki/ca.crt` },
    },
    authorization: { mode: 'Webhook' },
    containerRuntimeEndpoint: `unix://${CONTAINERD_SOCKET}`,
    cgroupDriver: 'cgroupfs',
    failCgroupV1: false,
    failSwapOn: false,
    enforceNodeAllocatable: [],
    oomScoreAdj: 0,
    resolvConf: '',
    clusterDNS: [NODE_ADDRESS],
    clusterDomain: CLUSTER_DOMAIN,
    podLogsDir: `${folder}/pod-logs`,
    volumePluginDir: `${folder}/volume-plugins`,
    serializeImagePulls: false,
    imageGCHighThresholdPercent: 100,
    evictionHard: { 'memory.available': '100Mi', 'nodefs.available': '0%', 'imagefs.available': '0%' },
    nodeStatusUpdateFrequency: '5s',
    syncFrequency: '10s',
  });
}

export function kubeletArguments(folder: string): string[] {
  return [
    `--config=${folder}/kubelet.json`,
    `--kubeconfig=${folder}/kubelet.kubeconfig`,
    `--root-dir=${folder}/kubelet`,
    `--cert-dir=${folder}/kubelet/pki`,
    `--hostname-override=${NODE_NAME}`,
    `--node-ip=${NODE_ADDRESS}`,
  ];
}
