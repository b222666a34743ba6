import { failure } from './aip-error.js';

/** Bearer missing, malformed, wrong, expired, or presented while none is configured. */
export class Unauthorized extends failure({
  code: 'auth.native_http_unauthorized',
  category: 'auth',
  message: 'a valid bearer token is required in the Authorization header',
}) {}

/** No sender, or a missing scope, ownership or chain of authority. */
export class NotAuthorized extends failure({
  code: 'auth.not_authorized',
  category: 'auth',
  message: 'the caller is not authorized for this operation',
}) {}

/** A query or handshake without an identity established by the transport. */
export class UnverifiedActor extends failure({
  code: 'auth.unverified_actor',
  category: 'auth',
  message: 'this operation needs an authenticated caller',
}) {}

/** The actor in the payload is not the authenticated one. */
export class ActorMismatch extends failure({
  code: 'auth.actor_mismatch',
  category: 'auth',
  message: 'the actor in the body is not the authenticated caller',
}) {}

/** The client of a handshake is not the authenticated principal. */
export class ClaimMismatch extends failure({
  code: 'auth.claim_mismatch',
  category: 'auth',
  message: 'the handshake client is not the authenticated principal',
}) {}

/** Body and envelope name different sessions. */
export class SessionMismatch extends failure({
  code: 'auth.session_mismatch',
  category: 'auth',
  message: 'session_id of the body differs from session_id of the envelope',
}) {}

/** A tenant is needed and none is verified or selected. */
export class TenantRequired extends failure({
  code: 'auth.tenant_required',
  category: 'auth',
  message: 'the operation needs a tenant that the caller belongs to',
}) {}

/** The tenant asked for is not the caller's. */
export class TenantMismatch extends failure({
  code: 'auth.tenant_mismatch',
  category: 'auth',
  message: 'tenant_id is not the tenant of the caller',
}) {}

/** The caller's tenant membership has run out. */
export class TenantMembershipExpired extends failure({
  code: 'auth.tenant_membership_expired',
  category: 'auth',
  message: 'the tenant membership of the caller has expired',
}) {}

/** The caller's identity has run out. */
export class IdentityExpired extends failure({
  code: 'auth.expired',
  category: 'auth',
  message: 'the identity of the caller has expired',
}) {}

/** The identity directory refuses the caller. */
export class IdentityResolutionFailed extends failure({
  code: 'auth.identity_resolution_failed',
  category: 'auth',
  message: 'the identity of the caller could not be resolved',
}) {}

/** An audit query without the right to it. */
export class AuditNotAuthorized extends failure({
  code: 'audit.not_authorized',
  category: 'auth',
  message: 'the caller is not authorized for this audit query',
}) {}

/** A submitted audit event has an id under which the tenant has another one. */
export class AuditEventConflict extends failure({
  code: 'audit.id_conflict',
  category: 'permanent',
  message: 'another audit event of the tenant has this id; choose a new one',
}) {}

/** A submitted receipt chain has an id under which the tenant has another one. */
export class ReceiptChainConflict extends failure({
  code: 'receipt.id_conflict',
  category: 'permanent',
  message: 'another receipt chain of the tenant has this id; choose a new one',
}) {}

/** The delegate of a delegation is not known here. */
export class DelegationTargetMismatch extends failure({
  code: 'delegation.target_mismatch',
  category: 'auth',
  message: 'the delegate is not known to this gateway',
}) {}

/** The delegation id is taken by another delegation, or its result is there already. */
export class DelegationConflict extends failure({
  code: 'delegation.id_conflict',
  category: 'permanent',
  message: 'the delegation id is used by another delegation or has another result',
}) {}

/** No credential where the capability needs one. Identity resolution answers 401; a contract check gives `policy`. */
export class CredentialRequired extends failure({
  code: 'credential.required',
  category: 'auth',
  message: 'the capability needs a credential',
}) {}

/** The credential lacks a scope that the capability needs. */
export class CredentialScopeMissing extends failure({
  code: 'credential.scope_missing',
  category: 'auth',
  message: 'the credential lacks a required scope',
}) {}

/** The credential has run out. */
export class CredentialExpired extends failure({
  code: 'credential.expired',
  category: 'auth',
  message: 'the credential has expired',
}) {}
