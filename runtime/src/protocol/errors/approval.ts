import { failure } from './aip-error.js';

/** The action waits for a human decision. */
export class ApprovalRequired extends failure('policy.human_approval_required') {}

/** The approval was denied. */
export class ApprovalDenied extends failure('policy.approval_denied') {}

/** The approval ran out before enough votes. */
export class ApprovalExpired extends failure('policy.approval_expired') {}

/** The approval was revoked. */
export class ApprovalRevoked extends failure('policy.approval_revoked') {}

/** The approval given with the action is not an approved decision. */
export class ApprovalNotGranted extends failure('policy.approval_not_granted') {}

/** The approval given with the action is not the stored one. */
export class ApprovalUnverified extends failure('policy.approval_unverified') {}

/** The approval is already decided. */
export class ApprovalNotPending extends failure('policy.approval_not_pending') {}

/** The decision names another approval. */
export class ApprovalMismatch extends failure('policy.approval_mismatch') {}

/** A decision without decision_id. */
export class ApprovalDecisionIdRequired extends failure('policy.approval_decision_id_required') {}

/** The decision was made on another policy. */
export class ApprovalHashMismatch extends failure('policy.approval_hash_mismatch') {}

/** A revocation without target_decision_id. */
export class ApprovalRevocationTargetRequired extends failure('policy.approval_revocation_target_required') {}

/** The revoked vote does not exist. */
export class ApprovalRevocationTargetMissing extends failure('policy.approval_revocation_target_missing') {}

/** The approval belongs to another action. */
export class ApprovalActionMismatch extends failure('policy.approval_action_mismatch') {}

/** Evidence that the policy requires is missing. */
export class ApprovalEvidenceMissing extends failure('policy.approval_evidence_missing') {}

/** A constraint names a member the input lacks. */
export class ApprovalConstraintMissingField extends failure('policy.approval_constraint_missing_field') {}

/** The input breaks a constraint of the approval. */
export class ApprovalConstraintFailed extends failure('policy.approval_constraint_failed') {}

/** The approver cannot contribute to the rule. */
export class ApproverUnauthorized extends failure('policy.approver_unauthorized') {}

/** The requester decides its own request. */
export class RequesterMustDiffer extends failure('policy.separation_of_duties.requester') {}

/** The operator decides its own work. */
export class OperatorMustDiffer extends failure('policy.separation_of_duties.operator') {}

/** No such approval, or none that the caller may see. */
export class ApprovalNotFound extends failure('approval.not_found') {}
