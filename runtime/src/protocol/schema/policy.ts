import { ReceiptChain } from './audit.js';
import { ActionTransaction, ApprovalDecision, EvidenceArtifact, IdentityContext, Principal, Risk } from './core.js';
import {
  bool,
  D,
  flag,
  L,
  later,
  list,
  O,
  oneOf,
  opaque,
  R,
  record,
  string,
  type TaggedDefinition,
  tagged,
  time,
  u32,
  u64,
} from './dsl/dsl.js';
import { ActionStatus } from './lifecycle.js';

export const ApproverSelector = tagged('ApproverSelector', 'Who may decide.', 'type', {
  principal: { id: R(string) },
  role: { name: R(string) },
  group: { name: R(string) },
  tenant_policy: {},
  external_system: { system: R(string) },
});
export const EvidenceRequirement = oneOf(
  'EvidenceRequirement',
  'Proof that a decision needs.',
  'reason input_snapshot policy_decision external_ticket attachment',
);
export const DelegatedApprovalAuthority = record('DelegatedApprovalAuthority', 'Declared delegation of approval.', {
  principal: R(string),
  scope: L(string),
  expires_at: O(time),
});
export const SeparationOfDuties = record('SeparationOfDuties', 'Who must not decide.', {
  requester_must_differ: flag,
  operator_must_differ: flag,
  allow_self_approval: flag,
});

const rules = later(() => ApprovalRule);
export const ApprovalRule: TaggedDefinition = tagged('ApprovalRule', 'Expression of approval authority.', 'operator', {
  all: { rules: R(list(rules)), allow_decision_reuse: flag },
  any: { rules: R(list(rules)) },
  quorum: { required: R(u32), rules: R(list(rules)), distinct_principals: D(bool, true) },
  principal: { id: R(string) },
  role: { name: R(string) },
  group: { name: R(string) },
  tenant_policy: { policy_id: R(string) },
  external_system: { system: R(string) },
  delegated_authority: { scope: R(string), max_risk: O(Risk), max_value: O(u64) },
});
export const ApprovalPolicy = record('ApprovalPolicy', 'When and by whom an action is approved.', {
  required: R(bool),
  reason: O(string),
  approver_selector: R(ApproverSelector),
  ttl_ms: O(u64),
  evidence_requirements: L(EvidenceRequirement),
  delegated_authority: O(DelegatedApprovalAuthority),
  rule: O(ApprovalRule),
  minimum_distinct_principals: D(u32, 1),
  separation_of_duties: D(SeparationOfDuties, {}),
  policy_version: O(string),
});

export const ApprovalRequest = record('ApprovalRequest', 'Asks for a decision on an action.', {
  id: R(string),
  action_id: R(string),
  capability_id: R(string),
  requester: R(Principal),
  subject: R(Principal),
  approver_selector: R(ApproverSelector),
  reason: R(string),
  evidence: L(EvidenceArtifact),
  expires_at: O(time),
  policy_decision_id: O(string),
  identity: O(IdentityContext),
  policy_snapshot: O(ApprovalPolicy),
  policy_hash: O(string),
  operator: O(Principal),
  risk: O(Risk),
  governed_value: O(u64),
});
export const ApprovalQueryRequest = record('ApprovalQueryRequest', 'Asks for an approval.', {
  approval_id: R(string),
  tenant_id: O(string),
  include_action_status: flag,
  include_receipts: flag,
  include_evidence_payload: flag,
});
export const ApprovalListRequest = record('ApprovalListRequest', 'Asks for a page of approvals.', {
  status: O(string),
  approver: O(string),
  requester: O(string),
  tenant_id: O(string),
  cursor: O(string),
  limit: O(u32),
  include_action_status: flag,
  include_receipts: flag,
});
export const ApprovalEvidencePayload = record('ApprovalEvidencePayload', 'The exact work that an approval governs.', {
  action_id: R(string),
  capability_id: R(string),
  input_hash: R(string),
  input: R(opaque),
  transaction: O(ActionTransaction),
  identity: O(IdentityContext),
});
export const ApprovalRecordView = record('ApprovalRecordView', 'The view of an approval.', {
  request: R(ApprovalRequest),
  decision: O(ApprovalDecision),
  status: R(string),
  action_status: O(ActionStatus),
  receipt_chain: O(ReceiptChain),
  evidence_payload: O(ApprovalEvidencePayload),
  created_at: R(time),
  updated_at: R(time),
});
export const ApprovalList = record('ApprovalList', 'A page of approvals.', {
  approvals: R(list(ApprovalRecordView)),
  cursor: O(string),
});
