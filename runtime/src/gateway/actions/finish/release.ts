import type { Logger } from 'pino';
import { batched } from '../../../postgres/lane.js';
import type { Queryable } from '../../../postgres/pool.js';
import type { HeldRelease } from '../../../registry/allotments/release-held.js';
import type { RouteSettlement } from '../../../registry/routes/settle.js';

/** Routes that one statement releases at most. */
const MAX_BATCH = 256;

/**
 * Releases assignments: in the transaction of `client` when one is given and the registry lies in the same database, else in a commit of
 * its own that does not wait for the disk.
 */
export type ReleaseRoutes = (items: readonly RouteSettlement[], client?: Queryable) => Promise<unknown>;

/** Routes that lie beside the actions. */
export interface StoredRoutes {
  /** These were released by the commit that ended their actions. */
  released(routes: readonly HeldRelease[]): void;
  /** The transaction in which `settle` released these is committed: they no longer count in the shares of this gateway. */
  committed(releases: readonly RouteSettlement[]): void;
}

/**
 * Releases the route of an action that has ended, together with the others of that time, where the commit of its end did not. A commit of its own: the end of an action waits for
 * the disk, and every gateway would wait with it at the replicas and counters that all share. Never throws: what is not released here, also
 * because the process or the database ends between the two commits, is released by maintenance about ten seconds later.
 */
export function routeRelease(
  releaseRoutes: ReleaseRoutes | undefined,
  log: Logger,
): (release: RouteSettlement | undefined) => Promise<void> {
  const released = batched<RouteSettlement, true>({
    name: 'runtime.release',
    maxBatch: MAX_BATCH,
    run: async (items) => {
      await releaseRoutes?.(items);
      return items.map(() => true);
    },
  });
  return async (release) => {
    if (!release) return;
    try {
      await released(release);
    } catch (error) {
      log.warn({ err: error, action_id: release.actionId }, 'the route of an ended action was not released');
    }
  };
}
