// Made by scripts/generate.ts from the definitions in protocol/schema; do not edit.

/** Immediate answer to a submission. */
export interface Ack {
  action_id: string;
  status: AckStatus;
  reason?: string;
  retry_after_ms?: number;
  queue?: unknown;
}

/** What became of a submission. */
export type AckStatus =
  | 'accepted'
  | 'rejected'
  | 'queued'
  | 'streaming'
  | 'cached';

/** Work that is asked of a capability. */
export interface Action {
  id: string;
  capability_id: string;
  input: unknown;
  mode?: ActionMode;
  idempotency_key?: string;
  timeout_ms?: number;
  conversation?: Conversation;
  memory_context?: unknown;
  delegation_chain?: DelegationEntry[];
  federation?: FederationContext;
  callback?: Callback;
  observability?: ObservabilityContext;
  compliance?: ComplianceContext;
  identity?: IdentityContext;
  approval?: ApprovalDecision;
  transaction?: ActionTransaction;
}

/** How the submitter wants an action to run. */
export type ActionMode =
  | 'sync'
  | 'async'
  | 'streaming';

/** Result of an action. */
export interface ActionResult {
  action_id: string;
  status: ResultStatus;
  output?: unknown;
  message?: MessagePart[];
  memory_update?: unknown;
  usage?: Usage;
  receipt?: ReceiptRef;
  error?: ProtocolError;
}

/** The transaction an action belongs to. */
export interface ActionTransaction {
  mode: TransactionMode;
  transaction_id?: string;
  plan_id?: string;
  compensation_for?: string;
}

/** A limit on the input of an approved action. */
export interface ApprovalConstraint {
  field: string;
  operator: string;
  value: unknown;
}

/** A vote on an approval. */
export interface ApprovalDecision {
  approval_id: string;
  decision: Decision;
  approver: Principal;
  decided_at: string;
  reason?: string;
  constraints?: ApprovalConstraint[];
  evidence?: EvidenceArtifact[];
  decision_id?: string;
  policy_hash?: string;
  authority_path?: string[];
  target_decision_id?: string;
}

/** Where results or chunks are sent. */
export interface Callback {
  profile: string;
  target: string;
  metadata?: unknown;
}

/** Request to cancel. */
export interface Cancel {
  target: CancelTarget;
  reason?: string;
}

/** What is cancelled: an action or a session. */
export type CancelTarget =
  | { action: string }
  | { session: string };

/** What a stream chunk carries; done or error ends the stream. */
export type ChunkKind =
  | 'data'
  | 'progress'
  | 'tool'
  | 'thought'
  | 'preview'
  | 'pending_approval'
  | 'error'
  | 'done';

/** Regimes that apply to an action. */
export interface ComplianceContext {
  regimes?: string[];
  data_classification?: string;
  metadata?: unknown;
}

/** A thread in a channel. */
export interface Conversation {
  id: string;
  channel: unknown;
  status: ConversationStatus;
  external_refs?: ExternalRef[];
  contact?: Principal;
  assignee?: Principal;
  priority?: Priority;
  labels?: string[];
  metadata?: unknown;
}

/** State of a conversation. */
export type ConversationStatus =
  | 'open'
  | 'pending'
  | 'resolved'
  | 'snoozed'
  | 'archived';

/** A pointer to a secret, never the secret. */
export interface CredentialRef {
  id: string;
  issuer: string;
  scopes?: string[];
}

/** A vote or outcome of an approval. */
export type Decision =
  | 'approved'
  | 'denied'
  | 'expired'
  | 'revoked';

/** Rights over the work of another principal. */
export interface DelegatedAuthorityGrant {
  principal_id: string;
  scopes?: string[];
  expires_at?: string;
  reason?: string;
}

/** One hop of a delegation chain. */
export interface DelegationEntry {
  from: Principal;
  to: Principal;
  scope: string;
  delegated_at: string;
}

/** Body of an error envelope. */
export interface ErrorBody {
  error: ProtocolError;
}

/** Class of a protocol error; decides its HTTP status. */
export type ErrorCategory =
  | 'temporary'
  | 'permanent'
  | 'auth'
  | 'policy'
  | 'economic'
  | 'connector'
  | 'transport';

/** Calls a human. */
export interface Escalation {
  kind: EscalationKind;
  reason: string;
  requested_by: Principal;
  form?: unknown;
  risk?: Risk;
  timeout_ms?: number;
  allowed_decisions?: EscalationChoice[];
  conversation?: Conversation;
}

/** What the human may do. */
export type EscalationChoice =
  | 'approve'
  | 'reject'
  | 'modify'
  | 'handoff'
  | 'cancel';

/** Why a human is called. */
export type EscalationKind =
  | 'approval'
  | 'input'
  | 'handoff'
  | 'policy_exception';

/** Answer of the human. */
export interface EscalationResolution {
  status: EscalationStatus;
  resolved_by: Principal;
  resolved_at: string;
  result?: unknown;
}

/** What the human did. */
export type EscalationStatus =
  | 'approved'
  | 'rejected'
  | 'modified'
  | 'handoff_completed'
  | 'expired'
  | 'cancelled';

/** Proof attached to a request or decision. */
export interface EvidenceArtifact {
  id: string;
  kind: string;
  uri?: string;
  hash?: string;
  redacted: boolean;
}

/** An account in a product. */
export interface ExternalAccountRef {
  id: string;
  system: string;
}

/** The id of something in another product. */
export interface ExternalRef {
  system: string;
  type: string;
  id: string;
}

/** A user in a product. */
export interface ExternalUserRef {
  id: string;
  system: string;
}

/** Trust domains an action came through. */
export interface FederationContext {
  trust_domain: string;
  hops?: string[];
}

/** Opens a session. */
export interface Handshake {
  client: Principal;
  purpose: string;
  requested_capabilities?: string[];
  profiles: string[];
  auth?: unknown;
  heartbeat?: unknown;
  encryption?: unknown;
  billing?: unknown;
  compliance_required?: string[];
}

/** Answer to a handshake. */
export interface HandshakeResponse {
  status: HandshakeStatus;
  session_id?: string;
  resume_token?: string;
  server?: Principal;
  agreed_profiles?: string[];
  agreed_capabilities?: string[];
  heartbeat?: unknown;
  encryption?: unknown;
  billing?: unknown;
  redirect?: unknown;
  rejection_reason?: ProtocolError;
}

/** Answer to a handshake. */
export type HandshakeStatus =
  | 'accepted'
  | 'rejected'
  | 'redirect';

/** Sign of life of a session. */
export interface Heartbeat {
  sequence: number;
  status?: string;
  progress?: number;
}

/** Answer to a heartbeat. */
export interface HeartbeatAck {
  sequence: number;
  received_at: string;
}

/** On whose behalf and in which accounts work is done. */
export interface IdentityContext {
  tenant?: TenantRef;
  external_account?: ExternalAccountRef;
  external_user?: ExternalUserRef;
  human_actor?: Principal;
  service_account?: Principal;
  acted_on_behalf_of?: Principal;
  credential_ref?: CredentialRef;
  oauth?: OAuthCredentialState;
}

/** A piece of content. */
export type MessagePart =
  | { type: 'text'; text: string; format?: string; }
  | { type: 'image'; mime_type: string; url?: string; data?: string; alt?: string; }
  | { type: 'file'; mime_type: string; filename: string; url?: string; data?: string; size_bytes?: number; }
  | { type: 'audio'; mime_type: string; url?: string; data?: string; transcript?: string; }
  | { type: 'form'; fields: unknown[]; actions: unknown[]; }
  | { type: 'card'; title: string; body: string; actions?: unknown[]; media?: unknown; }
  | { type: 'json'; data: unknown; schema?: unknown; }
  | { type: 'tool_result'; tool_call_id: string; data?: unknown; error?: unknown; };

/** OAuth state without tokens. */
export interface OAuthCredentialState {
  issuer: string;
  client_id?: string;
  scopes?: string[];
  expires_at?: string;
  refresh_available: boolean;
}

/** Tracing of an action. */
export interface ObservabilityContext {
  trace_id?: string;
  span_id?: string;
  fields?: unknown;
}

/** Who sends, receives, asks, decides or acts. */
export interface Principal {
  id: string;
  kind: PrincipalKind;
  display_name?: string;
  trust_domain?: string;
  did?: string;
  external_refs?: ExternalRef[];
  delegated_authority?: DelegatedAuthorityGrant[];
  auth_context?: unknown;
}

/** What a principal is. */
export type PrincipalKind =
  | 'human'
  | 'agent'
  | 'service'
  | 'tenant'
  | 'customer'
  | 'contact'
  | 'system';

/** Priority of a conversation. */
export type Priority =
  | 'low'
  | 'medium'
  | 'high'
  | 'urgent';

/** A failure on the wire. */
export interface ProtocolError {
  code: string;
  message: string;
  category: ErrorCategory;
  retryable?: boolean;
  retry_after_ms?: number;
  details?: unknown;
  source?: unknown;
}

/** Id and hash of a receipt. */
export interface ReceiptRef {
  id: string;
  hash: string;
}

/** Outcome of an action. */
export type ResultStatus =
  | 'completed'
  | 'failed'
  | 'cancelled'
  | 'pending_approval'
  | 'requires_human';

/** Risk class, lowest first. */
export type Risk =
  | 'low'
  | 'medium'
  | 'high'
  | 'critical';

/** A piece of a streaming action’s output. */
export interface StreamChunk {
  action_id: string;
  sequence: number;
  kind: ChunkKind;
  data?: unknown;
  part?: MessagePart;
}

/** A tenant. */
export interface TenantRef {
  id: string;
  system?: string;
}

/** Step of a transaction. */
export type TransactionMode =
  | 'execute'
  | 'dry_run'
  | 'plan'
  | 'commit'
  | 'compensate'
  | 'reconcile'
  | 'rollback_not_supported';

/** What an action used. */
export interface Usage {
  tokens?: unknown;
  tools?: unknown;
  latency_ms?: number;
  cost?: unknown;
}

/** A page of an action’s events; terminal when no more will come. */
export interface ActionEvents {
  action_id: string;
  events: Event[];
  chunks?: StreamChunk[];
  cursor?: string;
  terminal: boolean;
}

/** Asks for the events of an action. */
export interface ActionEventsRequest {
  action_id: string;
  tenant_id?: string;
  cursor?: string;
  limit?: number;
  kinds?: string[];
  include_chunks: boolean;
  follow: boolean;
}

/** A page of actions; total_size counts before paging. */
export interface ActionList {
  actions: ActionStatus[];
  total_size: number;
  cursor?: string;
}

/** Asks for a page of actions. */
export interface ActionListRequest {
  state?: ActionState;
  capability_id?: string;
  session_id?: string;
  principal_id?: string;
  approval_id?: string;
  transaction_id?: string;
  tenant_id?: string;
  cursor?: string;
  limit?: number;
  include_results: boolean;
  include_receipts: boolean;
}

/** Asks for the terminal result of an action. */
export interface ActionResultRequest {
  action_id: string;
  tenant_id?: string;
  wait_ms?: number;
  include_receipt: boolean;
  include_terminal_events: boolean;
}

/** State of an action. Terminal: cancelled, completed, failed, expired, dead_lettered. */
export type ActionState =
  | 'unknown'
  | 'accepted'
  | 'queued'
  | 'running'
  | 'streaming'
  | 'pending_approval'
  | 'cancelling'
  | 'cancelled'
  | 'completed'
  | 'failed'
  | 'expired'
  | 'dead_lettered';

/** The view of an action. */
export interface ActionStatus {
  action_id: string;
  capability_id?: string;
  session_id?: string;
  correlation_id?: string;
  state: ActionState;
  queued_state?: string;
  result_status?: ResultStatus;
  approval_id?: string;
  transaction_id?: string;
  delegation_id?: string;
  started_at?: string;
  updated_at: string;
  completed_at?: string;
  retry?: unknown;
  lease?: unknown;
  result?: ActionResult;
  receipt_chain?: ReceiptChain;
  chunks?: StreamChunk[];
  links?: Record<string, string>;
}

/** Asks for the view of an action. */
export interface ActionStatusRequest {
  action_id: string;
  tenant_id?: string;
  include_result: boolean;
  include_receipts: boolean;
  include_chunks: boolean;
  wait_ms?: number;
}

/** Something that happened. */
export interface Event {
  id: string;
  kind: string;
  occurred_at: string;
  session_id?: string;
  action_id?: string;
  correlation_id?: string;
  actor?: Principal;
  data?: unknown;
}

/** The exact work that an approval governs. */
export interface ApprovalEvidencePayload {
  action_id: string;
  capability_id: string;
  input_hash: string;
  input: unknown;
  transaction?: ActionTransaction;
  identity?: IdentityContext;
}

/** A page of approvals. */
export interface ApprovalList {
  approvals: ApprovalRecordView[];
  cursor?: string;
}

/** Asks for a page of approvals. */
export interface ApprovalListRequest {
  status?: string;
  approver?: string;
  requester?: string;
  tenant_id?: string;
  cursor?: string;
  limit?: number;
  include_action_status: boolean;
  include_receipts: boolean;
}

/** When and by whom an action is approved. */
export interface ApprovalPolicy {
  required: boolean;
  reason?: string;
  approver_selector: ApproverSelector;
  ttl_ms?: number;
  evidence_requirements?: EvidenceRequirement[];
  delegated_authority?: DelegatedApprovalAuthority;
  rule?: ApprovalRule;
  minimum_distinct_principals: number;
  separation_of_duties: SeparationOfDuties;
  policy_version?: string;
}

/** Asks for an approval. */
export interface ApprovalQueryRequest {
  approval_id: string;
  tenant_id?: string;
  include_action_status: boolean;
  include_receipts: boolean;
  include_evidence_payload: boolean;
}

/** The view of an approval. */
export interface ApprovalRecordView {
  request: ApprovalRequest;
  decision?: ApprovalDecision;
  status: string;
  action_status?: ActionStatus;
  receipt_chain?: ReceiptChain;
  evidence_payload?: ApprovalEvidencePayload;
  created_at: string;
  updated_at: string;
}

/** Asks for a decision on an action. */
export interface ApprovalRequest {
  id: string;
  action_id: string;
  capability_id: string;
  requester: Principal;
  subject: Principal;
  approver_selector: ApproverSelector;
  reason: string;
  evidence?: EvidenceArtifact[];
  expires_at?: string;
  policy_decision_id?: string;
  identity?: IdentityContext;
  policy_snapshot?: ApprovalPolicy;
  policy_hash?: string;
  operator?: Principal;
  risk?: Risk;
  governed_value?: number;
}

/** Expression of approval authority. */
export type ApprovalRule =
  | { operator: 'all'; rules: ApprovalRule[]; allow_decision_reuse: boolean; }
  | { operator: 'any'; rules: ApprovalRule[]; }
  | { operator: 'quorum'; required: number; rules: ApprovalRule[]; distinct_principals: boolean; }
  | { operator: 'principal'; id: string; }
  | { operator: 'role'; name: string; }
  | { operator: 'group'; name: string; }
  | { operator: 'tenant_policy'; policy_id: string; }
  | { operator: 'external_system'; system: string; }
  | { operator: 'delegated_authority'; scope: string; max_risk?: Risk; max_value?: number; };

/** Who may decide. */
export type ApproverSelector =
  | { type: 'principal'; id: string; }
  | { type: 'role'; name: string; }
  | { type: 'group'; name: string; }
  | { type: 'tenant_policy'; }
  | { type: 'external_system'; system: string; };

/** Declared delegation of approval. */
export interface DelegatedApprovalAuthority {
  principal: string;
  scope?: string[];
  expires_at?: string;
}

/** Proof that a decision needs. */
export type EvidenceRequirement =
  | 'reason'
  | 'input_snapshot'
  | 'policy_decision'
  | 'external_ticket'
  | 'attachment';

/** Who must not decide. */
export interface SeparationOfDuties {
  requester_must_differ: boolean;
  operator_must_differ: boolean;
  allow_self_approval: boolean;
}

/** Closes a session. */
export interface SessionCloseRequest {
  session_id: string;
  reason?: string;
}

/** A page of sessions. */
export interface SessionList {
  sessions: SessionView[];
  cursor?: string;
}

/** Asks for a page of sessions. */
export interface SessionListRequest {
  principal_id?: string;
  status?: SessionState;
  cursor?: string;
  limit?: number;
}

/** Asks for a session. */
export interface SessionRequest {
  session_id: string;
}

/** A resumed session and the token that replaces the used one. */
export interface SessionResume {
  session: SessionView;
  replayed_events?: Event[];
  next_cursor?: string;
  resume_token?: string;
}

/** Resumes a session with a single-use token. */
export interface SessionResumeRequest {
  session_id: string;
  resume_token?: string;
  last_event_cursor?: string;
}

/** State of a session. */
export type SessionState =
  | 'new'
  | 'active'
  | 'queued'
  | 'processing'
  | 'streaming'
  | 'waiting_for_human'
  | 'completed'
  | 'failed'
  | 'cancelled'
  | 'settled';

/** The view of a session. */
export interface SessionView {
  session_id: string;
  status: SessionState;
  principal: Principal;
  peer: Principal;
  created_at: string;
  updated_at: string;
  expires_at?: string;
  active_action_count: number;
  links?: Record<string, string>;
}

/** An operation at the provider. */
export interface ProviderOperationRef {
  provider: string;
  operation_id: string;
  request_id?: string;
}

/** What a commit will do. */
export interface TransactionPlan {
  plan_id: string;
  transaction_id: string;
  action_id: string;
  capability_id: string;
  transaction: ActionTransaction;
  planned_by: Principal;
  input_hash: string;
  input_snapshot?: unknown;
  predicted_side_effects?: SideEffect[];
  approval_required: boolean;
  approval_policy?: ApprovalPolicy;
  compensation?: CompensationContract;
  dry_run_fidelity?: DryRunFidelity;
  identity?: IdentityContext;
  created_at: string;
  expires_at?: string;
  metadata?: unknown;
}

/** Asks for a transaction by one of its ids. */
export interface TransactionQueryRequest {
  transaction_id?: string;
  plan_id?: string;
  action_id?: string;
  tenant_id?: string;
  include_result: boolean;
  include_receipts: boolean;
}

/** Asks for a step of a transaction. */
export interface TransactionRequest {
  transaction_id: string;
  action: Action;
  requested_by: Principal;
  reason?: string;
  metadata?: unknown;
  provider_operation?: ProviderOperationRef;
  reconciliation_cursor?: string;
}

/** Outcome of a step of a transaction. */
export interface TransactionResult {
  transaction_id: string;
  action_id: string;
  capability_id: string;
  transaction: ActionTransaction;
  status: TransactionStatus;
  plan?: TransactionPlan;
  result?: ActionResult;
  error?: ProtocolError;
  receipt_chain?: ReceiptChain;
  provider_operation?: ProviderOperationRef;
  reconciliation_cursor?: string;
  reconcile_after?: string;
}

/** Status of a transaction. */
export type TransactionStatus =
  | 'dry_run_completed'
  | 'planned'
  | 'prepared'
  | 'committing'
  | 'committed'
  | 'compensating'
  | 'compensated'
  | 'requires_human'
  | 'cancelled'
  | 'rollback_not_supported'
  | 'failed'
  | 'outcome_unknown'
  | 'reconciling'
  | 'reconciled';

/** The view of a transaction. */
export interface TransactionView {
  transaction_id: string;
  action_id: string;
  capability_id: string;
  transaction: ActionTransaction;
  status: string;
  plan?: TransactionPlan;
  result?: ActionResult;
  receipt_chain?: ReceiptChain;
  created_at: string;
  updated_at: string;
}

/** One attempt, counted from 1. */
export interface CallbackDeliveryAttempt {
  attempt: number;
  started_at: string;
  finished_at?: string;
  error?: string;
}

/** A page of deliveries. */
export interface CallbackDeliveryList {
  deliveries: CallbackDeliveryRecord[];
  cursor?: string;
}

/** Asks for a page of deliveries. */
export interface CallbackDeliveryListRequest {
  action_id?: string;
  status?: DeliveryStatus;
  profile?: string;
  target?: string;
  tenant_id?: string;
  cursor?: string;
  limit?: number;
  include_receipts: boolean;
}

/** How a callback is delivered. */
export interface CallbackDeliveryPolicy {
  delivery_id: string;
  target: Callback;
  max_attempts: number;
  timeout_ms: number;
  retry_backoff_ms?: number[];
  idempotency_key: string;
  sign_payload: boolean;
  terminal_only: boolean;
}

/** Asks for a delivery. */
export interface CallbackDeliveryQueryRequest {
  delivery_id: string;
  tenant_id?: string;
  include_receipts: boolean;
}

/** The view of a callback delivery. */
export interface CallbackDeliveryRecord {
  delivery_id: string;
  policy: CallbackDeliveryPolicy;
  message_id: string;
  message_type: string;
  action_id?: string;
  session_id?: string;
  correlation_id?: string;
  tenant_id?: string;
  status: DeliveryStatus;
  attempts?: CallbackDeliveryAttempt[];
  next_attempt_at?: string;
  leased_by?: string;
  lease_expires_at?: string;
  last_error?: string;
  dead_letter_reason?: string;
  receipt_chain?: ReceiptChain;
  created_at: string;
  updated_at: string;
  completed_at?: string;
}

/** State of a callback delivery. */
export type DeliveryStatus =
  | 'pending'
  | 'running'
  | 'delivered'
  | 'failed'
  | 'dead_lettered';

/** How a profile names a capability; further members are the profile’s. */
export interface Binding {
  profile: string;
  [member: string]: unknown;
}

/** Something that can be invoked. */
export interface Capability {
  id: string;
  name: string;
  kind: CapabilityKind;
  input_schema: Record<string, unknown>;
  output_schema?: unknown;
  description?: string;
  risk?: Risk;
  stability?: Stability;
  cost?: unknown;
  auth?: unknown;
  bindings?: Binding[];
  requires_human_approval?: boolean;
  contract?: CapabilityContract;
}

/** What a capability promises and demands. */
export interface CapabilityContract {
  side_effects?: SideEffect[];
  idempotency: IdempotencyContract;
  execution: ExecutionContract;
  data: DataContract;
  credentials?: CredentialPolicy;
  approval?: ApprovalPolicy;
  sla?: ServiceLevelContract;
  transaction?: TransactionContract;
  compensation?: CompensationContract;
}

/** What a capability is. */
export type CapabilityKind =
  | 'agent'
  | 'tool'
  | 'workflow'
  | 'channel'
  | 'resource'
  | 'human_task';

/** What a repeated idempotency key gives. */
export type CollisionBehavior =
  | 'return_original_result'
  | 'reject_conflict'
  | 'revalidate_input_hash';

/** How an effect is compensated. */
export interface CompensationContract {
  mode: CompensationMode;
  compensation_capability_id?: string;
  compensation_window_ms?: number;
  requires_approval: boolean;
}

/** Whether an effect can be compensated. */
export type CompensationMode =
  | 'not_required'
  | 'supported'
  | 'best_effort'
  | 'rollback_not_supported';

/** How a capability completes. */
export type Completion =
  | 'sync'
  | 'async'
  | 'streaming'
  | 'any';

/** What credential a capability needs. */
export interface CredentialPolicy {
  required: boolean;
  accepted_issuers?: string[];
  required_scopes?: string[];
  allow_oauth_refresh: boolean;
}

/** What data a capability handles. */
export interface DataContract {
  sensitivity: Sensitivity;
  contains_pii: boolean;
  redaction_required: boolean;
  residency?: DataResidency;
  retention?: RetentionPolicy;
}

/** Where data may be. */
export interface DataResidency {
  allowed_regions?: string[];
  prohibited_regions?: string[];
}

/** How much a dry run simulates. */
export type DryRunFidelity =
  | 'schema_only'
  | 'policy_and_schema'
  | 'downstream_validation'
  | 'full_simulation';

/** A page of events. */
export interface EventStream {
  events: Event[];
  next_cursor?: string;
}

/** Asks for events. */
export interface EventStreamRequest {
  cursor?: string;
  limit?: number;
  kinds?: string[];
}

/** How a capability runs. */
export interface ExecutionContract {
  supports_sync: boolean;
  supports_async: boolean;
  supports_streaming: boolean;
  supports_cancel: boolean;
  supports_retry: boolean;
  expected_completion: Completion;
  retry_safety: RetrySafety;
}

/** How a capability treats idempotency keys. */
export interface IdempotencyContract {
  requirement: IdempotencyRequirement;
  collision_behavior: CollisionBehavior;
  key_scope: KeyScope;
  ttl_ms?: number;
}

/** Whether an idempotency key is needed. */
export type IdempotencyRequirement =
  | 'required'
  | 'optional'
  | 'unsupported';

/** Within what an idempotency key is unique. */
export type KeyScope =
  | 'action'
  | 'capability'
  | 'principal'
  | 'tenant'
  | 'external_account';

/** What a provider offers. */
export interface Manifest {
  manifest_version: string;
  agent: Principal;
  capabilities?: Capability[];
  profiles: string[];
  resources?: Resource[];
  channels?: unknown[];
  security?: unknown;
  governance?: unknown;
  limits?: unknown;
  compatibility?: unknown;
  extensions?: unknown;
}

/** Narrows a manifest. */
export interface ManifestFilter {
  capability_ids?: string[];
  resource_kinds?: string[];
  profiles?: string[];
  risk?: Risk[];
  side_effects?: SideEffect[];
  requires_approval?: boolean;
  supports_streaming?: boolean;
  supports_transactions?: boolean;
}

/** Asks for the manifest. */
export interface ManifestRequest {
  profiles?: string[];
  filter?: ManifestFilter;
}

/** How long data is kept. */
export interface RetentionPolicy {
  retain_for_ms?: number;
  delete_after_ms?: number;
  legal_hold_allowed: boolean;
}

/** Whether a retry is safe. */
export type RetrySafety =
  | 'safe'
  | 'safe_with_idempotency_key'
  | 'unsafe'
  | 'unknown';

/** How sensitive data is. */
export type Sensitivity =
  | 'public'
  | 'internal'
  | 'confidential'
  | 'restricted'
  | 'regulated'
  | 'unknown';

/** How fast a capability is. */
export interface ServiceLevelContract {
  expected_latency_ms?: number;
  timeout_ms?: number;
  async_expected: boolean;
  max_queue_delay_ms?: number;
  availability_target?: string;
}

/** What a capability does to the world. */
export type SideEffect =
  | 'read'
  | 'write'
  | 'delete'
  | 'send_message'
  | 'financial'
  | 'identity'
  | 'medical'
  | 'legal'
  | 'external_network'
  | 'code_execution';

/** How settled a capability is. */
export type Stability =
  | 'stable'
  | 'experimental'
  | 'deprecated';

/** Transaction steps a capability supports. */
export interface TransactionContract {
  supported_modes?: TransactionMode[];
  requires_plan_before_commit: boolean;
  dry_run_fidelity: DryRunFidelity;
}

/** A message in a channel. */
export interface ChannelMessage {
  conversation: Conversation;
  identity?: IdentityContext;
  message: unknown;
  sender: Principal;
  parts: MessagePart[];
  delivery?: unknown;
  raw_payload?: unknown;
}

/** A conversation changed. */
export interface ConversationUpdated {
  conversation: Conversation;
  identity?: IdentityContext;
  changed_fields: string[];
}

/** Who did what when. */
export interface AuditEvent {
  id: string;
  actor: Principal;
  identity?: IdentityContext;
  action: string;
  occurred_at: string;
  data?: unknown;
}

/** Asks for audit events. */
export interface AuditQueryRequest {
  action_id?: string;
  session_id?: string;
  principal_id?: string;
  transaction_id?: string;
  tenant_id?: string;
  from?: string;
  to?: string;
  cursor?: string;
  limit?: number;
  include_receipts: boolean;
  export: boolean;
}

/** A page of audit events. */
export interface AuditQueryResult {
  events: AuditEvent[];
  receipt_chains?: ReceiptChain[];
  cursor?: string;
}

/** One link of a hash chain. */
export interface Receipt {
  id: string;
  receipt_type: ReceiptType;
  actor: Principal;
  occurred_at: string;
  correlation_id?: string;
  data?: unknown;
  previous_hash?: string;
  hash?: string;
}

/** Receipts in order, bound by their hashes. */
export interface ReceiptChain {
  chain_id: string;
  receipts: Receipt[];
  root_hash?: string;
}

/** Asks for a chain, by its id or one of its receipts. */
export interface ReceiptQueryRequest {
  chain_id?: string;
  receipt_id?: string;
}

/** What a receipt proves. */
export type ReceiptType =
  | 'request_received'
  | 'action_accepted'
  | 'policy_decision'
  | 'approval_requested'
  | 'approval_granted'
  | 'approval_denied'
  | 'approval_expired'
  | 'approval_revoked'
  | 'tool_executed'
  | 'delegation_made'
  | 'human_approved'
  | 'result_returned'
  | 'settlement_recorded'
  | 'transaction_planned'
  | 'transaction_commit_started'
  | 'transaction_committed'
  | 'transaction_compensated'
  | 'transaction_dry_run_completed'
  | 'transaction_rollback_unsupported'
  | 'transaction_failed'
  | 'callback_delivery_attempted'
  | 'callback_delivered'
  | 'callback_delivery_failed';

/** Something that can be read. */
export interface Resource {
  id: string;
  name: string;
  kind?: string;
  capability_id?: string;
  description?: string;
  mime_type?: string;
  tenant_id?: string;
  access?: ResourceAccessPolicy;
  expires_at?: string;
}

/** Who may read; any one required scope suffices. */
export interface ResourceAccessPolicy {
  public: boolean;
  allowed_principals?: string[];
  required_scopes?: string[];
  tenant_required: boolean;
}

/** A page of resources. */
export interface ResourceList {
  resources: Resource[];
  cursor?: string;
}

/** Asks for a page of resources. */
export interface ResourceListRequest {
  capability_id?: string;
  kind?: string;
  tenant_id?: string;
  cursor?: string;
  limit?: number;
}

/** Asks for the content of a resource. */
export interface ResourceReadRequest {
  resource_id: string;
  tenant_id?: string;
  version?: string;
  accept?: string[];
}

/** A resource with its content. */
export interface ResourceReadResult {
  resource: Resource;
  content?: MessagePart[];
  etag?: string;
  expires_at?: string;
}

/** A settled batch. */
export interface BatchSettlement {
  id: string;
  model: string;
  records?: unknown[];
}

/** Hands work to another principal. */
export interface DelegationRequest {
  delegation_id: string;
  parent_action_id: string;
  child_action: Action;
  requested_by: Principal;
  delegate: Principal;
  scope: string;
  callback?: Callback;
  metadata?: unknown;
}

/** Outcome of a delegation. */
export interface DelegationResult {
  delegation_id: string;
  parent_action_id: string;
  child_action_id: string;
  status: DelegationStatus;
  result?: ActionResult;
  error?: ProtocolError;
  receipt_chain?: ReceiptChain;
  callback?: unknown;
}

/** State of a delegation. */
export type DelegationStatus =
  | 'accepted'
  | 'running'
  | 'completed'
  | 'failed'
  | 'cancelled'
  | 'requires_human';

/** The assigned route, in security of a chunk. */
export interface ConnectorCallbackRoute {
  action_id: string;
  capability_id: string;
  tenant_id: string;
  instance_id: string;
  replica_id: string;
  version_id: string;
  manifest_digest: string;
  catalog_revision: number;
  binding_policy_revision: number;
  credential_revision_ref?: string | null;
  quota_policy_ref?: string | null;
  replica_health_revision: number;
  fence_token: string;
  original_mode: 'streaming';
}

/** Where a provider event comes from. */
export interface ConnectorEventRoute {
  tenant_id: string;
  instance_id: string;
  replica_id: string;
  version_id: string;
  manifest_digest: string;
  lease_sequence: number;
  channel_id: string;
}

/** What a host proposes to register. */
export interface ConnectorHostRegistration {
  replica: ReplicaRecord;
  manifest_digest: string;
  artifact_digest: string;
  tenant_id: string;
  config_revision: number;
  secret_provider_ref: string;
  capability_count: number;
}

/** The pinned route of an action, in security of the dispatch. */
export interface ConnectorRoute {
  action_id: string;
  capability_id: string;
  tenant_id: string;
  instance_id: string;
  replica_id: string;
  version_id: string;
  manifest_digest: string;
  catalog_revision: number;
  binding_policy_revision: number;
  credential_revision_ref?: string | null;
  quota_policy_ref?: string | null;
  replica_health_revision: number;
  fence_token: string;
  original_mode?: ActionMode | null;
  approval_authorization?: unknown;
  [member: string]: unknown;
}

/** Drains a replica or takes it offline. */
export interface FenceCommand {
  replica_id: string;
  previous_sequence: number;
}

/** Renews a lease. */
export interface HeartbeatCommand {
  replica_id: string;
  previous_sequence: number;
  in_flight: number;
  connector_ready: boolean;
}

/** A lease: its fence and end. */
export interface Lease {
  sequence: number;
  expires_at: number[];
}

/** A lifecycle transition. */
export type LifecycleCommand =
  | { operation: 'register'; payload: ConnectorHostRegistration; }
  | { operation: 'heartbeat'; payload: HeartbeatCommand; }
  | { operation: 'drain'; payload: FenceCommand; }
  | { operation: 'offline'; payload: FenceCommand; };

/** What became of a lifecycle request. */
export type LifecycleOutcome =
  | { status: 'lease'; lease: Lease; }
  | { status: 'offline'; }
  | { status: 'rejected'; code: string; message?: string; retryable?: boolean; };

/** The signed value of a lifecycle request. */
export interface LifecycleRequest {
  request_id: string;
  issued_at: string;
  expires_at: string;
  signer_did: string;
  command: LifecycleCommand;
}

/** One connector host process as the registry knows it. */
export interface ReplicaRecord {
  id: string;
  instance_id: string;
  version_id: string;
  endpoint: string;
  peer_principal_id: string;
  peer_principal_kind: PrincipalKind;
  peer_did: string;
  trust_domain: string;
  transport_profile: string;
  topology?: Topology;
  status: ReplicaStatus;
  lease_expires_at: number[];
  capacity: number;
  active_assignments: number;
  health_revision: number;
  last_control_request_id?: string;
  last_control_request_digest?: string;
}

/** State of a connector replica. */
export type ReplicaStatus =
  | 'ready'
  | 'draining'
  | 'offline';

/** What a host sends to the control plane. */
export interface SignedLifecycleRequest {
  request: LifecycleRequest;
  signature: string;
}

/** Where a replica runs. */
export interface Topology {
  region: string;
  zone: string;
  capacity_class: string;
}

/** Type of an envelope; agrees with its body key. */
export type MessageType =
  | 'aip.core.v1.handshake'
  | 'aip.core.v1.handshake_response'
  | 'aip.core.v1.action'
  | 'aip.core.v1.ack'
  | 'aip.core.v1.stream_chunk'
  | 'aip.core.v1.action_result'
  | 'aip.core.v1.error'
  | 'aip.core.v1.cancel'
  | 'aip.core.v1.heartbeat'
  | 'aip.core.v1.heartbeat_ack'
  | 'aip.core.v1.escalation'
  | 'aip.core.v1.escalation_resolution'
  | 'aip.lifecycle.v1.action_status_request'
  | 'aip.lifecycle.v1.action_status'
  | 'aip.lifecycle.v1.action_result_request'
  | 'aip.lifecycle.v1.action_list_request'
  | 'aip.lifecycle.v1.action_list'
  | 'aip.lifecycle.v1.action_events_request'
  | 'aip.lifecycle.v1.action_events'
  | 'aip.policy.v1.approval_request'
  | 'aip.policy.v1.approval_decision'
  | 'aip.policy.v1.approval_query_request'
  | 'aip.policy.v1.approval_list_request'
  | 'aip.policy.v1.approval_record_view'
  | 'aip.policy.v1.approval_list'
  | 'aip.callback.v1.delivery_query_request'
  | 'aip.callback.v1.delivery_list_request'
  | 'aip.callback.v1.delivery_record'
  | 'aip.callback.v1.delivery_list'
  | 'aip.session.v1.session_request'
  | 'aip.session.v1.session_view'
  | 'aip.session.v1.session_list_request'
  | 'aip.session.v1.session_list'
  | 'aip.session.v1.session_close_request'
  | 'aip.session.v1.session_resume_request'
  | 'aip.session.v1.session_resume'
  | 'aip.agent.v1.delegation_request'
  | 'aip.agent.v1.delegation_result'
  | 'aip.transaction.v1.request'
  | 'aip.transaction.v1.result'
  | 'aip.transaction.v1.query_request'
  | 'aip.transaction.v1.view'
  | 'aip.discovery.v1.manifest_request'
  | 'aip.discovery.v1.manifest_response'
  | 'aip.discovery.v1.event_stream_request'
  | 'aip.discovery.v1.event_stream_response'
  | 'aip.channel.v1.message_created'
  | 'aip.channel.v1.conversation_updated'
  | 'aip.audit.v1.receipt_chain'
  | 'aip.audit.v1.receipt_query_request'
  | 'aip.audit.v1.audit_event'
  | 'aip.audit.v1.audit_query_request'
  | 'aip.audit.v1.audit_query_result'
  | 'aip.resource.v1.resource_list_request'
  | 'aip.resource.v1.resource_list'
  | 'aip.resource.v1.resource_read_request'
  | 'aip.resource.v1.resource_read_result'
  | 'aip.economic.v1.batch_settlement';

/** Payload of an envelope; the member’s name selects the type. */
export type Body =
  | { handshake: Handshake }
  | { handshake_response: HandshakeResponse }
  | { action: Action }
  | { ack: Ack }
  | { stream_chunk: StreamChunk }
  | { action_result: ActionResult }
  | { error: ErrorBody }
  | { cancel: Cancel }
  | { heartbeat: Heartbeat }
  | { heartbeat_ack: HeartbeatAck }
  | { escalation: Escalation }
  | { escalation_resolution: EscalationResolution }
  | { action_status_request: ActionStatusRequest }
  | { action_status: ActionStatus }
  | { action_result_request: ActionResultRequest }
  | { action_list_request: ActionListRequest }
  | { action_list: ActionList }
  | { action_events_request: ActionEventsRequest }
  | { action_events: ActionEvents }
  | { approval_request: ApprovalRequest }
  | { approval_decision: ApprovalDecision }
  | { approval_query_request: ApprovalQueryRequest }
  | { approval_list_request: ApprovalListRequest }
  | { approval_record_view: ApprovalRecordView }
  | { approval_list: ApprovalList }
  | { callback_delivery_query_request: CallbackDeliveryQueryRequest }
  | { callback_delivery_list_request: CallbackDeliveryListRequest }
  | { callback_delivery_record: CallbackDeliveryRecord }
  | { callback_delivery_list: CallbackDeliveryList }
  | { session_request: SessionRequest }
  | { session_view: SessionView }
  | { session_list_request: SessionListRequest }
  | { session_list: SessionList }
  | { session_close_request: SessionCloseRequest }
  | { session_resume_request: SessionResumeRequest }
  | { session_resume: SessionResume }
  | { delegation_request: DelegationRequest }
  | { delegation_result: DelegationResult }
  | { transaction_request: TransactionRequest }
  | { transaction_result: TransactionResult }
  | { transaction_query_request: TransactionQueryRequest }
  | { transaction_view: TransactionView }
  | { manifest_request: ManifestRequest }
  | { manifest: Manifest }
  | { event_stream_request: EventStreamRequest }
  | { event_stream: EventStream }
  | { channel_message: ChannelMessage }
  | { conversation: ConversationUpdated }
  | { receipt_chain: ReceiptChain }
  | { receipt_query_request: ReceiptQueryRequest }
  | { audit_event: AuditEvent }
  | { audit_query_request: AuditQueryRequest }
  | { audit_query_result: AuditQueryResult }
  | { resource_list_request: ResourceListRequest }
  | { resource_list: ResourceList }
  | { resource_read_request: ResourceReadRequest }
  | { resource_read_result: ResourceReadResult }
  | { batch_settlement: BatchSettlement };

/** What travels. */
export interface Envelope {
  aip_version: '1.0';
  message_type: MessageType;
  message_id: string;
  sent_at: string;
  body: Body;
  session_id?: string;
  correlation_id?: string;
  in_response_to?: string;
  idempotency_key?: string;
  from?: Principal;
  to?: Principal;
  trace?: unknown;
  security?: Record<string, unknown>;
  extensions?: unknown;
}

/** Every record and union by its name. */

export interface RecordTypes {
  Ack: Ack;
  Action: Action;
  ActionResult: ActionResult;
  ActionTransaction: ActionTransaction;
  ApprovalConstraint: ApprovalConstraint;
  ApprovalDecision: ApprovalDecision;
  Callback: Callback;
  Cancel: Cancel;
  CancelTarget: CancelTarget;
  ComplianceContext: ComplianceContext;
  Conversation: Conversation;
  CredentialRef: CredentialRef;
  DelegatedAuthorityGrant: DelegatedAuthorityGrant;
  DelegationEntry: DelegationEntry;
  ErrorBody: ErrorBody;
  Escalation: Escalation;
  EscalationResolution: EscalationResolution;
  EvidenceArtifact: EvidenceArtifact;
  ExternalAccountRef: ExternalAccountRef;
  ExternalRef: ExternalRef;
  ExternalUserRef: ExternalUserRef;
  FederationContext: FederationContext;
  Handshake: Handshake;
  HandshakeResponse: HandshakeResponse;
  Heartbeat: Heartbeat;
  HeartbeatAck: HeartbeatAck;
  IdentityContext: IdentityContext;
  MessagePart: MessagePart;
  OAuthCredentialState: OAuthCredentialState;
  ObservabilityContext: ObservabilityContext;
  Principal: Principal;
  ProtocolError: ProtocolError;
  ReceiptRef: ReceiptRef;
  StreamChunk: StreamChunk;
  TenantRef: TenantRef;
  Usage: Usage;
  ActionEvents: ActionEvents;
  ActionEventsRequest: ActionEventsRequest;
  ActionList: ActionList;
  ActionListRequest: ActionListRequest;
  ActionResultRequest: ActionResultRequest;
  ActionStatus: ActionStatus;
  ActionStatusRequest: ActionStatusRequest;
  Event: Event;
  ApprovalEvidencePayload: ApprovalEvidencePayload;
  ApprovalList: ApprovalList;
  ApprovalListRequest: ApprovalListRequest;
  ApprovalPolicy: ApprovalPolicy;
  ApprovalQueryRequest: ApprovalQueryRequest;
  ApprovalRecordView: ApprovalRecordView;
  ApprovalRequest: ApprovalRequest;
  ApprovalRule: ApprovalRule;
  ApproverSelector: ApproverSelector;
  DelegatedApprovalAuthority: DelegatedApprovalAuthority;
  SeparationOfDuties: SeparationOfDuties;
  SessionCloseRequest: SessionCloseRequest;
  SessionList: SessionList;
  SessionListRequest: SessionListRequest;
  SessionRequest: SessionRequest;
  SessionResume: SessionResume;
  SessionResumeRequest: SessionResumeRequest;
  SessionView: SessionView;
  ProviderOperationRef: ProviderOperationRef;
  TransactionPlan: TransactionPlan;
  TransactionQueryRequest: TransactionQueryRequest;
  TransactionRequest: TransactionRequest;
  TransactionResult: TransactionResult;
  TransactionView: TransactionView;
  CallbackDeliveryAttempt: CallbackDeliveryAttempt;
  CallbackDeliveryList: CallbackDeliveryList;
  CallbackDeliveryListRequest: CallbackDeliveryListRequest;
  CallbackDeliveryPolicy: CallbackDeliveryPolicy;
  CallbackDeliveryQueryRequest: CallbackDeliveryQueryRequest;
  CallbackDeliveryRecord: CallbackDeliveryRecord;
  Binding: Binding;
  Capability: Capability;
  CapabilityContract: CapabilityContract;
  CompensationContract: CompensationContract;
  CredentialPolicy: CredentialPolicy;
  DataContract: DataContract;
  DataResidency: DataResidency;
  EventStream: EventStream;
  EventStreamRequest: EventStreamRequest;
  ExecutionContract: ExecutionContract;
  IdempotencyContract: IdempotencyContract;
  Manifest: Manifest;
  ManifestFilter: ManifestFilter;
  ManifestRequest: ManifestRequest;
  RetentionPolicy: RetentionPolicy;
  ServiceLevelContract: ServiceLevelContract;
  TransactionContract: TransactionContract;
  ChannelMessage: ChannelMessage;
  ConversationUpdated: ConversationUpdated;
  AuditEvent: AuditEvent;
  AuditQueryRequest: AuditQueryRequest;
  AuditQueryResult: AuditQueryResult;
  Receipt: Receipt;
  ReceiptChain: ReceiptChain;
  ReceiptQueryRequest: ReceiptQueryRequest;
  Resource: Resource;
  ResourceAccessPolicy: ResourceAccessPolicy;
  ResourceList: ResourceList;
  ResourceListRequest: ResourceListRequest;
  ResourceReadRequest: ResourceReadRequest;
  ResourceReadResult: ResourceReadResult;
  BatchSettlement: BatchSettlement;
  DelegationRequest: DelegationRequest;
  DelegationResult: DelegationResult;
  ConnectorCallbackRoute: ConnectorCallbackRoute;
  ConnectorEventRoute: ConnectorEventRoute;
  ConnectorHostRegistration: ConnectorHostRegistration;
  ConnectorRoute: ConnectorRoute;
  FenceCommand: FenceCommand;
  HeartbeatCommand: HeartbeatCommand;
  Lease: Lease;
  LifecycleCommand: LifecycleCommand;
  LifecycleOutcome: LifecycleOutcome;
  LifecycleRequest: LifecycleRequest;
  ReplicaRecord: ReplicaRecord;
  SignedLifecycleRequest: SignedLifecycleRequest;
  Topology: Topology;
  Body: Body;
  Envelope: Envelope;
}

/** Every body by its key. */

export interface Bodies {
  handshake: Handshake;
  handshake_response: HandshakeResponse;
  action: Action;
  ack: Ack;
  stream_chunk: StreamChunk;
  action_result: ActionResult;
  error: ErrorBody;
  cancel: Cancel;
  heartbeat: Heartbeat;
  heartbeat_ack: HeartbeatAck;
  escalation: Escalation;
  escalation_resolution: EscalationResolution;
  action_status_request: ActionStatusRequest;
  action_status: ActionStatus;
  action_result_request: ActionResultRequest;
  action_list_request: ActionListRequest;
  action_list: ActionList;
  action_events_request: ActionEventsRequest;
  action_events: ActionEvents;
  approval_request: ApprovalRequest;
  approval_decision: ApprovalDecision;
  approval_query_request: ApprovalQueryRequest;
  approval_list_request: ApprovalListRequest;
  approval_record_view: ApprovalRecordView;
  approval_list: ApprovalList;
  callback_delivery_query_request: CallbackDeliveryQueryRequest;
  callback_delivery_list_request: CallbackDeliveryListRequest;
  callback_delivery_record: CallbackDeliveryRecord;
  callback_delivery_list: CallbackDeliveryList;
  session_request: SessionRequest;
  session_view: SessionView;
  session_list_request: SessionListRequest;
  session_list: SessionList;
  session_close_request: SessionCloseRequest;
  session_resume_request: SessionResumeRequest;
  session_resume: SessionResume;
  delegation_request: DelegationRequest;
  delegation_result: DelegationResult;
  transaction_request: TransactionRequest;
  transaction_result: TransactionResult;
  transaction_query_request: TransactionQueryRequest;
  transaction_view: TransactionView;
  manifest_request: ManifestRequest;
  manifest: Manifest;
  event_stream_request: EventStreamRequest;
  event_stream: EventStream;
  channel_message: ChannelMessage;
  conversation: ConversationUpdated;
  receipt_chain: ReceiptChain;
  receipt_query_request: ReceiptQueryRequest;
  audit_event: AuditEvent;
  audit_query_request: AuditQueryRequest;
  audit_query_result: AuditQueryResult;
  resource_list_request: ResourceListRequest;
  resource_list: ResourceList;
  resource_read_request: ResourceReadRequest;
  resource_read_result: ResourceReadResult;
  batch_settlement: BatchSettlement;
}

