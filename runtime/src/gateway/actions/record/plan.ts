import { documentBound } from '../../../protocol/content/documents.js';
import { toNumber } from '../../../protocol/json.js';
import { MAX_TIMER_MS } from '../../../protocol/limits.js';
import type { Action, Capability } from '../../../protocol/types.js';
import { type RequestedTerms, type TransactionTerms, transactionTerms } from '../transaction/terms.js';

/** The timeout of an action when neither it nor the contract names one, in milliseconds (docs/protocol/actions.md#timeouts). */
export const DEFAULT_TIMEOUT_MS = 60_000;
/** Attempts of an action whose contract allows retries (docs/protocol/actions.md#worker). */
export const MAX_ATTEMPTS = 3;

/** Where a capability runs: in this server, or on a host of the fleet. */
export type Placement = 'local' | 'remote';

/**
 * How an accepted action is to be run; fixed when it is accepted, so that a later change of the contract does not
 * change it.
 */
export interface ExecutionPlan {
  readonly placement: Placement;
  readonly timeout_ms: number;
  /** Executions allowed after failures that may be retried. */
  readonly max_attempts: number;
  readonly supports_retry: boolean;
  readonly supports_cancel: boolean;
  readonly max_queue_delay_ms?: number;
  /** The largest document that its result may name, in bytes; absent: its capability has no documents. */
  readonly max_document_bytes?: number;
  /** Of an action that is a step of a transaction. */
  readonly transaction?: TransactionTerms;
  /** Its route is read after its end. */
  readonly keeps_route?: true;
}

/** What whoever submits an action inside this server adds to its plan. */
export interface RequestedPlan {
  readonly terms?: RequestedTerms;
  readonly keepsRoute?: boolean;
}

/** Derives the plan of one action from its own wishes and the capability's contract (docs/protocol/actions.md#worker). */
export function executionPlan(
  action: Action,
  capability: Capability,
  placement: Placement,
  { terms: requestedTerms, keepsRoute }: RequestedPlan = {},
): ExecutionPlan {
  const contract = capability.contract;
  const timeouts = [action.timeout_ms, contract?.sla?.timeout_ms].filter((ms) => ms !== undefined).map(toNumber);
  const supportsRetry = contract?.execution.supports_retry ?? false;
  const safety = contract?.execution.retry_safety;
  const repeatable =
    safety === 'safe' || (safety === 'safe_with_idempotency_key' && action.idempotency_key !== undefined);
  const queueDelay = contract?.sla?.max_queue_delay_ms;
  const documents = placement === 'remote' ? documentBound(capability) : undefined;
  const terms = transactionTerms(action, capability, requestedTerms);
  return {
    placement,
    timeout_ms: timeouts.length === 0 ? DEFAULT_TIMEOUT_MS : Math.min(...timeouts, MAX_TIMER_MS),
    max_attempts: supportsRetry && repeatable ? MAX_ATTEMPTS : 1,
    supports_retry: supportsRetry,
    supports_cancel: contract?.execution.supports_cancel ?? false,
    ...(queueDelay === undefined ? {} : { max_queue_delay_ms: toNumber(queueDelay) }),
    ...(documents !== undefined && { max_document_bytes: documents }),
    ...(terms && { transaction: terms }),
    ...(keepsRoute && { keeps_route: true }),
  };
}
