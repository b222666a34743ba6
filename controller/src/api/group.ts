/** API group of the fleet's resources. */
export const GROUP = 'fleet.aip.dev';
/** The one served version of the group. */
export const VERSION = 'v1alpha1';
/** `apiVersion` of every resource of the group. */
export const API_VERSION = `${GROUP}/${VERSION}`;

/** Labels put on what is made from an instance; all values are names or hashes, never tenant data. */
export const LABELS = {
  instance: `${GROUP}/instance`,
  template: `${GROUP}/template`,
  managedBy: 'app.kubernetes.io/managed-by',
} as const;

/** Annotations of the fleet; users write the first ones. */
export const ANNOTATIONS = {
  /** Tenants that a namespace may claim: a comma list or `*`. */
  tenants: `${GROUP}/tenants`,
  /** Connector types beyond the built-in ones that a namespace may run. */
  connectorTypes: `${GROUP}/connector-types`,
  /** ServiceAccounts that hosts of a namespace may run as: a comma list or `*`. */
  serviceAccounts: `${GROUP}/service-accounts`,
  /** Images, without tag and digest, that sidecars of a namespace may run: a comma list or `*`. */
  sidecarImages: `${GROUP}/sidecar-images`,
  /** Host names that instances of a namespace may take webhook deliveries at: a comma list or `*`. */
  webhookHosts: `${GROUP}/webhook-hosts`,
  /** `true` skips the drain when an instance is deleted. */
  forceDelete: `${GROUP}/force-delete`,
  /** Path of a connector module (a file beside the resource file) that `aip dev` runs for this instance. */
  module: `${GROUP}/module`,
  /** Digest of that module and of what it imports; written by `aip dev`. */
  moduleDigest: `${GROUP}/module-digest`,
  /** Release (`namespace/name`) that runs an instance; written by the controller. */
  release: `${GROUP}/release`,
  /** Place of a managed replica among those of its template; written by the controller. */
  ordinal: `${GROUP}/ordinal`,
  /** Digest of the template that a managed replica was made from; written by the controller. */
  templateDigest: `${GROUP}/template-digest`,
  /** Why a replica is removed; written by the controller. */
  retiring: `${GROUP}/retiring`,
  /** How often an instance's configuration has changed; written by the controller. */
  configRevision: `${GROUP}/config-revision`,
  /** Digest of the configuration that the revision stands for; written by the controller. */
  configDigest: `${GROUP}/config-digest`,
  /** Completed rollouts of an instance, newest first, as JSON; written by the controller. */
  revisions: `${GROUP}/revisions`,
  /** Template that was tried with success and may replace the others; written by the controller. */
  canaryPassed: `${GROUP}/canary-passed`,
  /** Template that missed its deadline or failed as a canary, and why; the newest revision runs instead. Written by the controller. */
  rolledBack: `${GROUP}/rolled-back`,
  /** When the leaf of a replica ends, RFC 3339; written by the controller. */
  leafExpires: `${GROUP}/leaf-expires`,
  /** Authority that signed the leaf of a replica; written by the controller. */
  leafIssuer: `${GROUP}/leaf-issuer`,
} as const;
