/** A kind of resource, as the API server's paths name it. */
export interface ResourceKind {
  readonly apiVersion: string;
  readonly kind: string;
  readonly plural: string;
  readonly namespaced: boolean;
}

/** `metadata` of an object at the API server; what this project reads of it. */
export interface ObjectMeta {
  name: string;
  namespace?: string;
  uid?: string;
  resourceVersion?: string;
  generation?: number;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  ownerReferences?: OwnerReference[];
  finalizers?: string[];
  creationTimestamp?: string;
  deletionTimestamp?: string;
}

/** Whose child an object is; always in its own namespace. */
export interface OwnerReference {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
  controller?: boolean;
  blockOwnerDeletion?: boolean;
}

/** Any object at the API server. */
export interface KubeObject {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
}

/** Where an object is; no namespace for cluster-wide kinds. */
export interface ObjectRef {
  readonly namespace?: string | undefined;
  readonly name: string;
}

/** Which objects of a kind; selectors in the API server's own syntax. */
export interface ListOptions {
  readonly namespace?: string | undefined;
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
}

/** What a watch follows, from which version on; it ends after `idleMs` without any event. */
export interface WatchOptions extends ListOptions {
  readonly resourceVersion: string;
  readonly signal: AbortSignal;
  readonly idleMs: number;
}

/** How an object is deleted: only the one with this uid, with this grace, and what becomes of its children. */
export interface DeleteOptions {
  readonly uid?: string | undefined;
  readonly graceSeconds?: number | undefined;
  readonly propagation?: 'Background' | 'Foreground';
}

/** One change as a watch reports it. */
export type WatchEvent<T> = { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK'; readonly object: T };

/**
 * The API server. Reads throw KubeUnavailable (network, 429, 5xx) and KubeForbidden; writes also KubeConflict (409), KubeInvalid (422) and
 * KubeNotFound. Every call ends within its time limit.
 */
export interface Kube {
  /** The object, or undefined when there is none. */
  get<T extends KubeObject>(kind: ResourceKind, ref: ObjectRef): Promise<T | undefined>;
  /** Whether there is such an object; nothing but its metadata is sent. */
  exists(kind: ResourceKind, ref: ObjectRef): Promise<boolean>;
  /** All matching objects, read in pages of 500. */
  list<T extends KubeObject>(
    kind: ResourceKind,
    options?: ListOptions,
  ): Promise<{ items: T[]; resourceVersion: string }>;
  /** Changes after `resourceVersion` until the signal aborts or the server ends the watch; throws KubeGone on 410. */
  watch<T extends KubeObject>(kind: ResourceKind, options: WatchOptions): AsyncIterable<WatchEvent<T>>;
  /** Creates the object; `strict` refuses members that the API server does not know, which it drops otherwise. */
  create<T extends KubeObject>(kind: ResourceKind, object: T, options?: { strict?: boolean }): Promise<T>;
  /**
   * Server-side apply with the field manager `aip-controller` (or `manager`), force; `status` applies the status subresource. The object holds the fields that are
   * ours and no others; one that was applied before and is left out now is removed, unless another manager owns it too.
   */
  apply<T extends KubeObject>(
    kind: ResourceKind,
    object: T,
    options?: { status?: boolean; manager?: string },
  ): Promise<T>;
  /** Replaces the object; a stale `resourceVersion` is a KubeConflict. */
  replace<T extends KubeObject>(kind: ResourceKind, object: T): Promise<T>;
  /** A JSON merge patch. */
  merge<T extends KubeObject>(kind: ResourceKind, ref: ObjectRef, patch: object): Promise<T>;
  /** Deletes; one that is not there, or has another uid than the one given, is fine. */
  delete(kind: ResourceKind, ref: ObjectRef, options?: DeleteOptions): Promise<void>;
  /** A container's log: at most `limitBytes` from the start of its last `tailLines` lines, or of the whole. */
  podLog(
    ref: ObjectRef,
    options: { container: string; limitBytes: number; tailLines?: number | undefined },
  ): Promise<string>;
}
