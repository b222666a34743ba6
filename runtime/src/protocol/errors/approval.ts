import { failure } from './aip-error.js';

/** The action waits for a human decision. */
export class ApprovalRequired extends failure({
  code: 'policy.human_approval_required',
  category: 'policy',
  message: 'the action needs a human approval',
}) {}

/** The approval was denied. */
export class ApprovalDenied extends failure({
  code: 'policy.approval_denied',
  category: 'policy',
  message: 'the approval was denied',
}) {}

/** The approval ran out before enough votes. */
export class ApprovalExpired extends failure({
  code: 'policy.approval_expired',
  category: 'policy',
  message: 'the approval expired',
}) {}

/** The approval was revoked. */
export class ApprovalRevoked extends failure({
  code: 'policy.approval_revoked',
  category: 'policy',
  message: 'the approval was revoked',
}) {}

/** The approval given with the action is not an approved decision. */
export class ApprovalNotGranted extends failure({
  code: 'policy.approval_not_granted',
  category: 'policy',
  message: 'the approval of the action is not granted',
}) {}

/** The approval given with the action is not the stored one. */
export class ApprovalUnverified extends failure({
  code: 'policy.approval_unverified',
  category: 'policy',
  message: 'the approval of the action is not one recorded here',
}) {}

/** The approval is already decided. */
export class ApprovalNotPending extends failure({
  code: 'policy.approval_not_pending',
  category: 'policy',
  message: 'the approval is already decided',
}) {}

/** The decision names another approval. */
export class ApprovalMismatch extends failure({
  code: 'policy.approval_mismatch',
  category: 'policy',
  message: 'the decision does not belong to this approval',
}) {}

/** The approval governs another capability. */
export class ApprovalCapabilityMismatch extends failure({
  code: 'policy.approval_capability_mismatch',
  category: 'policy',
  message: 'the approval governs another capability',
}) {}

/** A decision without decision_id. */
export class ApprovalDecisionIdRequired extends failure({
  code: 'policy.approval_decision_id_required',
  category: 'policy',
  message: 'a decision needs a decision_id',
}) {}

/** The decision was made on another policy. */
export class ApprovalHashMismatch extends failure({
  code: 'policy.approval_hash_mismatch',
  category: 'policy',
  message: 'policy_hash differs from the approval request; read the request again',
}) {}

/** A revocation without target_decision_id. */
export class ApprovalRevocationTargetRequired extends failure({
  code: 'policy.approval_revocation_target_required',
  category: 'policy',
  message: 'a revocation needs target_decision_id',
}) {}

/** The revoked vote does not exist. */
export class ApprovalRevocationTargetMissing extends failure({
  code: 'policy.approval_revocation_target_missing',
  category: 'policy',
  message: 'target_decision_id names no approved vote',
}) {}

/** The approval belongs to another action. */
export class ApprovalActionMismatch extends failure({
  code: 'policy.approval_action_mismatch',
  category: 'policy',
  message: 'the approval belongs to another action',
}) {}

/** Evidence that the policy requires is missing. */
export class ApprovalEvidenceMissing extends failure({
  code: 'policy.approval_evidence_missing',
  category: 'policy',
  message: 'the decision lacks required evidence',
}) {}

/** A constraint names a member the input lacks. */
export class ApprovalConstraintMissingField extends failure({
  code: 'policy.approval_constraint_missing_field',
  category: 'policy',
  message: 'a constraint of the approval names a member that the input lacks',
}) {}

/** The input breaks a constraint of the approval. */
export class ApprovalConstraintFailed extends failure({
  code: 'policy.approval_constraint_failed',
  category: 'policy',
  message: 'the input breaks a constraint of the approval',
}) {}

/** The membership is another principal’s. */
export class ApproverIdentityMismatch extends failure({
  code: 'policy.approver_identity_mismatch',
  category: 'policy',
  message: 'the approver is not who the membership names',
}) {}

/** The approver belongs to another tenant. */
export class ApproverTenantMismatch extends failure({
  code: 'policy.approver_tenant_mismatch',
  category: 'policy',
  message: 'the approver belongs to another tenant',
}) {}

/** The approver cannot contribute to the rule. */
export class ApproverUnauthorized extends failure({
  code: 'policy.approver_unauthorized',
  category: 'policy',
  message: 'the approver may not decide this approval',
}) {}

/** The requester decides its own request. */
export class RequesterMustDiffer extends failure({
  code: 'policy.separation_of_duties.requester',
  category: 'policy',
  message: 'the requester may not decide its own approval',
}) {}

/** The operator decides its own work. */
export class OperatorMustDiffer extends failure({
  code: 'policy.separation_of_duties.operator',
  category: 'policy',
  message: 'the operator may not decide this approval',
}) {}

/** No such approval, or none that the caller may see. */
export class ApprovalNotFound extends failure({
  code: 'approval.not_found',
  category: 'permanent',
  message: 'no such approval',
}) {}
