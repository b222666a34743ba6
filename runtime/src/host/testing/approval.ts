import { newId } from '../../protocol/ids.js';
import { formatTime, leaseArray } from '../../protocol/time.js';
import type { Action, ApprovalDecision } from '../../protocol/types.js';

/** An action as approved by somebody, with the terminal record that a gateway would send along. */
export function approved(action: Action, tenantId: string, now: number): { action: Action; record: object } {
  const requester = { id: 'agent:test', kind: 'agent' };
  const policy_hash = '0'.repeat(64);
  const decision: ApprovalDecision = {
    approval_id: newId('approval'),
    decision: 'approved',
    approver: { id: 'human:approver', kind: 'human' },
    decided_at: formatTime(now),
    decision_id: 'decision:approver:1',
    policy_hash,
  };
  const authority = {
    principal_id: decision.approver.id,
    tenant_id: tenantId,
    roles: ['approver'],
    groups: [],
    tenant_policies: [],
    external_systems: [],
    delegated_scopes: [],
    revision: 1,
    revoked: false,
  };
  const at = leaseArray(now);
  return {
    action: { ...action, approval: decision },
    record: {
      request: {
        id: decision.approval_id,
        action_id: action.id,
        capability_id: action.capability_id,
        requester,
        subject: requester,
        approver_selector: { type: 'role', name: 'approver' },
        reason: 'approved by the test host',
        identity: { tenant: { id: tenantId } },
        policy_hash,
      },
      status: 'approved',
      decision,
      decisions: [{ decision, authority, evidence_hash: '0'.repeat(64), recorded_at: at }],
      created_at: at,
      updated_at: at,
    },
  };
}
