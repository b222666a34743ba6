import { doubling, retry } from '../time/retry.js';
import { waited, waitUntil } from '../time/wait.js';
import { LeaseUncertain } from './lease/errors.js';

/** A control plane that is being replaced refuses connections for about this long: six tries within three seconds. */
const DRAIN_TRIES = { attempts: 6, delayMs: doubling(100, 1000) };
/** How often the registry is asked again what is pinned here. */
const ASK_MS = 250;
/** Work that is pinned here and does not come belongs to a gateway that was lost; another one takes it over within this time. */
const TAKEN_OVER_MS = 45_000;

/** What waiting for pinned work needs. Times in milliseconds. */
export interface PinnedWork {
  /** Writes the drain; returns how many actions are pinned here and not ended, where the control plane says so. */
  drain(): Promise<number | undefined>;
  inFlight(): number;
  /** How long an action that was pinned before the drain may be on its way. */
  arrivalMs(): number;
  timeoutMs: number;
}

/** Writes the drain, again after a short pause while the control plane does not answer. Throws what the last try failed with. */
export function beginDrain({ drain }: Pick<PinnedWork, 'drain'>): Promise<number | undefined> {
  return retry(drain, { ...DRAIN_TRIES, retryable: (error) => error instanceof LeaseUncertain });
}

/**
 * Waits until every action that was pinned here before the drain has ended at its gateway, so that one which is late, or whose answer was lost
 * with a gateway, still finds this host. `pinned`: what the drain was answered. Where the control plane does not say it, waits for as long as
 * one may be on its way.
 */
export async function awaitPinnedWork(
  pinned: number | undefined,
  { drain, inFlight, arrivalMs, timeoutMs }: PinnedWork,
): Promise<void> {
  if (pinned === undefined) {
    await waited(Math.min(arrivalMs(), timeoutMs));
    return;
  }
  const begun = performance.now();
  let left = pinned;
  const over = (): boolean =>
    left <= 0 || performance.now() - begun >= (inFlight() > 0 ? timeoutMs : Math.min(timeoutMs, TAKEN_OVER_MS));
  if (over()) return;
  const asked = async (): Promise<boolean> => {
    left = (await drain().catch(() => undefined)) ?? left;
    return over();
  };
  await waitUntil(asked, { everyMs: ASK_MS, pauseFirst: true });
}
