import type { Queryable } from '../../postgres/pool.js';
import type { AdmissionScope } from './assignment.js';
import type { CounterMaker } from './counters.js';

/** The slot of a settled route that is to be reserved again: on its own replica, under its counters. */
export interface Slot {
  readonly action_id: string;
  readonly replica_id: string;
  readonly scopes: readonly AdmissionScope[];
}

/** What became of a slot: got, or the scope that is full, or the replica that cannot take it. */
export type SlotOutcome = 'taken' | 'replica_unavailable' | { readonly full: AdmissionScope['kind'] };

// Locks replicas and counters in one order, then takes a slot for every item that fits everywhere; a disabled instance or type and a version
// that is not active give none. Items are counted in the order given, a
// refused one counts against the others of its batch; those are tried again on their own. What is active is counted on from the locked row: the
// check that a replica is not overfull first checks the row as the statement's snapshot has it. Answers 'taken', 'replica' or the full scope.
const TAKE = `
WITH item AS MATERIALIZED (
  SELECT * FROM json_to_recordset($1::json) AS i(action_id text, replica_id text, scopes json, ord bigint)
), replica AS MATERIALIZED (
  SELECT r.id, r.active, r.capacity - r.active AS free FROM registry.replicas r
  WHERE r.id IN (SELECT replica_id FROM item) AND r.status = ANY($3::text[]) AND r.lease_expires_at > $2 AND r.circuit_open_until <= $2
    AND EXISTS (
      SELECT FROM registry.instances i, registry.versions v JOIN registry.types t ON t.id = v.type_id
      WHERE i.id = r.instance_id AND i.enabled AND v.id = r.version_id AND v.status = 'active' AND t.enabled)
  ORDER BY r.id FOR UPDATE
), scope AS MATERIALIZED (
  SELECT i.action_id, i.ord, s.kind, s.key, s."limit" FROM item i, json_to_recordset(i.scopes) AS s(kind text, key text, "limit" bigint)
), counter AS MATERIALIZED (
  SELECT c.scope, c.key, c.active FROM registry.policy_counters c
  WHERE (c.scope, c.key) IN (SELECT kind, key FROM scope) ORDER BY c.scope, c.key FOR UPDATE
), placed AS MATERIALIZED (
  SELECT p.* FROM (SELECT i.*, row_number() OVER (PARTITION BY i.replica_id ORDER BY i.ord) AS nth FROM item i) p
  JOIN replica r ON r.id = p.replica_id AND p.nth <= r.free
), full_scope AS MATERIALIZED (
  SELECT DISTINCT ON (s.action_id) s.action_id, s.kind
  FROM (SELECT s.*, row_number() OVER (PARTITION BY s.kind, s.key ORDER BY s.ord) AS nth
        FROM scope s JOIN placed USING (action_id)) s
  JOIN counter c ON c.scope = s.kind AND c.key = s.key
  WHERE c.active + s.nth > s."limit" ORDER BY s.action_id, s.kind
), taken AS MATERIALIZED (
  SELECT p.action_id, p.replica_id FROM placed p WHERE NOT EXISTS (SELECT FROM full_scope f WHERE f.action_id = p.action_id)
), counted_replicas AS (
  UPDATE registry.replicas r SET active = l.active + t.n
  FROM (SELECT replica_id, count(*)::int AS n FROM taken GROUP BY 1) t JOIN replica l ON l.id = t.replica_id WHERE r.id = l.id
), counted_scopes AS (
  UPDATE registry.policy_counters c SET active = c.active + s.n
  FROM (SELECT s.kind, s.key, count(*)::int AS n FROM scope s JOIN taken USING (action_id) GROUP BY 1, 2) s
  WHERE c.scope = s.kind AND c.key = s.key
)
SELECT i.action_id, CASE WHEN t.action_id IS NOT NULL THEN 'taken' WHEN f.kind IS NOT NULL THEN f.kind ELSE 'replica' END AS outcome
FROM item i LEFT JOIN taken t ON t.action_id = i.action_id LEFT JOIN full_scope f ON f.action_id = i.action_id`;

/** Takes slots in the transaction of `client`, each everywhere or nowhere; `states`: those a replica may be in. */
export async function takeSlots(
  client: Queryable,
  counters: CounterMaker,
  slots: readonly Slot[],
  nowMs: number,
  states: readonly string[],
): Promise<Map<string, SlotOutcome>> {
  await counters.make(
    client,
    slots.flatMap((slot) => slot.scopes),
  );
  const { rows } = await client.query<{ action_id: string; outcome: string }>({
    name: 'registry.route.take',
    text: TAKE,
    values: [JSON.stringify(slots.map((slot, ord) => ({ ...slot, ord }))), nowMs, states],
  });
  return new Map(
    rows.map(({ action_id, outcome }) => [
      action_id,
      outcome === 'taken'
        ? 'taken'
        : outcome === 'replica'
          ? 'replica_unavailable'
          : { full: outcome as AdmissionScope['kind'] },
    ]),
  );
}
