/** How a cluster is reached, with the user's own kubeconfig. */
export interface KubeTarget {
  /** Absolute path; absent: kubectl's own rule (KUBECONFIG, then ~/.kube/config). */
  kubeconfig?: string;
  /** Context of the kubeconfig; absent: its current one. */
  context?: string;
  /** Namespace of the release. */
  namespace: string;
  /** Name of the release; its objects' names begin with it. */
  release: string;
}
