import type { Queryable } from '../../../postgres/pool.js';
import { type ActionRef, actionKey, actionRef } from '../../../protocol/content/action-ref.js';
import { fairClaim, firstDue, type WaitingRows } from '../../claims/fair-turns.js';
import { ACTION_COLUMNS, type StoredActionRecord } from '../record/columns.js';
import { decodeAction } from '../record/read.js';
import type { ActionRecord } from '../record/record.js';
import { WORK_CHANNEL } from '../record/work-channel.js';
import { STILL_OPEN } from './lapsed-leases.js';

/** Shortest pause before leases are checked that may have lapsed meanwhile, in milliseconds. */
const CHECK_LEASES_MS = 1000;

/** Actions that wait for a worker. */
const WAITING: WaitingRows = {
  table: 'runtime.actions',
  id: 'action_id',
  where: `${STILL_OPEN} AND lease_expires_at IS NULL AND next_attempt_at IS NOT NULL`,
  dueAt: 'next_attempt_at',
};

/** The longest request that an action can have (docs/protocol/limits.md#client-api). */
const MAX_BYTES = 4_194_304;
// What the request takes as text, without reading it: one that the storage compressed as if it had done so as well as it can.
const BYTES = `LEAST(${MAX_BYTES}, pg_column_size(r.request)::bigint
    * CASE pg_column_compression(r.request) WHEN 'pglz' THEN 88 WHEN 'lz4' THEN 255 ELSE 1 END)`;

// Takes due actions past rows that another worker is taking: executions whose lease has lapsed since $10, then queued ones whose time has come, of each
// tenant in turn, at most as many of one as make $8 together, until their requests reach $9 bytes. An action that is to be cancelled keeps its
// state, so that its new owner only ends it.
const CLAIM_DUE = `
WITH RECURSIVE lapsed AS MATERIALIZED (
  SELECT action_id, tenant_id FROM runtime.actions
  WHERE ${STILL_OPEN} AND lease_expires_at > $10 AND lease_expires_at <= $1
  ORDER BY lease_expires_at LIMIT $5 FOR UPDATE SKIP LOCKED
), ${fairClaim(WAITING, {
  name: 'queued',
  now: '$1',
  limit: '$5',
  left: 'GREATEST($5 - (SELECT count(*) FROM lapsed), 0)',
  running: ['$6', '$7'],
  room: '$8',
})}, sized AS (
  SELECT f.action_id, f.tenant_id, f.turn, ${BYTES} AS bytes FROM (
    SELECT action_id, tenant_id, row_number() OVER () AS turn
    FROM (SELECT action_id, tenant_id FROM lapsed UNION ALL SELECT action_id, tenant_id FROM queued) l
  ) f JOIN runtime.actions r ON r.action_id = f.action_id AND r.tenant_id IS NOT DISTINCT FROM f.tenant_id
), due AS (
  SELECT action_id, tenant_id FROM (
    SELECT action_id, tenant_id, sum(bytes) OVER (ORDER BY turn) - bytes AS before FROM sized
  ) s WHERE before < $9
)
UPDATE runtime.actions a SET
  state = CASE WHEN a.cancel_requested THEN 'cancelling' ELSE 'running' END,
  attempts = a.attempts + CASE WHEN a.cancel_requested THEN 0 ELSE 1 END,
  worker_id = $2, lease_id = $3, lease_acquired_at = $1, lease_expires_at = $4, next_attempt_at = NULL,
  started_at = COALESCE(a.started_at, $1), updated_at = $1
FROM due
WHERE a.action_id = due.action_id AND a.tenant_id IS NOT DISTINCT FROM due.tenant_id
RETURNING ${ACTION_COLUMNS}`;

// The lease that lapses next may be of an action that has ended, since those keep theirs: it is only a time to check again, CHECK_LEASES_MS from now at least.
const NEXT = `
SELECT LEAST(
  (SELECT lease_expires_at FROM runtime.actions WHERE ${STILL_OPEN} AND lease_expires_at > $1 AND lease_expires_at <= $2
    ORDER BY lease_expires_at LIMIT 1),
  (SELECT GREATEST(lease_expires_at, $2 + ${CHECK_LEASES_MS}) FROM runtime.actions WHERE lease_expires_at > $2 ORDER BY lease_expires_at LIMIT 1),
  (${firstDue(WAITING)})
) AS at`;

// Extends every lease that one process holds; a lease that is not answered is lost. Returns which of them are to be
// cancelled.
const RENEW_LEASES = `
UPDATE runtime.actions a SET lease_expires_at = $3
FROM unnest($1::text[], $2::text[], $4::text[]) AS held(action_id, lease_id, tenant_id)
WHERE a.action_id = held.action_id AND a.tenant_id IS NOT DISTINCT FROM held.tenant_id AND a.lease_id = held.lease_id AND a.completed_at IS NULL
RETURNING a.action_id, a.tenant_id, a.cancel_requested`;

// Ends leases at once, so that the next worker may take their actions over.
const ABANDON_LEASES = `
UPDATE runtime.actions a SET lease_expires_at = $3
FROM unnest($1::text[], $2::text[], $4::text[]) AS given(action_id, lease_id, tenant_id)
WHERE a.action_id = given.action_id AND a.tenant_id IS NOT DISTINCT FROM given.tenant_id AND a.lease_id = given.lease_id
  AND a.completed_at IS NULL AND a.lease_expires_at > $3`;

/** The right to write the progress of one execution until it lapses or is taken over. */
export interface Lease extends ActionRef {
  readonly leaseId: string;
}

/** What one worker claims. */
export interface Claim {
  readonly nowMs: number;
  readonly workerId: string;
  readonly leaseId: string;
  readonly leaseMs: number;
  readonly limit: number;
  /** Leases that lapsed up to this time are of actions that have ended. Milliseconds since the epoch. */
  readonly lapsedAfter: number;
  /** Actions that the worker runs already, by tenant; empty outside every tenant. */
  readonly running?: ReadonlyMap<string, number>;
  /** How many of one tenant it may run; default: as many as it claims. */
  readonly room?: number;
  /** Bytes of requests after which nothing more is claimed; default: no bound. */
  readonly bytes?: number;
}

/** An action that was claimed, with the bytes of its request. */
export type ClaimedAction = ActionRecord & { readonly requestBytes: number };

/**
 * Claims up to `limit` due actions for one worker, of each tenant in turn; at most one worker gets each. `bytes` may be exceeded by one action,
 * and fewer are claimed where the storage compressed them.
 */
export async function claimDue(db: Queryable, claim: Claim): Promise<ClaimedAction[]> {
  const { running = new Map<string, number>() } = claim;
  const { room = Number.MAX_SAFE_INTEGER, bytes = Number.MAX_SAFE_INTEGER } = claim;
  const claimed = await db.query<StoredActionRecord>({
    name: 'runtime.action.claim',
    text: CLAIM_DUE,
    values: [
      claim.nowMs,
      claim.workerId,
      claim.leaseId,
      claim.nowMs + claim.leaseMs,
      claim.limit,
      [...running.keys()],
      [...running.values()],
      room,
      bytes,
      claim.lapsedAfter,
    ],
  });
  return claimed.rows
    .map((row) => ({ ...decodeAction(row), requestBytes: Buffer.byteLength(row.request) }))
    .sort((a, b) => a.seq - b.seq);
}

/**
 * When the next action is due for a worker, or may be where a lease lapses, in milliseconds since the epoch; null when there is none.
 * `lapsedAfter` as in a Claim.
 */
export async function nextDue(
  db: Queryable,
  { nowMs, lapsedAfter }: Pick<Claim, 'nowMs' | 'lapsedAfter'>,
): Promise<number | null> {
  const { rows } = await db.query<{ at: number | null }>({
    name: 'runtime.action.next_due',
    text: NEXT,
    values: [lapsedAfter, nowMs],
  });
  return rows[0]?.at ?? null;
}

/**
 * Extends the given leases to `expiresAt`; returns, by actionKey, whether it is to be cancelled. A missing key means a
 * lost lease.
 */
export async function renewLeases(
  db: Queryable,
  leases: readonly Lease[],
  expiresAt: number,
): Promise<Map<string, boolean>> {
  const renewed = await db.query<{ action_id: string; tenant_id: string | null; cancel_requested: boolean }>({
    name: 'runtime.action.renew',
    text: RENEW_LEASES,
    values: [...leaseColumns(leases), expiresAt, leases.map((lease) => lease.tenantId)],
  });
  return new Map(renewed.rows.map((row) => [actionKey(actionRef(row)), row.cancel_requested]));
}

/** Gives leases up: their actions are due for any worker from now on. */
export async function abandonLeases(db: Queryable, leases: readonly Lease[], nowMs: number): Promise<void> {
  await db.query({
    name: 'runtime.action.abandon',
    text: ABANDON_LEASES,
    values: [...leaseColumns(leases), nowMs, leases.map((lease) => lease.tenantId)],
  });
  db.announce?.(WORK_CHANNEL);
}

function leaseColumns(leases: readonly Lease[]): [string[], string[]] {
  return [leases.map((lease) => lease.actionId), leases.map((lease) => lease.leaseId)];
}
