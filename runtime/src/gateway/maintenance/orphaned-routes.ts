import type { Pool } from '../../postgres/pool.js';
import type { Clock } from '../../protocol/clock.js';
import { actionKey, actionRef } from '../../protocol/content/action-ref.js';
import type { HeldAssignment } from '../../registry/maintenance/assignments.js';
import type { Registry } from '../../registry/registry.js';

/** An action may have ended this long ago and still hold its place: its end and the release may be two commits. */
const OVERDUE_MS = 10_000;
/** Places that one call reads, and those of them that one commit gives back. Reading them costs much, however few they are. */
const READ_TOGETHER = 4000;
const RELEASED_TOGETHER = 500;

// Those of the actions that ended before a time. Actions of other deployments on the same registry are unknown here and stay out.
const ENDED = `
SELECT a.action_id, a.tenant_id FROM runtime.actions a JOIN unnest($1::text[], $3::text[]) AS held(action_id, tenant_id)
  ON a.action_id = held.action_id AND a.tenant_id = held.tenant_id WHERE a.action_id = ANY($1::text[]) AND a.completed_at < $2`;

/**
 * Gives back the places that ended actions still hold: their assignment was committed while its answer was lost with the database, or the
 * gateway ended before it could release it. Each call checks the 4000 places that are held longest, behind those of the call before, and begins again when there
 * are no more. Returns how many it gave back; what another gateway released is not among them. Throws StorageUnavailable.
 */
export function orphanRelease({
  pool,
  registry,
  clock,
}: {
  pool: Pool;
  registry: Pick<Registry, 'routes' | 'maintenance'>;
  clock: Clock;
}): () => Promise<number> {
  let last: HeldAssignment | undefined;
  const releaseEnded = async (held: readonly HeldAssignment[], before: number): Promise<number> => {
    const { rows } = await pool.query<{ action_id: string; tenant_id: string }>({
      name: 'runtime.actions.ended',
      text: ENDED,
      values: [held.map(({ actionId }) => actionId), before, held.map(({ tenantId }) => tenantId)],
    });
    const ended = new Set(rows.map((row) => actionKey(actionRef(row))));
    const orphaned = held.filter((each) => ended.has(actionKey(each)));
    if (orphaned.length === 0) return 0;
    return registry.routes.settle(orphaned.map((item) => ({ ...item, settlement: 'cancelled' })));
  };
  return async () => {
    const before = clock() - OVERDUE_MS;
    const held = await registry.maintenance.held(before, READ_TOGETHER, last);
    last = held.length < READ_TOGETHER ? undefined : held.at(-1);
    let released = 0;
    for (let from = 0; from < held.length; from += RELEASED_TOGETHER)
      released += await releaseEnded(held.slice(from, from + RELEASED_TOGETHER), before);
    return released;
  };
}
