import { EXIT } from './client/errors.js';

/** Exit code for the state an action ended in; a state that is not an end gives 0. */
export function exitCodeOf(state: string | undefined): number {
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

/** The part of a command's help that explains its exit code. */
export const EXIT_CODE_HELP =
  'Exit code: 0 completed, 1 failed, 2 wrong usage, 3 cancelled, 4 expired, 5 dead-lettered, 6 waits for approval, 7 no gateway answers.';
