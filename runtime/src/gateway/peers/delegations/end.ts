import type { Queryable } from '../../../postgres/pool.js';
import { formatTime } from '../../../protocol/time.js';
import { type DeliverySubject, deliveryOf } from '../../callbacks/delivery.js';
import { insertDeliveries } from '../../callbacks/record.js';
import { appendEvents, type NewEvent } from '../../events/log/append.js';
import { type afterDelivery, MAX_ATTEMPTS } from './deliver.js';
import { delegationEvent } from './events.js';
import { finishDelegation, type StoredDelegation } from './record.js';

/** What an attempt or a report leaves of a delegation. */
type DelegationEnd = ReturnType<typeof afterDelivery>;

/**
 * Writes what an attempt or a report leaves, with the event and the callback message of an end, in the transaction of `client`. What another
 * gateway ended stays unchanged.
 */
export async function writeEnd(
  client: Queryable,
  delegation: StoredDelegation,
  after: DelegationEnd,
  nowMs: number,
): Promise<void> {
  if (!(await finishDelegation(client, delegation, after))) return;
  await appendEvents(client, eventsOf(delegation, after, nowMs));
  const { result, completedAt } = after;
  if (completedAt === null) return;
  const { callback } = delegation.request;
  if (!callback || !result) return;
  const delivery = deliveryOf(subjectOf(delegation), callback, { delegation_result: result }, completedAt);
  await insertDeliveries(client, [delivery]);
}

function eventsOf(delegation: StoredDelegation, after: DelegationEnd, nowMs: number): NewEvent[] {
  const { status, delivery, nextAttemptAt, completedAt, error } = after;
  const events: NewEvent[] = [];
  if (error) {
    const attempt = { attempts: delegation.attempts, max_attempts: MAX_ATTEMPTS, error };
    events.push(
      delivery === 'dead_lettered' || nextAttemptAt === null
        ? delegationEvent(delegation, 'delivery_dead_lettered', attempt, nowMs)
        : delegationEvent(
            delegation,
            'delivery_retry_scheduled',
            { ...attempt, next_attempt_at: formatTime(nextAttemptAt) },
            nowMs,
          ),
    );
  }
  if (completedAt !== null) events.push(delegationEvent(delegation, 'completed', { status }, completedAt));
  return events;
}

/** Whom the messages of a delegation belong to. They name no action: the ids of parent and child are the sender's word. */
export function subjectOf({ tenant_id, principal_id, request }: StoredDelegation): DeliverySubject {
  return {
    action_id: null,
    tenant_id,
    principal_id,
    principal_kind: request.requested_by.kind,
    session_id: null,
    correlation_id: null,
  };
}
