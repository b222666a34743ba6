import type { Queryable } from '../../postgres/pool.js';
import { AipError } from '../../protocol/errors.js';
import type { SessionView } from '../../protocol/types.js';
import type { Identity } from '../edge/identity.js';
import { authorizeQuery, reaches } from '../edge/query-authorization.js';
import { readSession, type SessionRow, sessionView } from './record.js';

/**
 * One session that the caller may see (scope session:read, its owner, its tenant). Throws NotAuthorized, and `session.not_found` both when
 * there is none and when the caller may not see it.
 */
export async function findSession(
  db: Queryable,
  identity: Identity,
  sessionId: string,
  nowMs: number,
): Promise<SessionView> {
  const access = authorizeQuery(identity, { object: 'session', operation: 'read' }, nowMs);
  const session = await readSession(db, sessionId);
  if (!session || !reaches(access, { tenantId: session.tenant_id, principalId: session.principal_id }))
    throw new AipError('session.not_found', undefined, { details: { session_id: sessionId } });
  return sessionView(session);
}

/** Whether the caller opened the session: only its owner closes and resumes it, whatever scopes others have. */
export function isOwner(identity: Identity, session: SessionRow): boolean {
  const { id, kind } = identity.principal;
  const sameTenant = session.tenant_id === (identity.tenantId ?? null);
  return sameTenant && session.principal_id === id && session.principal_kind === kind;
}
