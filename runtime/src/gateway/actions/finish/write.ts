import type { Queryable } from '../../../postgres/pool.js';
import type { ActionResult, ApprovalDecision, AuditEvent } from '../../../protocol/types.js';
import type { RouteSettlement } from '../../../registry/routes/settle.js';
import type { NewDelivery } from '../../callbacks/delivery.js';
import { insertDeliveries } from '../../callbacks/record.js';
import { appendEvents, type NewEvent } from '../../events/log/append.js';
import type { StoredReceipt } from '../../receipts/action-chain.js';
import type { TransactionEnd } from '../../transactions/step/end.js';
import { finishTransactions } from '../../transactions/step/finish.js';
import type { TerminalState } from '../record/states.js';

/**
 * What happens to the idempotency key of a settled action: its result is kept for repeats, or the key is free again.
 */
export type KeySettlement = 'keep' | 'release';

/**
 * One action to be brought to its terminal state, with everything that is written in the same commit. The write happens
 * only while the record still stands as described: the same lease (none for an action that is not being executed) and
 * the same length of its receipt chain; and a requested cancellation admits no other end than a cancelled one.
 */
export interface Settlement {
  readonly action_id: string;
  readonly lease_id: string | null;
  readonly state: TerminalState;
  readonly result: ActionResult;
  readonly completed_at: number;
  /** What its duration is measured by. */
  readonly measured: { readonly acceptedAt: number; readonly capabilityId: string };
  readonly dead_letter_reason: string | null;
  readonly key: KeySettlement;
  /**
   * Receipts to append to the action's chain; the first one's position is the length that the chain must still have.
   */
  readonly receipts: readonly StoredReceipt[];
  /** Receipts of other chains that become true with it. */
  readonly furtherReceipts?: readonly StoredReceipt[];
  readonly audit: AuditEvent;
  readonly events: readonly NewEvent[];
  /** The decision with which the approval that the action waited for ends. */
  readonly withdrawal?: ApprovalDecision | undefined;
  /** The release of the host's assignment. */
  readonly release?: RouteSettlement | undefined;
  /** What the end makes of the action's transaction. */
  readonly transaction?: TransactionEnd | undefined;
  /** The message to the action's callback. */
  readonly delivery?: NewDelivery | undefined;
}

/** Releases assignments in the transaction of `client`, when the registry lies in the same database. */
export type ReleaseRoutes = (items: readonly RouteSettlement[], client: Queryable) => Promise<unknown>;

// Settles a batch in one statement: the fenced update decides which items count, and the receipts, audit rows,
// idempotency keys and the approval of each follow it. The rows are locked in the order of their ids, as the chunk
// ingress does it, so that neither waits for the other in a ring.
const SETTLE = `
WITH item AS MATERIALIZED (
  SELECT i.*, d.result::json AS result
  FROM unnest($2::text[]) WITH ORDINALITY AS d(result, ord)
  JOIN json_to_recordset($1::json) AS i(ord bigint,
    action_id text, lease_id text, state text, error_code text, completed_at bigint, dead_letter_reason text,
    keep_key boolean, receipts json, position integer, receipt_head text, receipt_count integer,
    audit_id text, audit_action text, audit json, withdrawal json) USING (ord)
), locked AS MATERIALIZED (
  SELECT a.action_id FROM runtime.actions a WHERE a.action_id IN (SELECT action_id FROM item)
  ORDER BY a.action_id FOR NO KEY UPDATE
), settled AS (
  UPDATE runtime.actions a SET state = i.state, result = i.result, error_code = i.error_code, completed_at = i.completed_at,
    updated_at = i.completed_at, dead_letter_reason = i.dead_letter_reason, receipt_head = i.receipt_head,
    receipt_count = i.receipt_count, lease_id = NULL, lease_acquired_at = NULL, lease_expires_at = NULL, next_attempt_at = NULL
  FROM item i JOIN locked USING (action_id)
  WHERE a.action_id = i.action_id AND a.completed_at IS NULL AND a.lease_id IS NOT DISTINCT FROM i.lease_id
    AND a.receipt_count = i.position AND (NOT a.cancel_requested OR i.state = 'cancelled')
  RETURNING a.action_id, a.tenant_id, a.principal_id, a.session_id, a.transaction_id, a.idempotency_key, a.approval_id
), receipted AS (
  INSERT INTO runtime.receipts (chain_id, position, receipt_id, tenant_id, principal_id, hash, record)
  SELECT r.chain_id, r.position, r.receipt_id, s.tenant_id, s.principal_id, r.hash, r.record
  FROM item i JOIN settled s USING (action_id),
    json_to_recordset(i.receipts) AS r(chain_id text, position integer, receipt_id text, hash text, record json)
), audited AS (
  INSERT INTO runtime.audit (audit_id, tenant_id, principal_id, action_id, session_id, transaction_id, action, occurred_at, record)
  SELECT i.audit_id, s.tenant_id, s.principal_id, i.action_id, s.session_id, s.transaction_id, i.audit_action, i.completed_at, i.audit
  FROM item i JOIN settled s USING (action_id)
), kept AS (
  UPDATE runtime.idempotency k SET result = i.result, settled_at = i.completed_at, expires_at = i.completed_at + k.ttl_ms
  FROM item i JOIN settled s USING (action_id)
  WHERE i.keep_key AND k.stored_key = s.idempotency_key AND k.owner_action_id = i.action_id
), released AS (
  DELETE FROM runtime.idempotency k USING item i JOIN settled s USING (action_id)
  WHERE NOT i.keep_key AND k.stored_key = s.idempotency_key AND k.owner_action_id = i.action_id
), withdrawn AS (
  UPDATE runtime.approvals p SET status = 'expired', decision = i.withdrawal, updated_at = i.completed_at
  FROM item i JOIN settled s USING (action_id)
  WHERE p.approval_id = s.approval_id AND p.status = 'pending'
)
SELECT action_id FROM settled`;

/**
 * Settles a batch in the transaction of `client`. Made to be the `run` of a group commit: tells for each item, in
 * order, whether it was written; false means that the fence was lost and nothing of the item was.
 */
export async function settleBatch(
  client: Queryable,
  items: readonly Settlement[],
  releaseRoutes?: ReleaseRoutes,
): Promise<boolean[]> {
  const first = firstOfEach(items);
  const written = await client.query<{ action_id: string }>({
    name: 'runtime.action.settle',
    text: SETTLE,
    values: [
      JSON.stringify(first.map((item, index) => ({ ord: index + 1, ...row(item) }))),
      first.map(({ result }) => JSON.stringify(result)),
    ],
  });
  const ids = new Set(written.rows.map((answer) => answer.action_id));
  const won = items.map((item) => ids.delete(item.action_id));
  const settled = items.filter((_, index) => won[index]);
  const releases = settled.flatMap(({ release }) => release ?? []);
  await insertDeliveries(
    client,
    settled.flatMap(({ delivery }) => delivery ?? []),
  );
  const steps = await finishTransactions(
    client,
    settled.flatMap(({ transaction }) => transaction ?? []),
  );
  await Promise.all([
    releases.length > 0 ? releaseRoutes?.(releases, client) : undefined,
    appendEvents(client, [...steps, ...settled.flatMap((item) => item.events)]),
  ]);
  return won;
}

/** Two settlements of one action in one batch: only the first may win. */
function firstOfEach(items: readonly Settlement[]): Settlement[] {
  const seen = new Set<string>();
  return items.filter((item) => !seen.has(item.action_id) && seen.add(item.action_id));
}

function row(item: Settlement): Record<string, unknown> {
  const last = item.receipts.at(-1);
  return {
    action_id: item.action_id,
    lease_id: item.lease_id,
    state: item.state,
    error_code: item.result.error?.code ?? null,
    completed_at: item.completed_at,
    dead_letter_reason: item.dead_letter_reason,
    keep_key: item.key === 'keep',
    receipts: item.furtherReceipts ? [...item.receipts, ...item.furtherReceipts] : item.receipts,
    position: item.receipts[0]?.position,
    receipt_head: last?.hash,
    receipt_count: (last?.position ?? 0) + 1,
    audit_id: item.audit.id,
    audit_action: item.audit.action,
    audit: item.audit,
    withdrawal: item.withdrawal,
  };
}
