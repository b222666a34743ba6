import { newId } from '#runtime/protocol/ids.js';
import { leaseArray } from '#runtime/protocol/time.js';
import type { Action, ApprovalDecision } from '#runtime/protocol/types.js';
import { TENANT } from './central.ts';

/** An approved refund with its terminal approval record, as the gateway would send them; `amount` tells them apart. */
export function approvedRefund(amount: number): { action: Action; record: ApprovalRecord } {
  const id = newId('action');
  const approvalId = newId('approval');
  const decision: ApprovalDecision = {
    approval_id: approvalId,
    decision: 'approved',
    approver: { id: 'human:lee', kind: 'human' },
    decided_at: '2026-07-09T00:00:00Z',
    decision_id: 'decision:lee:1',
    policy_hash: 'ab'.repeat(32),
  };
  return {
    action: {
      id,
      capability_id: 'cap:demo:refund',
      input: { order: 'A-17', amount_minor: amount, currency: 'EUR' },
      idempotency_key: `refund-${id}`,
      approval: decision,
    },
    record: {
      request: {
        id: approvalId,
        action_id: id,
        capability_id: 'cap:demo:refund',
        requester: { id: 'agent:desk', kind: 'agent' },
        subject: { id: 'agent:desk', kind: 'agent' },
        approver_selector: { type: 'role', name: 'approver' },
        reason: 'money leaves the account',
        identity: { tenant: { id: TENANT } },
        policy_hash: 'ab'.repeat(32),
      },
      status: 'approved',
      decision,
      decisions: [
        {
          decision,
          authority: {
            principal_id: 'human:lee',
            tenant_id: TENANT,
            roles: ['approver'],
            groups: [],
            tenant_policies: [],
            external_systems: [],
            delegated_scopes: [],
            revision: 1,
            revoked: false,
          },
          evidence_hash: 'cd'.repeat(32),
          recorded_at: leaseArray(Date.now()),
        },
      ],
      created_at: leaseArray(Date.now()),
      updated_at: leaseArray(Date.now()),
    },
  };
}

interface ApprovalRecord {
  request: Record<string, unknown>;
  status: string;
  decision: ApprovalDecision;
  decisions: { decision: ApprovalDecision; authority: Record<string, unknown>; [member: string]: unknown }[];
  [member: string]: unknown;
}
