import { HostNotReady, StorageUnavailable } from '../../protocol/errors.js';
import { doubling, retry } from '../../time/retry.js';

/** How often a fact that must not be lost is offered to the storage. */
const ATTEMPTS = 8;

/** A query before any call: when the storage fails, nothing was executed and the host is not ready. */
export async function beforeCall<T>(query: () => Promise<T>): Promise<T> {
  try {
    return await query();
  } catch (cause) {
    if (!(cause instanceof StorageUnavailable)) throw cause;
    throw new HostNotReady('the storage of the connector host is not ready', { cause });
  }
}

/** A write after a call: tried again for some seconds, because what it says has happened. */
export function afterCall(write: () => Promise<void>): Promise<void> {
  return retry(write, {
    attempts: ATTEMPTS,
    delayMs: doubling(100, 2000),
    retryable: (error) => error instanceof StorageUnavailable,
  });
}
