import { readFile } from 'node:fs/promises';
import { isIPv6 } from 'node:net';
import type { Credentials } from './credentials.js';
import { KubeConfigInvalid } from './errors.js';

/** Where the kubelet puts token, authority and namespace of a Pod's service account. */
const FOLDER = '/var/run/secrets/kubernetes.io/serviceaccount';

/**
 * The API server of the cluster that this process runs in, as the service account of its Pod: address from the environment, the rest from files
 * below `root`. Throws KubeConfigInvalid.
 */
export async function serviceAccountCredentials(environment: NodeJS.ProcessEnv, root = ''): Promise<Credentials> {
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port } = environment;
  if (!host || !port)
    throw new KubeConfigInvalid(
      'KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not set: this process does not run in a Pod',
    );
  const origin = `https://${isIPv6(host) ? `[${host}]` : host}:${port}`;
  if (!URL.canParse(origin)) throw new KubeConfigInvalid(`${origin} is not a valid API server address`);
  const text = (name: string): Promise<string> => readFile(`${root}${FOLDER}/${name}`, 'utf8');
  try {
    // One after the other, so that of several missing files the same one is named each time.
    const ca = await text('ca.crt');
    const token = await text('token');
    // A Pod may mount the token without the namespace.
    const namespace = await text('namespace').catch(() => '');
    return {
      origin,
      basePath: '',
      namespace: namespace.trim() || 'default',
      proxy: undefined,
      tls: { ca },
      headers: { authorization: `Bearer ${token.trim()}` },
    };
  } catch (error) {
    throw new KubeConfigInvalid(`the service account cannot be read: ${(error as Error).message}`, { cause: error });
  }
}
