import type { Queryable } from '../../postgres/pool.js';
import type { ChangedShare, ShareChange } from './ledger.js';

// Changes the shares of one holder: each becomes what is kept of it and what there is room for of what is wanted. Replicas and counters are locked
// in the order in which every writer locks them. The commit does not wait for the disk, so that they are locked for a moment only: a share
// comes before the assignments in it also in the log, and its holder notices by seq when a crash has undone it.
const CHANGE = `
WITH relaxed AS MATERIALIZED (
  SELECT set_config('synchronous_commit', 'off', true) AS setting
), holder AS MATERIALIZED (
  UPDATE registry.holders h SET seq = $3 FROM relaxed WHERE h.id = $1 AND h.seq = $3 - 1 AND h.lease_expires_at > $2
    AND relaxed.setting = 'off' RETURNING h.id
), item AS MATERIALIZED (
  SELECT i.* FROM holder, unnest($4::text[], $5::text[], $6::bigint[], $7::int[], $8::int[]) AS i(scope, key, "limit", keep, want)
), replica AS MATERIALIZED (
  SELECT r.id, r.active, r.capacity FROM registry.replicas r, (SELECT count(*) AS n FROM item) items
  WHERE items.n > 0 AND r.id = ANY($9) ORDER BY r.id FOR UPDATE OF r
), counter AS MATERIALIZED (
  SELECT c.scope, c.key, c.active FROM registry.policy_counters c, (SELECT count(*) AS n FROM replica) locked
  WHERE locked.n >= 0 AND (c.scope, c.key) IN (SELECT scope, key FROM item WHERE scope <> 'replica')
  ORDER BY c.scope, c.key FOR UPDATE OF c
), room AS MATERIALIZED (
  SELECT i.scope, i.key, i.keep, i.want, coalesce(o.granted, 0) AS before, coalesce(r.active, c.active) AS active,
    coalesce(r.capacity, i."limit") AS "limit"
  FROM item i LEFT JOIN registry.allotments o ON o.scope = i.scope AND o.key = i.key AND o.holder = $1
  LEFT JOIN replica r ON i.scope = 'replica' AND r.id = i.key
  LEFT JOIN counter c ON c.scope = i.scope AND c.key = i.key
), next AS MATERIALIZED (
  SELECT scope, key, before, active, "limit",
    keep + CASE WHEN active IS NULL OR "limit" IS NULL THEN 0 ELSE least(want, greatest(0, "limit" - (active - before + keep))) END AS granted
  FROM room
), replicas AS (
  UPDATE registry.replicas r SET active = greatest(0, l.active + n.granted - n.before)
  FROM next n JOIN replica l ON n.scope = 'replica' AND l.id = n.key WHERE r.id = ANY($9) AND r.id = l.id AND n.granted <> n.before
), counters AS (
  UPDATE registry.policy_counters c SET active = greatest(0, l.active + n.granted - n.before)
  FROM next n JOIN counter l ON l.scope = n.scope AND l.key = n.key WHERE c.scope = l.scope AND c.key = l.key AND n.granted <> n.before
), kept AS (
  INSERT INTO registry.allotments (scope, key, holder, granted)
  SELECT scope, key, $1, granted FROM next WHERE granted <> before
  ON CONFLICT (scope, key, holder) DO UPDATE SET granted = excluded.granted
)
SELECT n.scope, n.key, n.granted, coalesce(n.active - n.before + n.granted > n."limit", false) AS over,
  EXISTS (SELECT FROM registry.allotments a WHERE a.scope = n.scope AND a.key = n.key AND a.holder <> $1 AND a.granted > 0) AS shared
FROM next n`;

/** Changes shares of a holder, as change number `seq`; undefined when its lease has ended or another change came first. */
export async function changeShares(
  db: Queryable,
  holder: { readonly id: string; readonly seq: number },
  changes: readonly ShareChange[],
  nowMs: number,
): Promise<ChangedShare[] | undefined> {
  const column = <K extends keyof ShareChange>(name: K) => changes.map((change) => change[name] ?? null);
  const replicaIds = changes.flatMap(({ scope, key }) => (scope === 'replica' ? [key] : []));
  const { rows } = await db.query<ChangedShare>({
    name: 'registry.allotments.change',
    text: CHANGE,
    values: [
      holder.id,
      nowMs,
      holder.seq,
      column('scope'),
      column('key'),
      column('limit'),
      column('keep'),
      column('want'),
      replicaIds,
    ],
  });
  return rows.length === 0 ? undefined : rows;
}
