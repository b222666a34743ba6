import { failure } from './aip-error.js';

/** The remote action cannot be sent: too large, or refused permanently. */
export class ConnectorRequestRejected extends failure('connector.request_rejected') {}

/** The dispatch queue is full or the action waited too long in it. */
export class SchedulerOverloaded extends failure('connector.scheduler_overloaded') {}

/** A registry quota is full; `details` names its scope. */
export class AdmissionCapacity extends failure('connector.admission_capacity') {}

/** No enabled binding gives the tenant this capability. */
export class BindingUnavailable extends failure('connector.binding_unavailable') {}

/** A binding exists, but no replica is ready to take the action. */
export class ReplicaUnavailable extends failure('connector.replica_unavailable') {}

/** The connector may or may not have acted. Never repeat it blindly: read the action, or reconcile. */
export class OutcomeUnknown extends failure('connector.outcome_unknown') {
  constructor(message?: string, options: ConstructorParameters<ReturnType<typeof failure>>[1] = {}) {
    super(message, { ...options, details: { ...(options.details as object | undefined), uncertain_outcome: true } });
  }
}

/** Host checks 2 to 6 failed: 401 for signature and sender, 403 for recipient and route (docs/protocol/host.md#checks). */
export class RouteMismatch extends failure('connector_host.route_mismatch') {}

/** The host drains, its lease has ended, or its storage or connector is not healthy. */
export class HostNotReady extends failure('connector_host.not_ready') {}

/** Every action slot of the host is taken. */
export class HostCapacity extends failure('connector_host.capacity') {}

/** The pinned credential revision is revoked or not accepted. */
export class CredentialRevisionDenied extends failure('connector_host.credential_revision_denied') {}

/** The credential revision policy cannot be read now. */
export class CredentialRevisionUnavailable extends failure('connector_host.credential_revision_unavailable') {}

/** The approval record contradicts the action or a record imported earlier. */
export class ApprovalAuthorizationConflict extends failure('connector_host.approval_authorization_conflict') {}

/** The approval journal cannot be used now. */
export class ApprovalAuthorizationUnavailable extends failure('connector_host.approval_authorization_unavailable') {}

/** The host has seen the message before, or its sent_at lies outside the window. */
export class HostReplay extends failure('connector_host.replay') {}

/** The connector failed for a reason without a better code. */
export class HostExecution extends failure('connector_host.execution') {}

/** The host could not sign its answer; the answer goes out unsigned. */
export class HostResponseSigning extends failure('connector_host.response_signing') {}

/** The control plane refuses a lifecycle request permanently. */
export class ControlRejected extends failure('connector_control.rejected') {}

/** A lifecycle wrapper with members missing, unknown or of the wrong type; answered unsigned. */
export class ControlRequestInvalid extends failure('connector_control.invalid_request') {}

/** The control plane cannot decide now; the exact bytes may be sent again. */
export class ControlUnavailable extends failure('connector_control.unavailable') {}

/** The control plane could not sign its answer; the answer goes out unsigned. */
export class ControlResponseSigning extends failure('connector_control.response_signing') {}
