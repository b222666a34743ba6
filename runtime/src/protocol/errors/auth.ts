import { failure } from './aip-error.js';

/** Bearer missing, malformed, wrong, expired, or presented while none is configured. */
export class Unauthorized extends failure('auth.native_http_unauthorized') {}

/** No sender, or a missing scope, ownership or chain of authority. */
export class NotAuthorized extends failure('auth.not_authorized') {}

/** The actor in the payload is not the authenticated one. */
export class ActorMismatch extends failure('auth.actor_mismatch') {}

/** The client of a handshake is not the authenticated principal. */
export class ClaimMismatch extends failure('auth.claim_mismatch') {}

/** Body and envelope name different sessions. */
export class SessionMismatch extends failure('auth.session_mismatch') {}

/** A tenant is needed and none is verified or selected. */
export class TenantRequired extends failure('auth.tenant_required') {}

/** The requested tenant is not the caller's. */
export class TenantMismatch extends failure('auth.tenant_mismatch') {}

/** An audit query without the right to it. */
export class AuditNotAuthorized extends failure('audit.not_authorized') {}

/** A submitted audit event has an id under which the tenant has another one. */
export class AuditEventConflict extends failure('audit.id_conflict') {}

/** A submitted receipt chain has an id under which the tenant has another one. */
export class ReceiptChainConflict extends failure('receipt.id_conflict') {}

/** A batch settlement has an id under which the tenant has another one. */
export class SettlementConflict extends failure('settlement.id_conflict') {}

/** The delegate of a delegation is not known here. */
export class DelegationTargetMismatch extends failure('delegation.target_mismatch') {}

/** The delegation id is taken by another delegation, or its result is there already. */
export class DelegationConflict extends failure('delegation.id_conflict') {}
