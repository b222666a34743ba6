import type { Queryable } from '../../postgres/pool.js';
import { objectWith } from '../../postgres/unreadable-json.js';
import { parseJson } from '../../protocol/json.js';
import { formatTime } from '../../protocol/time.js';
import type { Action } from '../../protocol/types.js';
import { type TraceContext, traceOfAction } from '../../transport/telemetry/trace-context.js';
import { fairClaim, firstDue, type WaitingRows } from '../claims/fair-turns.js';
import { DELIVERY_COLUMNS, type DeliveryRow, decodedDelivery, type StoredDelivery } from './record.js';

/** How long an attempt may take before any gateway may make the next one, in milliseconds. */
export const DELIVERY_LEASE_MS = 30_000;

/** Deliveries that wait for an attempt, and attempts that may have lost their gateway. */
const WAITING: WaitingRows = {
  table: 'runtime.callback_deliveries',
  id: 'delivery_id',
  where: 'completed_at IS NULL',
  dueAt: 'COALESCE(lease_expires_at, next_attempt_at)',
};

// Takes due deliveries of each tenant in turn, and notes the attempt that begins: pending ones whose time has come, and attempts whose gateway
// is gone.
const CLAIM = `
WITH RECURSIVE ${fairClaim(WAITING, { name: 'due', now: '$1', limit: '$5', running: ['$7', '$8'] })}
UPDATE runtime.callback_deliveries d SET status = 'running', leased_by = $2, lease_id = $3, lease_expires_at = $4,
  next_attempt_at = NULL, updated_at = $1,
  attempts = (d.attempts::jsonb || jsonb_build_array(jsonb_build_object(
    'attempt', jsonb_array_length(d.attempts::jsonb) + 1, 'started_at', $6::text)))::json
FROM due
WHERE d.delivery_id = due.delivery_id AND d.tenant_id IS NOT DISTINCT FROM due.tenant_id
RETURNING ${DELIVERY_COLUMNS},
  (SELECT ${objectWith('a.request', 'observability')} FROM runtime.actions a
   WHERE a.action_id = d.action_id AND a.tenant_id IS NOT DISTINCT FROM d.tenant_id) AS request`;

const NEXT = firstDue(WAITING);

/** A delivery whose attempt begins, with the trace of the action that it is about. */
export interface ClaimedDelivery extends StoredDelivery {
  readonly trace?: TraceContext | undefined;
}

/** What one gateway claims. */
export interface DeliveryClaim {
  readonly nowMs: number;
  readonly leasedBy: string;
  readonly leaseId: string;
  readonly limit: number;
  /** Deliveries that the gateway runs already, by tenant; empty outside every tenant. */
  readonly running?: ReadonlyMap<string, number>;
}

/** Claims up to `limit` due deliveries for one gateway, of each tenant in turn; each gets at most one. */
export async function claimDeliveries(db: Queryable, claim: DeliveryClaim): Promise<ClaimedDelivery[]> {
  const { nowMs, leasedBy, leaseId, limit, running = new Map<string, number>() } = claim;
  const { rows } = await db.query<DeliveryRow & { request: string | null }>({
    name: 'runtime.callbacks.claim',
    text: CLAIM,
    values: [
      nowMs,
      leasedBy,
      leaseId,
      nowMs + DELIVERY_LEASE_MS,
      limit,
      formatTime(nowMs),
      [...running.keys()],
      [...running.values()],
    ],
  });
  return rows.map(({ request, ...row }) => {
    const { observability } = request === null ? {} : (parseJson(request) as Pick<Action, 'observability'>);
    return { ...decodedDelivery(row), trace: observability ? traceOfAction({ observability }) : undefined };
  });
}

/** When the next delivery is due, lapsed attempts included, in milliseconds since the epoch; null when there is none. */
export async function nextDelivery(db: Queryable): Promise<number | null> {
  const { rows } = await db.query<{ at: number | null }>({ name: 'runtime.callbacks.next', text: NEXT });
  return rows[0]?.at ?? null;
}
