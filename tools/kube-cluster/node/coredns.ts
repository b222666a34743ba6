import { NODE_ADDRESS } from '../control-plane/addresses.ts';
import { CLUSTER_DOMAIN } from './kubelet.ts';

/** Names of Services and Pods; every other name does not exist, as a cluster without a way out has no use for it. */
export function corefile(folder: string, readyPort: number): string {
  return `${CLUSTER_DOMAIN}:53 in-addr.arpa:53 {
  bind ${NODE_ADDRESS}
  errors
  ready 127.0.0.1:${readyPort}
  kubernetes {
    kubeconfig ${folder}/coredns.kubeconfig
    pods insecure
    ttl 1
  }
}
.:53 {
  bind ${NODE_ADDRESS}
  errors
  template ANY ANY {
    rcode NXDOMAIN
  }
}
`;
}
