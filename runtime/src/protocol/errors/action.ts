import { failure } from './aip-error.js';

/** A record breaks a rule of its own (docs/protocol/envelope.md#two-checks-on-arrival), or is malformed outside the envelope. */
export class ActionInputInvalid extends failure('action.invalid_input') {}

/** No such action, or none that the caller may see. */
export class ActionNotFound extends failure('action.not_found') {}

/** The action has no terminal result yet. */
export class ResultNotReady extends failure('action.result_not_ready') {}

/** The action expired without a result. */
export class ActionGone extends failure('action.gone') {}

/** The action id is taken by other content or another principal. */
export class ActionIdConflict extends failure('action.id_conflict') {}

/** A peer's result of an action that does not wait for one. */
export class ActionResultRefused extends failure('action.result_refused') {}

/** The input does not pass the capability's input schema. */
export class InputSchemaInvalid extends failure('action.input_schema_invalid') {}

/** The output does not pass the capability's output schema. */
export class OutputSchemaInvalid extends failure('action.output_schema_invalid') {}

/** The stored schema of a capability cannot be used: not a schema, or too deep or large. */
export class CapabilitySchemaInvalid extends failure('capability.schema_invalid') {}

/** The contract of the capability excludes the requested mode. */
export class ModeUnsupported extends failure('execution.mode_unsupported') {}

/** The capability demands an idempotency key. */
export class IdempotencyRequired extends failure('idempotency.required') {}

/** The scope of the idempotency key cannot be established (no tenant, no external account). */
export class IdempotencyScopeMissing extends failure('idempotency.scope_missing') {}

/** The key was used and the contract rejects its reuse. */
export class IdempotencyConflict extends failure('idempotency.conflict') {}

/** The key was used with another input. */
export class IdempotencyInputMismatch extends failure('idempotency.input_hash_mismatch') {}

/** Another request holds the key; `retry_after_ms` is the rest of its reservation. */
export class IdempotencyInProgress extends failure('idempotency.in_progress') {}

/** The action did not end within its time. Whether a retry is safe is the contract's to say. */
export class TimeoutExceeded extends failure('sla.timeout_exceeded') {}

/** The action waited longer than its contract allows. */
export class QueueDelayExceeded extends failure('sla.queue_delay_exceeded') {}

/** A schema refers to a document elsewhere. */
export class RemoteReferenceForbidden extends failure('schema.remote_reference_forbidden') {}

/** The storage is unreachable, failed, or has no free connection in time. */
export class StorageUnavailable extends failure('storage.unavailable') {}

/** A handler, task or state transition failed for a reason of ours. */
export class HandlerFailed extends failure('runtime.handler_failed') {}
