import type { ResourceKind } from './kube.js';

/** A kind of resource; its objects are in namespaces unless said otherwise. */
export function resourceKind(apiVersion: string, kind: string, plural: string, namespaced = true): ResourceKind {
  return { apiVersion, kind, plural, namespaced };
}

/** What leaders elect each other by. */
export const LEASE = resourceKind('coordination.k8s.io/v1', 'Lease', 'leases');
/** What `kubectl describe` lists under an object. */
export const EVENT = resourceKind('events.k8s.io/v1', 'Event', 'events');
