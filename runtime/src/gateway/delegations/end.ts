import type { Queryable } from '../../postgres/pool.js';
import { deliveryOf } from '../callbacks/delivery.js';
import { insertDeliveries } from '../callbacks/record.js';
import { appendEvents } from '../events/log/append.js';
import type { afterDelivery } from './deliver.js';
import { delegationEvent } from './events.js';
import { finishDelegation, type StoredDelegation } from './record.js';

/**
 * Writes what an attempt or a report leaves, with the event and the callback message of an end, in the transaction of `client`. What another
 * gateway ended stays unchanged.
 */
export async function writeEnd(
  client: Queryable,
  delegation: StoredDelegation,
  after: ReturnType<typeof afterDelivery>,
): Promise<void> {
  if (!(await finishDelegation(client, delegation, after)) || after.completedAt === null) return;
  const { status, result, completedAt } = after;
  await appendEvents(client, [delegationEvent(delegation, 'completed', { status }, completedAt)]);
  const { callback, requested_by: requester } = delegation.request;
  if (!callback || !result) return;
  const subject = {
    action_id: null,
    tenant_id: delegation.tenant_id,
    principal_id: delegation.principal_id,
    principal_kind: requester.kind,
    session_id: null,
    correlation_id: null,
  };
  await insertDeliveries(client, [deliveryOf(subject, callback, { delegation_result: result }, completedAt)]);
}
