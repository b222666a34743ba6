import type { Queryable } from '../../../postgres/pool.js';
import { unreadableJson } from '../../../postgres/unreadable-json.js';
import { type ActionRef, actionRef } from '../../../protocol/content/action-ref.js';
import { eventsOfAction } from './events-of-action.js';
import type { Position } from './position.js';
import type { LogRow } from './row.js';

/** Rows and bytes that one reading takes at most. */
const ROWS = 500;
const BYTES = 4 * 1024 * 1024;

interface ReadRow {
  readonly xid: number;
  readonly seq: number;
  readonly event_id: string;
  readonly kind: string;
  readonly action_id: string | null;
  readonly tenant_id: string | null;
  readonly principal_id: string | null;
  readonly record: string;
  readonly sequence: number | null;
  readonly chunk: string | null;
  readonly previous: number | null;
  readonly ended: boolean;
}

// The settled events after a place, in order, each with what its followers need: the chunk it announces, the sequence
// before that one, and whether its action is terminal with no visible event after it. The sequence is taken as text,
// because a provider may name its own event like a chunk's and put anything into it, also what the database reads no member of. The reading is cut one row after
// its bytes are used up.
const READ_LOG = `
SELECT e.xid::text::bigint AS xid, e.seq, e.event_id, e.kind, e.action_id, e.tenant_id, e.principal_id, e.record,
  e.sequence, e.chunk,
  (SELECT max(p.sequence) FROM runtime.chunks p
   WHERE p.action_id = e.action_id AND p.tenant_key = COALESCE(e.tenant_id, '') AND p.sequence < e.sequence) AS previous,
  a.completed_at IS NOT NULL AND NOT EXISTS (
    SELECT FROM runtime.events l
    WHERE l.action_id = e.action_id AND l.tenant_id IS NOT DISTINCT FROM e.tenant_id AND l.audit IS NULL AND (l.xid, l.seq) > (e.xid, e.seq))
  AND (e.audited OR NOT EXISTS (
    SELECT FROM runtime.events l WHERE l.xid = a.ended_xid AND l.action_id = e.action_id AND l.tenant_id IS NOT DISTINCT FROM e.tenant_id
      AND l.audit IS NOT NULL AND (l.xid, l.seq) > (e.xid, e.seq))) AS ended
FROM (
  SELECT r.*, k.sequence, k.record::text AS chunk,
    sum(octet_length(r.record) + coalesce(octet_length(k.record::text), 0)) OVER (ORDER BY r.xid, r.seq)
      - octet_length(r.record) - coalesce(octet_length(k.record::text), 0) AS before
  FROM (
    SELECT e.xid, e.seq, e.event_id, e.kind, e.action_id, e.tenant_id, e.principal_id, e.record::text AS record, e.audit IS NOT NULL AS audited,
      CASE WHEN e.kind = 'aip.stream.chunk' AND NOT ${unreadableJson('e.record')} AND (e.record -> 'data' -> 'sequence')::text ~ '^[0-9]{1,15}$'
           THEN (e.record -> 'data' -> 'sequence')::text::bigint END AS announced
    FROM runtime.events e
    WHERE (e.xid, e.seq) > ($1::xid8, $2::bigint) AND e.xid < pg_snapshot_xmin(pg_current_snapshot())
    ORDER BY e.xid, e.seq LIMIT ${ROWS}
  ) r LEFT JOIN runtime.chunks k ON k.action_id = r.action_id AND k.tenant_key = COALESCE(r.tenant_id, '') AND k.sequence = r.announced
) e
LEFT JOIN runtime.actions a ON a.action_id = e.action_id AND a.tenant_id IS NOT DISTINCT FROM e.tenant_id
WHERE e.before <= ${BYTES}
ORDER BY e.xid, e.seq`;

// Which of the given actions are terminal without an event after a place: their followers wait for nothing more.
const READ_ENDED = `
SELECT a.action_id, a.tenant_id FROM unnest($1::text[], $4::text[]) AS asked(action_id, tenant_id)
JOIN runtime.actions a ON a.action_id = asked.action_id AND a.tenant_id IS NOT DISTINCT FROM asked.tenant_id
WHERE a.action_id = ANY ($1::text[]) AND a.completed_at IS NOT NULL AND NOT EXISTS (
  SELECT FROM ${eventsOfAction('a.action_id', 'a.tenant_id')} e WHERE (e.xid, e.seq) > ($2::xid8, $3::bigint))`;

/** The next settled events after a place; `more` when a bound was met and the next reading should follow at once. */
export async function readLog(db: Queryable, after: Position): Promise<{ rows: LogRow[]; more: boolean }> {
  const { rows } = await db.query<ReadRow>({
    name: 'runtime.events.tail',
    text: READ_LOG,
    values: [String(after.xid), after.seq],
  });
  const bytes = rows.reduce(
    (sum, { record, chunk }) => sum + Buffer.byteLength(record) + Buffer.byteLength(chunk ?? ''),
    0,
  );
  return { rows: rows.map(logRow), more: rows.length === ROWS || bytes > BYTES };
}

/** Those of the actions that are terminal and have no event after the place. */
export async function readEnded(db: Queryable, actions: readonly ActionRef[], after: Position): Promise<ActionRef[]> {
  const { rows } = await db.query<{ action_id: string; tenant_id: string | null }>({
    name: 'runtime.events.ended',
    text: READ_ENDED,
    values: [
      actions.map(({ actionId }) => actionId),
      String(after.xid),
      after.seq,
      actions.map(({ tenantId }) => tenantId),
    ],
  });
  return rows.map(actionRef);
}

function logRow(row: ReadRow): LogRow {
  const { sequence, chunk, previous } = row;
  return {
    position: { xid: row.xid, seq: row.seq },
    eventId: row.event_id,
    kind: row.kind,
    record: row.record,
    actionId: row.action_id,
    tenantId: row.tenant_id,
    principalId: row.principal_id,
    ...(sequence !== null && chunk !== null ? { chunk: { sequence, record: chunk, previous } } : {}),
    ended: row.ended,
  };
}
