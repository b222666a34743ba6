import type { Credentials, KubeSource } from './credentials.js';

/** Reads everything again: files, tokens, and the answer of a credential program. Throws KubeConfigInvalid. */
export async function readCredentials(source: KubeSource): Promise<Credentials> {
  if ('inCluster' in source) {
    const { serviceAccountCredentials } = await import('./service-account.js');
    return serviceAccountCredentials(process.env, source.root);
  }
  // What reads kubeconfigs costs a quarter of a second and 80 MiB: commands that never ask the API server, and Pods, do without.
  const { kubeconfigCredentials } = await import('./kubeconfig.js');
  return kubeconfigCredentials(source);
}
