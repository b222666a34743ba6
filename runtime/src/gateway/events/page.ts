import type { Queryable } from '../../postgres/pool.js';
import { AipError } from '../../protocol/errors.js';
import { MAX_PAGE_BYTES } from '../../protocol/limits.js';
import { eventsOfAction } from './log/events-of-action.js';
import { laterPosition, type StreamPosition } from './log/position.js';
import type { StoredChunk, StoredEvent } from './log/row.js';
import type { Selection } from './selection.js';

/** What the records of one page may add up to: the bound of a page without the object around them. */
const RECORD_BYTES = MAX_PAGE_BYTES - 2048;

/** A page of events and chunks, read in one snapshot of the database. */
export interface Page {
  readonly events: readonly StoredEvent[];
  readonly chunks: readonly StoredChunk[];
  /** Where the next page begins. */
  readonly next: StreamPosition;
  /** Rows were left out at the limit or at 4 MiB. */
  readonly more: boolean;
  /** The action is terminal and nothing of it is left to be read after this page. Never on the global route. */
  readonly terminal: boolean;
}

interface PageRow {
  readonly part: 'log' | 'event' | 'chunk';
  readonly xid: number | null;
  readonly seq: number | null;
  readonly event_id: string | null;
  readonly kind: string | null;
  readonly record: string | null;
  readonly xmax: number | null;
  readonly terminal: boolean | null;
}

/** Events whose transaction is older than every one still in flight: no later commit can come before them. */
const SETTLED = 'e.xid < pg_snapshot_xmin(pg_current_snapshot())';

/**
 * The place of the newest settled event; a page that left nothing out continues there. It is always the place of a
 * stored event.
 */
const LOG_END = `SELECT e.xid, e.seq FROM runtime.events e WHERE ${SETTLED} ORDER BY e.xid DESC, e.seq DESC LIMIT 1`;

/** Cuts a list of rows with `record` one row after the bytes are used up. */
const CUT = (rows: string, order: string, bytes: string): string => `
  SELECT * FROM (SELECT r.*, sum(octet_length(r.record) + 1) OVER (ORDER BY ${order}) - octet_length(r.record) AS before
                 FROM (${rows}) r) c WHERE c.before <= ${bytes}`;

// One page of an action: its events and its chunks after the given places, and, in the same snapshot, whether it is
// terminal. An event of the action that is visible but not settled yet keeps the stream open: its turn has not come.
const ACTION_PAGE = `
WITH log AS (${LOG_END}), fresh AS (${CUT(
  `SELECT e.xid, e.seq, e.event_id, e.kind, e.record::text AS record FROM ${eventsOfAction('$1', '$2')} e
   WHERE $3::boolean AND (e.xid, e.seq) > ($4::xid8, $5::bigint)
     AND ${SETTLED} AND ($6::text[] IS NULL OR e.kind = ANY ($6))
   ORDER BY e.xid, e.seq LIMIT $7`,
  'r.xid, r.seq',
  '$10::bigint',
)}), pieces AS (${CUT(
  `SELECT k.sequence, k.record::text AS record FROM runtime.chunks k
   WHERE $8::boolean AND k.action_id = $1 AND k.tenant_key = COALESCE($2, '') AND k.sequence > $9::bigint ORDER BY k.sequence LIMIT $7`,
  'r.sequence',
  '$10::bigint',
)})
SELECT 'log' AS part, (SELECT xid::text::bigint FROM log) AS xid, (SELECT seq FROM log) AS seq,
  NULL AS event_id, NULL AS kind, NULL AS record, pg_snapshot_xmax(pg_current_snapshot())::text::bigint AS xmax,
  EXISTS (SELECT FROM runtime.actions a WHERE a.action_id = $1 AND a.tenant_id IS NOT DISTINCT FROM $2 AND a.completed_at IS NOT NULL)
  AND NOT ($3 AND EXISTS (SELECT FROM ${eventsOfAction('$1', '$2')} e
    WHERE e.xid >= pg_snapshot_xmin(pg_current_snapshot()))) AS terminal
UNION ALL SELECT 'event', xid::text::bigint, seq, event_id, kind, record, NULL, NULL FROM fresh
UNION ALL SELECT 'chunk', NULL, sequence, NULL, NULL, record, NULL, NULL FROM pieces`;

/**
 * One page of the whole log for the owners that an access reaches. The tenant's form is part of the text, so that its
 * index serves.
 */
const globalPage = (tenant: string): string => `
WITH log AS (${LOG_END}), fresh AS (${CUT(
  `SELECT e.xid, e.seq, e.event_id, e.kind, e.record::text AS record FROM runtime.events e
   WHERE (e.xid, e.seq) > ($1::xid8, $2::bigint) AND ${SETTLED} AND ${tenant}
     AND ($3::text[] IS NULL OR e.principal_id = ANY ($3) OR (e.principal_id IS NULL AND e.tenant_id IS NOT NULL))
     AND ($4::text[] IS NULL OR e.kind = ANY ($4))
   ORDER BY e.xid, e.seq LIMIT $5`,
  'r.xid, r.seq',
  '$6::bigint',
)})
SELECT 'log' AS part, (SELECT xid::text::bigint FROM log) AS xid, (SELECT seq FROM log) AS seq,
  NULL AS event_id, NULL AS kind, NULL AS record, pg_snapshot_xmax(pg_current_snapshot())::text::bigint AS xmax, false AS terminal
UNION ALL SELECT 'event', xid::text::bigint, seq, event_id, kind, record, NULL, NULL FROM fresh`;

// The log of every tenant.
const PAGE_OF_ALL = globalPage('$7::text IS NULL');
// The log of what belongs to no tenant.
const PAGE_WITHOUT_TENANT = globalPage('e.tenant_id IS NULL AND $7::text IS NULL');
// The log of one tenant.
const PAGE_OF_TENANT = globalPage('e.tenant_id = $7::text');

/**
 * Reads the page of a selection that begins at a place: at most `limit` rows, events first, chunks in the room that is
 * left, all of them within 4 MiB. Throws `stream.cursor_expired` for a place that this log has not reached (a log restored from
 * an earlier day), StorageUnavailable.
 */
export async function readPage(db: Queryable, selection: Selection, at: StreamPosition): Promise<Page> {
  const { rows } = await db.query<PageRow>(selection.action ? actionQuery(selection, at) : globalQuery(selection, at));
  return pageOf(rows, selection.limit, at);
}

function actionQuery(selection: Selection, at: StreamPosition) {
  const { action, events, chunks, kinds, limit } = selection;
  return {
    name: 'runtime.events.page.action',
    text: ACTION_PAGE,
    values: [
      action?.id,
      action?.tenantId,
      events,
      String(at.event.xid),
      at.event.seq,
      kinds ?? null,
      limit + 1,
      chunks,
      at.chunk ?? -1,
      RECORD_BYTES,
    ],
  };
}

function globalQuery({ access, kinds, limit }: Selection, at: StreamPosition) {
  const principals = access.principals === 'any' ? null : access.principals;
  const place = [String(at.event.xid), at.event.seq];
  const values = [...place, principals, kinds ?? null, limit + 1, RECORD_BYTES];
  if (access.tenant === 'any') return { name: 'runtime.events.page.all', text: PAGE_OF_ALL, values: [...values, null] };
  if (access.tenant === null)
    return { name: 'runtime.events.page.untenanted', text: PAGE_WITHOUT_TENANT, values: [...values, null] };
  return { name: 'runtime.events.page.tenant', text: PAGE_OF_TENANT, values: [...values, access.tenant] };
}

/** Cuts what was read to the limit and to the bytes, and finds where the next page begins. */
function pageOf(rows: readonly PageRow[], limit: number, at: StreamPosition): Page {
  const log = rows.find((row) => row.part === 'log') as PageRow;
  if (log.xmax !== null && at.event.xid >= log.xmax) throw new AipError('stream.cursor_expired');
  const found = rows.filter((row) => row.part === 'event').map(eventOf);
  const pieces = rows.filter((row) => row.part === 'chunk').map(chunkOf);
  found.sort((a, b) => a.position.xid - b.position.xid || a.position.seq - b.position.seq);
  pieces.sort((a, b) => a.sequence - b.sequence);
  const room = { rows: limit, bytes: RECORD_BYTES };
  const events = take(found, room);
  const chunks = events.length < found.length ? [] : take(pieces, room);
  const eventsLeft = events.length < found.length;
  const end = log.xid === null || log.seq === null ? at.event : laterPosition(at.event, { xid: log.xid, seq: log.seq });
  return {
    events,
    chunks,
    next: {
      event: eventsLeft ? (events.at(-1)?.position ?? at.event) : end,
      chunk: chunks.at(-1)?.sequence ?? at.chunk,
    },
    more: eventsLeft || chunks.length < pieces.length,
    terminal: log.terminal === true && !eventsLeft && chunks.length === pieces.length,
  };
}

/** The rows that fit, in order; the first one of a page always does. Uses the room up. */
function take<T extends { readonly record: string }>(rows: readonly T[], room: { rows: number; bytes: number }): T[] {
  const taken: T[] = [];
  for (const row of rows) {
    const bytes = Buffer.byteLength(row.record) + 1;
    if (room.rows === 0 || room.bytes < bytes) break;
    room.rows -= 1;
    room.bytes -= bytes;
    taken.push(row);
  }
  return taken;
}

function eventOf(row: PageRow): StoredEvent {
  return {
    position: { xid: row.xid as number, seq: row.seq as number },
    eventId: row.event_id as string,
    kind: row.kind as string,
    record: row.record as string,
  };
}

function chunkOf(row: PageRow): StoredChunk {
  return { sequence: row.seq as number, record: row.record as string };
}
