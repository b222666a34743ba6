import { Principal, Risk, TransactionMode } from './core.js';
import { bool, L, list, O, object, oneOf, opaque, openRecord, R, record, string, u32, u64 } from './dsl/dsl.js';
import { Event } from './lifecycle.js';
import { ApprovalPolicy } from './policy.js';
import { Resource } from './resource.js';

export const CapabilityKind = oneOf(
  'CapabilityKind',
  'What a capability is.',
  'agent tool workflow channel resource human_task',
);
export const Stability = oneOf('Stability', 'How settled a capability is.', 'stable experimental deprecated');
export const SideEffect = oneOf(
  'SideEffect',
  'What a capability does to the world.',
  'read write delete send_message financial identity medical legal external_network code_execution',
);
export const IdempotencyRequirement = oneOf(
  'IdempotencyRequirement',
  'Whether an idempotency key is needed.',
  'required optional unsupported',
);
export const CollisionBehavior = oneOf(
  'CollisionBehavior',
  'What a repeated idempotency key gives.',
  'return_original_result reject_conflict revalidate_input_hash',
);
export const KeyScope = oneOf(
  'KeyScope',
  'Within what an idempotency key is unique.',
  'action capability principal tenant external_account',
);
export const Completion = oneOf('Completion', 'How a capability completes.', 'sync async streaming any');
export const RetrySafety = oneOf(
  'RetrySafety',
  'Whether a retry is safe.',
  'safe safe_with_idempotency_key unsafe unknown',
);
export const Sensitivity = oneOf(
  'Sensitivity',
  'How sensitive data is.',
  'public internal confidential restricted regulated unknown',
);
export const DryRunFidelity = oneOf(
  'DryRunFidelity',
  'How much a dry run simulates.',
  'schema_only policy_and_schema downstream_validation full_simulation',
);
export const CompensationMode = oneOf(
  'CompensationMode',
  'Whether an effect can be compensated.',
  'not_required supported best_effort rollback_not_supported',
);

export const IdempotencyContract = record('IdempotencyContract', 'How a capability treats idempotency keys.', {
  requirement: R(IdempotencyRequirement),
  collision_behavior: R(CollisionBehavior),
  key_scope: R(KeyScope),
  ttl_ms: O(u64),
});
export const ExecutionContract = record('ExecutionContract', 'How a capability runs.', {
  supports_sync: R(bool),
  supports_async: R(bool),
  supports_streaming: R(bool),
  supports_cancel: R(bool),
  supports_retry: R(bool),
  expected_completion: R(Completion),
  retry_safety: R(RetrySafety),
});
export const DataResidency = record('DataResidency', 'Where data may be.', {
  allowed_regions: L(string),
  prohibited_regions: L(string),
});
export const RetentionPolicy = record('RetentionPolicy', 'How long data is kept.', {
  retain_for_ms: O(u64),
  delete_after_ms: O(u64),
  legal_hold_allowed: R(bool),
});
export const DataContract = record('DataContract', 'What data a capability handles.', {
  sensitivity: R(Sensitivity),
  contains_pii: R(bool),
  redaction_required: R(bool),
  residency: O(DataResidency),
  retention: O(RetentionPolicy),
});
export const CredentialPolicy = record('CredentialPolicy', 'What credential a capability needs.', {
  required: R(bool),
  accepted_issuers: L(string),
  required_scopes: L(string),
  allow_oauth_refresh: R(bool),
});
export const ServiceLevelContract = record('ServiceLevelContract', 'How fast a capability is.', {
  expected_latency_ms: O(u64),
  timeout_ms: O(u64),
  async_expected: R(bool),
  max_queue_delay_ms: O(u64),
  availability_target: O(string),
});
export const TransactionContract = record('TransactionContract', 'Transaction steps a capability supports.', {
  supported_modes: L(TransactionMode),
  requires_plan_before_commit: R(bool),
  dry_run_fidelity: R(DryRunFidelity),
});
export const CompensationContract = record('CompensationContract', 'How an effect is compensated.', {
  mode: R(CompensationMode),
  compensation_capability_id: O(string),
  compensation_window_ms: O(u64),
  requires_approval: R(bool),
});
export const CapabilityContract = record('CapabilityContract', 'What a capability promises and demands.', {
  side_effects: L(SideEffect),
  idempotency: R(IdempotencyContract),
  execution: R(ExecutionContract),
  data: R(DataContract),
  credentials: O(CredentialPolicy),
  approval: O(ApprovalPolicy),
  sla: O(ServiceLevelContract),
  transaction: O(TransactionContract),
  compensation: O(CompensationContract),
});

export const Binding = openRecord('Binding', 'How a profile names a capability; further members are the profile’s.', {
  profile: R(string),
});
export const Capability = record('Capability', 'Something that can be invoked.', {
  id: R(string),
  name: R(string),
  kind: R(CapabilityKind),
  input_schema: R(object),
  output_schema: O(opaque),
  description: O(string),
  risk: O(Risk),
  stability: O(Stability),
  cost: O(opaque),
  auth: O(opaque),
  bindings: L(Binding),
  requires_human_approval: O(bool),
  contract: O(CapabilityContract),
});

export const Manifest = record('Manifest', 'What a provider offers.', {
  manifest_version: R(string),
  agent: R(Principal),
  capabilities: L(Capability),
  profiles: R(list(string)),
  resources: L(Resource),
  channels: L(opaque),
  security: O(opaque),
  governance: O(opaque),
  limits: O(opaque),
  compatibility: O(opaque),
  extensions: O(opaque),
});
export const ManifestFilter = record('ManifestFilter', 'Narrows a manifest.', {
  capability_ids: L(string),
  resource_kinds: L(string),
  profiles: L(string),
  risk: L(Risk),
  side_effects: L(SideEffect),
  requires_approval: O(bool),
  supports_streaming: O(bool),
  supports_transactions: O(bool),
});
export const ManifestRequest = record('ManifestRequest', 'Asks for the manifest.', {
  profiles: L(string),
  filter: O(ManifestFilter),
});

export const EventStreamRequest = record('EventStreamRequest', 'Asks for events.', {
  cursor: O(string),
  limit: O(u32),
  kinds: L(string),
});
export const EventStream = record('EventStream', 'A page of events.', {
  events: R(list(Event)),
  next_cursor: O(string),
});
