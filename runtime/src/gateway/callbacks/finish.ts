import type { Pool } from '../../postgres/pool.js';
import { newId } from '../../protocol/ids.js';
import { toNumber } from '../../protocol/json.js';
import { formatTime } from '../../protocol/time.js';
import type { Principal, Receipt } from '../../protocol/types.js';
import { actionEvent } from '../events/log/action-event.js';
import { appendEvents, type NewEvent } from '../events/log/append.js';
import { deliveryChainId, type ReceiptFact } from '../records/receipts/action-chain.js';
import { appendReceipts } from '../records/receipts/append.js';
import type { AttemptEnd } from './attempt.js';
import type { DeliveryAttempt, DeliveryStatus, StoredDelivery } from './record.js';

// Writes the end of an attempt while its lease is still held.
const FINISH = `
UPDATE runtime.callback_deliveries SET status = $3, attempts = $4::json, next_attempt_at = $5, last_error = $6, dead_letter_reason = $7,
  updated_at = $8, completed_at = $9, leased_by = NULL, lease_id = NULL, lease_expires_at = NULL
WHERE delivery_id = $1 AND tenant_id IS NOT DISTINCT FROM $10 AND lease_id = $2 AND completed_at IS NULL
RETURNING delivery_id`;

/** What an attempt leaves its delivery in. */
export interface NextDelivery {
  readonly status: DeliveryStatus;
  readonly attempts: readonly DeliveryAttempt[];
  readonly nextAttemptAt: number | null;
  readonly lastError: string | null;
  readonly deadLetterReason: string | null;
  readonly over: boolean;
}

/** The end of a delivery whose attempts were used up by gateways that are gone. */
export const USED_UP: AttemptEnd = {
  kind: 'failed',
  error: 'every gateway that made an attempt ended',
  permanent: true,
};

/** Whether a claim noted an attempt that may not be made any more. */
export function isUsedUp({ attempts, policy }: StoredDelivery): boolean {
  return attempts.length > policy.max_attempts;
}

/** Decides what follows an attempt: the end, or the next one after its pause. */
export function afterAttempt(delivery: StoredDelivery, end: AttemptEnd, nowMs: number): NextDelivery {
  const { policy } = delivery;
  const made = isUsedUp(delivery) ? delivery.attempts.slice(0, policy.max_attempts) : delivery.attempts;
  const error = end.kind === 'failed' ? end.error : undefined;
  const attempts = isUsedUp(delivery)
    ? made
    : made.map((attempt, index) =>
        index < made.length - 1 ? attempt : { ...attempt, finished_at: formatTime(nowMs), ...(error && { error }) },
      );
  if (end.kind === 'delivered')
    return { status: 'delivered', attempts, nextAttemptAt: null, lastError: null, deadLetterReason: null, over: true };
  const left = attempts.length < policy.max_attempts;
  if (left && !end.permanent) {
    const pause = toNumber(policy.retry_backoff_ms?.[attempts.length - 1] ?? 250);
    return {
      status: 'pending',
      attempts,
      nextAttemptAt: nowMs + pause,
      lastError: end.error,
      deadLetterReason: null,
      over: false,
    };
  }
  const reason = end.permanent ? end.error : `${policy.max_attempts} attempts failed; the last one: ${end.error}`;
  return {
    status: 'dead_lettered',
    attempts,
    nextAttemptAt: null,
    lastError: end.error,
    deadLetterReason: reason,
    over: true,
  };
}

/**
 * Writes the end of an attempt with its receipts and events, in one commit. Returns what follows, or undefined when the lease was lost:
 * then nothing is written.
 */
export async function finishAttempt(
  pool: Pool,
  delivery: StoredDelivery,
  end: AttemptEnd,
  gateway: Principal,
  nowMs: number,
): Promise<NextDelivery | undefined> {
  const next = afterAttempt(delivery, end, nowMs);
  return pool.tx(async (client) => {
    const written = await client.query({
      name: 'runtime.callbacks.finish',
      text: FINISH,
      values: [
        delivery.delivery_id,
        delivery.lease_id,
        next.status,
        JSON.stringify(next.attempts),
        next.nextAttemptAt,
        next.lastError,
        next.deadLetterReason,
        nowMs,
        next.over ? nowMs : null,
        delivery.tenant_id,
      ],
    });
    if (written.rows.length === 0) return undefined;
    const owner = { tenantId: delivery.tenant_id, principalId: delivery.principal_id };
    await appendReceipts(client, owner, receiptsOf(delivery, next, gateway, nowMs));
    await appendEvents(client, eventsOf(delivery, next, gateway, nowMs));
    return next;
  });
}

function receiptsOf(delivery: StoredDelivery, next: NextDelivery, actor: Principal, atMs: number): ReceiptFact[] {
  const { delivery_id, policy, correlation_id } = delivery;
  const { profile, target } = policy.target;
  const fact = (type: Receipt['receipt_type'], details: Record<string, unknown>): ReceiptFact => ({
    chainId: deliveryChainId(delivery_id),
    subject: delivery_id,
    receiptId: newId('receipt'),
    type,
    actor,
    atMs,
    correlationId: correlation_id,
    data: { delivery_id, idempotency_key: policy.idempotency_key, profile, target, details },
  });
  const attempted = isUsedUp(delivery) ? [] : [fact('callback_delivery_attempted', { attempt: next.attempts.length })];
  if (!next.over) return attempted;
  return next.status === 'delivered'
    ? [...attempted, fact('callback_delivered', { attempt: next.attempts.length })]
    : [...attempted, fact('callback_delivery_failed', { error: next.deadLetterReason })];
}

function eventsOf(delivery: StoredDelivery, next: NextDelivery, actor: Principal, atMs: number): NewEvent[] {
  const { delivery_id, policy, action_id } = delivery;
  if (action_id === null) return [];
  const subject = { ...delivery, action_id };
  const shared = {
    delivery_id,
    idempotency_key: policy.idempotency_key,
    profile: policy.target.profile,
    target: policy.target.target,
    attempt: next.attempts.length,
    max_attempts: policy.max_attempts,
    timeout_ms: policy.timeout_ms,
    terminal_only: policy.terminal_only,
  };
  const event = (kind: string, data: Record<string, unknown>): NewEvent =>
    actionEvent(subject, kind, actor, data, atMs);
  const attempted = isUsedUp(delivery) ? [] : [event('aip.callback.delivery_attempted', shared)];
  if (!next.over) return attempted;
  return next.status === 'delivered'
    ? [...attempted, event('aip.callback.dispatched', shared)]
    : [...attempted, event('aip.callback.failed', { ...shared, error: next.deadLetterReason })];
}
