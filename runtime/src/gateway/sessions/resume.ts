import type { Queryable } from '../../postgres/pool.js';
import { AipError } from '../../protocol/errors.js';
import { formatTime } from '../../protocol/time.js';
import type { Event, SessionResume } from '../../protocol/types.js';
import type { Identity } from '../edge/identity.js';
import { authorizeQuery } from '../edge/query-authorization.js';
import { eventStreamBody } from '../events/answers.js';
import { cursorsOf } from '../events/cursor.js';
import { startOf } from '../events/follow/resume.js';
import { appendEvents } from '../events/log/append.js';
import { readPage } from '../events/page.js';
import type { Selection } from '../events/selection.js';
import { sessionEvent } from './events.js';
import { isOwner } from './find.js';
import type { SessionDeps } from './handshake.js';
import { lockSession, readSession, type SessionRow, sessionView } from './record.js';
import { isClosed } from './states.js';
import { isToken, newResumeToken, TOKEN_LIFE_MS, tokenHash } from './token.js';

/** Events that are read for one resume. */
const REPLAYED = 100;

// Replaces the token of a session that is locked.
const ROTATE = `
UPDATE runtime.sessions SET token_hash = $2, token_revision = token_revision + 1, expires_at = $3, updated_at = $4 WHERE session_id = $1`;

/** A request to resume a session. */
export interface ResumeRequest {
  readonly sessionId: string;
  readonly resumeToken?: string | undefined;
  /** A cursor of the global events, or the id of one of the owner's events. */
  readonly lastEventCursor?: string | undefined;
}

/**
 * Resumes a session for its owner (scope session:write): answers it with the next token and the session's events among the next 100 of
 * the owner's. Whatever is refused leaves the presented token as it was; of resumes that present it together one succeeds. Throws
 * NotAuthorized, `session.closed` for an own session that has ended, `session.resume_rejected` for everything else that does not fit, and
 * CursorInvalid.
 */
export async function resumeSession(
  deps: Pick<SessionDeps, 'pool' | 'clock'>,
  identity: Identity,
  request: ResumeRequest,
): Promise<SessionResume> {
  authorizeQuery(identity, { object: 'session', operation: 'write', principalId: identity.principal.id }, deps.clock());
  const token = newResumeToken();
  return deps.pool.tx(async (client) => {
    const nowMs = deps.clock();
    const session = await lockSession(client, request.sessionId);
    if (!session || !isOwner(identity, session)) throw new AipError('session.resume_rejected');
    if (isClosed(session.status)) throw new AipError('session.closed');
    if (session.expires_at <= nowMs || !isToken(request.resumeToken ?? '', session.token_hash))
      throw new AipError('session.resume_rejected');
    const replay = await replayOf(client, identity, session, request.lastEventCursor);
    const expiresAt = nowMs + TOKEN_LIFE_MS;
    await client.query({
      name: 'runtime.session.rotate',
      text: ROTATE,
      values: [session.session_id, tokenHash(token), expiresAt, nowMs],
    });
    const data = {
      session_id: session.session_id,
      owner: { id: session.principal_id, kind: session.principal_kind },
      expires_at: formatTime(expiresAt),
    };
    const rotated = sessionEvent(session, 'aip.session.resume_token_rotated', identity.principal, data, nowMs);
    await appendEvents(client, [rotated]);
    const resumed = (await readSession(client, session.session_id)) as SessionRow;
    return { session: sessionView(resumed), ...replay, resume_token: token };
  });
}

/** The session's events among the owner's next ones, and the cursor that continues behind all of these. */
async function replayOf(
  client: Queryable,
  identity: Identity,
  session: SessionRow,
  lastEventCursor: string | undefined,
): Promise<Pick<SessionResume, 'replayed_events' | 'next_cursor'>> {
  const selection: Selection = {
    route: 'events',
    access: { tenant: session.tenant_id, principals: [session.principal_id] },
    events: true,
    chunks: false,
    limit: REPLAYED,
  };
  const cursors = await cursorsOf(client, selection, identity);
  const at = await startOf(client, selection, cursors, { lastEventId: lastEventCursor });
  const page = await readPage(client, selection, at);
  const { events, next_cursor } = eventStreamBody(page, cursors.write(page.next));
  const own = events.filter((event: Event) => event.session_id === session.session_id);
  return { ...(own.length > 0 && { replayed_events: own }), ...(next_cursor !== undefined && { next_cursor }) };
}
