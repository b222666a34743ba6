import type { Queryable } from '../../postgres/pool.js';
import { formatTime } from '../../protocol/time.js';
import { type TraceContext, traceOfAction } from '../../transport/telemetry/trace-context.js';
import { DELIVERY_COLUMNS, type DeliveryRow, decodedDelivery, type StoredDelivery } from './record.js';

/** How long an attempt may go on before any gateway may make the next one, in milliseconds. */
export const DELIVERY_LEASE_MS = 30_000;

// Takes due deliveries, oldest first, past rows that another gateway is taking, and notes the attempt that begins: pending ones whose
// time has come, and attempts whose gateway is gone.
// What is due is read once: as a subquery it could be read again for every row, each time past the rows it has locked, and claim more than asked.
const CLAIM = `
WITH due AS MATERIALIZED (
  SELECT c.delivery_id, c.tenant_id FROM runtime.callback_deliveries c
  WHERE c.completed_at IS NULL AND COALESCE(c.lease_expires_at, c.next_attempt_at) <= $1
  ORDER BY COALESCE(c.lease_expires_at, c.next_attempt_at), c.seq
  LIMIT $5 FOR UPDATE SKIP LOCKED
)
UPDATE runtime.callback_deliveries d SET status = 'running', leased_by = $2, lease_id = $3, lease_expires_at = $4,
  next_attempt_at = NULL, updated_at = $1,
  attempts = (d.attempts::jsonb || jsonb_build_array(jsonb_build_object(
    'attempt', jsonb_array_length(d.attempts::jsonb) + 1, 'started_at', $6::text)))::json
FROM due
WHERE d.delivery_id = due.delivery_id AND d.tenant_id IS NOT DISTINCT FROM due.tenant_id
RETURNING ${DELIVERY_COLUMNS},
  (SELECT (a.request->'observability')::text FROM runtime.actions a WHERE a.action_id = d.action_id AND a.tenant_id IS NOT DISTINCT FROM d.tenant_id) AS observability`;

const NEXT = `
SELECT min(COALESCE(lease_expires_at, next_attempt_at)) AS at FROM runtime.callback_deliveries WHERE completed_at IS NULL`;

/** A delivery whose attempt begins, with the trace of the action that it is about. */
export interface ClaimedDelivery extends StoredDelivery {
  readonly trace?: TraceContext | undefined;
}

/** Claims up to `limit` due deliveries for one gateway; each gets at most one. */
export async function claimDeliveries(
  db: Queryable,
  claim: { nowMs: number; leasedBy: string; leaseId: string; limit: number },
): Promise<ClaimedDelivery[]> {
  const { nowMs, leasedBy, leaseId, limit } = claim;
  const { rows } = await db.query<DeliveryRow & { observability: string | null }>({
    name: 'runtime.callbacks.claim',
    text: CLAIM,
    values: [nowMs, leasedBy, leaseId, nowMs + DELIVERY_LEASE_MS, limit, formatTime(nowMs)],
  });
  return rows.map(({ observability, ...row }) => {
    const named = observability === null ? undefined : JSON.parse(observability);
    return { ...decodedDelivery(row), trace: traceOfAction({ observability: named }) };
  });
}

/** When the next delivery is due, lapsed attempts included, in milliseconds since the epoch; null when there is none. */
export async function nextDelivery(db: Queryable): Promise<number | null> {
  const { rows } = await db.query<{ at: number | null }>({ name: 'runtime.callbacks.next', text: NEXT });
  return rows[0]?.at ?? null;
}
