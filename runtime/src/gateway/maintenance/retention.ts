import type { Pool } from '../../postgres/pool.js';
import type { Clock } from '../../protocol/clock.js';
import type { Registry } from '../../registry/registry.js';
import type { Logger } from '../../transport/process/logger.js';
import type { FamilyName } from '../metrics/families.js';
import type { Metrics } from '../metrics/metrics.js';
import { type Loop, type LoopRule, startLoop } from './loop.js';
import type { RetentionRules } from './retention-rules.js';

/** When passes run, in milliseconds: hourly, moved by the jitter of loops. */
export const RETENTION_RULE: LoopRule = { intervalMs: 3_600_000, firstBackoffMs: 60_000, maxBackoffMs: 3_600_000 };
/** Rows that one transaction removes: it never holds many locks. A pass removes batches until nothing expired is left. */
const BATCH_ROWS = 1000;

// The right to remove rows, until the transaction ends: one gateway of a deployment at a time. Its commit waits for no disk, which actions wait for:
// rows that a crash of the database brings back are removed again.
const TAKE_TURN = `
SELECT pg_try_advisory_xact_lock(hashtextextended('aip.runtime.retention', 0)) AS mine, set_config('synchronous_commit', 'off', true)`;

// Events that came into the log before $1. Rows come in the order of the log, so the range index skips what is young.
const DELETE_EVENTS = `
DELETE FROM runtime.events WHERE (xid, seq) IN (
  SELECT xid, seq FROM runtime.events WHERE occurred_at < $1 LIMIT $2 FOR UPDATE SKIP LOCKED)`;

// Claims of message ids whose window has passed.
const DELETE_REPLAY_CLAIMS = `
DELETE FROM runtime.replay_claims WHERE message_id IN (
  SELECT message_id FROM runtime.replay_claims WHERE expires_at <= $1 ORDER BY expires_at LIMIT $2 FOR UPDATE SKIP LOCKED)`;

// Idempotency keys past their time to live.
const DELETE_IDEMPOTENCY_KEYS = `
DELETE FROM runtime.idempotency WHERE stored_key IN (
  SELECT stored_key FROM runtime.idempotency WHERE expires_at <= $1 ORDER BY expires_at LIMIT $2 FOR UPDATE SKIP LOCKED)`;

// Removes actions that ended before $1, with their chunks. Their receipts stay.
const deleteActions = (state: string): string => `
WITH gone AS (
  DELETE FROM runtime.actions WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM runtime.actions WHERE completed_at < $1 AND state ${state}
    ORDER BY completed_at LIMIT $2 FOR UPDATE SKIP LOCKED))
  RETURNING action_id, tenant_id, COALESCE(tenant_id, '') AS tenant_key, principal_id, receipts
), chunks AS (
  DELETE FROM runtime.chunks c USING gone WHERE c.action_id = gone.action_id AND c.tenant_key = gone.tenant_key
), kept AS (
  INSERT INTO runtime.receipts (chain_id, position, receipt_id, tenant_id, principal_id, hash, record)
  SELECT 'action:' || g.action_id, (link->>'position')::integer, link->'record'->>'id', g.tenant_id, g.principal_id,
    link->'record'->>'hash', link->'record'
  FROM gone g, unnest(g.receipts) AS link
  ON CONFLICT DO NOTHING
)
SELECT action_id FROM gone`;
const DELETE_DEAD_LETTERS = deleteActions(`= 'dead_lettered'`);
const DELETE_ACTIONS = deleteActions(`<> 'dead_lettered'`);

// Deliveries that ended before $1. Their receipts stay.
const DELETE_CALLBACK_DELIVERIES = `
DELETE FROM runtime.callback_deliveries WHERE ctid = ANY (ARRAY(
  SELECT ctid FROM runtime.callback_deliveries WHERE completed_at < $1
  ORDER BY completed_at LIMIT $2 FOR UPDATE SKIP LOCKED))`;

// Delegations that ended before $1, with their deliveries. Their receipts stay.
const DELETE_DELEGATIONS = `
DELETE FROM runtime.delegations WHERE seq IN (
  SELECT seq FROM runtime.delegations WHERE completed_at < $1 ORDER BY completed_at LIMIT $2 FOR UPDATE SKIP LOCKED)`;

// Sessions that were closed before $1.
const DELETE_SESSIONS = `
DELETE FROM runtime.sessions WHERE session_id IN (
  SELECT session_id FROM runtime.sessions WHERE closed_at < $1 ORDER BY closed_at LIMIT $2 FOR UPDATE SKIP LOCKED)`;

// Escalations that were received before $1.
const DELETE_ESCALATIONS = `
DELETE FROM runtime.escalations WHERE seq IN (
  SELECT seq FROM runtime.escalations WHERE recorded_at < $1 ORDER BY recorded_at LIMIT $2 FOR UPDATE SKIP LOCKED)`;

// Approvals that ended before $1, with their votes. That of an action that has not ended stays.
const DELETE_APPROVALS = `
WITH ended AS MATERIALIZED (
  SELECT approval_id, tenant_id FROM runtime.approvals p WHERE status <> 'pending' AND updated_at < $1 AND NOT EXISTS (
    SELECT FROM runtime.actions a WHERE a.action_id = p.action_id AND a.tenant_id IS NOT DISTINCT FROM p.tenant_id AND a.completed_at IS NULL)
  ORDER BY updated_at LIMIT $2 FOR UPDATE SKIP LOCKED
), votes AS (
  DELETE FROM runtime.approval_votes v USING ended e WHERE v.approval_id = e.approval_id AND v.tenant_key = COALESCE(e.tenant_id, '')
)
DELETE FROM runtime.approvals p USING ended e WHERE p.approval_id = e.approval_id AND p.tenant_id IS NOT DISTINCT FROM e.tenant_id`;

// Receipt chains and settlements that were submitted before $1.
const deleteSubmitted = (table: string): string => `
DELETE FROM runtime.${table} WHERE ctid = ANY (ARRAY(
  SELECT ctid FROM runtime.${table} WHERE submitted_at < $1 ORDER BY submitted_at LIMIT $2 FOR UPDATE SKIP LOCKED))`;
const DELETE_SUBMITTED_CHAINS = deleteSubmitted('submitted_chains');
const DELETE_SETTLEMENTS = deleteSubmitted('batch_settlements');

// Audit events of a time before $1. Most rows come in the order of their times, so the range index skips what is young.
const DELETE_AUDIT = `
DELETE FROM runtime.audit WHERE ctid = ANY (ARRAY(
  SELECT ctid FROM runtime.audit WHERE occurred_at < $1 LIMIT $2 FOR UPDATE SKIP LOCKED))`;

// Documents that were stored before $1.
const DELETE_DOCUMENTS = `
DELETE FROM runtime.documents WHERE (action_id, tenant_id, digest) IN (
  SELECT action_id, tenant_id, digest FROM runtime.documents WHERE stored_at < $1 LIMIT $2 FOR UPDATE SKIP LOCKED)`;

// Parts of documents that were removed, and of those whose writing ended before $1 without the document: the last part says when.
const DELETE_DOCUMENT_PARTS = `
DELETE FROM runtime.document_parts WHERE (document_id, part) IN (
  SELECT document_id, part FROM runtime.document_parts p WHERE stored_at < $1
    AND NOT EXISTS (SELECT FROM runtime.documents d
      WHERE d.action_id = p.action_id AND d.tenant_id = p.tenant_id AND d.document_id = p.document_id)
    AND (SELECT q.stored_at FROM runtime.document_parts q WHERE q.document_id = p.document_id ORDER BY q.part DESC LIMIT 1) < $1
  LIMIT $2 FOR UPDATE SKIP LOCKED)`;

/** Parts without a document stay an hour, in milliseconds: no document is written for that long without a further part. */
const PARTS_MS = 3_600_000;

/** What one kind of row is removed by. */
interface Removal {
  name: string;
  text: string;
  /** Rows that ended before this time go, in ms since the epoch. */
  before: number;
  counter?: FamilyName;
}

/** What a retention pass works on. */
export interface RetentionDeps {
  pool: Pool;
  rules: RetentionRules;
  /** Absent: a gateway without a fleet. */
  registry?: Pick<Registry, 'maintenance'> | undefined;
  metrics: Metrics;
  clock: Clock;
  /** Rows that one transaction removes; default 1000. */
  batchRows?: number;
}

/**
 * One retention pass: removes what the rules no longer keep, in small transactions, and counts it. Ends early when another gateway is at
 * it. Returns the rows removed by kind.
 */
export async function retentionPass(deps: RetentionDeps, signal?: AbortSignal): Promise<Record<string, number>> {
  const removed: Record<string, number> = {};
  const batchRows = deps.batchRows ?? BATCH_ROWS;
  for (const removal of removals(deps.rules, deps.clock())) {
    let total = 0;
    while (!signal?.aborted) {
      const count = await removeBatch(deps.pool, removal, batchRows);
      if (count === undefined) return removed;
      total += count;
      if (removal.counter) deps.metrics.count(removal.counter, count);
      if (count < batchRows) break;
    }
    removed[removal.name] = total;
  }
  const { registry, rules } = deps;
  if (registry && rules.assignmentsMs !== undefined)
    removed.assignments = await removeAssignments(registry, deps, deps.clock() - rules.assignmentsMs, signal);
  return removed;
}

/** The registry may lie in another database and serve further deployments, so its batches need no turn: they pass over each other's rows. */
async function removeAssignments(
  registry: Pick<Registry, 'maintenance'>,
  { metrics }: RetentionDeps,
  before: number,
  signal: AbortSignal | undefined,
): Promise<number> {
  let total = 0;
  while (!signal?.aborted) {
    const count = await registry.maintenance.prune(before, BATCH_ROWS);
    total += count;
    metrics.count('aip_retention_route_assignments_deleted_total', count);
    if (count < BATCH_ROWS) break;
  }
  return total;
}

/** Starts the retention pass: at once, then hourly (docs/protocol/client-api.md#metrics, group Retention). */
export function startRetention(deps: RetentionDeps & { log: Logger }, rule: LoopRule = RETENTION_RULE): Loop {
  const pass = async (signal: AbortSignal): Promise<void> => {
    const removed = await retentionPass(deps, signal);
    if (Object.values(removed).some((count) => count > 0)) deps.log.info({ removed }, 'retention removed rows');
  };
  return startLoop(pass, rule, (error) => deps.log.warn({ err: error }, 'the retention pass failed'));
}

function removals(rules: RetentionRules, now: number): Removal[] {
  const list: Removal[] = [
    {
      name: 'replay_claims',
      text: DELETE_REPLAY_CLAIMS,
      before: now - (rules.replayClaimsMs ?? 0),
      counter: 'aip_retention_replay_claims_deleted_total',
    },
    { name: 'idempotency_keys', text: DELETE_IDEMPOTENCY_KEYS, before: now },
  ];
  const { eventsMs, deadLettersMs, actionsMs, callbackDeliveriesMs, outboxMs, documentsMs, sessionsMs } = rules;
  const { approvalsMs, reportsMs, auditMs } = rules;
  if (eventsMs !== undefined) {
    list.push({
      name: 'events',
      text: DELETE_EVENTS,
      before: now - eventsMs,
      counter: 'aip_retention_events_deleted_total',
    });
  }
  if (deadLettersMs !== undefined) {
    const counter = 'aip_retention_dead_letters_deleted_total';
    list.push({ name: 'dead_letters', text: DELETE_DEAD_LETTERS, before: now - deadLettersMs, counter });
  }
  if (callbackDeliveriesMs !== undefined) {
    list.push({
      name: 'callback_deliveries',
      text: DELETE_CALLBACK_DELIVERIES,
      before: now - callbackDeliveriesMs,
      counter: 'aip_retention_callback_deliveries_deleted_total',
    });
  }
  if (outboxMs !== undefined) {
    const counter = 'aip_retention_outbox_records_deleted_total';
    list.push({ name: 'outbox_records', text: DELETE_DELEGATIONS, before: now - outboxMs, counter });
  }
  if (documentsMs !== undefined) list.push({ name: 'documents', text: DELETE_DOCUMENTS, before: now - documentsMs });
  list.push({ name: 'document_parts', text: DELETE_DOCUMENT_PARTS, before: now - PARTS_MS });
  if (actionsMs !== undefined) list.push({ name: 'actions', text: DELETE_ACTIONS, before: now - actionsMs });
  if (sessionsMs !== undefined) {
    const before = now - sessionsMs;
    list.push({ name: 'sessions', text: DELETE_SESSIONS, before, counter: 'aip_retention_sessions_deleted_total' });
    list.push({ name: 'escalations', text: DELETE_ESCALATIONS, before });
  }
  if (approvalsMs !== undefined) list.push({ name: 'approvals', text: DELETE_APPROVALS, before: now - approvalsMs });
  if (reportsMs !== undefined) {
    const before = now - reportsMs;
    list.push({ name: 'submitted_chains', text: DELETE_SUBMITTED_CHAINS, before });
    list.push({ name: 'batch_settlements', text: DELETE_SETTLEMENTS, before });
  }
  if (auditMs !== undefined) list.push({ name: 'audit', text: DELETE_AUDIT, before: now - auditMs });
  return list;
}

/** A batch may take this long, in milliseconds: it removes rows from tables of any size. */
const REMOVAL_MS = 60_000;

/** Removes one batch; undefined when another gateway has the turn. */
function removeBatch(pool: Pool, removal: Removal, rows: number): Promise<number | undefined> {
  return pool.tx(async (client) => {
    const turn = await client.query<{ mine: boolean }>(TAKE_TURN);
    if (!turn.rows[0]?.mine) return undefined;
    const done = await client.query({
      text: removal.text,
      values: [removal.before, rows],
      timeoutMs: REMOVAL_MS,
    });
    return done.rowCount ?? 0;
  });
}
