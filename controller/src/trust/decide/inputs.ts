import type { TrustBundle } from '../bundle.js';
import type { Certificate } from '../certificates/certificate.js';
import type { Stored, StoredCa, StoredKey } from '../material.js';
import type { KeyRole, TrustNames } from '../names.js';

/** What the leaf of a service is for; at least one name. */
export interface LeafNames {
  readonly dnsNames: readonly string[];
  readonly ipAddresses?: readonly string[] | undefined;
}

/** The ConfigMap `aip-trust` of one namespace. */
export interface PublishedBundle {
  readonly namespace: string;
  /** Its data as it stands; undefined when there is no such ConfigMap. */
  readonly data: Readonly<Record<string, string>> | undefined;
  /** What can be read of the data. */
  readonly bundle: TrustBundle;
  /** Whether it carries the controller's label. */
  readonly managed: boolean;
}

/** All that the decisions about trust rest on; times in ms since the epoch. */
export interface TrustInputs {
  /** Read after everything else: what was seen is not younger. */
  readonly now: number;
  readonly names: TrustNames;
  /** How long both the old and the new of a pair stay trusted, at each phase of a rotation. */
  readonly overlapMs: number;
  readonly ca: Stored<StoredCa>;
  readonly keys: Readonly<Record<KeyRole, Stored<StoredKey>>>;
  readonly leaves: Readonly<Record<KeyRole, Stored<Certificate>>>;
  readonly leafNames: Readonly<Record<KeyRole, LeafNames>>;
  /** The leaves that cert-manager made, to be used instead of own ones; undefined without cert-manager. */
  readonly offered: Readonly<Record<KeyRole, Stored<Certificate>>> | undefined;
  /** Authorities besides our own that everybody has to trust: cert-manager's. */
  readonly foreignAuthorities: readonly Certificate[];
  /** The release namespace first, then each namespace that wants a copy. */
  readonly published: readonly [PublishedBundle, ...PublishedBundle[]];
  /** Ids of the authorities that signed leaves which replicas still use. */
  readonly replicaIssuers: readonly string[];
}
