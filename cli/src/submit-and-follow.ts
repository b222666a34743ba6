import { isLost, type Submission, submitAction } from '@aip/runtime/client';
import { getAction } from '@aip/runtime/internal/client';
import { type Gateway, isNotFound, OutcomeUncertain } from '@aip/runtime/internal/gateway';
import { openDeadline } from '@aip/runtime/internal/time';
import { EXIT } from './client/errors.js';
import { exitCodeOfStatus } from './exit-codes.js';
import { followToEnd } from './follow-session.js';
import { interruptible } from './interrupt.js';
import { openFollowView } from './ui/follow/open.js';

/** How often a follow may miss an action whose submit was not answered, before it counts as never accepted. */
const MISSES_AFTER_LOSS = 10;

/**
 * Submits and follows at once: a sync or streaming submit is answered only at its end, so the stream is opened beside it. Gives the exit code.
 * Once an event or a chunk of the action has come it was accepted, and how the submit itself ends no longer matters. A repeat of an idempotency key
 * is answered with the first action and its result, and nothing is there to follow. Ctrl-C ends the follow, not the action.
 */
export async function submitAndFollow(
  gateway: Gateway,
  submission: Submission & { id: string },
  json: boolean,
): Promise<number> {
  return interruptible(async (signal) => {
    const following = openDeadline(signal);
    let submit: 'open' | 'answered' | 'lost' = 'open';
    let refusal: unknown;
    let misses = 0;
    let seen = false;
    /** The action whose key this one repeats. */
    let first: string | undefined;
    void submitAction(gateway, submission, { signal, whenLost: 'throw' }).then(
      ({ actionId }) => {
        submit = 'answered';
        if (actionId === submission.id) return;
        first = actionId;
        following.abort();
      },
      (error: unknown) => {
        if (isLost(error)) submit = 'lost';
        else if (!signal.aborted && !seen) {
          refusal = error;
          following.abort();
        }
      },
    );
    const view = await openFollowView(submission.id, json, submission.capabilityId);
    const accepted = (): void => {
      seen = true;
    };
    const status = await followToEnd(gateway, submission.id, view, {
      signal: following.signal,
      stopAtApproval: true,
      onProgress: accepted,
      mayBeMissing: () => {
        if (submit === 'lost') misses += 1;
        return submit === 'open' || (submit === 'lost' && misses <= MISSES_AFTER_LOSS);
      },
    })
      .catch((error: unknown) => {
        if (first !== undefined) return undefined;
        if (submit === 'lost' && !seen && isNotFound(error)) throw new OutcomeUncertain(submission.id, error);
        throw error;
      })
      .finally(following.clear);
    if (status) return exitCodeOfStatus(status);
    if (first !== undefined) {
      const ended = await getAction(gateway, first, { result: true });
      await view.end(ended);
      return exitCodeOfStatus(ended);
    }
    if (refusal !== undefined) throw refusal;
    view.interrupted();
    return EXIT.interrupted;
  });
}
