import type { LeafNames } from './decide/inputs.js';
import type { KeyRole } from './names.js';

/** Consumers read mounted files again after up to 90 s; the rest is room for clocks that differ. In ms. */
export const DEFAULT_OVERLAP_MS = 300_000;

/** Who issues the services' leaves instead of the fleet's own authority: `issuerRef` of cert-manager. */
export interface CertManagerIssuer {
  readonly name: string;
  readonly kind: 'Issuer' | 'ClusterIssuer';
  /** API group; `cert-manager.io` unless given. */
  readonly group?: string | undefined;
}

/** What a release's trust is like; the same on every replica of the controller. */
export interface TrustSettings {
  /** The release namespace. */
  readonly namespace: string;
  /** The release's name: prefix of the objects' names. */
  readonly release: string;
  /** Names of the services' leaves. */
  readonly leafNames: Readonly<Record<KeyRole, LeafNames>>;
  /** How long the old and the new of a rotation are both trusted, in ms; DEFAULT_OVERLAP_MS unless given. */
  readonly overlapMs?: number | undefined;
  /** DNS domains that the authority is confined to; no bound unless given. */
  readonly permittedDomains?: readonly string[] | undefined;
  readonly certManagerIssuer?: CertManagerIssuer | undefined;
}
