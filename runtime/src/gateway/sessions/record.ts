import type { Queryable } from '../../postgres/pool.js';
import { formatTime } from '../../protocol/time.js';
import type { PrincipalKind, SessionView } from '../../protocol/types.js';
import type { SessionStatus } from './states.js';

/** One row of runtime.sessions with the live work in it. Times in ms since the epoch. */
export interface SessionRow {
  readonly session_id: string;
  readonly seq: number;
  readonly tenant_id: string | null;
  readonly principal_id: string;
  readonly principal_kind: PrincipalKind;
  readonly peer_id: string;
  readonly peer_kind: PrincipalKind;
  readonly status: SessionStatus;
  readonly token_hash: string;
  readonly expires_at: number;
  readonly created_at: number;
  readonly updated_at: number;
  readonly closed_at: number | null;
  readonly active_action_count: number;
}

// Only the owner's own actions count: any caller may name any session in an envelope.
/** Sessions `s` with their live work; to be followed by WHERE. */
export const SELECT_SESSIONS = `
SELECT s.session_id, s.seq, s.tenant_id, s.principal_id, s.principal_kind, s.peer_id, s.peer_kind, s.status, s.token_hash, s.expires_at,
  s.created_at, greatest(s.updated_at, w.updated_at) AS updated_at, s.closed_at, w.active_action_count
FROM runtime.sessions s CROSS JOIN LATERAL (
  SELECT count(*) AS active_action_count, max(a.updated_at) AS updated_at FROM runtime.actions a
  WHERE a.open_session_id = s.session_id AND a.completed_at IS NULL AND a.principal_id = s.principal_id
    AND a.tenant_id IS NOT DISTINCT FROM s.tenant_id
) w`;

// One session by its id.
const READ = `${SELECT_SESSIONS} WHERE s.session_id = $1`;

// Keeps a session from changing until the transaction ends.
const LOCK = `SELECT 1 FROM runtime.sessions WHERE session_id = $1 FOR UPDATE`;

/** Reads one session, or undefined when its id is not known. */
export async function readSession(db: Queryable, sessionId: string): Promise<SessionRow | undefined> {
  const { rows } = await db.query<SessionRow>({ name: 'runtime.session.read', text: READ, values: [sessionId] });
  return rows[0];
}

/** As readSession; the session stays as it is until the transaction of `client` ends. */
export async function lockSession(client: Queryable, sessionId: string): Promise<SessionRow | undefined> {
  await client.query({ name: 'runtime.session.lock', text: LOCK, values: [sessionId] });
  return readSession(client, sessionId);
}

/** The SessionView of a row. */
export function sessionView(row: SessionRow): SessionView {
  const self = `/aip/v1/sessions/${encodeURIComponent(row.session_id)}`;
  return {
    session_id: row.session_id,
    status: row.status,
    principal: { id: row.principal_id, kind: row.principal_kind },
    peer: { id: row.peer_id, kind: row.peer_kind },
    created_at: formatTime(row.created_at),
    updated_at: formatTime(row.updated_at),
    ...(row.closed_at === null ? { expires_at: formatTime(row.expires_at) } : {}),
    active_action_count: row.active_action_count,
    links: { self, close: `${self}/close`, resume: `${self}/resume` },
  };
}
