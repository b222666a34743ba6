import { failure } from './aip-error.js';

/** The bytes are not JSON that we accept: syntax, a name given twice, a lone surrogate, too deep, a number out of range. */
export class JsonInvalid extends failure('schema.envelope.invalid') {}

/** The envelope signature is missing, malformed or wrong, or its signer is not trusted. */
export class SignatureInvalid extends failure('auth.signature.invalid') {}

/** Bearer missing, malformed, wrong, expired, or presented while none is configured. */
export class Unauthorized extends failure('auth.native_http_unauthorized') {}

/** No sender, or a missing scope, ownership or chain of authority. */
export class NotAuthorized extends failure('auth.not_authorized') {}

/** The stored schema of a capability cannot be used: not a schema, or too deep or large. */
export class CapabilitySchemaInvalid extends failure('capability.schema_invalid') {}

/** The scope of the idempotency key cannot be established (no tenant, no external account). */
export class IdempotencyScopeMissing extends failure('idempotency.scope_missing') {}

/** The action did not end within its time. Whether a retry is safe is the contract's to say. */
export class TimeoutExceeded extends failure('sla.timeout_exceeded') {}

/** A schema refers to a document elsewhere. */
export class RemoteReferenceForbidden extends failure('schema.remote_reference_forbidden') {}

/** The storage is unreachable, failed, or has no free connection in time. */
export class StorageUnavailable extends failure('storage.unavailable') {}

/** A binding exists, but no replica is ready to take the action. */
export class ReplicaUnavailable extends failure('connector.replica_unavailable') {}

/** The host drains, its lease has ended, or its storage or connector is not healthy. */
export class HostNotReady extends failure('connector_host.not_ready') {}

/** The credential revision policy cannot be read now. */
export class CredentialRevisionUnavailable extends failure('connector_host.credential_revision_unavailable') {}

/** The control plane refuses a lifecycle request permanently. */
export class ControlRejected extends failure('connector_control.rejected') {}

/** Trust, route, registry state, lease or channel does not admit the publisher. */
export class IngressNotAuthorized extends failure('connector_event.not_authorized') {}

/** Registry or storage of the ingress cannot be used now. */
export class IngressUnavailable extends failure('connector_event.unavailable') {}

/** A path identifier or query parameter is not acceptable; the message names it. */
export class QueryInvalid extends failure('query.invalid') {}

/** A cursor is malformed, or was issued for another route, identity or filter. */
export class CursorInvalid extends failure('query.cursor_invalid') {}

/** One event above 262144 bytes. */
export class EventTooLarge extends failure('stream.event_too_large') {}

/** An event that cannot be written as JSON. */
export class EventEncodingFailed extends failure('stream.event_encoding_failed') {}

/** A follower that does not read fast enough was dropped; it resumes from its last event id. */
export class FollowerTooSlow extends failure('stream.follower_too_slow') {}

/** The bytes of unfinished request bodies are above the bound of the server, and this body was unfinished longest. */
export class BodiesOverloaded extends failure('http.overloaded') {}

/** The request body is above its bound; the connection is closed after the answer. */
export class BodyTooLarge extends failure('http.body_too_large') {}

/** The tenant stores as much of a kind of record as it may. */
export class StockExceeded extends failure('storage.tenant_limit') {}

/** A broker message is neither a TransportMessage nor an envelope. */
export class BrokerDecodeFailed extends failure('transport.nats.decode') {}
