import { failure } from './aip-error.js';

/** The remote action cannot be sent: too large, or refused permanently. */
export class ConnectorRequestRejected extends failure({
  code: 'connector.request_rejected',
  category: 'permanent',
  message: 'the connector request was rejected',
}) {}

/** The dispatch queue is full or the action waited too long in it. */
export class SchedulerOverloaded extends failure({
  code: 'connector.scheduler_overloaded',
  category: 'temporary',
  retryable: true,
  retryAfterMs: 100,
  message: 'too many remote actions are waiting; try again',
}) {}

/** A registry quota is full; `details` names its scope. */
export class AdmissionCapacity extends failure({
  code: 'connector.admission_capacity',
  category: 'temporary',
  retryable: true,
  retryAfterMs: 100,
  message: 'a connector quota is exhausted; try again',
}) {}

/** No enabled binding gives the tenant this capability. */
export class BindingUnavailable extends failure({
  code: 'connector.binding_unavailable',
  category: 'policy',
  message: 'no connector is bound to this capability for the tenant',
}) {}

/** A binding exists, but no replica is ready to take the action. */
export class ReplicaUnavailable extends failure({
  code: 'connector.replica_unavailable',
  category: 'temporary',
  retryable: true,
  retryAfterMs: 1000,
  message: 'no connector replica is ready; try again',
}) {}

/** The connector may or may not have acted. Never repeat it blindly: read the action, or reconcile. */
export class OutcomeUnknown extends failure({
  code: 'connector.outcome_unknown',
  category: 'connector',
  message: 'it is unknown whether the connector acted; read the action state before trying again',
}) {
  constructor(message?: string, options: ConstructorParameters<ReturnType<typeof failure>>[1] = {}) {
    super(message, { ...options, details: { ...(options.details as object | undefined), uncertain_outcome: true } });
  }
}

/** Host checks 2 to 6 failed: 401 for signature and sender, 403 for recipient and route (docs/protocol/host.md#checks). */
export class RouteMismatch extends failure({
  code: 'connector_host.route_mismatch',
  category: 'auth',
  status: 403,
  message: 'the envelope does not match the route of this host',
}) {}

/** The host drains, its lease has ended, or its storage or connector is not healthy. */
export class HostNotReady extends failure({
  code: 'connector_host.not_ready',
  category: 'temporary',
  retryable: true,
  retryAfterMs: 10_000,
  message: 'the connector host is not ready',
}) {}

/** Every action slot of the host is taken. */
export class HostCapacity extends failure({
  code: 'connector_host.capacity',
  category: 'temporary',
  retryable: true,
  retryAfterMs: 100,
  status: 429,
  message: 'the connector host runs as many actions as it may; try again',
}) {}

/** The pinned credential revision is revoked or not accepted. */
export class CredentialRevisionDenied extends failure({
  code: 'connector_host.credential_revision_denied',
  category: 'auth',
  status: 403,
  message: 'the pinned credential revision is not accepted by this host',
}) {}

/** The credential revision policy cannot be read now. */
export class CredentialRevisionUnavailable extends failure({
  code: 'connector_host.credential_revision_unavailable',
  category: 'temporary',
  retryable: true,
  retryAfterMs: 1000,
  message: 'the credential revision policy of this host cannot be read now',
}) {}

/** The approval record contradicts the action or a record imported earlier. */
export class ApprovalAuthorizationConflict extends failure({
  code: 'connector_host.approval_authorization_conflict',
  category: 'auth',
  status: 403,
  message: 'the approval record does not authorize this action',
}) {}

/** The approval journal cannot be used now. */
export class ApprovalAuthorizationUnavailable extends failure({
  code: 'connector_host.approval_authorization_unavailable',
  category: 'temporary',
  retryable: true,
  retryAfterMs: 1000,
  message: 'the approval journal of this host cannot be used now',
}) {}

/** The host's inner authentication refuses the sender. */
export class HostAuthentication extends failure({
  code: 'connector_host.authentication',
  category: 'auth',
  message: 'the sender was refused by the host',
}) {}

/** The host has seen the message before, or its sent_at lies outside the window. */
export class HostReplay extends failure({
  code: 'connector_host.replay',
  category: 'policy',
  status: 409,
  message: 'the host received this message before or its sent_at is too old or too new',
}) {}

/** The connector failed for a reason without a better code. */
export class HostExecution extends failure({
  code: 'connector_host.execution',
  category: 'connector',
  message: 'the connector failed',
}) {}

/** The host could not sign its answer; the answer goes out unsigned. */
export class HostResponseSigning extends failure({
  code: 'connector_host.response_signing',
  category: 'permanent',
  status: 500,
  message: 'the host could not sign its answer',
}) {}

/** The control plane refuses a lifecycle request permanently. */
export class ControlRejected extends failure({
  code: 'connector_control.rejected',
  category: 'policy',
  message: 'the lifecycle request was rejected',
}) {}

/** A lifecycle wrapper with members missing, unknown or of the wrong type; answered unsigned. */
export class ControlRequestInvalid extends failure({
  code: 'connector_control.invalid_request',
  category: 'permanent',
  message: 'the body is not a signed lifecycle request',
}) {}

/** The control plane cannot decide now; the exact bytes may be sent again. */
export class ControlUnavailable extends failure({
  code: 'connector_control.unavailable',
  category: 'temporary',
  retryable: true,
  retryAfterMs: 1000,
  message: 'the control plane is unavailable; send the same request again',
}) {}

/** The control plane could not sign its answer; the answer goes out unsigned. */
export class ControlResponseSigning extends failure({
  code: 'connector_control.response_signing',
  category: 'permanent',
  status: 500,
  message: 'the control plane could not sign its answer',
}) {}
