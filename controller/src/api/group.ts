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

/** Annotations that users may write. */
export const ANNOTATIONS = {
  /** Tenants that a namespace may claim: a comma list or `*`. */
  tenants: `${GROUP}/tenants`,
  /** Connector types beyond the built-in ones that a namespace may run. */
  connectorTypes: `${GROUP}/connector-types`,
  /** `true` skips the drain when an instance is deleted. */
  forceDelete: `${GROUP}/force-delete`,
  /** Path of a connector module (a file beside the resource file) that `aip dev` runs for this instance. */
  module: `${GROUP}/module`,
} as const;
