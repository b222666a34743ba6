import type { Action, ActionResult, ProtocolError } from '../../../protocol/types.js';
import type { ExecutionPlan } from './plan.js';
import type { ActionState } from './states.js';

/** How an action is to be executed (docs/protocol/client-api.md#routes, docs/protocol/actions.md#modes). */
export type ActionMode = 'sync' | 'async' | 'streaming';

/** One row of runtime.actions. Times in ms since the epoch. */
export interface ActionRecord {
  readonly action_id: string;
  readonly seq: number;
  readonly tenant_id: string | null;
  readonly principal_id: string;
  readonly principal_kind: string;
  readonly capability_id: string;
  readonly session_id: string | null;
  readonly correlation_id: string | null;
  readonly message_id: string;
  readonly mode: ActionMode;
  readonly state: ActionState;
  readonly request: Action;
  readonly plan: ExecutionPlan;
  readonly result: ActionResult | null;
  readonly attempts: number;
  readonly last_error: ProtocolError | null;
  readonly dead_letter_reason: string | null;
  readonly worker_id: string | null;
  readonly lease_id: string | null;
  readonly lease_acquired_at: number | null;
  readonly lease_expires_at: number | null;
  readonly next_attempt_at: number | null;
  readonly cancel_requested: boolean;
  readonly cancel_reason: string | null;
  readonly receipt_head: string | null;
  readonly receipt_count: number;
  readonly approval_id: string | null;
  readonly transaction_id: string | null;
  readonly idempotency_key: string | null;
  readonly accepted_at: number;
  /** When the decision on its approval put it into the queue. */
  readonly resumed_at: number | null;
  readonly started_at: number | null;
  readonly updated_at: number;
  readonly completed_at: number | null;
  /** It had not ended in the backup that the database was restored from: it may have run since, as one of its `attempts`. */
  readonly restored: boolean;
}

/**
 * Whether no caller waits for the answer: the caller of an action that waited for an approval was answered then, and the one of an action that
 * another worker took over was lost with its gateway.
 */
export function inBackground({
  mode,
  resumed_at,
  attempts,
}: Pick<ActionRecord, 'mode' | 'resumed_at' | 'attempts'>): boolean {
  return mode === 'async' || resumed_at !== null || attempts > 1;
}
