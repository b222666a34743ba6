import { KINDS } from '../../api/kinds.js';
import type { Kube } from '../../kube/kube.js';
import type { KeyPairPem } from '../certificates/ca.js';
import type { Certificate } from '../certificates/certificate.js';
import { readCa, signingPair } from '../material.js';
import { trustNames } from '../names.js';
import type { SecretObject } from '../objects.js';
import type { TrustSettings } from '../settings.js';

/** The authority that leaves come from now. */
export interface ActiveAuthority {
  readonly pair: KeyPairPem;
  readonly certificate: Certificate;
}

/** The active authority as its Secret says; undefined when there is none yet, or none that can be used. */
export async function activeAuthority(
  kube: Kube,
  { namespace, release }: Pick<TrustSettings, 'namespace' | 'release'>,
): Promise<ActiveAuthority | undefined> {
  const secret = await kube.get<SecretObject>(KINDS.secret, { namespace, name: trustNames(release).ca });
  const ca = readCa(secret);
  if (secret === undefined || ca.state !== 'read' || ca.value.active === undefined) return undefined;
  return { pair: signingPair(secret), certificate: ca.value.active };
}
