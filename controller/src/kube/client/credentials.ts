/**
 * Where the API server and the credentials come from: a kubeconfig file, or the service account that a Pod has. A kubeconfig that is not named is
 * kubectl's: `KUBECONFIG`, then `~/.kube/config`, then the service account.
 */
export type KubeSource =
  | { readonly kubeconfig?: string | undefined; readonly context?: string | undefined }
  | { readonly inCluster: true /** Put before the service account's paths. */; readonly root?: string | undefined };

/** What a request needs: where to, how TLS is set up, and which headers say who asks. */
export interface Credentials {
  /** Scheme, host and port; with `basePath` in front of every path. */
  readonly origin: string;
  readonly basePath: string;
  /** Namespace of the context or the Pod; `default` when none is set. */
  readonly namespace: string;
  readonly proxy: string | undefined;
  readonly tls: {
    ca?: Buffer | string;
    cert?: Buffer | string;
    key?: Buffer | string;
    servername?: string;
    rejectUnauthorized?: boolean;
  };
  readonly headers: Record<string, string>;
}
