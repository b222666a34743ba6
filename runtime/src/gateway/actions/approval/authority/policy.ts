import type { Action, ApprovalPolicy, Capability } from '../../../../protocol/types.js';
import { approvalNeeded, compensationNeedsApproval } from './needed.js';

/** The policy of a capability that needs an approval and has no policy of its own: any tenant policy decides. */
const DEFAULT_POLICY: ApprovalPolicy = {
  required: true,
  approver_selector: { type: 'tenant_policy' },
  minimum_distinct_principals: 1,
  separation_of_duties: { requester_must_differ: false, operator_must_differ: false, allow_self_approval: false },
};

/** The policy of compensations: whoever undoes an effect leaves a reason and the exact input. */
const COMPENSATION_POLICY: ApprovalPolicy = {
  ...DEFAULT_POLICY,
  evidence_requirements: ['reason', 'policy_decision', 'input_snapshot'],
  policy_version: 'aip.approval/v1',
};

/**
 * The policy under which an action is approved; without an action, that of any action but a compensation: the policy that the
 * contract requires, else that of compensations for one whose contract puts it under approval, else that of the capability.
 */
export function policyOf(capability: Capability, action?: Pick<Action, 'transaction'>): ApprovalPolicy {
  const own = capability.contract?.approval;
  if (own?.required) return own;
  const undoes = action?.transaction?.mode === 'compensate' && compensationNeedsApproval(capability);
  return undoes ? COMPENSATION_POLICY : (own ?? DEFAULT_POLICY);
}

/** The policy of an approval that is requested before its action: that of compensations where nothing else needs an approval. */
export function policyAskedFirst(capability: Capability): ApprovalPolicy {
  return approvalNeeded(capability)
    ? policyOf(capability)
    : policyOf(capability, { transaction: { mode: 'compensate' } });
}
