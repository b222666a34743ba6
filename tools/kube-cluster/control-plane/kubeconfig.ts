import { writeFile } from 'node:fs/promises';
import type { KeyPair } from './certificates.ts';

/** Who a kubeconfig speaks as: by client certificate, or by bearer token (of a service account). */
export type Credential = KeyPair | { readonly token: string };

/** A kubeconfig with one context, `aip-fleet`. JSON, which is YAML too. */
export function kubeconfig(url: string, authority: string, credential: Credential, namespace = 'default'): string {
  const name = 'aip-fleet';
  const user =
    'token' in credential
      ? { token: credential.token }
      : { 'client-certificate-data': base64(credential.cert), 'client-key-data': base64(credential.key) };
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name, cluster: { server: url, 'certificate-authority-data': base64(authority) } }],
    users: [{ name, user }],
    contexts: [{ name, context: { cluster: name, user: name, namespace } }],
    'current-context': name,
  };
  return `${JSON.stringify(config, null, 2)}\n`;
}

/** Writes a kubeconfig that only its owner can read; returns its path. */
export async function writeKubeconfig(file: string, text: string): Promise<string> {
  await writeFile(file, text, { mode: 0o600 });
  return file;
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}
