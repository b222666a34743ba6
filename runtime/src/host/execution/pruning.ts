import { setTimeout as pause } from 'node:timers/promises';
import type { Clock } from '../../protocol/clock.js';
import type { Logger } from '../../transport/logger.js';
import type { Journal } from './journal.js';

const EVERY_MS = 60_000;
/** Executions stay a week, so that a late repeat is still answered from the journal. */
const KEEP_MS = 7 * 86_400_000;

/** Removes message ids and executions that nobody can ask for any more, once a minute until `signal` fires; never rejects. */
export async function keepPruned(journal: Journal, signal: AbortSignal, clock: Clock, log: Logger): Promise<void> {
  while (!signal.aborted) {
    await pause(EVERY_MS, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return;
    await journal
      .prune(clock(), clock() - KEEP_MS)
      .catch((error) => log.warn({ code: error.code }, 'the journal was not pruned'));
  }
}
