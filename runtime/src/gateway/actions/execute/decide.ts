import { leavesOutcomeOpen } from '../../../protocol/content/open-outcome.js';
import { toNumber } from '../../../protocol/json.js';
import type { ActionResult, ProtocolError } from '../../../protocol/types.js';
import type { ExecutionPlan } from '../record/plan.js';

/** The longest pause before the next attempt, and the base that doubles (docs/protocol/actions.md#worker). */
const MAX_RETRY_DELAY_MS = 30_000;
const BASE_RETRY_DELAY_MS = 1000;
/**
 * Attempts of a queued action whose work a host turned away before it began, or whose outcome a host may still know.
 */
const MAX_UNSETTLED_ATTEMPTS = 10;

/** Shortest and longest pause of an action that waits for an idle instance: a quarter of what it has waited. */
const MIN_WAKE_PAUSE_MS = 500;
const MAX_WAKE_PAUSE_MS = 5000;

const OUTCOME_UNKNOWN = 'connector.outcome_unknown';

/**
 * Failures after which a further dispatch of the same action id cannot repeat an effect: the work was turned away
 * before it began, or its outcome is unknown here while the host's journal knows it by the action id.
 */
const SAFE_TO_DISPATCH_AGAIN: ReadonlySet<string> = new Set([
  'connector.scheduler_overloaded',
  'connector.admission_capacity',
  'connector.replica_unavailable',
  OUTCOME_UNKNOWN,
  'connector_host.not_ready',
  'connector_host.capacity',
  'connector_host.credential_revision_unavailable',
  'connector_host.approval_authorization_unavailable',
  'storage.unavailable',
]);

/** How an attempt ended: a result, wherever it came from. */
export interface Attempt {
  readonly mode: 'sync' | 'async' | 'streaming';
  /** Whether no caller waits for the answer, as for an async action, one that waited for an approval, or one that was taken over. */
  readonly background?: boolean;
  /** Attempts so far, this one included. */
  readonly attempts: number;
  readonly plan: ExecutionPlan;
  readonly result: ActionResult;
  /** Whether the host journals actions by id; absent where that is not known. */
  readonly journaled?: boolean | undefined;
  /** It found no host because its instance is being woken: how long it has waited, and may wait, in ms. */
  readonly waking?: { readonly waitedMs: number; readonly timeoutMs: number } | undefined;
}

/** What follows an attempt. */
export type Decision =
  | { readonly kind: 'settle'; readonly state: 'completed' | 'failed' | 'cancelled' | 'dead_lettered' }
  | { readonly kind: 'retry'; readonly delayMs: number; readonly maxAttempts: number }
  /** No attempt was made: the action waits for a host. */
  | { readonly kind: 'wait'; readonly delayMs: number };

/**
 * Decides what follows an attempt (docs/protocol/actions.md#worker). The server tries again only where no caller waits for the
 * answer; an inline caller learns whether it may try again. Of a stream only what certainly cannot repeat an effect is tried again.
 */
export function decide(attempt: Attempt): Decision {
  const { result, mode } = attempt;
  if (result.status === 'completed') return { kind: 'settle', state: 'completed' };
  if (result.status === 'cancelled') return { kind: 'settle', state: 'cancelled' };
  if (mode !== 'async' && !attempt.background) return { kind: 'settle', state: 'failed' };
  const { waking } = attempt;
  if (waking && waking.waitedMs < waking.timeoutMs) return { kind: 'wait', delayMs: wakePause(waking) };
  const maxAttempts = waking ? 0 : attemptsFor(result.error, attempt);
  if (attempt.attempts < maxAttempts)
    return { kind: 'retry', delayMs: retryDelay(result.error, attempt.attempts), maxAttempts };
  return { kind: 'settle', state: mode === 'async' ? 'dead_lettered' : 'failed' };
}

/**
 * The pause after attempt number `attempts`, in milliseconds: what the error names, else a doubling one; a host that
 * is away gets both.
 */
export function retryDelay(error: ProtocolError | undefined, attempts: number): number {
  const named = error?.retry_after_ms === undefined ? undefined : toNumber(error.retry_after_ms);
  const doubling = BASE_RETRY_DELAY_MS * 2 ** (attempts - 1);
  if (named === undefined) return Math.min(doubling, MAX_RETRY_DELAY_MS);
  const delay = error && SAFE_TO_DISPATCH_AGAIN.has(error.code) ? Math.max(named, doubling) : named;
  return Math.min(delay, MAX_RETRY_DELAY_MS);
}

function wakePause({ waitedMs, timeoutMs }: { waitedMs: number; timeoutMs: number }): number {
  const pause = Math.min(Math.max(waitedMs / 4, MIN_WAKE_PAUSE_MS), MAX_WAKE_PAUSE_MS);
  return Math.max(1, Math.min(Math.round(pause), timeoutMs - waitedMs));
}

function attemptsFor(error: ProtocolError | undefined, { mode, plan, journaled }: Attempt): number {
  if (error === undefined) return 1;
  const permitted = mode === 'streaming' ? 1 : plan.max_attempts;
  // The outcome can no longer be known: only the contract may permit that the work begins once more.
  if (error.code === OUTCOME_UNKNOWN && journaled === false) return permitted;
  // A host that says so of its result has begun the work, whatever the code.
  const isOpen = error.code !== OUTCOME_UNKNOWN && leavesOutcomeOpen(error);
  if (SAFE_TO_DISPATCH_AGAIN.has(error.code) && !isOpen) return MAX_UNSETTLED_ATTEMPTS;
  return isRetryable(error) ? permitted : 1;
}

function isRetryable(error: ProtocolError): boolean {
  if (error.retryable !== undefined) return error.retryable;
  return error.category === 'temporary' || error.category === 'transport' || error.category === 'connector';
}
