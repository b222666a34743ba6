import { bool, choice, float, L, list, O, oneOf, opaque, R, record, string, tagged, time, u64 } from './dsl/dsl.js';

export const PrincipalKind = oneOf(
  'PrincipalKind',
  'What a principal is.',
  'human agent service tenant customer contact system',
);
export const ActionMode = oneOf('ActionMode', 'How the submitter wants an action to run.', 'sync async streaming');
export const Risk = oneOf('Risk', 'Risk class, lowest first.', 'low medium high critical');
export const ErrorCategory = oneOf(
  'ErrorCategory',
  'Class of a protocol error; decides its HTTP status.',
  'temporary permanent auth policy economic connector transport',
);

export const ExternalRef = record('ExternalRef', 'The id of something in another product.', {
  system: R(string),
  type: R(string),
  id: R(string),
});

export const DelegatedAuthorityGrant = record('DelegatedAuthorityGrant', 'Rights over the work of another principal.', {
  principal_id: R(string),
  scopes: L(string),
  expires_at: O(time),
  reason: O(string),
});

export const Principal = record('Principal', 'Who sends, receives, asks, decides or acts.', {
  id: R(string),
  kind: R(PrincipalKind),
  display_name: O(string),
  trust_domain: O(string),
  did: O(string),
  external_refs: L(ExternalRef),
  delegated_authority: L(DelegatedAuthorityGrant),
  auth_context: O(opaque),
});

export const TenantRef = record('TenantRef', 'A tenant.', { id: R(string), system: O(string) });
export const ExternalAccountRef = record('ExternalAccountRef', 'An account in a product.', {
  id: R(string),
  system: R(string),
});
export const ExternalUserRef = record('ExternalUserRef', 'A user in a product.', { id: R(string), system: R(string) });
export const CredentialRef = record('CredentialRef', 'A pointer to a secret, never the secret.', {
  id: R(string),
  issuer: R(string),
  scopes: L(string),
});
export const OAuthCredentialState = record('OAuthCredentialState', 'OAuth state without tokens.', {
  issuer: R(string),
  client_id: O(string),
  scopes: L(string),
  expires_at: O(time),
  refresh_available: R(bool),
});
export const IdentityContext = record('IdentityContext', 'On whose behalf and in which accounts work is done.', {
  tenant: O(TenantRef),
  external_account: O(ExternalAccountRef),
  external_user: O(ExternalUserRef),
  human_actor: O(Principal),
  service_account: O(Principal),
  acted_on_behalf_of: O(Principal),
  credential_ref: O(CredentialRef),
  oauth: O(OAuthCredentialState),
});

export const ProtocolError = record('ProtocolError', 'A failure on the wire.', {
  code: R(string),
  message: R(string),
  category: R(ErrorCategory),
  retryable: O(bool),
  retry_after_ms: O(u64),
  details: O(opaque),
  source: O(opaque),
});
export const ErrorBody = record('ErrorBody', 'Body of an error envelope.', { error: R(ProtocolError) });

export const ConversationStatus = oneOf(
  'ConversationStatus',
  'State of a conversation.',
  'open pending resolved snoozed archived',
);
export const Priority = oneOf('Priority', 'Priority of a conversation.', 'low medium high urgent');
export const Conversation = record('Conversation', 'A thread in a channel.', {
  id: R(string),
  channel: R(opaque),
  status: R(ConversationStatus),
  external_refs: L(ExternalRef),
  contact: O(Principal),
  assignee: O(Principal),
  priority: O(Priority),
  labels: L(string),
  metadata: O(opaque),
});

export const MessagePart = tagged('MessagePart', 'A piece of content.', 'type', {
  text: { text: R(string), format: O(string) },
  image: { mime_type: R(string), url: O(string), data: O(string), alt: O(string) },
  file: { mime_type: R(string), filename: R(string), url: O(string), data: O(string), size_bytes: O(u64) },
  audio: { mime_type: R(string), url: O(string), data: O(string), transcript: O(string) },
  form: { fields: R(list(opaque)), actions: R(list(opaque)) },
  card: { title: R(string), body: R(string), actions: L(opaque), media: O(opaque) },
  json: { data: R(opaque), schema: O(opaque) },
  tool_result: { tool_call_id: R(string), data: O(opaque), error: O(opaque) },
});

export const Callback = record('Callback', 'Where results or chunks are sent.', {
  profile: R(string),
  target: R(string),
  metadata: O(opaque),
});
export const DelegationEntry = record('DelegationEntry', 'One hop of a delegation chain.', {
  from: R(Principal),
  to: R(Principal),
  scope: R(string),
  delegated_at: R(time),
});
export const FederationContext = record('FederationContext', 'Trust domains an action came through.', {
  trust_domain: R(string),
  hops: L(string),
});
export const ObservabilityContext = record('ObservabilityContext', 'Tracing of an action.', {
  trace_id: O(string),
  span_id: O(string),
  fields: O(opaque),
});
export const ComplianceContext = record('ComplianceContext', 'Regimes that apply to an action.', {
  regimes: L(string),
  data_classification: O(string),
  metadata: O(opaque),
});

export const TransactionMode = oneOf(
  'TransactionMode',
  'Step of a transaction.',
  'execute dry_run plan commit compensate reconcile rollback_not_supported',
);
export const ActionTransaction = record('ActionTransaction', 'The transaction an action belongs to.', {
  mode: R(TransactionMode),
  transaction_id: O(string),
  plan_id: O(string),
  compensation_for: O(string),
});

export const Decision = oneOf('Decision', 'A vote or outcome of an approval.', 'approved denied expired revoked');
export const ApprovalConstraint = record('ApprovalConstraint', 'A limit on the input of an approved action.', {
  field: R(string),
  operator: R(string),
  value: R(opaque),
});
export const EvidenceArtifact = record('EvidenceArtifact', 'Proof attached to a request or decision.', {
  id: R(string),
  kind: R(string),
  uri: O(string),
  hash: O(string),
  redacted: R(bool),
});
export const ApprovalDecision = record('ApprovalDecision', 'A vote on an approval.', {
  approval_id: R(string),
  decision: R(Decision),
  approver: R(Principal),
  decided_at: R(time),
  reason: O(string),
  constraints: L(ApprovalConstraint),
  evidence: L(EvidenceArtifact),
  decision_id: O(string),
  policy_hash: O(string),
  authority_path: L(string),
  target_decision_id: O(string),
});

export const Action = record('Action', 'Work that is asked of a capability.', {
  id: R(string),
  capability_id: R(string),
  input: R(opaque),
  mode: O(ActionMode),
  idempotency_key: O(string),
  timeout_ms: O(u64),
  conversation: O(Conversation),
  memory_context: O(opaque),
  delegation_chain: L(DelegationEntry),
  federation: O(FederationContext),
  callback: O(Callback),
  observability: O(ObservabilityContext),
  compliance: O(ComplianceContext),
  identity: O(IdentityContext),
  approval: O(ApprovalDecision),
  transaction: O(ActionTransaction),
});

export const AckStatus = oneOf(
  'AckStatus',
  'What became of a submission.',
  'accepted rejected queued streaming cached',
);
export const Ack = record('Ack', 'Immediate answer to a submission.', {
  action_id: R(string),
  status: R(AckStatus),
  reason: O(string),
  retry_after_ms: O(u64),
  queue: O(opaque),
});

export const ResultStatus = oneOf(
  'ResultStatus',
  'Outcome of an action.',
  'completed failed cancelled pending_approval requires_human',
);
export const Usage = record('Usage', 'What an action used.', {
  tokens: O(opaque),
  tools: O(opaque),
  latency_ms: O(u64),
  cost: O(opaque),
});
export const ReceiptRef = record('ReceiptRef', 'Id and hash of a receipt.', { id: R(string), hash: R(string) });
export const ActionResult = record('ActionResult', 'Result of an action.', {
  action_id: R(string),
  status: R(ResultStatus),
  output: O(opaque),
  message: L(MessagePart),
  memory_update: O(opaque),
  usage: O(Usage),
  receipt: O(ReceiptRef),
  error: O(ProtocolError),
});

export const ChunkKind = oneOf(
  'ChunkKind',
  'What a stream chunk carries; done or error ends the stream.',
  'data progress tool thought preview pending_approval error done',
);
export const StreamChunk = record('StreamChunk', 'A piece of a streaming action’s output.', {
  action_id: R(string),
  sequence: R(u64),
  kind: R(ChunkKind),
  data: O(opaque),
  part: O(MessagePart),
});

export const CancelTarget = choice('CancelTarget', 'What is cancelled: an action or a session.', {
  action: string,
  session: string,
});
export const Cancel = record('Cancel', 'Request to cancel.', { target: R(CancelTarget), reason: O(string) });

export const Heartbeat = record('Heartbeat', 'Sign of life of a session.', {
  sequence: R(u64),
  status: O(string),
  progress: O(float),
});
export const HeartbeatAck = record('HeartbeatAck', 'Answer to a heartbeat.', {
  sequence: R(u64),
  received_at: R(time),
});

export const HandshakeStatus = oneOf('HandshakeStatus', 'Answer to a handshake.', 'accepted rejected redirect');
export const Handshake = record('Handshake', 'Opens a session.', {
  client: R(Principal),
  purpose: R(string),
  requested_capabilities: L(string),
  profiles: R(list(string)),
  auth: O(opaque),
  heartbeat: O(opaque),
  encryption: O(opaque),
  billing: O(opaque),
  compliance_required: L(string),
});
export const HandshakeResponse = record('HandshakeResponse', 'Answer to a handshake.', {
  status: R(HandshakeStatus),
  session_id: O(string),
  resume_token: O(string),
  server: O(Principal),
  agreed_profiles: L(string),
  agreed_capabilities: L(string),
  heartbeat: O(opaque),
  encryption: O(opaque),
  billing: O(opaque),
  redirect: O(opaque),
  rejection_reason: O(ProtocolError),
});

export const EscalationKind = oneOf(
  'EscalationKind',
  'Why a human is called.',
  'approval input handoff policy_exception',
);
export const EscalationChoice = oneOf(
  'EscalationChoice',
  'What the human may do.',
  'approve reject modify handoff cancel',
);
export const EscalationStatus = oneOf(
  'EscalationStatus',
  'What the human did.',
  'approved rejected modified handoff_completed expired cancelled',
);
export const Escalation = record('Escalation', 'Calls a human.', {
  kind: R(EscalationKind),
  reason: R(string),
  requested_by: R(Principal),
  form: O(opaque),
  risk: O(Risk),
  timeout_ms: O(u64),
  allowed_decisions: L(EscalationChoice),
  conversation: O(Conversation),
});
export const EscalationResolution = record('EscalationResolution', 'Answer of the human.', {
  status: R(EscalationStatus),
  resolved_by: R(Principal),
  resolved_at: R(time),
  result: O(opaque),
});
