import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ApiServer } from '../../../../tools/kube-cluster/control-plane/api-server.ts';

/** What a kubelet gives to a Pod of a service account: files below `root`, and variables. */
export interface PodCredentials {
  readonly root: string;
  readonly folder: string;
  readonly environment: Record<string, string>;
}

/** Writes them for a service account of the namespace `default`, which must exist, with a token of an hour. */
export async function podCredentials(api: ApiServer, name: string): Promise<PodCredentials> {
  const root = join(api.folder, `in-cluster-${name}`);
  const folder = join(root, 'var/run/secrets/kubernetes.io/serviceaccount');
  await mkdir(folder, { recursive: true });
  const config = JSON.parse(await api.kubectl(['config', 'view', '--raw', '-o', 'json']));
  const authority = config.clusters[0].cluster['certificate-authority-data'];
  const { hostname, port } = new URL(api.url);
  await writeFile(join(folder, 'ca.crt'), Buffer.from(authority, 'base64'));
  await writeFile(join(folder, 'namespace'), 'default\n');
  await writeFile(join(folder, 'token'), await api.kubectl(['create', 'token', name]));
  return { root, folder, environment: { KUBERNETES_SERVICE_HOST: hostname, KUBERNETES_SERVICE_PORT: port } };
}
