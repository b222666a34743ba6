import type { Queryable } from '../../postgres/pool.js';
import { AipError } from '../../protocol/errors.js';
import type { EventStream, SessionView } from '../../protocol/types.js';
import type { Identity } from '../edge/identity.js';
import { authorizeQuery } from '../edge/query-authorization.js';
import { appendEvents, type NewEvent } from '../events/log/append.js';
import { sessionEvent } from './events.js';
import { isOwner } from './find.js';
import type { SessionDeps } from './handshake.js';
import { lockSession, readSession, type SessionRow, sessionView } from './record.js';
import { isClosed, mayBecome } from './states.js';

// Ends a session: its resume token is worth nothing from then on.
const CLOSE = `
UPDATE runtime.sessions SET status = 'cancelled', close_reason = $2, closed_at = $3, updated_at = $3 WHERE session_id = $1`;

/** What closing a session needs. */
export type CloseDeps = Pick<SessionDeps, 'pool' | 'clock'>;

/**
 * Closes a session for its owner (scope session:write) and keeps the reason; its actions continue. Throws NotAuthorized, `session.not_found`
 * also for a session of another owner, and `session.closed` for one that has ended.
 */
export async function closeSession(
  deps: CloseDeps,
  identity: Identity,
  sessionId: string,
  reason: string | undefined,
): Promise<SessionView> {
  const { session } = await close(deps, identity, sessionId, reason, 'aip.session.closed');
  return sessionView(session);
}

/** As closeSession, for a request to cancel it; answers the event. */
export async function cancelSession(
  deps: CloseDeps,
  identity: Identity,
  sessionId: string,
  reason: string | undefined,
): Promise<EventStream> {
  const { event } = await close(deps, identity, sessionId, reason, 'aip.session.cancelled');
  return { events: [event.event] };
}

/** Writes the end of a locked session; `reason` null: none was given. */
export async function endSession(
  client: Queryable,
  session: SessionRow,
  reason: string | null,
  nowMs: number,
): Promise<void> {
  await client.query({ name: 'runtime.session.close', text: CLOSE, values: [session.session_id, reason, nowMs] });
}

async function close(
  deps: CloseDeps,
  identity: Identity,
  sessionId: string,
  reason: string | undefined,
  kind: 'aip.session.closed' | 'aip.session.cancelled',
): Promise<{ session: SessionRow; event: NewEvent }> {
  authorizeQuery(identity, { object: 'session', operation: 'write', principalId: identity.principal.id }, deps.clock());
  return deps.pool.tx(async (client) => {
    const session = await lockSession(client, sessionId);
    if (!session || !isOwner(identity, session))
      throw new AipError('session.not_found', undefined, { details: { session_id: sessionId } });
    if (isClosed(session.status) || !mayBecome(session.status, 'cancelled')) throw new AipError('session.closed');
    const nowMs = deps.clock();
    await endSession(client, session, reason ?? null, nowMs);
    const data = {
      ...(kind === 'aip.session.cancelled' && { target: 'session' }),
      session_id: sessionId,
      ...(reason === undefined ? {} : { reason }),
    };
    const event = sessionEvent(session, kind, identity.principal, data, nowMs);
    await appendEvents(client, [event]);
    return { session: (await readSession(client, sessionId)) as SessionRow, event };
  });
}
