import type { CapabilityContract, ProtocolError } from '../protocol/types.js';
import { type ClientError, GatewayRefused, GatewayUnreachable } from './errors.js';

/** What to do after a failed submit. `read`: look the action up; its outcome is not known. */
export type Decision = { do: 'retry'; afterMs: number } | { do: 'read' } | { do: 'give-up' };

/** Least and greatest pause before a retry when the error names none, in ms. */
const FIRST_PAUSE_MS = 250;
const MAX_PAUSE_MS = 10_000;

/**
 * Decides about a submit that failed (docs/protocol/errors.md and "Delivery"), by code, category and retryable, never by status: an answer may
 * be followed by a retry when category and contract permit it; no answer means an uncertain mutation, which is read and never repeated.
 */
export function decideSubmit(
  error: ClientError,
  about: { contract?: CapabilityContract | undefined; idempotencyKey?: string | undefined; attempt: number },
): Decision {
  if (error instanceof GatewayUnreachable) return { do: 'read' };
  if (!(error instanceof GatewayRefused)) return { do: 'give-up' };
  if (!errorPermitsRetry(error.error)) return { do: 'give-up' };
  if (!contractPermitsRetry(about.contract, about.idempotencyKey)) return { do: 'give-up' };
  return { do: 'retry', afterMs: pauseMs(about.attempt, error.error.retry_after_ms) };
}

/** Categories that can pass, and only when the error does not deny it. */
export function errorPermitsRetry(error: ProtocolError): boolean {
  if (error.code === 'connector.outcome_unknown') return false;
  if (error.category !== 'temporary' && error.category !== 'transport' && error.category !== 'connector') return false;
  return error.retryable === true;
}

/** A capability that says nothing about retries is not retried. */
export function contractPermitsRetry(contract: CapabilityContract | undefined, idempotencyKey?: string): boolean {
  if (!contract?.execution.supports_retry) return false;
  if (contract.execution.retry_safety === 'safe') return true;
  return contract.execution.retry_safety === 'safe_with_idempotency_key' && idempotencyKey !== undefined;
}

/** Pause before attempt `attempt` + 1: doubling from 250 ms to 10 s, never below what the server requested. */
export function pauseMs(attempt: number, retryAfterMs = 0): number {
  return Math.max(retryAfterMs, Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(attempt, 10)));
}
