import type { PrincipalKind } from '../../protocol/types.js';
import type { ReplicaTopology } from '../replicas.js';

/** The pinned destination of one action (docs/protocol/registry.md#route-assignment). Nothing of it changes after it was made. Times in ms since the epoch. */
export interface RouteAssignment {
  readonly actionId: string;
  readonly capabilityId: string;
  readonly tenantId: string;
  readonly instanceId: string;
  readonly replicaId: string;
  readonly versionId: string;
  readonly manifestDigest: string;
  readonly endpoint: string;
  readonly peerPrincipalId: string;
  readonly peerPrincipalKind: PrincipalKind;
  readonly peerDid: string;
  readonly trustDomain: string;
  readonly transportProfile: string;
  readonly catalogRevision: number;
  readonly bindingPolicyRevision: number;
  readonly credentialRevisionRef: string | null;
  readonly quotaPolicyRef: string | null;
  readonly replicaHealthRevision: number;
  readonly fenceToken: string;
}

/** Where new work should rather go; an absent member does not matter. Pinned work is not moved by it. */
export interface TopologyPreference extends Partial<ReplicaTopology> {
  /** Whether another region may take over; default true. */
  readonly allowCrossRegion?: boolean;
}

/** An action of a tenant; another tenant may have one of the same id. */
export interface RoutedAction {
  readonly actionId: string;
  readonly tenantId: string;
}

/** A route that is wanted. */
export interface RouteRequest extends RoutedAction {
  readonly capabilityId: string;
  readonly topology?: TopologyPreference | undefined;
}

/** One counter that work in flight is held against. */
export interface AdmissionScope {
  readonly kind: 'global' | 'tenant' | 'connector_type' | 'instance' | 'binding' | 'tenant_retry';
  readonly key: string;
  readonly limit: number;
}

/** The policy as it was when the route was made. */
export interface AssignmentAdmission {
  readonly base: readonly AdmissionScope[];
  readonly retry: AdmissionScope | null;
  readonly circuit_failure_threshold: number;
  readonly circuit_open_ms: number;
}

export interface AssignmentRow {
  action_id: string;
  capability_id: string;
  tenant_id: string;
  instance_id: string;
  replica_id: string;
  version_id: string;
  manifest_digest: string;
  endpoint: string;
  peer_principal_id: string;
  peer_principal_kind: PrincipalKind;
  peer_did: string;
  trust_domain: string;
  transport_profile: string;
  catalog_revision: number;
  binding_policy_revision: number;
  credential_revision_ref: string | null;
  quota_policy_ref: string | null;
  replica_health_revision: number;
  fence_token: string;
}

export const ASSIGNMENT_COLUMNS = `action_id, capability_id, tenant_id, instance_id, replica_id, version_id, manifest_digest, endpoint,
  peer_principal_id, peer_principal_kind, peer_did, trust_domain, transport_profile, catalog_revision, binding_policy_revision,
  credential_revision_ref, quota_policy_ref, replica_health_revision, fence_token`;

export function assignmentOf(row: AssignmentRow): RouteAssignment {
  return {
    actionId: row.action_id,
    capabilityId: row.capability_id,
    tenantId: row.tenant_id,
    instanceId: row.instance_id,
    replicaId: row.replica_id,
    versionId: row.version_id,
    manifestDigest: row.manifest_digest,
    endpoint: row.endpoint,
    peerPrincipalId: row.peer_principal_id,
    peerPrincipalKind: row.peer_principal_kind,
    peerDid: row.peer_did,
    trustDomain: row.trust_domain,
    transportProfile: row.transport_profile,
    catalogRevision: row.catalog_revision,
    bindingPolicyRevision: row.binding_policy_revision,
    credentialRevisionRef: row.credential_revision_ref,
    quotaPolicyRef: row.quota_policy_ref,
    replicaHealthRevision: row.replica_health_revision,
    fenceToken: row.fence_token,
  };
}
