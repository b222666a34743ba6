import { AipError, type ErrorOptions } from './aip-error.js';

/** The connector may or may not have acted. Never repeat it blindly: read the action, or reconcile. */
export function outcomeUnknown(message?: string, options: ErrorOptions = {}): AipError {
  const details = { ...(options.details as object | undefined), uncertain_outcome: true };
  return new AipError('connector.outcome_unknown', message, { ...options, details });
}
