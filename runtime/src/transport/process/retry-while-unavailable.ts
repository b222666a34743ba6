import { StorageUnavailable } from '../../protocol/errors.js';
import { retry } from '../../time/retry.js';

/** How often the storage is asked while it is away, and the pause that doubles, in milliseconds: about 6 seconds. */
const ATTEMPTS = 7;
const PAUSE_MS = 100;

/** Repeats what the storage refuses while it is away, well within the life of a lease. Throws its last failure. */
export function retryWhileUnavailable<T>(ask: () => Promise<T>): Promise<T> {
  return retry(ask, {
    attempts: ATTEMPTS,
    delayMs: (n: number) => PAUSE_MS * 2 ** n,
    retryable: (error: unknown) => error instanceof StorageUnavailable,
  });
}
