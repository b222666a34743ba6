import type { Queryable } from '@aip/runtime/internal/postgres';
import type { CanaryOutcome } from '../../reconcile/inputs.js';

/** So many of the last actions of a canary decide. */
const SAMPLE = 1000;

// How the last actions of some replicas ended since a time, or since their instance keeps the routes of completed actions: before that only those of
// others are there. An action that its host answered, with an error perhaps, is settled as completed;
// only the action itself knows.
const OUTCOME = `
SELECT count(*)::int AS finished, (count(*) FILTER (WHERE failed))::int AS failed FROM (
  SELECT a.settlement IN ('outcome_unknown', 'unreached', 'lease_expired') OR coalesce(r.state IN ('failed', 'expired', 'dead_lettered'), false) AS failed
  FROM registry.assignments a LEFT JOIN runtime.actions r ON r.action_id = a.action_id AND r.tenant_id = a.tenant_id
  WHERE NOT a.reserved AND a.updated_at >= greatest($2, (SELECT max(coalesce(i.routes_kept_since, ${Number.MAX_SAFE_INTEGER}))
      FROM registry.instances i JOIN registry.replicas t ON t.instance_id = i.id WHERE t.id = ANY($1)))
    AND a.replica_id = ANY($1) AND a.settlement NOT IN ('refused', 'cancelled')
  ORDER BY a.updated_at DESC LIMIT ${SAMPLE}
) ended`;

/** How the last actions of some replicas ended since a time, in ms since the epoch; nothing has where no gateway has prepared the database yet. */
export async function canaryOutcome(
  db: Queryable,
  replicaIds: readonly string[],
  since: number,
): Promise<CanaryOutcome> {
  const { rows: made } = await db.query<{ there: boolean }>(
    "SELECT to_regclass('runtime.actions') IS NOT NULL AS there",
  );
  if (!made[0]?.there) return { finished: 0, failed: 0 };
  const { rows } = await db.query<CanaryOutcome>(OUTCOME, [replicaIds, since]);
  return rows[0] ?? { finished: 0, failed: 0 };
}
