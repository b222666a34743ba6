import type { Queryable } from '../../postgres/pool.js';
import { type AdmissionScope, ASSIGNMENT_COLUMNS, type AssignmentAdmission, type AssignmentRow } from './assignment.js';
import type { CounterMaker } from './counters.js';

/** One new route, chosen but not yet reserved. */
export interface Placement {
  readonly action_id: string;
  readonly capability_id: string;
  readonly tenant_id: string;
  readonly instance_id: string;
  readonly replica_id: string;
  readonly version_id: string;
  readonly manifest_digest: string;
  readonly catalog_revision: number;
  readonly binding_policy_revision: number;
  readonly credential_revision_ref: string | null;
  readonly quota_policy_ref: string | null;
  readonly fence_token: string;
  readonly admission: AssignmentAdmission;
}

/**
 * What became of a placement: the stored row; `known`: the action has a route already; `moved`: the catalog is another one now; `replica`: it
 * cannot take more; or the scope that is full.
 */
export type PlaceOutcome = AssignmentRow | 'known' | 'moved' | 'replica' | { readonly full: AdmissionScope['kind'] };

// Reserves and stores new routes in one statement: replicas and counters are locked in one order, every item gets its slot everywhere or
// nowhere, and what identifies the destination is copied from the replica's own row. Items are counted in the order given; a refused one counts
// against the later ones of its batch, which only means that those are checked again. What is active is counted on from the locked row: the
// check that a replica is not overfull first checks the row as the statement's snapshot has it.
const PLACE = `
WITH item AS MATERIALIZED (
  SELECT i.*, known.here IS NOT NULL AS known,
    i.catalog_revision IS DISTINCT FROM (SELECT revision FROM registry.catalog) AS moved
  FROM json_to_recordset($1::json) AS i(action_id text, capability_id text, tenant_id text, instance_id text, replica_id text,
    version_id text, manifest_digest text, catalog_revision bigint, binding_policy_revision bigint, credential_revision_ref text,
    quota_policy_ref text, fence_token text, admission json, ord bigint)
  LEFT JOIN LATERAL (SELECT true AS here FROM registry.assignments a WHERE a.action_id = i.action_id AND a.tenant_id = i.tenant_id LIMIT 1) known ON true
), wanted AS MATERIALIZED (
  SELECT * FROM item WHERE NOT known AND NOT moved
), replica AS MATERIALIZED (
  SELECT r.*, r.capacity - r.active AS free FROM registry.replicas r
  WHERE id IN (SELECT replica_id FROM wanted) AND status = 'ready' AND lease_expires_at > $2 AND circuit_open_until <= $2
  ORDER BY id FOR UPDATE
), placed AS MATERIALIZED (
  SELECT p.* FROM (SELECT w.*, row_number() OVER (PARTITION BY w.replica_id ORDER BY w.ord) AS nth FROM wanted w) p
  JOIN replica r ON r.id = p.replica_id AND p.nth <= r.free
), scope AS MATERIALIZED (
  SELECT p.action_id, p.ord, s.kind, s.key, s."limit"
  FROM placed p, json_to_recordset(p.admission -> 'base') AS s(kind text, key text, "limit" bigint)
), counter AS MATERIALIZED (
  SELECT c.scope, c.key, c.active FROM registry.policy_counters c
  WHERE (c.scope, c.key) IN (SELECT kind, key FROM scope) ORDER BY c.scope, c.key FOR UPDATE
), full_scope AS MATERIALIZED (
  SELECT DISTINCT ON (s.action_id) s.action_id, s.kind
  FROM (SELECT s.*, row_number() OVER (PARTITION BY s.kind, s.key ORDER BY s.ord) AS nth FROM scope s) s
  JOIN counter c ON c.scope = s.kind AND c.key = s.key
  WHERE c.active + s.nth > s."limit" ORDER BY s.action_id, s.kind
), taken AS MATERIALIZED (
  SELECT * FROM placed p WHERE NOT EXISTS (SELECT FROM full_scope f WHERE f.action_id = p.action_id)
), stored AS (
  INSERT INTO registry.assignments (${ASSIGNMENT_COLUMNS}, assigned_at, admission, reserved, held, updated_at)
  SELECT t.action_id, t.capability_id, t.tenant_id, t.instance_id, r.id, t.version_id, t.manifest_digest, r.endpoint,
    r.peer_principal_id, r.peer_principal_kind, r.peer_did, r.trust_domain, r.transport_profile, t.catalog_revision,
    t.binding_policy_revision, t.credential_revision_ref, t.quota_policy_ref, r.health_revision, t.fence_token, $2,
    t.admission, true, t.admission -> 'base', $2
  FROM taken t JOIN replica r ON r.id = t.replica_id
  ON CONFLICT (action_id, tenant_id) DO NOTHING
  RETURNING ${ASSIGNMENT_COLUMNS}
), counted_replicas AS (
  UPDATE registry.replicas r SET active = l.active + t.n
  FROM (SELECT replica_id, count(*)::int AS n FROM stored GROUP BY 1) t JOIN replica l ON l.id = t.replica_id WHERE r.id = l.id
), counted_scopes AS (
  UPDATE registry.policy_counters c SET active = c.active + s.n
  FROM (SELECT s.kind, s.key, count(*)::int AS n FROM scope s JOIN stored USING (action_id) GROUP BY 1, 2) s
  WHERE c.scope = s.kind AND c.key = s.key
)
SELECT s.*, i.action_id AS item, CASE
    WHEN s.action_id IS NOT NULL THEN 'stored' WHEN i.known OR t.action_id IS NOT NULL THEN 'known' WHEN i.moved THEN 'moved'
    WHEN f.kind IS NOT NULL THEN f.kind ELSE 'replica' END AS outcome
FROM item i LEFT JOIN stored s ON s.action_id = i.action_id LEFT JOIN full_scope f ON f.action_id = i.action_id
LEFT JOIN taken t ON t.action_id = i.action_id`;

type Row = AssignmentRow & { item: string; outcome: string };

/** Reserves and stores new routes of actions with different ids; needs no transaction of its own. An action that got its route meanwhile is `known`. */
export async function placeRoutes(
  db: Queryable,
  counters: CounterMaker,
  placements: readonly Placement[],
  nowMs: number,
): Promise<Map<string, PlaceOutcome>> {
  await counters.make(
    db,
    placements.flatMap(({ admission }) => admission.base),
  );
  const { rows } = await db.query<Row>({
    name: 'registry.route.place',
    text: PLACE,
    values: [JSON.stringify(placements.map((placement, ord) => ({ ...placement, ord }))), nowMs],
  });
  return new Map(rows.map((row) => [row.item, outcomeOf(row)]));
}

function outcomeOf(row: Row): PlaceOutcome {
  switch (row.outcome) {
    case 'stored':
      return row;
    case 'known':
    case 'moved':
    case 'replica':
      return row.outcome;
    default:
      return { full: row.outcome as AdmissionScope['kind'] };
  }
}
