import { ActionMode, PrincipalKind } from './core.js';
import { bool, is, lease, N, O, oneOf, opaque, openRecord, R, record, string, tagged, u32, u64 } from './dsl/dsl.js';

export const ReplicaStatus = oneOf('ReplicaStatus', 'State of a connector replica.', 'ready draining offline');
export const Topology = record('Topology', 'Where a replica runs.', {
  region: R(string),
  zone: R(string),
  capacity_class: R(string),
});
export const ReplicaRecord = record('ReplicaRecord', 'One connector host process as the registry knows it.', {
  id: R(string),
  instance_id: R(string),
  version_id: R(string),
  endpoint: R(string),
  peer_principal_id: R(string),
  peer_principal_kind: R(PrincipalKind),
  peer_did: R(string),
  trust_domain: R(string),
  transport_profile: R(string),
  topology: O(Topology),
  status: R(ReplicaStatus),
  lease_expires_at: R(lease),
  capacity: R(u32),
  active_assignments: R(u32),
  health_revision: R(u64),
  last_control_request_id: O(string),
  last_control_request_digest: O(string),
});

export const ConnectorHostRegistration = record('ConnectorHostRegistration', 'What a host proposes to register.', {
  replica: R(ReplicaRecord),
  manifest_digest: R(string),
  artifact_digest: R(string),
  tenant_id: R(string),
  config_revision: R(u64),
  secret_provider_ref: R(string),
  capability_count: R(u32),
});
export const HeartbeatCommand = record('HeartbeatCommand', 'Renews a lease.', {
  replica_id: R(string),
  previous_sequence: R(u64),
  in_flight: R(u32),
  connector_ready: R(bool),
});
export const FenceCommand = record('FenceCommand', 'Drains a replica or takes it offline.', {
  replica_id: R(string),
  previous_sequence: R(u64),
});
export const LifecycleCommand = tagged('LifecycleCommand', 'A lifecycle transition.', 'operation', {
  register: { payload: R(ConnectorHostRegistration) },
  heartbeat: { payload: R(HeartbeatCommand) },
  drain: { payload: R(FenceCommand) },
  offline: { payload: R(FenceCommand) },
});
export const LifecycleRequest = record('LifecycleRequest', 'The signed value of a lifecycle request.', {
  request_id: R(string),
  issued_at: R(string),
  expires_at: R(string),
  signer_did: R(string),
  command: R(LifecycleCommand),
});
export const SignedLifecycleRequest = record('SignedLifecycleRequest', 'What a host sends to the control plane.', {
  request: R(LifecycleRequest),
  signature: R(string),
});
export const Lease = record('Lease', 'A lease: its fence and end.', { sequence: R(u64), expires_at: R(lease) });
export const LifecycleOutcome = tagged('LifecycleOutcome', 'What became of a lifecycle request.', 'status', {
  lease: { lease: R(Lease) },
  offline: {},
  rejected: { code: R(string), message: O(string), retryable: O(bool) },
});

/** Work, destination, policy and fences that every route of an assignment carries. */
const PINNED = {
  action_id: R(string),
  capability_id: R(string),
  tenant_id: R(string),
  instance_id: R(string),
  replica_id: R(string),
  version_id: R(string),
  manifest_digest: R(string),
  catalog_revision: R(u64),
  binding_policy_revision: R(u64),
  credential_revision_ref: N(string),
  quota_policy_ref: N(string),
  replica_health_revision: R(u64),
  fence_token: R(string),
};
export const ConnectorRoute = openRecord(
  'ConnectorRoute',
  'The pinned route of an action, in security of the dispatch.',
  {
    ...PINNED,
    original_mode: N(ActionMode),
    approval_authorization: O(opaque),
  },
);
export const ConnectorCallbackRoute = record('ConnectorCallbackRoute', 'The assigned route, in security of a chunk.', {
  ...PINNED,
  original_mode: R(is('streaming')),
});
export const ConnectorEventRoute = record('ConnectorEventRoute', 'Where a provider event comes from.', {
  tenant_id: R(string),
  instance_id: R(string),
  replica_id: R(string),
  version_id: R(string),
  manifest_digest: R(string),
  lease_sequence: R(u64),
  channel_id: R(string),
});
