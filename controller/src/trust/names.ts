import { sha256Hex } from '@aip/runtime/internal/signing';
import { GROUP } from '../api/group.js';

/** The two services that have a signing key of the fleet. */
export type KeyRole = 'control-plane' | 'gateway';

/** Both, in the order in which everything about them is done. */
export const KEY_ROLES: readonly KeyRole[] = ['control-plane', 'gateway'];

/** Annotations on the trust's Secrets. */
export const TRUST_ANNOTATIONS = {
  /** Written by operators: any new value requests a rotation. */
  rotate: `${GROUP}/rotate`,
  /** The value of `rotate` that was acted on last. */
  rotated: `${GROUP}/rotated`,
  /** RFC 3339; since when all that the present phase of a rotation waits for has been so. */
  since: `${GROUP}/since`,
  /** Whose operator's token a Secret holds. */
  tenant: `${GROUP}/tenant`,
  /** Id of the authority that signed a replica's leaf. */
  issuer: `${GROUP}/issuer`,
} as const;

/** Keys of the Secrets' and the ConfigMap's data. */
export const DATA = {
  seed: 'seed',
  nextSeed: 'seed.next',
  /** DIDs, one a line: keys that were active and may still be in use. */
  previousDids: 'did.previous',
  tlsCert: 'tls.crt',
  tlsKey: 'tls.key',
  caCert: 'ca.crt',
  caKey: 'ca.key',
  nextCaCert: 'ca.next.crt',
  nextCaKey: 'ca.next.key',
  /** Certificates of authorities that were active and whose leaves may still be in use. */
  previousCaCerts: 'ca.previous.crt',
  controlPlaneDids: 'control-plane-dids',
  gatewayDids: 'gateway-dids',
  principals: 'principals.json',
  token: 'token',
  did: 'did',
} as const;

/** What the objects of one release are called. */
export interface TrustNames {
  /** ConfigMap with what may be known to all; the same name in every namespace. */
  readonly trust: string;
  readonly ca: string;
  readonly key: Readonly<Record<KeyRole, string>>;
  readonly principals: string;
  /** Secret with the token of a tenant's operator. */
  operator(tenant: string): string;
  /** cert-manager's Certificate of a service. */
  certificate(role: KeyRole): string;
  /** Secret that cert-manager writes. */
  certificateSecret(role: KeyRole): string;
}

/** What a release is called among others of the cluster; objects that it owns carry it. */
export function releaseId({ namespace, release }: { namespace: string; release: string }): string {
  return `${namespace}/${release}`;
}

/** The names of the trust's objects in the release namespace: the release's name and what the object is. */
export function trustNames(release: string): TrustNames {
  return {
    trust: `${release}-trust`,
    ca: `${release}-ca`,
    key: { 'control-plane': `${release}-control-plane`, gateway: `${release}-gateway` },
    principals: `${release}-principals`,
    operator: (tenant) => `${release}-operator-${sha256Hex(tenant).slice(0, 10)}`,
    certificate: (role) => `${release}-${role}`,
    certificateSecret: (role) => `${release}-${role}-tls`,
  };
}
