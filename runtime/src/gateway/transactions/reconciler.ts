import type { Logger } from 'pino';
import type { Pool, Queryable } from '../../postgres/pool.js';
import type { Clock } from '../../protocol/clock.js';
import { newId } from '../../protocol/ids.js';
import { REPLAY_WINDOW_MS } from '../../protocol/limits.js';
import type { Action, Principal } from '../../protocol/types.js';
import { type Acceptance, acceptBatch } from '../actions/accept/write.js';
import type { CapabilityLookup, KnownCapability } from '../actions/capabilities/capabilities.js';
import { executionPlan } from '../actions/record/plan.js';
import { readTransactions, type TransactionRecord, updateTransaction } from '../actions/transaction/record.js';
import { DUE_RULE, startDueLoop } from '../maintenance/due-loop.js';
import type { Loop } from '../maintenance/loop.js';
import { actionChainId, EMPTY_CHAIN, nextReceipt } from '../records/receipts/action-chain.js';

/** Transactions of one pass. */
const MAX_PER_PASS = 64;
/** How long a transaction waits whose capability is not known at the moment, in milliseconds. */
const UNKNOWN_CAPABILITY_MS = 60_000;

/** Who asks providers about unknown outcomes. */
const SYSTEM: Principal = { id: 'system:aip-runtime', kind: 'system' };

// Transactions that are due, the oldest first; those that another gateway is at are left to it.
const DUE = `t.status = 'outcome_unknown' AND t.reconcile_after <= $1 ORDER BY t.reconcile_after LIMIT $2 FOR UPDATE SKIP LOCKED`;

const NEXT = `
SELECT min(reconcile_after) AS at FROM runtime.transactions WHERE status = 'outcome_unknown' AND reconcile_after IS NOT NULL`;

/** What the reconciler works on. */
export interface ReconcilerDeps {
  readonly pool: Pool;
  readonly clock: Clock;
  readonly log: Logger;
  readonly capabilities: CapabilityLookup;
  /** Says that there is work for the worker. */
  readonly wake: () => void;
}

/**
 * Asks providers about unknown outcomes: it submits one action in mode reconcile for each transaction that is due, one batch a second. The
 * actions run as any other, so several gateways share them and none is lost with a gateway.
 */
export function startReconciler(deps: ReconcilerDeps): Loop {
  const { pool, clock } = deps;
  const next = async (): Promise<number | null> => {
    const { rows } = await pool.query<{ at: number | null }>({ name: 'runtime.transactions.next', text: NEXT });
    return rows[0]?.at ?? null;
  };
  return startDueLoop({ pool, clock, work: { next, pass: () => reconcileDue(deps) } }, DUE_RULE, (error) =>
    deps.log.warn({ err: error }, 'reconcile failed'),
  );
}

/** One pass: returns the actions that it submitted. */
export async function reconcileDue(deps: ReconcilerDeps): Promise<string[]> {
  const submitted = await deps.pool.tx(async (client) => {
    const nowMs = deps.clock();
    const due = await readTransactions(client, 'runtime.transactions.due', DUE, [nowMs, MAX_PER_PASS]);
    const actions: string[] = [];
    for (const record of due) {
      const id = await submit(client, deps, record, nowMs);
      if (id !== undefined) actions.push(id);
    }
    return actions;
  });
  if (submitted.length > 0) deps.wake();
  return submitted;
}

async function submit(
  client: Queryable,
  deps: ReconcilerDeps,
  record: TransactionRecord,
  nowMs: number,
): Promise<string | undefined> {
  const known = await deps.capabilities.find(record.tenant_id, record.capability_id);
  if (!known?.capability.contract?.transaction?.supported_modes?.includes('reconcile')) {
    // A capability that cannot be asked is left to its callers; one that is not there may come back.
    const later = known ? null : nowMs + UNKNOWN_CAPABILITY_MS;
    await updateTransaction(client, record, { reconcile_after: later });
    return undefined;
  }
  const acceptance = acceptanceOf(record, known, nowMs);
  const [outcome] = await acceptBatch(client, [acceptance], nowMs);
  if (outcome?.kind !== 'accepted') throw new Error('a reconciliation was not accepted');
  const { action_id } = acceptance.action;
  await updateTransaction(client, record, { reconcile_after: null, reconcile_action_id: action_id });
  return action_id;
}

/** The action that asks about a transaction: queued, without a key of its own. */
function acceptanceOf(
  record: TransactionRecord,
  { capability, placement }: KnownCapability,
  nowMs: number,
): Acceptance {
  const messageId = newId('message');
  const { idempotency_key: _key, approval: _approval, callback: _callback, ...original } = record.request;
  const action: Action = {
    ...original,
    id: newId('action'),
    mode: 'sync',
    transaction: { mode: 'reconcile', transaction_id: record.transaction_id },
  };
  const receipt = nextReceipt(EMPTY_CHAIN, {
    chainId: actionChainId(action.id),
    subject: action.id,
    type: 'action_accepted',
    actor: SYSTEM,
    atMs: nowMs,
    data: { action_id: action.id, capability_id: action.capability_id, transaction_id: record.transaction_id },
  });
  return {
    claim: { messageId, key: messageId, expiresAt: nowMs + REPLAY_WINDOW_MS },
    action: {
      action_id: action.id,
      tenant_id: record.tenant_id,
      principal_id: SYSTEM.id,
      principal_kind: SYSTEM.kind,
      capability_id: action.capability_id,
      session_id: null,
      correlation_id: null,
      message_id: messageId,
      mode: 'sync',
      state: 'queued',
      request: action,
      plan: executionPlan(action, capability, placement),
      result: null,
      error_code: null,
      attempts: 0,
      worker_id: null,
      lease_id: null,
      lease_acquired_at: null,
      lease_expires_at: null,
      next_attempt_at: nowMs,
      receipt_head: receipt.head.hash,
      receipt_count: receipt.head.count,
      approval_id: null,
      transaction_id: record.transaction_id,
      idempotency_key: null,
      accepted_at: nowMs,
      started_at: null,
    },
    receipts: [receipt.stored],
    events: [],
  };
}
