import type { Queryable } from '../../postgres/pool.js';
import { ASSIGNMENT_COLUMNS, type AssignmentRow } from '../routes/assignment.js';
import type { Placement } from '../routes/place.js';

/** What became of a placement in a share: the stored row, or why there is none; `holder`: the shares are not the holder's any more. */
export type HeldOutcome = AssignmentRow | 'known' | 'moved' | 'replica' | 'holder';

/** The columns of an assignment that only the replica's row has. */
export const DESTINATION_COLUMNS = `endpoint, peer_principal_id, peer_principal_kind, peer_did, trust_domain, transport_profile, replica_health_revision`;

// Stores new routes whose places and counters are in shares of one holder. Nothing is locked: the replica is read, and the lease and newest change
// of the holder stand for its shares. What identifies the destination is copied from the replica's own row.
const PLACE = `
WITH item AS MATERIALIZED (
  SELECT i.*, known.here IS NOT NULL AS known,
    i.catalog_revision IS DISTINCT FROM (SELECT revision FROM registry.catalog) AS moved
  FROM json_to_recordset($1::json) AS i(action_id text, capability_id text, tenant_id text, instance_id text, replica_id text,
    version_id text, manifest_digest text, catalog_revision bigint, binding_policy_revision bigint, credential_revision_ref text,
    quota_policy_ref text, fence_token text, admission json)
  LEFT JOIN LATERAL (SELECT true AS here FROM registry.assignments a WHERE a.action_id = i.action_id AND a.tenant_id = i.tenant_id LIMIT 1) known ON true
), holder AS MATERIALIZED (
  SELECT id FROM registry.holders WHERE id = $3 AND lease_expires_at > $2 AND seq >= $4
), stored AS (
  INSERT INTO registry.assignments (${ASSIGNMENT_COLUMNS}, assigned_at, admission, reserved, held, updated_at, holder)
  SELECT t.action_id, t.capability_id, t.tenant_id, t.instance_id, r.id, t.version_id, t.manifest_digest, r.endpoint,
    r.peer_principal_id, r.peer_principal_kind, r.peer_did, r.trust_domain, r.transport_profile, t.catalog_revision,
    t.binding_policy_revision, t.credential_revision_ref, t.quota_policy_ref, r.health_revision, t.fence_token, $2,
    t.admission, true, t.admission -> 'base', $2, holder.id
  FROM holder, item t JOIN registry.replicas r ON r.id = t.replica_id
  WHERE NOT t.known AND NOT t.moved AND r.id = ANY($5)
    AND r.status = 'ready' AND r.lease_expires_at > $2 AND r.circuit_open_until <= $2
  ON CONFLICT (action_id, tenant_id) DO NOTHING
  RETURNING action_id, ${DESTINATION_COLUMNS}
)
SELECT ${DESTINATION_COLUMNS}, i.action_id AS item, CASE WHEN s.action_id IS NOT NULL THEN 'stored' WHEN i.known THEN 'known' WHEN i.moved THEN 'moved'
    WHEN NOT EXISTS (SELECT FROM holder) THEN 'holder' ELSE 'replica' END AS outcome
FROM item i LEFT JOIN stored s ON s.action_id = i.action_id`;

/** The columns of an assignment that only the replica's row has. */
export type Destination = Pick<
  AssignmentRow,
  | 'endpoint'
  | 'peer_principal_id'
  | 'peer_principal_kind'
  | 'peer_did'
  | 'trust_domain'
  | 'transport_profile'
  | 'replica_health_revision'
>;
type Row = Destination & { item: string; outcome: 'stored' | 'known' | 'moved' | 'replica' | 'holder' };

/** Stores new routes of actions with different ids in the shares of a holder, whose change number `seq` must not be undone. */
export async function placeHeld(
  db: Queryable,
  holder: { readonly id: string; readonly seq: number },
  placements: readonly Placement[],
  nowMs: number,
): Promise<Map<string, HeldOutcome>> {
  const { rows } = await db.query<Row>({
    name: 'registry.route.place_held',
    text: PLACE,
    values: [JSON.stringify(placements), nowMs, holder.id, holder.seq, placements.map(({ replica_id }) => replica_id)],
  });
  const given = new Map(placements.map((placement) => [placement.action_id, placement]));
  return new Map(
    rows.map(({ item, outcome, ...destination }): [string, HeldOutcome] => {
      if (outcome !== 'stored') return [item, outcome];
      return [item, placedRow(given.get(item) as Placement, destination)];
    }),
  );
}

/** The row of a placement that was stored. */
export function placedRow(placement: Placement, destination: Destination): AssignmentRow {
  const { admission: _, ...columns } = placement;
  return { ...columns, ...destination };
}
