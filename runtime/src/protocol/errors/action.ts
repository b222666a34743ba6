import { failure } from './aip-error.js';

/** A record breaks a rule of its own (docs/protocol/envelope.md#two-checks-on-arrival), or is malformed outside the envelope. */
export class ActionInputInvalid extends failure({
  code: 'action.invalid_input',
  category: 'permanent',
  message: 'the request breaks a rule of the protocol',
}) {}

/** No such action, or none that the caller may see. */
export class ActionNotFound extends failure({
  code: 'action.not_found',
  category: 'permanent',
  message: 'no such action',
}) {}

/** The action has no terminal result yet. */
export class ResultNotReady extends failure({
  code: 'action.result_not_ready',
  category: 'temporary',
  retryable: true,
  retryAfterMs: 500,
  message: 'the action has not ended yet; ask again later or follow its events',
}) {}

/** The action expired without a result. */
export class ActionGone extends failure({
  code: 'action.gone',
  category: 'permanent',
  message: 'the action has expired and left no result',
}) {}

/** The action was parked after giving up, without a result. */
export class ActionDeadLettered extends failure({
  code: 'action.dead_lettered',
  category: 'permanent',
  message: 'the action was given up and left no result',
}) {}

/** The action id is taken by other content or another principal. */
export class ActionIdConflict extends failure({
  code: 'action.id_conflict',
  category: 'permanent',
  message: 'this action id was used for another request; choose a new one',
}) {}

/** A peer's result of an action that does not wait for one. */
export class ActionResultRefused extends failure({
  code: 'action.result_refused',
  category: 'policy',
  message: 'the action does not wait for a result of a peer',
}) {}

/** The input does not pass the capability's input schema. */
export class InputSchemaInvalid extends failure({
  code: 'action.input_schema_invalid',
  category: 'permanent',
  message: 'the input does not pass the input schema of the capability',
}) {}

/** The output does not pass the capability's output schema. */
export class OutputSchemaInvalid extends failure({
  code: 'action.output_schema_invalid',
  category: 'permanent',
  message: 'the output does not pass the output schema of the capability',
}) {}

/** The stored schema of a capability cannot be used: not a schema, or too deep or large. */
export class CapabilitySchemaInvalid extends failure({
  code: 'capability.schema_invalid',
  category: 'policy',
  message: 'the schema of the capability cannot be used',
}) {}

/** The contract of the capability excludes the mode asked for. */
export class ModeUnsupported extends failure({
  code: 'execution.mode_unsupported',
  category: 'policy',
  message: 'the capability does not run in this mode',
}) {}

/** The capability demands an idempotency key. */
export class IdempotencyRequired extends failure({
  code: 'idempotency.required',
  category: 'policy',
  message: 'the capability needs an idempotency_key',
}) {}

/** The scope of the idempotency key cannot be established (no tenant, no external account). */
export class IdempotencyScopeMissing extends failure({
  code: 'idempotency.scope_missing',
  category: 'policy',
  message: 'the request lacks what the idempotency key is scoped by',
}) {}

/** The key was used and the contract rejects its reuse. */
export class IdempotencyConflict extends failure({
  code: 'idempotency.conflict',
  category: 'policy',
  message: 'the idempotency key was used before',
}) {}

/** The key was used with another input. */
export class IdempotencyInputMismatch extends failure({
  code: 'idempotency.input_hash_mismatch',
  category: 'policy',
  message: 'the idempotency key was used before with another input',
}) {}

/** A pending action may not be resumed by repeating its key. */
export class IdempotencyResumeDenied extends failure({
  code: 'idempotency.pending_resume_denied',
  category: 'policy',
  message: 'the action of this idempotency key is waiting and cannot be resumed by a repeat',
}) {}

/** Another request holds the key; `retry_after_ms` is the rest of its reservation. */
export class IdempotencyInProgress extends failure({
  code: 'idempotency.in_progress',
  category: 'temporary',
  retryable: true,
  message: 'a request with this idempotency key is still running',
}) {}

/** The action did not end within its time. Whether a retry is safe is the contract's to say. */
export class TimeoutExceeded extends failure({
  code: 'sla.timeout_exceeded',
  category: 'temporary',
  message: 'the action did not end in time; its effect is unknown',
}) {}

/** The action waited longer than its contract allows. */
export class QueueDelayExceeded extends failure({
  code: 'sla.queue_delay_exceeded',
  category: 'policy',
  message: 'the action waited longer than its contract allows',
}) {}

/** The credential's issuer is not accepted by the contract. */
export class CredentialIssuerDenied extends failure({
  code: 'credential.issuer_denied',
  category: 'policy',
  message: 'the issuer of the credential is not accepted by the capability',
}) {}

/** The credential belongs to another tenant. */
export class CredentialTenantMismatch extends failure({
  code: 'credential.tenant_mismatch',
  category: 'policy',
  message: 'the credential belongs to another tenant',
}) {}

/** A manifest breaks an admission rule; `details` lists the issues with their codes. */
export class ManifestAdmissionFailed extends failure({
  code: 'manifest.admission_failed',
  category: 'permanent',
  message: 'the manifest was not admitted',
}) {}

/** A schema refers to a document elsewhere. */
export class RemoteReferenceForbidden extends failure({
  code: 'schema.remote_reference_forbidden',
  category: 'permanent',
  message: 'a $ref of a capability schema must begin with #',
}) {}

/** The storage is unreachable, failed, or has no free connection in time. */
export class StorageUnavailable extends failure({
  code: 'storage.unavailable',
  category: 'temporary',
  retryable: true,
  retryAfterMs: 1000,
  message: 'the storage is unavailable; try again later',
}) {}

/** A handler, task or state transition failed for a reason of ours. */
export class HandlerFailed extends failure({
  code: 'runtime.handler_failed',
  category: 'temporary',
  retryable: true,
  message: 'the request could not be completed',
}) {}
