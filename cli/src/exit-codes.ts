import type { ActionStatus, ProtocolError } from '@aip/runtime/internal/protocol';
import { EXIT, wasRejected } from './client/errors.js';

/** Exit code for the state an action ended in; a state that is not an end gives 0. A failure by a refusal of policy or person is a rejection. */
export function exitCodeOf(state: string | undefined, error?: ProtocolError): number {
  if (error && (state === 'failed' || state === 'dead_lettered') && wasRejected(error)) return EXIT.rejected;
  const codes: Readonly<Record<string, number>> = {
    completed: EXIT.ok,
    failed: EXIT.failed,
    cancelled: EXIT.cancelled,
    expired: EXIT.expired,
    dead_lettered: EXIT.deadLettered,
    pending_approval: EXIT.pendingApproval,
    requires_human: EXIT.pendingApproval,
  };
  return codes[state ?? ''] ?? EXIT.ok;
}

/** Exit code for an action as it was read. */
export function exitCodeOfStatus(status: ActionStatus): number {
  return exitCodeOf(status.state, status.result?.error);
}

/** The part of a command's help that explains its exit code. */
export const EXIT_CODE_HELP =
  'Exit code: 0 completed, 1 failed, 2 wrong usage, 3 cancelled, 4 expired, 5 dead-lettered, 6 waits for approval, 7 no gateway answers, 8 rejected or denied, 124 gave up waiting, 130 interrupted.';
