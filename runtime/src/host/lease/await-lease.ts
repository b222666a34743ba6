import { waitUntil } from '../../time/wait.js';

/** Well below the time that a gateway gives one exchange, in milliseconds. */
const AT_MOST_MS = 2000;
const CHECK_MS = 10;

/**
 * Waits, for two seconds at most, while a lease is on its way: the registry gives out work from its commit on, which the host learns only by the
 * answer, and a host that starts again has still to confirm the lease that the registry counts as live.
 */
export async function awaitLease(onItsWay: () => boolean): Promise<void> {
  if (!onItsWay()) return;
  await waitUntil(() => !onItsWay(), { everyMs: CHECK_MS, longestMs: AT_MOST_MS });
}
