import { newId } from '../../../protocol/ids.js';
import { formatTime } from '../../../protocol/time.js';
import type { NewEvent } from '../../events/log/append.js';
import type { StoredDelegation } from './record.js';
import { idsOf } from './rules.js';

/** A new event of a delegation, visible to its requester. It names no action: the parent's id is the sender's word. */
export function delegationEvent(
  delegation: Pick<StoredDelegation, 'delegation_id' | 'tenant_id' | 'principal_id' | 'request'>,
  what: 'requested' | 'running' | 'completed' | 'delivery_retry_scheduled' | 'delivery_dead_lettered',
  data: Readonly<Record<string, unknown>>,
  nowMs: number,
): NewEvent {
  const { tenant_id, principal_id, request } = delegation;
  return {
    event: {
      id: newId('event'),
      kind: `aip.delegation.${what}`,
      occurred_at: formatTime(nowMs),
      actor: { id: request.requested_by.id, kind: request.requested_by.kind },
      data: { ...idsOf(delegation), ...data },
    },
    ...(tenant_id === null ? {} : { tenantId: tenant_id }),
    principalId: principal_id,
  };
}
