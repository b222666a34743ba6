import { plainJson } from '../json.js';
import type { ProtocolError } from '../types.js';

/** Failures after which it is unknown whether the provider acted. */
const OPEN_CODES: ReadonlySet<string> = new Set([
  'sla.timeout_exceeded',
  'connector.outcome_unknown',
  // The handler is done; what it returned does not say with which result.
  'action.output_schema_invalid',
]);

/** Whether the provider may have acted although the action failed: the error says so, or it is one that leaves it open (docs/protocol/records.md#transactions). */
export function leavesOutcomeOpen({ code, details }: ProtocolError): boolean {
  const { uncertain_outcome: uncertain } = (plainJson(details) ?? {}) as { uncertain_outcome?: unknown };
  return uncertain === true || OPEN_CODES.has(code);
}
