import { KINDS } from '#controller/api/kinds.js';
import { readBundle, type TrustBundle } from '#controller/trust/bundle.js';
import { type Certificate, readCertificate } from '#controller/trust/certificates/certificate.js';
import { type KeyRole, TRUST_ANNOTATIONS, trustNames } from '#controller/trust/names.js';
import { type ConfigMapObject, type SecretObject, secretText } from '#controller/trust/objects.js';
import { reconcileTrust, type TrustResult, type TrustWanted } from '#controller/trust/reconcile-trust.js';
import type { TrustSettings } from '#controller/trust/settings.js';
import { signingKeyFromSeed } from '#runtime/protocol/signing.js';
import { memoryKube } from './memory-kube.js';

export const SECOND = 1000;
export const DAY = 86_400_000;
export const OVERLAP = 300 * SECOND;
export const NAMESPACE = 'fleet-system';
export const NAMES = trustNames('aip');

const leaf = (service: string) => ({ dnsNames: [`${service}.${NAMESPACE}.svc`] });

/** Settings of a release called `aip`. */
export const SETTINGS: TrustSettings = {
  namespace: NAMESPACE,
  release: 'aip',
  leafNames: { 'control-plane': leaf('aip-control-plane'), gateway: leaf('aip-gateway') },
};

/** A release in an API server in memory, at a time that the test sets. */
export function release(settings: TrustSettings = SETTINGS) {
  const kube = memoryKube();
  const time = { now: Date.UTC(2026, 0, 1) };
  const wanted: TrustWanted = { namespaces: ['acme'], tenants: [], replicaIssuers: [] };
  const secret = (name: string): SecretObject => {
    const found = kube.peek<SecretObject>(KINDS.secret, { namespace: NAMESPACE, name });
    if (!found) throw new Error(`there is no Secret ${name}`);
    return found;
  };
  const bundle = (namespace = NAMESPACE): TrustBundle =>
    readBundle(kube.peek<ConfigMapObject>(KINDS.configMap, { namespace, name: 'aip-trust' }) as ConfigMapObject);
  return {
    kube,
    time,
    secret,
    bundle,
    /** A round of the reconciler. */
    reconcile: (change: Partial<TrustWanted> = {}): Promise<TrustResult> =>
      reconcileTrust({ kube, clock: () => time.now }, settings, { ...wanted, ...change }),
    /** The DID that a service signs with. */
    activeDid: (role: KeyRole): string => signingKeyFromSeed(secretText(secret(NAMES.key[role]), 'seed') as string).did,
    leaf: (role: KeyRole): Certificate => readCertificate(secretText(secret(NAMES.key[role]), 'tls.crt') as string),
    ca: (): Certificate => readCertificate(secretText(secret(NAMES.ca), 'ca.crt') as string),
    /** What `kubectl annotate secret NAME fleet.aip.dev/rotate=VALUE` does. */
    rotate: (name: string, value: string) =>
      kube.merge(
        KINDS.secret,
        { namespace: NAMESPACE, name },
        { metadata: { annotations: { [TRUST_ANNOTATIONS.rotate]: value } } },
      ),
  };
}

export type Release = ReturnType<typeof release>;
