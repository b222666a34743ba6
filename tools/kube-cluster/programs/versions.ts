/** Versions of everything the cluster is made of; the only place that names them. */
export const VERSIONS = {
  kubernetes: '1.36.3',
  etcd: '3.7.3',
  helm: '4.3.1',
  containerd: '2.4.2',
  coredns: '1.15.0',
  kwok: '0.8.0',
} as const;

/** A Go module that programs are built from. */
export interface GoModule {
  readonly path: string;
  /** Without the leading v. */
  readonly version: string;
  /** Go variables that hold the program's own version, set by the linker. */
  readonly versionVariables: readonly string[];
}

const kubernetes: GoModule = {
  path: 'k8s.io/kubernetes',
  version: VERSIONS.kubernetes,
  versionVariables: ['k8s.io/component-base/version.gitVersion', 'k8s.io/client-go/pkg/version.gitVersion'],
};

const etcd: GoModule = { path: 'go.etcd.io/etcd/server/v3', version: VERSIONS.etcd, versionVariables: [] };

const helm: GoModule = {
  path: 'helm.sh/helm/v4',
  version: VERSIONS.helm,
  versionVariables: ['helm.sh/helm/v4/internal/version.version'],
};

const containerd: GoModule = {
  path: 'github.com/containerd/containerd/v2',
  version: VERSIONS.containerd,
  versionVariables: ['github.com/containerd/containerd/v2/version.Version'],
};

const coredns: GoModule = { path: 'github.com/coredns/coredns', version: VERSIONS.coredns, versionVariables: [] };

const kwok: GoModule = {
  path: 'sigs.k8s.io/kwok',
  version: VERSIONS.kwok,
  versionVariables: ['sigs.k8s.io/kwok/pkg/consts.Version'],
};

/** One program: its module, and its package inside the module ('' is the module itself). */
export interface GoProgram {
  readonly module: GoModule;
  readonly package: string;
  /** Seconds of a build from nothing on two cores; only shown to the user. */
  readonly coldSeconds: number;
}

/** Every program that can be built, by the name of its binary. */
export const PROGRAMS = {
  etcd: { module: etcd, package: '', coldSeconds: 25 },
  'kube-apiserver': { module: kubernetes, package: 'cmd/kube-apiserver', coldSeconds: 240 },
  'kube-controller-manager': { module: kubernetes, package: 'cmd/kube-controller-manager', coldSeconds: 55 },
  'kube-scheduler': { module: kubernetes, package: 'cmd/kube-scheduler', coldSeconds: 10 },
  kubelet: { module: kubernetes, package: 'cmd/kubelet', coldSeconds: 20 },
  'kube-proxy': { module: kubernetes, package: 'cmd/kube-proxy', coldSeconds: 10 },
  kubectl: { module: kubernetes, package: 'cmd/kubectl', coldSeconds: 20 },
  helm: { module: helm, package: 'cmd/helm', coldSeconds: 105 },
  containerd: { module: containerd, package: 'cmd/containerd', coldSeconds: 45 },
  'containerd-shim-runc-v2': { module: containerd, package: 'cmd/containerd-shim-runc-v2', coldSeconds: 10 },
  ctr: { module: containerd, package: 'cmd/ctr', coldSeconds: 10 },
  coredns: { module: coredns, package: '', coldSeconds: 85 },
  kwok: { module: kwok, package: 'cmd/kwok', coldSeconds: 60 },
} as const satisfies Record<string, GoProgram>;

export type ProgramName = keyof typeof PROGRAMS;

/** All that can be built. */
export const PROGRAM_NAMES = Object.keys(PROGRAMS) as ProgramName[];

/** What an API server without nodes needs. */
export const API_SERVER_PROGRAMS = ['etcd', 'kube-apiserver', 'kube-controller-manager', 'kubectl'] as const;

/** What a whole node needs beside that. */
export const NODE_PROGRAMS = [
  ...API_SERVER_PROGRAMS,
  'kube-scheduler',
  'kubelet',
  'kube-proxy',
  'containerd',
  'containerd-shim-runc-v2',
  'ctr',
  'coredns',
] as const;
