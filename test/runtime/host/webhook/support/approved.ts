import { newId } from '#runtime/protocol/ids.js';
import { approvedRefund } from '../../support/approval.ts';

/** An approved action of a Chatwoot capability with its terminal approval record, as the gateway would send them. */
export function approved(capabilityId: string, input: unknown, id = newId('action')) {
  const { action, record } = approvedRefund(1);
  return {
    action: { ...action, id, capability_id: capabilityId, input, idempotency_key: `key-${id}` },
    record: {
      ...record,
      request: {
        ...record.request,
        action_id: id,
        capability_id: capabilityId,
        approver_selector: { type: 'tenant_policy' },
      },
      decisions: record.decisions.map((each) => ({
        ...each,
        authority: { ...each.authority, tenant_policies: ['approver'], roles: [] },
      })),
    },
  };
}
