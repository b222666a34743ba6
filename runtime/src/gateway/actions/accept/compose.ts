import type { Envelope } from '../../../protocol/envelope.js';
import { newId } from '../../../protocol/ids.js';
import type { Action, ActionResult, Principal } from '../../../protocol/types.js';
import type { Identity } from '../../edge/identity.js';
import {
  actionChainId,
  type ChainHead,
  EMPTY_CHAIN,
  nextReceipt,
  type ReceiptFact,
  type StoredReceipt,
} from '../../records/receipts/action-chain.js';
import type { ReplayClaim } from '../../records/replay/freshness.js';
import { keysOfRequest } from '../approval/authority/keys.js';
import { requestedEvent } from '../approval/events.js';
import { type PendingApproval, pendingApproval } from '../approval/request/compose.js';
import { LEASE_MS } from '../execute/lease-keeper.js';
import { executionPlan } from '../record/plan.js';
import { type LiveState, nextState, type Trigger } from '../record/states.js';
import { isEffective, stepNeedsApproval } from '../transaction/terms.js';
import { reservationOf } from './idempotency.js';
import type { PreparedAction } from './prepare.js';
import type { Acceptance } from './write.js';

/** Who takes an inline action's first lease. */
export interface LeaseTaker {
  readonly workerId: string;
  readonly leaseId: string;
}

/**
 * Everything that is written when a prepared action is accepted, and the pending result when it has to wait for an
 * approval.
 */
export interface PreparedAcceptance {
  readonly acceptance: Acceptance;
  readonly pending?: ActionResult;
}

/** Composes the row, receipts, reservation and, where a human has to decide, the approval of a new action. */
export function acceptanceOf(
  identity: Identity,
  envelope: Envelope,
  prepared: PreparedAction,
  claim: ReplayClaim,
  lease: LeaseTaker,
  nowMs: number,
): PreparedAcceptance {
  const { mode, known } = prepared;
  const action = withTransactionId(prepared.action);
  const principal = identity.principal;
  const tenantId = identity.tenantId ?? null;
  const { contract } = known.capability;
  // A step that only looks has no effect that its key could make one.
  const reservation = isEffective(action.transaction?.mode)
    ? reservationOf(action, contract, { principalId: principal.id, tenantId }, nowMs)
    : undefined;
  const approval =
    action.approval === undefined && stepNeedsApproval(action, known.capability)
      ? pendingApproval(action, known.capability, actorOf(principal), nowMs)
      : undefined;
  const trigger: Trigger = approval ? 'approval_needed' : mode === 'async' ? 'enqueue' : 'start';
  const state = nextState('accepted', trigger) as LiveState;
  const inline = trigger === 'start';
  const chain = receiptsOf(action, envelope, principal, approval, nowMs);
  const row = {
    action_id: action.id,
    tenant_id: tenantId,
    principal_id: principal.id,
    principal_kind: principal.kind,
    capability_id: action.capability_id,
    session_id: envelope.session_id ?? null,
    correlation_id: envelope.correlation_id ?? null,
    message_id: claim.messageId,
    mode,
    state,
    request: action,
    plan: executionPlan(action, known.capability, known.placement, prepared.requested),
    result: approval?.result ?? null,
    error_code: approval?.result.error?.code ?? null,
    attempts: inline ? 1 : 0,
    worker_id: inline ? lease.workerId : null,
    lease_id: inline ? lease.leaseId : null,
    lease_acquired_at: inline ? nowMs : null,
    lease_expires_at: inline ? nowMs + LEASE_MS : null,
    next_attempt_at: inline || approval ? null : nowMs,
    receipt_head: chain.head.hash,
    receipt_count: chain.head.count,
    approval_id: approval?.request.id ?? action.approval?.approval_id ?? null,
    transaction_id: action.transaction?.transaction_id ?? null,
    idempotency_key: reservation?.stored_key ?? null,
    accepted_at: nowMs,
    started_at: inline ? nowMs : null,
  };
  return {
    acceptance: {
      claim,
      action: row,
      reservation,
      receipts: chain.receipts,
      ...(approval && {
        approval: {
          approval_id: approval.request.id,
          request: approval.request,
          policy_hash: approval.policyHash,
          expires_at: approval.expiresAt,
          approver_keys: keysOfRequest(approval.request),
        },
      }),
      events: approval ? [requestedEvent(row, approval.request, nowMs)] : [],
    },
    ...(approval && { pending: approval.result }),
  };
}

/** The action's receipts, and the first of an approval's own chain behind them. */
function receiptsOf(
  action: Action,
  envelope: Envelope,
  principal: Principal,
  approval: PendingApproval | undefined,
  nowMs: number,
): { receipts: StoredReceipt[]; head: ChainHead } {
  const shared = {
    chainId: actionChainId(action.id),
    subject: action.id,
    actor: actorOf(principal),
    atMs: nowMs,
    correlationId: envelope.correlation_id ?? null,
  };
  const facts: ReceiptFact[] = [
    {
      ...shared,
      type: 'action_accepted',
      data: { action_id: action.id, capability_id: action.capability_id, message_id: envelope.message_id },
    },
  ];
  if (approval) {
    const decided = { approval_id: approval.request.id, capability_id: action.capability_id };
    facts.push(
      { ...shared, type: 'policy_decision', data: { ...decided, requires_human_approval: true } },
      { ...shared, type: 'approval_requested', data: { ...decided, action_id: action.id } },
    );
  }
  const own = chained(facts);
  return { receipts: [...own.receipts, ...chained(approval?.receipts ?? []).receipts], head: own.head };
}

function chained(facts: readonly ReceiptFact[]): { receipts: StoredReceipt[]; head: ChainHead } {
  let head = EMPTY_CHAIN;
  const receipts: StoredReceipt[] = [];
  for (const fact of facts) {
    const next = nextReceipt(head, fact);
    receipts.push(next.stored);
    head = next.head;
  }
  return { receipts, head };
}

function withTransactionId(action: Action): Action {
  if (action.transaction === undefined || action.transaction.transaction_id !== undefined) return action;
  return { ...action, transaction: { ...action.transaction, transaction_id: newId('transaction') } };
}

/** A principal as receipts and events name it: its id and kind alone. */
function actorOf(principal: Principal): Principal {
  return { id: principal.id, kind: principal.kind };
}
