import type { Queryable } from '../../postgres/pool.js';
import type { SessionList } from '../../protocol/types.js';
import type { Identity } from '../edge/identity.js';
import { equals, openValues, reachedRows } from '../edge/lists/conditions.js';
import { type CursorBinding, rowCursors } from '../edge/lists/cursors.js';
import { pageRows } from '../edge/lists/page.js';
import { authorizeQuery } from '../edge/query-authorization.js';
import { SELECT_SESSIONS, type SessionRow, sessionView } from './record.js';
import type { SessionStatus } from './states.js';

/** A page of the session list; `principalId` is that of the initiator or the responder. */
export interface SessionListQuery {
  readonly principalId?: string | undefined;
  readonly status?: SessionStatus | undefined;
  readonly cursor?: string | undefined;
  readonly limit?: number | undefined;
}

/**
 * A page of the sessions that the caller may see, in the order in which they were opened (scope session:read; without a cross-principal
 * scope the caller's own). Throws NotAuthorized, CursorInvalid.
 */
export async function listSessions(
  db: Queryable,
  identity: Identity,
  query: SessionListQuery,
  nowMs: number,
): Promise<SessionList> {
  const { principalId, status, cursor } = query;
  const reading = { object: 'session', operation: 'read' } as const;
  authorizeQuery(identity, { ...reading, principalId }, nowMs);
  const access = authorizeQuery(identity, reading, nowMs);
  const binding: CursorBinding = { operation: 'sessions', identity, filters: { principalId, status } };
  const cursors = await rowCursors(db, binding);
  const after = cursor === undefined ? 0 : cursors.read(cursor);
  const size = pageRows(query.limit);
  const { values, bind } = openValues();
  const clauses = [`s.seq > ${bind(after)}`, ...reachedRows('s', access, bind), ...equals('s', { status }, bind)];
  if (principalId !== undefined) clauses.push(`${bind(principalId)} IN (s.principal_id, s.peer_id)`);
  const text = `${SELECT_SESSIONS} WHERE ${clauses.join(' AND ')} ORDER BY s.seq LIMIT ${bind(size + 1)}`;
  const { rows } = await db.query<SessionRow>({ text, values });
  const page = rows.slice(0, size);
  const last = page.at(-1);
  return {
    sessions: page.map(sessionView),
    ...(last && rows.length > size ? { cursor: cursors.write(last.seq) } : {}),
  };
}
