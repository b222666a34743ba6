import { digestOf } from '@aip/runtime/internal/signing';
import { GROUP, LABELS } from '../api/group.js';
import type { Kube, KubeObject, ResourceKind } from '../kube/kube.js';
import type { LeafNames } from './decide/inputs.js';
import { KEY_ROLES, type KeyRole, trustNames } from './names.js';
import { MANAGER } from './objects.js';
import type { CertManagerIssuer, TrustSettings } from './settings.js';

/** cert-manager's kind for a certificate that it keeps in a Secret. */
export const CERTIFICATE: ResourceKind = {
  apiVersion: 'cert-manager.io/v1',
  kind: 'Certificate',
  plural: 'certificates',
  namespaced: true,
};

/** Digest of the spec that was applied last: what cert-manager adds to it is none of our business. */
const SPEC_DIGEST = `${GROUP}/spec-digest`;

/** A Certificate as far as this project writes it. */
export interface CertificateObject extends KubeObject {
  spec: {
    secretName: string;
    dnsNames: string[];
    ipAddresses?: string[];
    duration: string;
    privateKey: { algorithm: 'ECDSA'; size: 256; encoding: 'PKCS8'; rotationPolicy: 'Always' };
    usages: string[];
    issuerRef: { name: string; kind: string; group: string };
  };
}

/** The Certificate of a service: 90 days, ECDSA P-256, a new key every time; cert-manager renews at two thirds. */
export function certificateObject(
  role: KeyRole,
  settings: Pick<TrustSettings, 'namespace' | 'release'>,
  leaf: LeafNames,
  issuer: CertManagerIssuer,
): CertificateObject {
  const names = trustNames(settings.release);
  const { ipAddresses = [] } = leaf;
  const spec: CertificateObject['spec'] = {
    secretName: names.certificateSecret(role),
    dnsNames: [...leaf.dnsNames],
    ...(ipAddresses.length > 0 ? { ipAddresses: [...ipAddresses] } : {}),
    duration: '2160h',
    privateKey: { algorithm: 'ECDSA', size: 256, encoding: 'PKCS8', rotationPolicy: 'Always' },
    usages: ['digital signature', 'server auth'],
    issuerRef: { name: issuer.name, kind: issuer.kind, group: issuer.group ?? 'cert-manager.io' },
  };
  return {
    apiVersion: CERTIFICATE.apiVersion,
    kind: CERTIFICATE.kind,
    metadata: {
      name: names.certificate(role),
      namespace: settings.namespace,
      labels: { [LABELS.managedBy]: MANAGER },
      annotations: { [SPEC_DIGEST]: digestOf(spec) },
    },
    spec,
  };
}

/** Brings both services' Certificates to what is configured; nothing is written when they are. */
export async function ensureCertificates(
  kube: Kube,
  settings: TrustSettings,
  issuer: CertManagerIssuer,
): Promise<void> {
  for (const role of KEY_ROLES) {
    const wanted = certificateObject(role, settings, settings.leafNames[role], issuer);
    const { name, namespace, annotations } = wanted.metadata;
    const found = await kube.get(CERTIFICATE, { name, namespace });
    if (found?.metadata.annotations?.[SPEC_DIGEST] !== annotations?.[SPEC_DIGEST])
      await kube.apply(CERTIFICATE, wanted);
  }
}
