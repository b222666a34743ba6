import type { Pool } from '../../postgres/pool.js';
import type { Clock } from '../../protocol/clock.js';
import type { Registry } from '../../registry/registry.js';

/** An action may have ended this long ago and still hold its place: its end and the release may be two commits. */
const OVERDUE_MS = 10_000;
const BATCH = 500;

// Those of the actions that ended before a time. Actions of other deployments on the same registry are unknown here and stay out.
const ENDED = 'SELECT action_id FROM runtime.actions WHERE action_id = ANY($1::text[]) AND completed_at < $2';

/**
 * Gives back the places that ended actions still hold: their assignment was committed while its answer was lost with the database, or the
 * gateway ended before it could release it. Returns how many; what another gateway released is not among them. Throws StorageUnavailable.
 */
export async function releaseOrphaned(deps: {
  pool: Pool;
  registry: Pick<Registry, 'routes' | 'maintenance'>;
  clock: Clock;
}): Promise<number> {
  const before = deps.clock() - OVERDUE_MS;
  const held = await deps.registry.maintenance.held(before, BATCH);
  if (held.length === 0) return 0;
  const { rows } = await deps.pool.query<{ action_id: string }>({
    name: 'runtime.actions.ended',
    text: ENDED,
    values: [held.map(({ actionId }) => actionId), before],
  });
  const ended = new Set(rows.map(({ action_id }) => action_id));
  const stranded = held.filter(({ actionId }) => ended.has(actionId));
  if (stranded.length === 0) return 0;
  return deps.registry.routes.settle(stranded.map((item) => ({ ...item, settlement: 'cancelled' })));
}
