import type { Gateway } from './client/gateway.js';
import { type Submission, submitAction } from './client/submit.js';
import { exitCodeOf } from './exit-codes.js';
import { followToEnd } from './follow-session.js';
import { interruptible } from './interrupt.js';
import { openFollowView } from './ui/follow/open.js';

/**
 * Submits and follows at once: a sync or streaming submit is answered only at its end, so the stream is opened beside it. Gives the exit code;
 * Ctrl-C ends the follow, not the action.
 */
export async function submitAndFollow(
  gateway: Gateway,
  submission: Submission & { id: string },
  json: boolean,
): Promise<number> {
  return interruptible(async (signal) => {
    const refused = new AbortController();
    let answered = false;
    const submitting = submitAction(gateway, submission, { signal }).then(
      () => {
        answered = true;
        return undefined;
      },
      (error: unknown) => {
        if (!signal.aborted) refused.abort();
        return error;
      },
    );
    const view = await openFollowView(submission.id, json);
    const following = followToEnd(gateway, submission.id, view, {
      signal: AbortSignal.any([signal, refused.signal]),
      stopAtApproval: true,
      mayBeMissing: () => !answered,
    });
    const status = await following;
    if (status) return exitCodeOf(status.state);
    const error = refused.signal.aborted ? await submitting : undefined;
    if (error !== undefined) throw error;
    return 0;
  });
}
