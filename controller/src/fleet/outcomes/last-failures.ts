import type { Queryable } from '@aip/runtime/internal/postgres';

/** An action that did not reach its host, or whose answer was lost. */
export interface ReplicaFailure {
  kind: 'unreached' | 'outcome_unknown';
  actionId: string;
  endpoint: string;
  /** Ms since the epoch. */
  at: number;
}

// The newest failure of each replica. It is searched among the newest ended assignments alone: where completed actions keep theirs, there are as many as actions.
const FAILURES = `
SELECT DISTINCT ON (replica_id) replica_id, settlement, action_id, endpoint, updated_at FROM (
  SELECT replica_id, settlement, action_id, endpoint, updated_at FROM registry.assignments
  WHERE NOT reserved ORDER BY updated_at DESC LIMIT 2000
) newest WHERE replica_id = ANY($1) AND settlement IN ('outcome_unknown', 'unreached') ORDER BY replica_id, updated_at DESC`;

interface Row {
  replica_id: string;
  settlement: ReplicaFailure['kind'];
  action_id: string;
  endpoint: string;
  updated_at: number;
}

/** The newest failure of each of some replicas, by id. Throws StorageUnavailable. */
export async function lastFailures(
  db: Queryable,
  replicaIds: readonly string[],
): Promise<ReadonlyMap<string, ReplicaFailure>> {
  const { rows } = await db.query<Row>({ name: 'controller.failures', text: FAILURES, values: [replicaIds] });
  return new Map(
    rows.map(({ replica_id, settlement, action_id, endpoint, updated_at }) => [
      replica_id,
      { kind: settlement, actionId: action_id, endpoint, at: updated_at },
    ]),
  );
}
