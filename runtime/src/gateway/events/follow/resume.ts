import type { Queryable } from '../../../postgres/pool.js';
import { CursorInvalid } from '../../../protocol/errors.js';
import type { Cursors } from '../cursor.js';
import { LOG_START, STREAM_START, type StreamPosition } from '../log/position.js';
import { type Selection, selectsEvent } from '../selection.js';

/** Longest Last-Event-ID that is checked, in characters. */
const MAX_ID = 512;

// The place and the owners of the events of an id, which every tenant may use once.
const FIND_EVENT = `
SELECT xid::text::bigint AS xid, seq, kind, action_id, tenant_id, principal_id FROM runtime.events WHERE event_id = $1
ORDER BY xid, seq`;

/**
 * Where a page or stream begins: after the query's cursor, else after the Last-Event-ID, else at the start (docs/protocol/client-api.md#following). A Last-Event-ID may be the id of any frame of the same stream. A cursor continues exactly; an event id
 * or `chunk:<n>` names only its own part of the place, so the other part is delivered again rather than lost. Throws
 * CursorInvalid for an id of anything else.
 */
export async function startOf(
  db: Queryable,
  selection: Selection,
  cursors: Cursors,
  given: { cursor?: string | undefined; lastEventId?: string | undefined },
): Promise<StreamPosition> {
  if (given.cursor !== undefined) return cursors.read(given.cursor);
  const id = given.lastEventId?.trim();
  if (id === undefined || id === '') return STREAM_START;
  if (id.length > MAX_ID) throw new CursorInvalid();
  const sequence = /^chunk:(\d{1,15})$/.exec(id)?.[1];
  if (sequence !== undefined && selection.chunks) return { event: LOG_START, chunk: Number(sequence) };
  return (await placeOfEvent(db, selection, id)) ?? cursors.read(id);
}

async function placeOfEvent(db: Queryable, selection: Selection, id: string): Promise<StreamPosition | undefined> {
  if (!selection.events || id.includes('\0')) return undefined;
  const { rows } = await db.query<{
    xid: number;
    seq: number;
    kind: string;
    action_id: string | null;
    tenant_id: string | null;
    principal_id: string | null;
  }>({ name: 'runtime.events.find', text: FIND_EVENT, values: [id] });
  const found = rows.find((row) =>
    selectsEvent(selection, {
      kind: row.kind,
      actionId: row.action_id,
      tenantId: row.tenant_id,
      principalId: row.principal_id,
    }),
  );
  return found && { event: { xid: found.xid, seq: found.seq }, chunk: null };
}
