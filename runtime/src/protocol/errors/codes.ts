import type { ErrorCategory } from '../types.js';

/** The fixed part of an error code. */
export interface ErrorKind {
  category: ErrorCategory;
  /** Text used when the thrower gives none: what was wrong and, where it helps, what to do. */
  message: string;
  /** Whether the same request may succeed later; default: it may not. */
  retryable?: boolean;
  /** Milliseconds after which a retry makes sense. */
  retryAfterMs?: number;
  /** HTTP status; default: that of the category. */
  status?: number;
}

/** Every error code of the protocol with its meaning. docs/protocol/errors.md lists the same codes; a test compares them. */
export const CODES = {
  // Form
  'schema.envelope.invalid': { category: 'permanent', message: 'the JSON does not pass the AIP 1.0 envelope schema' },
  'envelope.decode.invalid': { category: 'permanent', message: 'the JSON cannot be read as an AIP 1.0 envelope' },
  'auth.signature.invalid': {
    category: 'auth',
    message: 'the envelope signature is missing, wrong or of an untrusted signer',
  },
  'replay.message_id': {
    category: 'auth',
    message: 'the message was received before or its sent_at is too old or too new; send a new message_id and sent_at',
  },
  'capability.unsupported': { category: 'permanent', message: 'this server does not handle bodies of this type' },
  'handshake.no_compatible_profile': {
    category: 'permanent',
    message: 'none of the offered profiles is spoken here; see the manifest for the list',
  },
  'gateway.error': { category: 'permanent', message: 'the request could not be handled' },
  // Identity and authority
  'auth.native_http_unauthorized': {
    category: 'auth',
    message: 'a valid bearer token is required in the Authorization header',
  },
  'auth.not_authorized': { category: 'auth', message: 'the caller is not authorized for this operation' },
  'auth.unverified_actor': { category: 'auth', message: 'this operation needs an authenticated caller' },
  'auth.actor_mismatch': { category: 'auth', message: 'the actor in the body is not the authenticated caller' },
  'auth.claim_mismatch': { category: 'auth', message: 'the handshake client is not the authenticated principal' },
  'auth.session_mismatch': {
    category: 'auth',
    message: 'session_id of the body differs from session_id of the envelope',
  },
  'auth.tenant_required': { category: 'auth', message: 'the operation needs a tenant that the caller belongs to' },
  'auth.tenant_mismatch': { category: 'auth', message: 'tenant_id is not the tenant of the caller' },
  'auth.tenant_membership_expired': { category: 'auth', message: 'the tenant membership of the caller has expired' },
  'auth.expired': { category: 'auth', message: 'the identity of the caller has expired' },
  'auth.identity_resolution_failed': { category: 'auth', message: 'the identity of the caller could not be resolved' },
  'audit.not_authorized': { category: 'auth', message: 'the caller is not authorized for this audit query' },
  'audit.id_conflict': {
    category: 'permanent',
    message: 'another audit event of the tenant has this id; choose a new one',
  },
  'receipt.id_conflict': {
    category: 'permanent',
    message: 'another receipt chain of the tenant has this id; choose a new one',
  },
  'settlement.id_conflict': {
    category: 'permanent',
    message: 'another batch settlement of the tenant has this id; choose a new one',
  },
  'delegation.target_mismatch': { category: 'auth', message: 'the delegate is not known to this gateway' },
  'delegation.id_conflict': {
    category: 'permanent',
    message: 'the delegation id is used by another delegation or has another result',
  },
  'credential.required': { category: 'auth', message: 'the capability needs a credential' },
  'credential.scope_missing': { category: 'auth', message: 'the credential lacks a required scope' },
  'credential.expired': { category: 'auth', message: 'the credential has expired' },
  // Actions
  'action.invalid_input': { category: 'permanent', message: 'the request breaks a rule of the protocol' },
  'action.not_found': { category: 'permanent', message: 'no such action' },
  'action.result_not_ready': {
    category: 'temporary',
    retryable: true,
    retryAfterMs: 500,
    message: 'the action has not ended yet; ask again later or follow its events',
  },
  'action.gone': { category: 'permanent', message: 'the action has expired and left no result' },
  'action.dead_lettered': { category: 'permanent', message: 'the action was given up and left no result' },
  'action.id_conflict': {
    category: 'permanent',
    message: 'this action id was used for another request; choose a new one',
  },
  'action.result_refused': { category: 'policy', message: 'the action does not wait for a result of a peer' },
  'action.input_schema_invalid': {
    category: 'permanent',
    message: 'the input does not pass the input schema of the capability',
  },
  'action.output_schema_invalid': {
    category: 'permanent',
    message: 'the output does not pass the output schema of the capability',
  },
  'capability.schema_invalid': { category: 'policy', message: 'the schema of the capability cannot be used' },
  'execution.mode_unsupported': { category: 'policy', message: 'the capability does not run in this mode' },
  'idempotency.required': { category: 'policy', message: 'the capability needs an idempotency_key' },
  'idempotency.scope_missing': {
    category: 'policy',
    message: 'the request lacks what the idempotency key is scoped by',
  },
  'idempotency.conflict': { category: 'policy', message: 'the idempotency key was used before' },
  'idempotency.input_hash_mismatch': {
    category: 'policy',
    message: 'the idempotency key was used before with another input',
  },
  'idempotency.pending_resume_denied': {
    category: 'policy',
    message: 'the action of this idempotency key is waiting and cannot be resumed by a repeat',
  },
  'idempotency.in_progress': {
    category: 'temporary',
    retryable: true,
    message: 'a request with this idempotency key is still running',
  },
  'sla.timeout_exceeded': { category: 'temporary', message: 'the action did not end in time; its effect is unknown' },
  'sla.queue_delay_exceeded': { category: 'policy', message: 'the action waited longer than its contract allows' },
  'credential.issuer_denied': {
    category: 'policy',
    message: 'the issuer of the credential is not accepted by the capability',
  },
  'credential.tenant_mismatch': { category: 'policy', message: 'the credential belongs to another tenant' },
  'manifest.admission_failed': { category: 'permanent', message: 'the manifest was not admitted' },
  'schema.remote_reference_forbidden': {
    category: 'permanent',
    message: 'a $ref of a capability schema must begin with #',
  },
  'storage.unavailable': {
    category: 'temporary',
    retryable: true,
    retryAfterMs: 1000,
    message: 'the storage is unavailable; try again later',
  },
  'storage.tenant_limit': {
    category: 'policy',
    message: 'the tenant has stored as many records of this kind as it may',
  },
  'runtime.handler_failed': { category: 'temporary', retryable: true, message: 'the request could not be completed' },
  // Approvals
  'policy.human_approval_required': { category: 'policy', message: 'the action needs a human approval' },
  'policy.approval_denied': { category: 'policy', message: 'the approval was denied' },
  'policy.approval_expired': { category: 'policy', message: 'the approval expired' },
  'policy.approval_revoked': { category: 'policy', message: 'the approval was revoked' },
  'policy.approval_not_granted': { category: 'policy', message: 'the approval of the action is not granted' },
  'policy.approval_unverified': { category: 'policy', message: 'the approval of the action is not one recorded here' },
  'policy.approval_not_pending': { category: 'policy', message: 'the approval is already decided' },
  'policy.approval_mismatch': { category: 'policy', message: 'the decision does not belong to this approval' },
  'policy.approval_capability_mismatch': { category: 'policy', message: 'the approval governs another capability' },
  'policy.approval_decision_id_required': { category: 'policy', message: 'a decision needs a decision_id' },
  'policy.approval_hash_mismatch': {
    category: 'policy',
    message: 'policy_hash differs from the approval request; read the request again',
  },
  'policy.approval_revocation_target_required': {
    category: 'policy',
    message: 'a revocation needs target_decision_id',
  },
  'policy.approval_revocation_target_missing': {
    category: 'policy',
    message: 'target_decision_id names no approved vote',
  },
  'policy.approval_action_mismatch': { category: 'policy', message: 'the approval belongs to another action' },
  'policy.approval_evidence_missing': { category: 'policy', message: 'the decision lacks required evidence' },
  'policy.approval_constraint_missing_field': {
    category: 'policy',
    message: 'a constraint of the approval names a member that the input lacks',
  },
  'policy.approval_constraint_failed': { category: 'policy', message: 'the input breaks a constraint of the approval' },
  'policy.approver_identity_mismatch': { category: 'policy', message: 'the approver is not who the membership names' },
  'policy.approver_tenant_mismatch': { category: 'policy', message: 'the approver belongs to another tenant' },
  'policy.approver_unauthorized': { category: 'policy', message: 'the approver may not decide this approval' },
  'policy.separation_of_duties.requester': {
    category: 'policy',
    message: 'the requester may not decide its own approval',
  },
  'policy.separation_of_duties.operator': { category: 'policy', message: 'the operator may not decide this approval' },
  'approval.not_found': { category: 'permanent', message: 'no such approval' },
  // Transactions
  'transaction.mode_unsupported': {
    category: 'policy',
    message: 'the capability does not support this transaction mode',
  },
  'transaction.rollback_not_supported': { category: 'policy', message: 'the capability does not support rollback' },
  'transaction.unsupported': { category: 'policy', message: 'the capability does not support transactions' },
  'transaction.compensation_unsupported': {
    category: 'policy',
    message: 'the capability does not support compensation',
  },
  'transaction.plan_required': { category: 'policy', message: 'the capability needs a plan before commit' },
  'transaction.plan_not_found': { category: 'policy', message: 'no such plan' },
  'transaction.plan_capability_mismatch': { category: 'policy', message: 'the plan is for another capability' },
  'transaction.plan_not_committable': {
    category: 'policy',
    message: 'the plan is not in a state that can be committed',
  },
  'transaction.plan_already_claimed': { category: 'policy', message: 'the plan was already committed' },
  'transaction.plan_missing_payload': { category: 'policy', message: 'the transaction record holds no plan' },
  'transaction.plan_principal_mismatch': { category: 'policy', message: 'the plan was made by another principal' },
  'transaction.plan_expired': { category: 'policy', message: 'the plan has expired; plan again' },
  'transaction.plan_transaction_mismatch': { category: 'policy', message: 'the plan belongs to another transaction' },
  'transaction.plan_input_hash_mismatch': { category: 'policy', message: 'the input differs from the planned one' },
  'transaction.plan_identity_missing': {
    category: 'policy',
    message: 'the plan and the commit must both carry an identity, or neither',
  },
  'transaction.plan_tenant_mismatch': { category: 'policy', message: 'the plan belongs to another tenant' },
  'transaction.plan_external_account_mismatch': {
    category: 'policy',
    message: 'the plan is for another external account',
  },
  'transaction.plan_handler_unsupported': { category: 'policy', message: 'the connector cannot validate plans' },
  'transaction.commit_already_claimed': { category: 'policy', message: 'the transaction is already being committed' },
  'transaction.execute_state_invalid': {
    category: 'policy',
    message: 'the transaction is in a state that cannot be executed',
  },
  'transaction.retry_denied': { category: 'policy', message: 'the failed transaction may not be tried again' },
  'transaction.reconciliation_required': {
    category: 'policy',
    message: 'the outcome of the transaction is unknown; reconcile it first',
  },
  'transaction.reconciliation_id_required': { category: 'policy', message: 'reconcile needs a transaction_id' },
  'transaction.provider_operation_required': { category: 'policy', message: 'reconcile needs a provider_operation' },
  'transaction.compensation_target_required': { category: 'policy', message: 'compensate needs compensation_for' },
  'transaction.compensation_target_not_completed': {
    category: 'policy',
    message: 'the action to compensate has not completed',
  },
  'transaction.compensation_target_not_committed': {
    category: 'policy',
    message: 'the transaction to compensate is not committed',
  },
  'transaction.compensation_window_expired': { category: 'policy', message: 'the time to compensate is over' },
  'transaction.not_found': { category: 'permanent', message: 'no such transaction' },
  'transaction.reconciliation_capacity': {
    category: 'temporary',
    retryable: true,
    retryAfterMs: 100,
    message: 'too many reconciliations run; try again',
  },
  // Sessions and bindings
  'session.not_found': { category: 'permanent', message: 'no such session' },
  'session.closed': { category: 'permanent', message: 'the session is closed' },
  'session.resume_rejected': { category: 'auth', message: 'the session cannot be resumed with this token' },
  'callback.target_refused': { category: 'policy', message: 'the callback target is not allowed here' },
  'callback.delivery_not_found': { category: 'permanent', message: 'no such callback delivery' },
  'callback.delivery_capacity': {
    category: 'temporary',
    retryable: true,
    retryAfterMs: 100,
    message: 'too many callback deliveries run; try again',
  },
  'receipt.not_found': { category: 'permanent', message: 'no such receipt' },
  'ws.subscription_capacity': { category: 'transport', message: 'a connection takes at most 16 subscriptions' },
  'ws.connections_exceeded': {
    category: 'temporary',
    retryable: true,
    retryAfterMs: 1000,
    status: 429,
    message: 'too many WebSocket connections are open; close one or try again later',
  },
  'ws.invalid_message': {
    category: 'transport',
    message: 'the frame is neither an envelope nor a subscribe object with a subscription_id',
  },
  'ws.decode_failed': { category: 'transport', message: 'the frame is not JSON' },
  'ws.invalid_session_id': { category: 'transport', message: 'session_id must begin with sess_' },
  'ws.encode_failed': { category: 'transport', message: 'a frame could not be written' },
  'transport.nats.capacity': {
    category: 'temporary',
    retryable: true,
    retryAfterMs: 100,
    message: 'too many broker messages are being answered; try again',
  },
  'transport.nats.reply_too_large': {
    category: 'transport',
    message: 'the answer is larger than a message of the broker may be; ask for a smaller page or over HTTP',
  },
  'transport.nats.decode': {
    category: 'transport',
    message: 'the message is neither a TransportMessage nor an envelope',
  },
  // Queries
  'query.invalid': { category: 'permanent', message: 'a query parameter or path identifier is invalid' },
  'query.cursor_invalid': {
    category: 'permanent',
    message: 'the cursor was not issued for this query; start again without a cursor',
  },
  'query.conflict': { category: 'permanent', message: 'exactly one selector must be given' },
  'stream.cursor_expired': {
    category: 'permanent',
    message: 'the events after this cursor are no longer retained; start again without a cursor',
  },
  'stream.event_too_large': { category: 'permanent', message: 'the event is larger than 262144 bytes' },
  'stream.event_encoding_failed': { category: 'permanent', message: 'the event cannot be written as JSON' },
  'stream.encode_failed': { category: 'transport', message: 'a stream frame could not be written' },
  'stream.follower_too_slow': {
    category: 'temporary',
    retryable: true,
    message: 'the follower did not read fast enough; reconnect from the last event id',
  },
  'stream.followers_exceeded': {
    category: 'temporary',
    retryable: true,
    retryAfterMs: 1000,
    status: 429,
    message: 'too many streams are followed; close one or try again later',
  },
  'resource.not_found': { category: 'permanent', message: 'no such resource' },
  'resource.gone': { category: 'permanent', message: 'the resource has expired' },
  'resource.not_acceptable': {
    category: 'permanent',
    status: 406,
    message: 'the resource has none of the accepted media types',
  },
  'http.not_found': { category: 'permanent', status: 404, message: 'no such route; every route is under /aip/v1' },
  'http.method_not_allowed': {
    category: 'permanent',
    status: 405,
    message: 'the route does not take this method; see the Allow header',
  },
  'http.headers_too_large': {
    category: 'permanent',
    status: 431,
    message: 'the request line and headers are larger than 16 KiB; shorten the query or the headers',
  },
  'http.malformed_request': { category: 'permanent', message: 'the request is not well-formed HTTP/1.1' },
  'http.request_timeout': { category: 'transport', status: 408, message: 'the request did not arrive in time' },
  'http.expectation_failed': {
    category: 'permanent',
    status: 417,
    message: 'the Expect header takes 100-continue alone',
  },
  'http.upgrade_required': {
    category: 'permanent',
    status: 426,
    message: 'this route takes WebSocket connections alone; send a WebSocket upgrade (RFC 6455, version 13)',
  },
  'http.unsupported_media_type': {
    category: 'permanent',
    status: 415,
    message: 'send content-type application/json or application/aip+json',
  },
  'http.overloaded': {
    category: 'temporary',
    retryable: true,
    retryAfterMs: 1000,
    message: 'too many request bodies are unfinished; send the request again',
  },
  'http.body_timeout': {
    category: 'temporary',
    retryable: true,
    status: 408,
    message: 'the request body arrives too slowly; send it without pauses',
  },
  'http.body_too_large': {
    category: 'permanent',
    status: 413,
    message: 'the request body is larger than this route takes',
  },
  'stream.interrupted': {
    category: 'transport',
    retryable: true,
    retryAfterMs: 500,
    message: 'the server stops; reconnect from the last event id',
  },
  // Connectors and hosts
  'connector.request_rejected': { category: 'permanent', message: 'the connector request was rejected' },
  'connector.scheduler_overloaded': {
    category: 'temporary',
    retryable: true,
    retryAfterMs: 100,
    message: 'too many remote actions are waiting; try again',
  },
  'connector.admission_capacity': {
    category: 'temporary',
    retryable: true,
    retryAfterMs: 100,
    message: 'a connector quota is exhausted; try again',
  },
  'connector.binding_unavailable': {
    category: 'policy',
    message: 'no connector is bound to this capability for the tenant',
  },
  'connector.replica_unavailable': {
    category: 'temporary',
    retryable: true,
    retryAfterMs: 1000,
    message: 'no connector replica is ready; try again',
  },
  'connector.outcome_unknown': {
    category: 'connector',
    message: 'it is unknown whether the connector acted; read the action state before trying again',
  },
  'connector_host.route_mismatch': {
    category: 'auth',
    status: 403,
    message: 'the envelope does not match the route of this host',
  },
  'connector_host.not_ready': {
    category: 'temporary',
    retryable: true,
    retryAfterMs: 10_000,
    message: 'the connector host is not ready',
  },
  'connector_host.capacity': {
    category: 'temporary',
    retryable: true,
    retryAfterMs: 100,
    status: 429,
    message: 'the connector host runs as many actions as it may; try again',
  },
  'connector_host.credential_revision_denied': {
    category: 'auth',
    status: 403,
    message: 'the pinned credential revision is not accepted by this host',
  },
  'connector_host.credential_revision_unavailable': {
    category: 'temporary',
    retryable: true,
    retryAfterMs: 1000,
    message: 'the credential revision policy of this host cannot be read now',
  },
  'connector_host.approval_authorization_conflict': {
    category: 'auth',
    status: 403,
    message: 'the approval record does not authorize this action',
  },
  'connector_host.approval_authorization_unavailable': {
    category: 'temporary',
    retryable: true,
    retryAfterMs: 1000,
    message: 'the approval journal of this host cannot be used now',
  },
  'connector_host.authentication': { category: 'auth', message: 'the sender was refused by the host' },
  'connector_host.replay': {
    category: 'policy',
    status: 409,
    message: 'the host received this message before or its sent_at is too old or too new',
  },
  'connector_host.execution': { category: 'connector', message: 'the connector failed' },
  'connector_host.response_signing': {
    category: 'permanent',
    status: 500,
    message: 'the host could not sign its answer',
  },
  'connector_control.rejected': { category: 'policy', message: 'the lifecycle request was rejected' },
  'connector_control.invalid_request': { category: 'permanent', message: 'the body is not a signed lifecycle request' },
  'connector_control.unavailable': {
    category: 'temporary',
    retryable: true,
    retryAfterMs: 1000,
    message: 'the control plane is unavailable; send the same request again',
  },
  'connector_control.response_signing': {
    category: 'permanent',
    status: 500,
    message: 'the control plane could not sign its answer',
  },
  'connector.unknown': { category: 'permanent', message: 'no such connector' },
  'connector.config_invalid': { category: 'permanent', message: 'the configuration of the connector is invalid' },
  'connector.state_invalid': {
    category: 'permanent',
    message: 'a key or value of the connector state is out of bounds',
  },
  'connector.outbox_full': {
    category: 'temporary',
    retryable: true,
    retryAfterMs: 1000,
    message: 'too many event batches wait already; try again later',
  },
  'connector.event_invalid': { category: 'permanent', message: 'the event can never be published as it is' },
  // Ingress
  'connector_event.not_configured': {
    category: 'permanent',
    status: 404,
    message: 'the connector ingress is not configured on this server',
  },
  'connector_event.invalid': { category: 'permanent', message: 'the published events or chunk are not acceptable' },
  'connector_event.idempotency_conflict': {
    category: 'permanent',
    message: 'this event or chunk was published before with other content',
  },
  'connector_event.not_authorized': { category: 'auth', message: 'the publisher is not authorized for this route' },
  'connector_event.capacity': {
    category: 'temporary',
    retryable: true,
    retryAfterMs: 100,
    message: 'the connector ingress is at capacity; try again',
  },
  'connector_event.unavailable': {
    category: 'temporary',
    retryable: true,
    retryAfterMs: 1000,
    message: 'the connector ingress is unavailable; try again later',
  },
  // Catalog
  'connector_catalog.disabled': {
    category: 'permanent',
    status: 404,
    message: 'no connector fleet is configured on this server',
  },
  'connector_catalog.tenant_required': {
    category: 'policy',
    message: 'the catalog belongs to a tenant, and this bearer identity has none',
  },
  'connector_catalog.invalid_query': { category: 'permanent', message: 'a catalog filter is invalid' },
  'connector_catalog.stale_cursor': {
    category: 'permanent',
    status: 409,
    message: 'the catalog changed while paging; start again from the first page',
  },
  'connector_catalog.unavailable': {
    category: 'temporary',
    retryable: true,
    retryAfterMs: 1000,
    message: 'the catalog is unavailable; try again later',
  },
} as const satisfies Readonly<Record<string, ErrorKind>>;

/** A code of the protocol. */
export type ErrorCode = keyof typeof CODES;
