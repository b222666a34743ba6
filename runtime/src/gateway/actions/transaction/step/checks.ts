import { AipError } from '../../../../protocol/errors.js';
import { planInputHash } from '../../../../protocol/hashes.js';
import type { Action, ActionResult } from '../../../../protocol/types.js';
import type { DurableStatus, TransactionRecord } from '../record.js';

/** Who takes a step, by which action, and when the action was accepted (ms). */
export interface Step {
  readonly action: Action;
  readonly principalId: string;
  readonly principalKind: string;
  readonly acceptedAt: number;
}

/** States in which the outcome of the effect is unknown. */
const UNDECIDED: ReadonlySet<DurableStatus> = new Set(['outcome_unknown', 'reconciling', 'committing', 'compensating']);

/**
 * Why a plan may not be committed by a step, in the order of docs/protocol/records.md#transactions, or undefined. A plan has to be alive when its
 * commit is submitted; what the commit then waits for, an approval for one, does not let it expire.
 */
export function commitProblem(record: TransactionRecord | undefined, step: Step): AipError | undefined {
  const { action } = step;
  if (!record?.plan_id || record.plan_id !== action.transaction?.plan_id)
    return new AipError('transaction.plan_not_found');
  if (record.capability_id !== action.capability_id) return new AipError('transaction.plan_capability_mismatch');
  if (record.status !== 'planned')
    return record.status === 'committing' || record.status === 'committed'
      ? new AipError('transaction.plan_already_claimed')
      : new AipError('transaction.plan_not_committable');
  const { plan } = record;
  if (!plan) return new AipError('transaction.plan_missing_payload');
  if (plan.planned_by.id !== step.principalId || plan.planned_by.kind !== step.principalKind)
    return new AipError('transaction.plan_principal_mismatch');
  if (record.plan_expires_at !== null && record.plan_expires_at <= step.acceptedAt)
    return new AipError('transaction.plan_expired');
  const named = action.transaction.transaction_id;
  if (named !== undefined && named !== record.transaction_id)
    return new AipError('transaction.plan_transaction_mismatch');
  return plan.input_hash === planInputHash(action) ? undefined : new AipError('transaction.plan_input_hash_mismatch');
}

/** Why a step may not execute under a transaction that exists, or undefined (docs/protocol/records.md#transactions). */
export function executeProblem(record: TransactionRecord | undefined, step: Step): AipError | undefined {
  if (!record) return undefined;
  const { status } = record;
  const same =
    record.principal_id === step.principalId &&
    record.mode === 'execute' &&
    record.capability_id === step.action.capability_id;
  if (!same)
    return new AipError(
      'transaction.execute_state_invalid',
      'the transaction belongs to other work; use a transaction_id of its own',
    );
  if (status === 'prepared') return undefined;
  if (UNDECIDED.has(status)) return new AipError('transaction.reconciliation_required');
  if (status !== 'failed')
    return new AipError(
      'transaction.execute_state_invalid',
      'the transaction is over; use a transaction_id of its own',
    );
  const repeatable =
    step.action.idempotency_key !== undefined &&
    step.action.idempotency_key === record.request.idempotency_key &&
    record.provider_operation === null &&
    record.reconciliation_cursor === null &&
    record.reconcile_after === null &&
    record.result?.error?.retryable === true;
  return repeatable ? undefined : new AipError('transaction.retry_denied');
}

/** Why a step may not plan or try out under a transaction that exists, or undefined. */
export function lookAheadProblem(record: TransactionRecord | undefined, step: Step): AipError | undefined {
  if (!record) return undefined;
  const own = record.principal_id === step.principalId;
  const free =
    record.status === 'dry_run_completed' ||
    (record.status === 'planned' && step.action.transaction?.mode === 'plan') ||
    (record.status === 'failed' && !record.effect && (record.mode === 'plan' || record.mode === 'dry_run'));
  if (own && free) return undefined;
  return new AipError(
    'transaction.execute_state_invalid',
    'the transaction is under way or over; use a transaction_id of its own',
  );
}

/** Why a transaction may not be reconciled by an action, or undefined. */
export function reconcileProblem(record: TransactionRecord, actionId: string): AipError | undefined {
  if (record.status === 'reconciling' || (record.status === 'outcome_unknown' && record.reconcile_action_id !== null))
    return record.reconcile_action_id === actionId
      ? undefined
      : new AipError('transaction.commit_already_claimed', 'the transaction is being reconciled');
  if (record.status === 'outcome_unknown') return undefined;
  return new AipError(
    'transaction.execute_state_invalid',
    `the transaction is ${record.status}; there is nothing to reconcile`,
  );
}

/** What a compensation is about: the action and, where it has one, its transaction. */
export interface CompensationTarget {
  readonly capabilityId: string;
  readonly state: string;
  readonly result: ActionResult | null;
  readonly completedAt: number | null;
  readonly transaction: TransactionRecord | undefined;
}

/** Why an action may not be compensated at `acceptedAt`, or undefined (docs/protocol/records.md#transactions). */
export function compensateProblem(
  target: CompensationTarget | undefined,
  step: Step,
  windowMs: number | undefined,
): AipError | undefined {
  if (!target || target.capabilityId !== step.action.capability_id)
    return new AipError(
      'transaction.compensation_target_not_completed',
      'no completed action of this capability has this id',
    );
  const partial = isPartial(target.result);
  const known = target.transaction && isKnownEffect(target.transaction);
  if (target.result?.status !== 'completed' && !partial && !known)
    return new AipError('transaction.compensation_target_not_completed');
  if (target.transaction && !known && !partial) return new AipError('transaction.compensation_target_not_committed');
  const since = target.completedAt ?? target.transaction?.updated_at ?? 0;
  if (windowMs !== undefined && step.acceptedAt - since > windowMs)
    return new AipError('transaction.compensation_window_expired');
  return undefined;
}

/** Whether the provider certainly has the effect of a transaction. */
function isKnownEffect({ status, effect }: TransactionRecord): boolean {
  return status === 'committed' || (status === 'reconciled' && effect === true);
}

/** A failure that left a part of its effect behind and says so. */
function isPartial(result: ActionResult | null): boolean {
  const details = result?.error?.details as Record<string, unknown> | undefined;
  return (
    result?.status === 'failed' &&
    result.error?.retryable === false &&
    details?.side_effects_committed === true &&
    details.compensation_required === true
  );
}
