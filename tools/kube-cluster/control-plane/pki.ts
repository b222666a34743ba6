import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { KUBERNETES_SERVICE_ADDRESS } from './addresses.ts';
import { type Authority, createAuthority, createTokenKeys, type KeyPair, writeKeyPair } from './certificates.ts';

/** The keys of a control plane. */
export interface Pki {
  readonly authority: Authority;
  /** Client certificate of a cluster administrator. */
  readonly admin: KeyPair;
}

/** Names of the API server for those inside the cluster. */
const NAMES = ['localhost', 'kubernetes', 'kubernetes.default', 'kubernetes.default.svc'];

/** Makes the keys and writes those that the programs read into `<folder>/pki`. `addresses` are the API server's, beside loopback. */
export async function createPki(folder: string, addresses: readonly string[] = []): Promise<Pki> {
  const pki = join(folder, 'pki');
  const authority = await createAuthority(pki, 'aip-fleet-cluster');
  const [admin, server] = await Promise.all([
    authority.client('aip-fleet-admin', ['system:masters']),
    authority.server('kube-apiserver', NAMES, ['127.0.0.1', KUBERNETES_SERVICE_ADDRESS, ...addresses]),
  ]);
  const tokens = createTokenKeys();
  await writeKeyPair(pki, 'admin', admin);
  await writeKeyPair(pki, 'apiserver', server);
  await writeFile(join(pki, 'service-account.key'), tokens.privateKey, { mode: 0o600 });
  await writeFile(join(pki, 'service-account.pub'), tokens.publicKey);
  return { authority, admin };
}
