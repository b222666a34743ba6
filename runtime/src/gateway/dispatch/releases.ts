import { StorageUnavailable } from '../../protocol/errors.js';
import type { Registry } from '../../registry/registry.js';
import type { RouteSettlement } from '../../registry/routes/settle.js';
import { doubling, retry } from '../../time/retry.js';
import type { Logger } from '../../transport/process/logger.js';

/** A release is tried for about two minutes while the storage is away. */
const AGAIN = {
  attempts: 30,
  delayMs: doubling(200, 5000),
  retryable: (error: unknown) => error instanceof StorageUnavailable,
};

/** Gives places back that no transaction of an action does: those of actions that were cancelled at their hosts. */
export interface Releases {
  /**
   * Releases an assignment, and again while the storage is away, since its place stays taken until then. Never throws:
   * what could not be written is left to maintenance.
   */
  write(item: RouteSettlement): Promise<void>;
  /** Waits for the releases under way. */
  ended(): Promise<void>;
}

/** Opens the releases of one process. */
export function openReleases(routes: Pick<Registry['routes'], 'settle'>, log: Logger): Releases {
  const underWay = new Set<Promise<void>>();
  return {
    write: (item) => {
      const written: Promise<void> = retry(() => routes.settle([item]), AGAIN)
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
