import { StorageUnavailable } from '../../protocol/errors.js';
import type { Registry } from '../../registry/registry.js';
import type { RouteSettlement } from '../../registry/routes/settle.js';
import type { Logger } from '../../transport/logger.js';
import { doubling, retry } from '../../transport/retry.js';
import { inBatches } from './batches.js';

/** Releases that one registry call writes at most. */
const MAX_BATCH = 256;

/** A release is tried for about two minutes while the storage is away. */
const AGAIN = {
  attempts: 30,
  delayMs: doubling(200, 5000),
  retryable: (error: unknown) => error instanceof StorageUnavailable,
};

/** Gives the places of assignments back that no transaction of an action does. */
export interface Releases {
  /**
   * Releases an assignment, and again while the storage is away, since its place stays taken until then. Never throws:
   * what could not be written is left to maintenance.
   */
  write(item: RouteSettlement): Promise<void>;
  /** Waits for the releases under way. */
  ended(): Promise<void>;
}

/** Opens the releases of one process; those that come together share a call. */
export function openReleases(routes: Pick<Registry['routes'], 'settle'>, log: Logger): Releases {
  const underWay = new Set<Promise<void>>();
  const settle = inBatches<RouteSettlement, null>({
    maxBatch: MAX_BATCH,
    lanes: 1,
    run: async (items) => {
      await routes.settle(items);
      return items.map(() => null);
    },
  });
  return {
    write: (item) => {
      const written: Promise<void> = retry(() => settle(item), AGAIN)
        .then(() => undefined)
        .catch((error) => log.warn({ err: error, action_id: item.actionId }, 'an assignment was not released'))
        .finally(() => underWay.delete(written));
      underWay.add(written);
      return written;
    },
    ended: async () => {
      await Promise.all(underWay);
    },
  };
}
