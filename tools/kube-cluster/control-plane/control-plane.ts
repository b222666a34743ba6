import { answersOk } from '../process/probe.ts';
import type { Running } from '../process/program.ts';
import { waitReady } from '../process/ready.ts';
import { SERVICE_RANGE } from './addresses.ts';
import type { Pki } from './pki.ts';

/** Everything that the arguments of a control plane's programs are made of. */
export interface ControlPlaneSettings {
  /** Holds `pki` and `etcd`. */
  readonly folder: string;
  readonly ports: ControlPlanePorts;
  /** Address that the API server listens on. */
  readonly bindAddress: string;
  /** Address that Pods reach the API server by; undefined: there are no Pods, the Service `kubernetes` gets no endpoint. */
  readonly advertiseAddress?: string;
}

export interface ControlPlanePorts {
  readonly etcd: number;
  readonly etcdPeer: number;
  readonly api: number;
}

/** The programs in the order they start. */
export type ComponentName = 'etcd' | 'kube-apiserver' | 'kube-controller-manager';
export const COMPONENTS: readonly ComponentName[] = ['etcd', 'kube-apiserver', 'kube-controller-manager'];

/** etcd without fsync: a machine that loses power loses the cluster, which is made again anyway. */
export function etcdArguments({ folder, ports }: ControlPlaneSettings): string[] {
  const client = `http://127.0.0.1:${ports.etcd}`;
  const peer = `http://127.0.0.1:${ports.etcdPeer}`;
  return [
    '--name=aip-fleet',
    `--data-dir=${folder}/etcd`,
    '--unsafe-no-fsync',
    `--listen-client-urls=${client}`,
    `--advertise-client-urls=${client}`,
    `--listen-peer-urls=${peer}`,
    `--initial-advertise-peer-urls=${peer}`,
    `--initial-cluster=aip-fleet=${peer}`,
    '--log-level=warn',
  ];
}

/** RBAC on, as in a real cluster. */
export function apiServerArguments(settings: ControlPlaneSettings): string[] {
  const { folder, ports, advertiseAddress } = settings;
  const pki = `${folder}/pki`;
  return [
    `--etcd-servers=http://127.0.0.1:${ports.etcd}`,
    `--bind-address=${settings.bindAddress}`,
    `--secure-port=${ports.api}`,
    ...(advertiseAddress
      ? [`--advertise-address=${advertiseAddress}`]
      : ['--advertise-address=127.0.0.1', '--endpoint-reconciler-type=none']),
    `--service-cluster-ip-range=${SERVICE_RANGE}`,
    `--cert-dir=${pki}`,
    `--tls-cert-file=${pki}/apiserver.crt`,
    `--tls-private-key-file=${pki}/apiserver.key`,
    `--client-ca-file=${pki}/ca.crt`,
    `--kubelet-client-certificate=${pki}/admin.crt`,
    `--kubelet-client-key=${pki}/admin.key`,
    '--kubelet-preferred-address-types=InternalIP',
    `--service-account-key-file=${pki}/service-account.pub`,
    `--service-account-signing-key-file=${pki}/service-account.key`,
    '--service-account-issuer=https://kubernetes.default.svc',
    '--authorization-mode=Node,RBAC',
    '--enable-admission-plugins=NodeRestriction',
    '--allow-privileged',
  ];
}

/** All controllers; each with credentials of its own, so that RBAC holds for them too. */
export function controllerManagerArguments({ folder }: ControlPlaneSettings): string[] {
  const pki = `${folder}/pki`;
  return [
    `--kubeconfig=${folder}/kube-controller-manager.kubeconfig`,
    '--secure-port=0',
    '--leader-elect=false',
    '--use-service-account-credentials',
    `--root-ca-file=${pki}/ca.crt`,
    `--service-account-private-key-file=${pki}/service-account.key`,
    `--cluster-signing-cert-file=${pki}/ca.crt`,
    `--cluster-signing-key-file=${pki}/ca.key`,
  ];
}

/** Waits until etcd serves. */
export function etcdReady(running: Running, ports: ControlPlanePorts): Promise<void> {
  return waitReady(running, () => answersOk(`http://127.0.0.1:${ports.etcd}/health`));
}

/** Waits until the API server has started all its parts. */
export function apiServerReady(running: Running, ports: ControlPlanePorts, pki: Pki): Promise<void> {
  return waitReady(running, () => apiAnswers('/readyz', ports, pki));
}

/** Waits until controllers work: the service account that every Pod of the default namespace needs is their doing. */
export function controllerManagerReady(running: Running, ports: ControlPlanePorts, pki: Pki): Promise<void> {
  return waitReady(running, () => apiAnswers('/api/v1/namespaces/default/serviceaccounts/default', ports, pki));
}

function apiAnswers(path: string, ports: ControlPlanePorts, { authority, admin }: Pki): Promise<boolean> {
  return answersOk(`https://127.0.0.1:${ports.api}${path}`, { authority: authority.cert, client: admin });
}
