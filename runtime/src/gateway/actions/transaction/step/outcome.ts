import { leavesOutcomeOpen } from '../../../../protocol/content/open-outcome.js';
import { storedText } from '../../../../protocol/content/stored-text.js';
import { plainJson, toNumber } from '../../../../protocol/json.js';
import type { ActionResult, ProtocolError, ProviderOperationRef } from '../../../../protocol/types.js';
import type { DurableStatus, TransactionChange, TransactionMode, TransactionRecord } from '../record.js';

/** The pause before an automatic reconciliation, and the longest that doubling makes of it, in milliseconds. */
export const RECONCILE_AFTER_MS = 5000;
const MAX_RECONCILE_AFTER_MS = 300_000;

/** What an effective step leaves its transaction in: how, and what is to be reconciled when. */
export type Outcome = TransactionChange & { readonly status: DurableStatus };

/** The state of a transaction after a commit, execution or compensation ended with this result (docs/protocol/records.md#transactions). */
export function outcomeOf(mode: TransactionMode, result: ActionResult, nowMs: number): Outcome {
  if (result.status === 'completed')
    return { status: mode === 'compensate' ? 'compensated' : 'committed', effect: true, reconcile_after: null };
  // What the provider knows of a failure bars its repetition.
  if (!isUncertain(result)) return { status: 'failed', effect: false, reconcile_after: null, ...evidenceOf(result) };
  return {
    status: 'outcome_unknown',
    effect: null,
    reconcile_after: nowMs + delayOf(result.error, 0),
    reconcile_attempts: 0,
    reconcile_action_id: null,
    ...evidenceOf(result),
  };
}

/** The state of a transaction after a reconciliation ended with this result. */
export function outcomeOfReconciliation(record: TransactionRecord, result: ActionResult, nowMs: number): Outcome {
  const evidence = evidenceOf(result);
  const attempts = record.reconcile_attempts + 1;
  const answer = reconciliationOf(result);
  if (result.status === 'completed' && answer.terminal !== false) {
    return {
      ...evidence,
      status: 'reconciled',
      effect: answer.committed === true,
      reconcile_after: null,
      reconcile_attempts: attempts,
    };
  }
  const asksAgain = result.error?.code !== 'connector.operation_unsupported';
  return {
    ...evidence,
    status: 'outcome_unknown',
    effect: null,
    reconcile_after: asksAgain ? nowMs + delayOf(result.error, attempts) : null,
    reconcile_attempts: attempts,
    reconcile_action_id: null,
  };
}

/** Whether it is unknown if the provider acted: a step that had begun when it was cancelled may have had its effect. */
function isUncertain({ status, error }: ActionResult): boolean {
  return status === 'cancelled' || (error !== undefined && leavesOutcomeOpen(error));
}

function delayOf(error: ProtocolError | undefined, attempts: number): number {
  const named = error?.retry_after_ms === undefined ? RECONCILE_AFTER_MS : toNumber(error.retry_after_ms);
  const doubled = RECONCILE_AFTER_MS * 2 ** Math.min(attempts, 10);
  return Math.min(MAX_RECONCILE_AFTER_MS, attempts === 0 ? named : Math.max(named, doubled));
}

/** The provider's reference and the cursor that a result carries, for the next question (docs/protocol/records.md#transactions). */
function evidenceOf(result: ActionResult): Pick<TransactionChange, 'provider_operation' | 'reconciliation_cursor'> {
  const details = (plainJson(result.error?.details) ?? {}) as Record<string, unknown>;
  const inner = (details.details ?? {}) as Record<string, unknown>;
  const output = (plainJson(result.output) ?? {}) as Record<string, unknown>;
  const operation = details.provider_operation;
  const cursor =
    reconciliationOf(result).cursor ??
    output.reconciliation_cursor ??
    details.reconciliation_cursor ??
    inner.reconciliation_cursor;
  const stored = storedText(cursor);
  return {
    ...(isOperation(operation) && { provider_operation: operation }),
    ...(stored !== undefined && { reconciliation_cursor: stored }),
  };
}

/** What a connector answered; `terminal` false says that the provider does not know yet. */
function reconciliationOf({ output }: ActionResult): { terminal?: unknown; committed?: unknown; cursor?: unknown } {
  const { reconciliation } = (plainJson(output) ?? {}) as { reconciliation?: unknown };
  return typeof reconciliation === 'object' && reconciliation !== null ? reconciliation : {};
}

function isOperation(value: unknown): value is ProviderOperationRef {
  if (typeof value !== 'object' || value === null) return false;
  const { provider, operation_id } = value as Record<string, unknown>;
  return typeof provider === 'string' && typeof operation_id === 'string';
}
