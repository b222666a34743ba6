import { IngressNotAuthorized } from '../../../protocol/errors.js';
import type { ConnectorCallbackRoute } from '../../../protocol/types.js';
import type { IngressSender } from '../../../registry/ingress/sender.js';
import type { RouteAssignment } from '../../../registry/routes/assignment.js';

/** The durable assignment of the route's action; refuses a route of which any member differs from it (docs/protocol/ingress.md#chunks). */
export function confirmAssigned(
  route: ConnectorCallbackRoute,
  assignment: RouteAssignment | undefined,
): RouteAssignment {
  if (!assignment) throw new IngressNotAuthorized('the action has no assignment');
  const equal =
    route.action_id === assignment.actionId &&
    route.capability_id === assignment.capabilityId &&
    route.tenant_id === assignment.tenantId &&
    route.instance_id === assignment.instanceId &&
    route.replica_id === assignment.replicaId &&
    route.version_id === assignment.versionId &&
    route.manifest_digest === assignment.manifestDigest &&
    route.catalog_revision === assignment.catalogRevision &&
    route.binding_policy_revision === assignment.bindingPolicyRevision &&
    (route.credential_revision_ref ?? null) === assignment.credentialRevisionRef &&
    (route.quota_policy_ref ?? null) === assignment.quotaPolicyRef &&
    route.replica_health_revision === assignment.replicaHealthRevision &&
    route.fence_token === assignment.fenceToken;
  if (!equal) throw new IngressNotAuthorized('the route is not the one that was assigned to the action');
  return assignment;
}

/**
 * Refuses a replica that is no longer the assigned one: endpoint, identity, DID, trust domain, profile, instance and version must be
 * those of the assignment. Its health revision may have moved on, never back.
 */
export function sameReplica(assignment: RouteAssignment, replica: IngressSender['replica']): void {
  const same =
    replica.endpoint === assignment.endpoint &&
    replica.peerPrincipalId === assignment.peerPrincipalId &&
    replica.peerPrincipalKind === assignment.peerPrincipalKind &&
    replica.peerDid === assignment.peerDid &&
    replica.trustDomain === assignment.trustDomain &&
    replica.transportProfile === assignment.transportProfile &&
    replica.instanceId === assignment.instanceId &&
    replica.versionId === assignment.versionId &&
    replica.healthRevision >= assignment.replicaHealthRevision;
  if (!same) throw new IngressNotAuthorized('the replica is not the assigned one any more');
}
