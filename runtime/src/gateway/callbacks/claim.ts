import { distinctKeys } from '../../postgres/distinct-keys.js';
import type { Queryable } from '../../postgres/pool.js';
import { objectWith } from '../../postgres/unreadable-json.js';
import { parseJson } from '../../protocol/json.js';
import { formatTime } from '../../protocol/time.js';
import type { Action } from '../../protocol/types.js';
import { type TraceContext, traceOfAction } from '../../transport/telemetry/trace-context.js';
import { DELIVERY_COLUMNS, type DeliveryRow, decodedDelivery, type StoredDelivery } from './record.js';

/** How long an attempt may take before any gateway may make the next one, in milliseconds. */
export const DELIVERY_LEASE_MS = 30_000;

const OPEN = 'completed_at IS NULL';
const TENANT = `COALESCE(tenant_id, '')`;
const DUE_AT = 'COALESCE(lease_expires_at, next_attempt_at)';
const TENANTS = distinctKeys({ name: 'tenants', table: 'runtime.callback_deliveries', key: TENANT, where: OPEN });

// Takes due deliveries past rows that another gateway is taking, and notes the attempt that begins: pending ones whose time has come, and
// attempts whose gateway is gone; of each tenant in turn, first of those that run least ($7, $8). A tenant's backlog is never read past its turn.
// Several times the limit is read, since another gateway may be taking the same.
// What is due is read once: as a subquery it could be read again for every row, each time past the rows it has locked, and claim more than asked.
const CLAIM = `
WITH RECURSIVE ${TENANTS}, waiting AS MATERIALIZED (
  SELECT w.* FROM tenants t LEFT JOIN unnest($7::text[], $8::bigint[]) AS r(key, running) ON r.key = t.key, LATERAL (
    SELECT d.*, COALESCE(r.running, 0) + row_number() OVER (ORDER BY d.due_at, d.seq) AS turn FROM (
      SELECT delivery_id, tenant_id, ${DUE_AT} AS due_at, seq FROM runtime.callback_deliveries
      WHERE ${OPEN} AND ${TENANT} = t.key AND ${DUE_AT} <= $1 ORDER BY ${DUE_AT}, seq LIMIT 4 * $5::bigint
    ) d
  ) w
  ORDER BY w.turn, w.due_at, w.seq LIMIT 4 * $5::bigint
), due AS MATERIALIZED (
  SELECT c.delivery_id, c.tenant_id FROM waiting w JOIN runtime.callback_deliveries c
    ON c.delivery_id = w.delivery_id AND c.tenant_id IS NOT DISTINCT FROM w.tenant_id
  WHERE ${OPEN} AND ${DUE_AT} <= $1
  ORDER BY w.turn, w.due_at, w.seq LIMIT $5 FOR UPDATE OF c SKIP LOCKED
)
UPDATE runtime.callback_deliveries d SET status = 'running', leased_by = $2, lease_id = $3, lease_expires_at = $4,
  next_attempt_at = NULL, updated_at = $1,
  attempts = (d.attempts::jsonb || jsonb_build_array(jsonb_build_object(
    'attempt', jsonb_array_length(d.attempts::jsonb) + 1, 'started_at', $6::text)))::json
FROM due
WHERE d.delivery_id = due.delivery_id AND d.tenant_id IS NOT DISTINCT FROM due.tenant_id
RETURNING ${DELIVERY_COLUMNS},
  (SELECT ${objectWith('a.request', 'observability')} FROM runtime.actions a
   WHERE a.action_id = d.action_id AND a.tenant_id IS NOT DISTINCT FROM d.tenant_id) AS request`;

const NEXT = `
WITH RECURSIVE ${TENANTS}
SELECT min(w.at) AS at FROM tenants t, LATERAL (
  SELECT ${DUE_AT} AS at FROM runtime.callback_deliveries WHERE ${OPEN} AND ${TENANT} = t.key ORDER BY ${DUE_AT} LIMIT 1) w`;

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
