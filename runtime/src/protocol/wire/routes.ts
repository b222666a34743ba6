import { isDigest } from '../digest.js';
import { MAX_CREDENTIAL_REF_BYTES } from '../limits.js';
import type { ConnectorCallbackRoute, ConnectorEventRoute, ConnectorRoute } from '../types.js';
import { check } from '../validate.js';

export type { ConnectorCallbackRoute, ConnectorEventRoute, ConnectorRoute } from '../types.js';

/** Whether the value is a connector_route; it may carry further members (docs/protocol/host.md#pinned-route). */
export function isConnectorRoute(value: unknown): value is ConnectorRoute {
  return check('ConnectorRoute', value).length === 0 && hasGoodValues(value as ConnectorRoute);
}

/** Whether the value is a connector_callback: closed, original_mode streaming. */
export function isConnectorCallbackRoute(value: unknown): value is ConnectorCallbackRoute {
  return check('ConnectorCallbackRoute', value).length === 0 && hasGoodValues(value as ConnectorCallbackRoute);
}

/** Whether the value is a connector_event: closed, lease_sequence at least 1. */
export function isConnectorEventRoute(value: unknown): value is ConnectorEventRoute {
  if (check('ConnectorEventRoute', value).length > 0) return false;
  const route = value as ConnectorEventRoute;
  return isDigest(route.manifest_digest) && Number.isSafeInteger(route.lease_sequence) && route.lease_sequence >= 1;
}

/** The connector_callback of a streaming action: its connector_route without the approval record (docs/protocol/ingress.md#provenance). */
export function callbackRouteOf(route: ConnectorRoute): ConnectorCallbackRoute {
  const { approval_authorization: _, ...pinned } = route;
  return { ...pinned, original_mode: 'streaming' } as ConnectorCallbackRoute;
}

function hasGoodValues(route: ConnectorRoute | ConnectorCallbackRoute): boolean {
  const revisions = [route.catalog_revision, route.binding_policy_revision, route.replica_health_revision];
  const refs = [route.credential_revision_ref, route.quota_policy_ref];
  return (
    isDigest(route.manifest_digest) &&
    revisions.every(Number.isSafeInteger) &&
    refs.every((ref) => ref === undefined || ref === null || isReference(ref))
  );
}

function isReference(text: string): boolean {
  return text !== '' && Buffer.byteLength(text) <= MAX_CREDENTIAL_REF_BYTES;
}
